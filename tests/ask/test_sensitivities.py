"""Sensitivities against witnesses: small steps solved anew, and dense samples of ranges."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from questions import SYMBOLIC, TYPES, Kind, Texts, example, solved_variants

from ddcalc.ask.sensitivity import Sensitivity, sensitivity
from ddcalc.ask.sensitivity.effects import effects
from ddcalc.ask.sensitivity.levers import Lever, OperatingPoint
from ddcalc.ask.sensitivity.purchases import Purchase
from ddcalc.ask.sensitivity.summary import report
from ddcalc.ask.sensitivity.uncertainty import certain
from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.memory import remembered
from ddcalc.problem.catalog import problem_named

SOME = 2  # points of each type, or nearly so
ENOUGH = 40  # slopes of each type
EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
EPOCH = problem_named("epoch-time")
BREAKEVEN = problem_named("breakeven")
TIMELINE = problem_named("timeline")

of_every_type = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)


@remembered
def _points(problem: Kind) -> list[tuple[Texts, OperatingPoint]]:
    return [
        (texts, OperatingPoint(solved))
        for _, texts, solved in solved_variants(problem)
        if not isinstance(solved.answer.value, Expr | None)
    ]


def _some(problem: Kind) -> list[tuple[Texts, OperatingPoint]]:
    """The first point and others throughout the list."""
    points = _points(problem)
    return points[:: max(1, len(points) // SOME)]


def _solved(problem: Kind, texts: Texts, lever: Lever, value: Number) -> Number | None:
    """The answer with one number written anew and everything solved again."""
    name, _, index = lever.name.partition("[")
    text = f"{Fraction(value) / lever.given.unit.worth} {lever.given.unit.name}".strip()
    changed: str | list[str] = text
    if index:
        changed = list(texts[name])
        changed[int(index[:-1]) - 1] = text
    try:
        answer = solve(problem, {**texts, name: changed}).answer.value
    except DdcalcError:
        return None
    return None if answer is None or isinstance(answer, Expr) else Fraction(answer)


@of_equations
def test_derivatives_are_between_the_slopes_of_small_steps(problem: Kind) -> None:
    """Without a jump near by; formulas bend so little in such a step that both sides agree."""
    little = Fraction(1, 10**9)
    checked = 0
    for texts, point in _points(problem):
        for effect in effects(point) if checked < ENOUGH else ():
            lever = effect.lever
            if effect.smooth is None or lever.whole or len(lever.members) > 1:
                continue
            if effect.measured:
                continue  # over a larger step
            if lever.name not in texts and "[" not in lever.name:
                continue  # a usual value
            step = little * (lever.value or 1)
            below, above = (_solved(problem, texts, lever, lever.value + s) for s in (-step, step))
            for before, after in ((below, point.value), (point.value, above)):
                if before is not None and after is not None:
                    off = abs(Fraction(after - before) / step - effect.smooth)
                    assert off <= abs(Fraction(effect.smooth)) / 10**6 + little**4
                    checked += 1
    assert checked


@of_every_type
def test_counts_get_the_exact_differences(problem: Kind) -> None:
    for texts, point in _some(problem):
        for effect in effects(point):
            lever = effect.lever
            if not lever.whole or lever.name not in texts:
                continue
            for by, change in ((-1, effect.down), (1, effect.up)):
                other = _solved(problem, texts, lever, lever.value + by)
                assert other == (None if change is None else Fraction(point.value) + change)


@of_every_type
def test_every_question_has_a_report(problem: Kind) -> None:
    for _, point in _some(problem):
        moves = Sensitivity(point)
        assert report(moves).answer
        assert len(moves.effects) == len(point.levers)
        spans = [swing.span(point.value) for swing in moves.swings]
        assert spans == sorted(spans, reverse=True)
        assert all(spans)
        for goal in moves.goals:
            size, step = abs(Fraction(point.value)), abs(Fraction(goal.change))
            whole = point.result.unit.worth if size.denominator == 1 else 0
            assert step <= max(size / 100, whole, point.result.unit.worth if size >= 10 else 0)
            assert goal.reached(goal.wanted)
            assert not goal.reached(point.value)


@of_every_type
def test_purchases_do_what_they_say(problem: Kind) -> None:
    """Put in and solved anew; of equations numbers between are too, and do not do it."""
    for texts, point in _some(problem):
        moves = Sensitivity(point)
        goals = {goal.way: goal for goal in moves.goals}
        for bought in moves.purchases:
            goal = goals[bought.way]
            if bought.lever.name not in texts:
                continue
            if bought.sure in ("exact", "estimate"):
                assert bought.value is not None
                answer = _solved(problem, texts, bought.lever, bought.value)
                assert answer == bought.answer
                assert bought.sure == "estimate" or goal.reached(answer)
            if point.lines and bought.sure in ("exact", "never"):
                for value in _between(bought):
                    answer = _solved(problem, texts, bought.lever, value)
                    assert not goal.reached(answer), (bought, value)


def _lowering(moves: Sensitivity) -> dict[str, Purchase]:
    """What lowers the answer, by the given that does it."""
    return {bought.lever.name: bought for bought in moves.purchases if bought.way == "less"}


def _between(bought: Purchase) -> list[Number]:
    """Some of the numbers that are nearer than what is bought, on both sides."""
    at, whole = bought.lever.value, bought.lever.whole
    far = Fraction(abs(at) * 2 + 5 if bought.value is None else abs(bought.value - at))
    numbers = [at + sign * far * Fraction(i, 10) for sign in (-1, 1) for i in range(1, 11)]
    if bought.sure == "never":
        return list(map(round, numbers)) if whole else list(numbers)
    assert bought.value is not None
    room = abs(bought.value) * Fraction(3, 10**5)  # an end that is no solution is rounded
    if whole:
        numbers = [*map(round, numbers), at - far + 1, at + far - 1]
    return [x for x in numbers if abs(x - at) < far - (0 if whole else room)]


def test_where_the_answer_jumps_the_jump_is_found() -> None:
    """The exam's break-even: 66 workers as soon as m_eq is below 66, not at no computation."""
    texts = {key: text for key, text in EXAM.items() if key in BREAKEVEN.givens}
    bought = _lowering(sensitivity(BREAKEVEN, texts))
    for name, value in (("compute", "3.98996"), ("aggregate", "0.0151517")):
        assert (bought[name].value, bought[name].answer) == (Fraction(value), 66)


