"""Sensitivities against witnesses: SymPy, small steps solved anew, and dense samples of ranges."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from re import findall

import pytest
from questions import SYMBOLIC, TYPES, Kind, Texts, example, solved_variants

from ddcalc.ask.sensitivity import Draw, Sensitivity, sensitivity
from ddcalc.ask.sensitivity.buying import Goal, Purchase, Way
from ddcalc.ask.sensitivity.effects import effects
from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.ask.sensitivity.telling import report
from ddcalc.ask.sensitivity.uncertain import certain
from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.problem import Equations, Problem
from ddcalc.problem.quantity import Better, derived, number

EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
EPOCH = problem_named("epoch-time")
STEP = problem_named("sync-step")
BUS = problem_named("bus-bandwidth")
BREAKEVEN = problem_named("breakeven")
TIMELINE = problem_named("timeline")

of_every_type = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)


def _points(problem: Kind) -> list[tuple[str, Texts, Point]]:
    found = []
    for label, texts, solved in solved_variants(problem):
        if not isinstance(solved.answer.value, Expr | None):
            found.append((label, texts, Point(solved)))
    return found


def _solved(problem: Kind, texts: Texts, lever: Lever, value: Number) -> Number | None:
    """The answer with one number written anew and everything solved again."""
    name, _, index = lever.name.partition("[")
    told = f"{Fraction(value)} {lever.given.unit.name}".strip()
    if lever.given.unit.worth != 1:
        told = f"{Fraction(value) / lever.given.unit.worth} {lever.given.unit.name}".strip()
    changed: str | list[str] = told
    if index:
        members = list(texts[name])
        members[int(index[:-1]) - 1] = told
        changed = members
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
    for _, texts, point in _points(problem):
        for effect in effects(point):
            lever = effect.lever
            if effect.smooth is None or lever.whole or len(lever.members) > 1:
                continue
            if lever.name not in texts and "[" not in lever.name:
                continue  # a usual value
            step = little * (lever.value or 1)
            ends = [_solved(problem, texts, lever, lever.value + by) for by in (-step, step)]
            slopes = [
                Fraction(after - before) / step
                for before, after in ((ends[0], point.value), (point.value, ends[1]))
                if before is not None and after is not None
            ]
            for slope in slopes:
                assert (
                    abs(slope - effect.smooth) <= abs(Fraction(effect.smooth)) / 10**6 + little**4
                )
            checked += len(slopes)
    assert checked


@of_equations
def test_derivatives_are_those_of_sympy(problem: Kind) -> None:
    import sympy

    from ddcalc.formula.cas import substituted, to_sympy

    for _, _, point in _points(problem)[:12]:
        form = point.solved.closed_form
        if form is None or any(each in repr(form.formula) for each in ("max", "min", "harmonic")):
            continue
        exact = to_sympy(form.formula)
        for effect in effects(point):
            if (
                effect.smooth is None
                or effect.lever.whole
                or effect.lever.symbol not in point.known
            ):
                continue
            letter = sympy.Symbol(effect.lever.symbol, positive=True)
            steps = list(exact.atoms(sympy.floor, sympy.ceiling))
            frozen = exact.xreplace({s: substituted(s, point.known) for s in steps})
            slope = substituted(frozen.diff(letter), point.known)
            assert abs(sympy.N(slope - sympy.Rational(str(Fraction(effect.smooth))), 30)) < 1e-20


@of_every_type
def test_counts_get_the_exact_differences(problem: Kind) -> None:
    for _, texts, point in _points(problem)[:6]:
        for effect in effects(point):
            lever = effect.lever
            if not lever.whole or lever.name not in texts:
                continue
            for by, told in ((-1, effect.down), (1, effect.up)):
                other = _solved(problem, texts, lever, lever.value + by)
                if told is None:
                    assert other is None
                else:
                    assert other is not None
                    assert Fraction(other) == Fraction(point.value) + told


@of_every_type
def test_every_question_is_told(problem: Kind) -> None:
    for label, _, point in _points(problem)[:10]:
        found = Sensitivity(point)
        told = report(found)
        assert told.answer, label
        assert len(found.effects) == len(point.levers)
        spans = [swing.span(point.value) for swing in found.swings]
        assert spans == sorted(spans, reverse=True)
        assert all(spans)


@of_every_type
def test_purchases_do_what_they_say(problem: Kind) -> None:
    for _, texts, point in _points(problem)[:4]:
        found = Sensitivity(point)
        for bought in found.purchases:
            if bought.sure in ("none", "never") or bought.value is None:
                continue
            if bought.lever.name not in texts:
                continue
            answer = _solved(problem, texts, bought.lever, bought.value)
            assert answer is not None
            assert Fraction(answer) == bought.answer
            if bought.sure == "exact":
                assert goal_of(found, bought).reached(answer)


@of_equations
def test_nothing_nearer_does_what_is_bought(problem: Kind) -> None:
    """Numbers between are solved anew: those proved to do nothing do not do it either."""
    for _, texts, point in _points(problem)[:4]:
        found = Sensitivity(point)
        for bought in found.purchases:
            if bought.sure not in ("exact", "never") or bought.lever.name not in texts:
                continue
            for value in _between(bought):
                answer = _solved(problem, texts, bought.lever, value)
                assert not goal_of(found, bought).reached(answer), (bought, value)


def lowering(found: Sensitivity) -> dict[str, Purchase]:
    """What lowers the answer, by the given that does it."""
    return {each.lever.name: each for each in found.purchases if each.way == "less"}


def goal_of(found: Sensitivity, bought: Purchase) -> Goal:
    return next(goal for goal in found.goals if goal.way == bought.way)


def _between(bought: Purchase) -> list[Number]:
    """Some of the numbers that are nearer than what is bought, on both sides."""
    at, whole = bought.lever.value, bought.lever.whole
    far = Fraction(abs(at) * 2 + 5 if bought.value is None else abs(bought.value - at))
    told = [at + sign * far * Fraction(i, 10) for sign in (-1, 1) for i in range(1, 11)]
    if bought.sure == "never":
        return list(map(round, told)) if whole else list(told)
    assert bought.value is not None
    room = abs(bought.value) * Fraction(3, 10**5)  # an end that is none itself is rounded
    if whole:
        told = [*map(round, told), at - far + 1, at + far - 1]
    return [x for x in told if abs(x - at) < far - (0 if whole else room)]


@pytest.mark.parametrize(
    ("name", "value"),
    [("compute", "3.98996"), ("download", "1.51002"), ("upload", "1.51002"),
     ("aggregate", "0.0151517")],
)  # fmt: skip
def test_where_the_answer_jumps_the_jump_is_found(name: str, value: str) -> None:
    """The exam's break-even: 66 workers as soon as m_eq is below 66, not at no computation."""
    texts: Texts = {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
    bought = lowering(sensitivity(BREAKEVEN, texts))
    assert (bought[name].value, bought[name].answer) == (Fraction(value), 66)


def test_counts_are_bought_however_far_away() -> None:
    bought = lowering(sensitivity(EPOCH, EXAM))
    assert (bought["samples"].value, bought["samples"].answer) == (75264, Fraction("581.35"))


def test_what_is_not_a_number_of_its_own_is_not_said_to_be_proved() -> None:
    """Members of lists and schedules are tried, not searched."""
    texts: Texts = {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"}
    purchases = sensitivity(TIMELINE, texts).purchases
    bought = {each.lever.name: each for each in purchases if each.way == "more"}
    assert (bought["horizon"].sure, bought["horizon"].answer) == ("estimate", 21)
    assert bought["periods[1]"].sure == "none"


def test_values_that_were_only_tried_are_told_as_such() -> None:
    """For 21 gradients 28 s are enough, but 28.8 s is the next of the values that are tried."""
    texts: Texts = {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"}
    table = next(s for s in report(sensitivity(TIMELINE, texts)).steps if "To raise" in s.title)
    assert "smaller ones may do" in table.why
    table = next(s for s in report(sensitivity(EPOCH, EXAM)).steps if "To lower" in s.title)
    assert "smaller ones may do" not in table.why


def test_the_exam_sheet() -> None:
    found = sensitivity(EPOCH, EXAM)
    told = {each.lever.name: each for each in found.effects}
    assert told["compute"].smooth == 84
    assert told["aggregate"].smooth == 500
    assert told["compute"].elasticity(found.point.value) == Fraction(84 * 4 * 2, 1191)
    assert (told["workers"].down, told["workers"].up) == (112, -84)
    bought = lowering(found)
    assert bought["compute"].value == 4 - Fraction(1, 84)
    assert bought["workers"].value == 7


def test_a_curve_that_is_played_has_slopes() -> None:
    """By hand: with L = 10 the stale sum is 2η/(2·b^2), b = 20 + 2η, so its slope is known."""
    texts: Texts = {"inputs": ["1", "3"], "targets": ["2", "4"], "eta": "1"}
    told = {each.lever.name: each for each in sensitivity(problem_named("ridge"), texts).effects}
    assert told["targets[1]"].smooth == 0
    slope = 1 / 22**2 - 4 / 22**3
    assert float(told["eta"].smooth or 0) == pytest.approx(slope, rel=3e-2)
    assert told["eta"].why == ""


def test_at_a_tie_both_sides_are_told() -> None:
    texts: Texts = {"finish": ["0.5 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s"}
    told = {each.lever.name: each for each in sensitivity(STEP, texts).effects}
    assert (told["finish[1]"].down, told["finish[1]"].up) == (0, 1)
    assert told["finish[1]"].smooth is None
    assert told["update"].smooth == 1


def test_what_binds() -> None:
    texts: Texts = {"finish": ["0.15 s", "0.5 s", "0.2 s"], "aggregate": "0 s", "update": "0 s"}
    (binding,) = sensitivity(STEP, texts).bindings
    assert (str(binding.winner), str(binding.rival)) == ("f_2", "f_3")
    assert (binding.value, binding.gap) == (Fraction(1, 2), Fraction(3, 10))


@pytest.mark.parametrize(
    ("text", "low", "middle", "high"),
    [
        ("4±0.5 s", "7/2", "4", "9/2"),
        ("4 s ± 500 ms", "7/2", "4", "9/2"),
        ("4+-0.5 s", "7/2", "4", "9/2"),
        ("4 s +/- 10 %", "18/5", "4", "22/5"),
        ("3..5 s", "3", "4", "5"),
        ("3 s..5 s", "3", "4", "5"),
        ("1..2 min", "60", "90", "120"),
    ],
)
def test_uncertain_inputs(text: str, low: str, middle: str, high: str) -> None:
    plain, (spread,) = certain(EPOCH, EXAM | {"compute": text})
    assert [spread.low, spread.middle, spread.high] == [Fraction(x) for x in (low, middle, high)]
    assert solve(EPOCH, plain).quantities["compute"].value == Fraction(middle)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("compute", "1±2 s", "too small"),
        ("compute", "5..3 s", "ends before"),
        ("compute", "4±-1 s", "negative spread"),
        ("compute", "4±", "nothing on one side"),
        ("compute", "±0.5 s", "nothing on one side"),
        ("compute", "..5 s", "nothing on one side"),
        ("compute", "4±0.5 GB", "is wanted"),
        ("compute", "4±0.5±0.1 s", "0.5±0.1"),
        ("workers", "6±0.5", "not a whole number"),
        ("workers", "0..4", "too small"),
        ("workers", "4±10^300", "bits"),
    ],
)
def test_wrong_uncertain_inputs(name: str, text: str, reason: str) -> None:
    with pytest.raises(DdcalcError) as caught:
        sensitivity(EPOCH, EXAM | {name: text})
    assert reason in str(caught.value)
    assert [each.parameter for each in caught.value.singles()] == [name]


RANGES: list[tuple[str, Texts]] = [
    ("epoch-time", EXAM | {"compute": "4±0.5 s"}),
    ("epoch-time", EXAM | {"compute": "4±0.5 s", "workers": "5..9", "aggregate": "15 ms ± 10 %"}),
    ("epoch-time", EXAM | {"workers": "2..40", "batch": "700..730"}),
    ("sync-step", {"finish": ["0.4..0.6 s", "0.5±0.2 s"], "aggregate": "0.3 s", "update": "1 s"}),
    ("breakeven", example(problem_named("breakeven")) | {"aggregate": "10..20 ms"}),
    ("sync-interval", example(problem_named("sync-interval")) | {"communication": "20..90 ms"}),
    ("federated", example(problem_named("federated")) | {"devices": "3..12"}),
]


@pytest.mark.parametrize(("slug", "texts"), RANGES)
def test_ranges_hold_dense_samples_and_are_reached(slug: str, texts: Texts) -> None:
    problem = problem_named(slug)
    found = sensitivity(problem, texts)
    range_ = found.range
    assert range_ is not None
    point = found.point
    low, high = range_.low, range_.high
    assert point.answer(low.at) == low.attained
    assert point.answer(high.at) == high.attained
    assert low.exact
    assert high.exact
    sides = []
    for each in found.spreads:
        steps = int(each.high - each.low) if each.given.whole else 12
        sides.append(
            [each.low + Fraction(each.high - each.low) * i / steps for i in range(steps + 1)]
        )
    for values in product(*sides):
        place = {
            each.key: int(value) if each.given.whole else value
            for each, value in zip(found.spreads, values, strict=True)
        }
        answer = point.answer(place)
        assert answer is not None
        assert low.attained <= answer <= high.attained


def test_an_end_inside_is_enclosed() -> None:
    """C(H) is least between the ends: what is proved and what is reached enclose it."""
    problem = problem_named("epoch-time")
    found = sensitivity(problem, EXAM | {"workers": "2..200", "aggregate": "200 ms"})
    assert found.range is not None
    answers = [
        Derivation(solve(problem, EXAM | {"workers": str(m), "aggregate": "200 ms"}).stated)
        for m in range(2, 201)
    ]
    values = [each.answer.value for each in answers]
    assert found.range.low.exact
    assert found.range.low.attained == min(values)  # type: ignore[type-var]
    assert found.range.high.attained == max(values)  # type: ignore[type-var]


def test_a_played_range_is_not_called_proved() -> None:
    problem = problem_named("timeline")
    found = sensitivity(problem, example(problem) | {"horizon": "20..30 s"})
    assert found.range is not None
    assert not found.range.high.exact
    told = dict(report(found).remarks)["Range"]
    assert "at least (both reached; further ends are not ruled out)" in told


def test_a_slope_that_is_rounded_is_told_as_about() -> None:
    """The rate has six digits: a whole step and half of it give nearly the same quotient."""
    staleness = problem_named("staleness")
    texts: Texts = {"low": "1", "high": "4", "alpha": "0.2", "beta": "0.1", "ages": "3"}
    found = sensitivity(staleness, texts)
    alpha = next(each for each in found.effects if each.lever.name == "alpha")
    assert (alpha.down, alpha.up, alpha.about, alpha.why) == (*[Fraction(-6, 5)] * 2, True, "")
    rows = {row[1]: row for row in report(found).steps[0].rows}  # type: ignore[union-attr]
    assert rows["alpha"][3:] == ("≈ −1.2 per 1", "≈ −0.31")
    told = "1 % more a or α moves it most of those with a slope, by ≈ −0.31 %"
    assert report(found).answer.endswith(told)


def test_a_jump_is_no_slope_however_small_the_others_are() -> None:
    found = sensitivity(TIMELINE, {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"})
    ends = {each.lever.name: (each.down, each.up) for each in found.effects}
    assert ends["horizon"] == (None, 0)
    assert ends["periods[3]"] == (0, None)


def test_drawn_quantiles_have_no_digits_that_say_nothing() -> None:
    found = sensitivity(EPOCH, EXAM | {"compute": "4±0.5 s"}, draw=Draw(3, 50))
    told = dict(report(found).remarks)["Quantiles"]
    assert all(len(number.replace(".", "")) <= 6 for number in findall(r"[\d.]+(?= s)", told))


def test_an_answer_with_letters_says_which_to_state() -> None:
    with pytest.raises(DdcalcError, match="is a formula here; state eta and delta; sens"):
        sensitivity(problem_named("divergence"), example(problem_named("divergence")))


def test_what_decides_is_told_in_the_units_of_its_quantities() -> None:
    spot: Texts = {"spot": "1.5 USD/h", "on_demand": "4 USD/h", "overhead": "0.05", "lost": "0.5 h"}
    found = sensitivity(problem_named("spot"), spot)
    assert [each.unit.name for each in found.bindings] == ["USD/h"]


@pytest.mark.parametrize("shape", ["uniform", "normal"])
def test_quantiles_come_from_the_seed(shape: str) -> None:
    texts = EXAM | {"compute": "4±0.5 s", "workers": "5..7"}

    def drawn(seed: int) -> list[Number]:
        found = sensitivity(EPOCH, texts, draw=Draw(seed, 200, shape))  # type: ignore[arg-type]
        assert found.quantiles is not None
        assert found.range is not None
        told = [found.quantiles.low, found.quantiles.median, found.quantiles.high]
        assert told == sorted(told)
        if shape == "uniform":
            assert found.range.low.attained <= told[0]
            assert told[2] <= found.range.high.attained
        return told

    assert drawn(7) == drawn(7)
    assert drawn(7) != drawn(8)


def test_uniform_quantiles_of_a_straight_line() -> None:
    """T = 84·t_comp + c: its quantiles are those of the uniform t_comp, to sampling error."""
    found = sensitivity(EPOCH, EXAM | {"compute": "3..5 s"}, draw=Draw(1, 4000))
    assert found.quantiles is not None
    offset = Fraction(1191, 2) - 84 * 4
    for told, share in ((found.quantiles.low, 0.05), (found.quantiles.median, 0.5)):
        assert abs(float((told - offset) / 84) - (3 + 2 * share)) < 0.05


def test_a_seed_needs_something_uncertain() -> None:
    with pytest.raises(DdcalcError, match="needs an uncertain input"):
        sensitivity(EPOCH, EXAM, draw=Draw(7))


def test_a_formula_has_no_sensitivity() -> None:
    with pytest.raises(DdcalcError, match="is a formula"):
        sensitivity(problem_named("divergence"), example(problem_named("divergence")))


@pytest.mark.parametrize(
    ("better", "ways"), [("less", ["less"]), ("more", ["more"]), ("", ["less", "more"])]
)
def test_what_people_want_of_the_answer_decides_what_is_told(
    better: Better, ways: list[Way], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bus bandwidth is to be raised; where nobody says what is wanted, both ways are told."""
    monkeypatch.setattr(BUS.quantities["bus_bandwidth"], "better", better)
    found = sensitivity(BUS, example(BUS))
    assert [goal.way for goal in found.goals] == ways
    assert list(dict.fromkeys(each.way for each in found.purchases)) == ways
    titles = [step.title for step in report(found).steps if step.title.startswith("To ")]
    deeds = {"less": "To lower b_bus by 1 GB/s", "more": "To raise b_bus by 1 GB/s"}
    assert titles == [deeds[way] for way in ways]


@of_every_type
def test_steps_are_a_part_of_the_answer_and_within_its_limits(problem: Kind) -> None:
    for _, _, point in _points(problem):
        for goal in Sensitivity(point).goals:
            size, step = abs(Fraction(point.value)), abs(Fraction(goal.change))
            whole = point.result.unit.worth if size.denominator == 1 else 0
            assert step <= max(size / 100, whole, point.result.unit.worth if size >= 10 else 0)
            assert goal.reached(goal.wanted)
            assert not goal.reached(point.value)


class Half(Problem):
    """What part of the whole is it?"""

    part = number("a", "the part", most=1)
    whole = derived("w", "Share", "the part itself", least=0, most=1, better="more")

    def equations(self) -> Equations:
        yield self.whole, self.part


@pytest.mark.parametrize(
    ("part", "wanted"), [("0.5", "0.501"), ("0.999", "0.9995"), ("0.9999", "0.99995")]
)
def test_a_share_is_raised_to_less_than_the_whole(part: str, wanted: str) -> None:
    [goal] = sensitivity(Half, {"part": part}).goals
    assert goal.wanted == Fraction(wanted)


def test_the_whole_cannot_be_raised() -> None:
    assert sensitivity(Half, {"part": "1"}).purchases == ()


def test_all_that_move_the_answer_alike_are_named() -> None:
    """A summary names no one given where others move the answer as much."""
    texts: Texts = {"parameters": "7B", "peak": "989 TFLOP/s", "batch": "4M", "step_time": "0.5 s"}
    found = sensitivity(problem_named("training-time"), texts | {"devices": "1024"})
    told = report(found).answer
    strong = {each.lever.symbol for each in found.effects if each.elasticity(found.point.value)}
    assert strong == {"N", "f", "P", "B", "t_step"}
    assert told.endswith(
        "1 % more N, f or B moves it most of those with a slope, by 1 %, P or t_step by −1 %"
    )
