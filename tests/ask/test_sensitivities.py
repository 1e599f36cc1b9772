"""Sensitivities: slopes by hand, and questions solved anew."""

from __future__ import annotations

from fractions import Fraction

import pytest
from exam import EXAM
from questions import TYPES, Kind, Texts, example

from ddcalc.ask.sensitivity import Lever, sensitivity
from ddcalc.ask.sensitivity.summary import report
from ddcalc.ask.solve import solve
from ddcalc.errors import BadValue, DdcalcError
from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.catalog import problem_named

LITTLE = Fraction(1, 10**7)  # of a given, by which it is moved
ROUGH = Fraction(1, 2000)  # the same, where a play may round its answer
STEP: Texts = {"aggregate": "0.3 s", "update": "0.25 s"}
SENT: Texts = {"size": "1 GB", "latency": "0 s", "bandwidth": "2 GB/s"}
PLAYED: Texts = {"periods": ["1 s", "2 s", "4 s"], "horizon": "24 s"}
RIDGE: Texts = {"inputs": ["1", "3"], "targets": ["2", "4"], "eta": "1"}


def _solved(problem: Kind, texts: Texts, lever: Lever, value: Number) -> Number | None:
    """The answer with one number written anew and everything solved again."""
    name, _, index = lever.name.partition("[")
    text = f"{Fraction(value) / lever.given.unit.worth} {lever.given.unit.name}".strip()
    members = texts.get(name, [])
    changed: str | list[str] = text
    if index:
        place = int(index[:-1]) - 1
        changed = [text if i == place else member for i, member in enumerate(members)]
    try:
        answer = solve(problem, {**texts, name: changed}).answer.value
    except DdcalcError:
        return None
    return None if answer is None or isinstance(answer, Expr) else Fraction(answer)


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_effects_are_those_of_questions_solved_anew(problem: Kind) -> None:
    """Counts by one; slopes lie between those of small steps to either side, where these agree."""
    texts = example(problem)
    try:
        moves = sensitivity(problem, texts)
    except BadValue:
        return
    assert report(moves).answer
    value = Fraction(moves.value)
    spans = [swing.span(value) for swing in moves.swings]
    assert spans == sorted(spans, reverse=True)
    assert all(spans)
    for effect in moves.effects:
        lever = effect.lever
        whole = lever.given.whole
        little = LITTLE if moves.solved.working.plan else ROUGH
        step = 1 if whole else little * abs(lever.value)
        if len(lever.members) > 1 or not step:
            continue
        below, above = (_solved(problem, texts, lever, lever.value + by) for by in (-step, step))
        if whole:
            assert effect.down == (None if below is None else below - value)
            assert effect.up == (None if above is None else above - value)
        elif effect.smooth is not None and below is not None and above is not None:
            off = abs((above - below) / (2 * step) - effect.smooth)
            assert off <= abs(effect.smooth) * little * 100, lever.name


BY_HAND: list[tuple[str, Texts, str, str | None, str | None]] = [
    ("epoch-time", EXAM, "compute", "84", "84"),  # 83 full rounds and the last one
    ("epoch-time", EXAM, "aggregate", "500", "500"),  # for each of 500 batches
    ("epoch-time", EXAM, "workers", "112", "-84"),  # 100 rounds of 7.075 s; 71 of 7.105 s, 7.045 s
    ("transfer", SENT, "bandwidth", "-1/4000000000", "-1/4000000000"),  # −S/B²
    ("transfer", SENT, "latency", "1", "1"),  # at its least, where only more is admitted
    ("sync-step", STEP | {"finish": ["0.5 s", "0.5 s"]}, "finish[2]", "0", "1"),  # a tie
    ("sync-step", STEP | {"finish": ["0.1 s", "0.5 s"]}, "finish[1]", "0", "0"),
    ("timeline", PLAYED, "horizon", None, "0"),  # what ends at 24 s counts, and not before
    ("timeline", PLAYED, "periods[3]", "0", None),
    ("ridge", RIDGE, "eta", "0.0017", "0.0017"),  # of 2η/(2·b²), b = 20 + 2η: 1/22² − 4/22³
    ("ridge", RIDGE, "targets[1]", "0", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "texts", "name", "down", "up"), BY_HAND)
def test_slopes_by_hand(
    slug: str, texts: Texts, name: str, down: str | None, up: str | None
) -> None:
    effects = {one.lever.name: one for one in sensitivity(problem_named(slug), texts).effects}
    wanted = [None if end is None else Fraction(end) for end in (down, up)]
    assert [effects[name].down, effects[name].up] == wanted