def test_what_was_only_tried_is_not_said_to_be_proved() -> None:
    """Members of lists and schedules are tried. For 21 gradients 28 s are enough, but 28.8 s is the
    next of the values that are tried."""
    moves = sensitivity(TIMELINE, {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"})
    bought = {made.lever.name: made for made in moves.purchases if made.way == "more"}
    assert (bought["horizon"].sure, bought["horizon"].answer) == ("estimate", 21)
    assert bought["periods[1]"].sure == "none"
    tables = [next(s for s in report(m).steps if s.title.startswith(("To raise", "To lower")))
              for m in (moves, sensitivity(EPOCH, EXAM))]  # fmt: skip
    assert ["smaller ones may do" in table.why for table in tables] == [True, False]
    ends = {effect.lever.name: (effect.down, effect.up) for effect in moves.effects}
    assert (ends["horizon"], ends["periods[3]"]) == ((None, 0), (0, None))  # a jump is no slope


def test_a_curve_that_is_played_has_slopes() -> None:
    """By hand: with L = 10 the stale sum is 2η/(2·b^2), b = 20 + 2η, so its slope is known."""
    texts: Texts = {"inputs": ["1", "3"], "targets": ["2", "4"], "eta": "1"}
    moves = sensitivity(problem_named("ridge"), texts)
    by_name = {effect.lever.name: effect for effect in moves.effects}
    assert by_name["targets[1]"].smooth == 0
    slope = 1 / 22**2 - 4 / 22**3
    assert float(by_name["eta"].smooth or 0) == pytest.approx(slope, rel=3e-2)
    assert by_name["eta"].why == ""


@pytest.mark.parametrize(
    ("text", "low", "middle", "high"),
    [
        ("4±0.5 s", "7/2", "4", "9/2"),
        ("4 s ± 500 ms", "7/2", "4", "9/2"),
        ("4 s +/- 10 %", "18/5", "4", "22/5"),
        ("3..5 s", "3", "4", "5"),
        ("1..2 min", "60", "90", "120"),
    ],
)
def test_uncertain_inputs(text: str, low: str, middle: str, high: str) -> None:
    plain, (spread,) = certain(EPOCH, EXAM | {"compute": text})
    assert [spread.low, spread.middle, spread.high] == [Fraction(x) for x in (low, middle, high)]
    assert solve(EPOCH, plain).quantities["compute"].value == Fraction(middle)  # type: ignore[union-attr]


RANGES: list[tuple[str, Texts]] = [
    ("epoch-time", EXAM | {"compute": "4±0.5 s"}),
    ("epoch-time", EXAM | {"compute": "4±0.5 s", "workers": "5..9", "aggregate": "15 ms ± 10 %"}),
    ("epoch-time", EXAM | {"workers": "2..40", "batch": "700..730"}),
    ("epoch-time", EXAM | {"workers": "2..200", "aggregate": "200 ms"}),  # least between the ends
    ("sync-step", {"finish": ["0.4..0.6 s", "0.5±0.2 s"], "aggregate": "0.3 s", "update": "1 s"}),
    ("breakeven", example(problem_named("breakeven")) | {"aggregate": "10..20 ms"}),
]


@pytest.mark.parametrize(("slug", "texts"), RANGES)
def test_ranges_hold_dense_samples_and_are_reached(slug: str, texts: Texts) -> None:
    moves = sensitivity(problem_named(slug), texts)
    range_, point = moves.range, moves.point
    assert range_ is not None
    assert point.answer(range_.low.at) == range_.low.attained
    assert point.answer(range_.high.at) == range_.high.attained
    assert range_.low.exact
    assert range_.high.exact
    sides = []
    for spread in moves.spreads:
        steps = int(spread.high - spread.low) if spread.given.whole else 12
        size = Fraction(spread.high - spread.low)
        sides.append([spread.low + size * i / steps for i in range(steps + 1)])
    for values in product(*sides):
        place = {
            spread.key: int(value) if spread.given.whole else value
            for spread, value in zip(moves.spreads, values, strict=True)
        }
        answer = point.answer(place)
        assert answer is not None
        assert range_.low.attained <= answer <= range_.high.attained
