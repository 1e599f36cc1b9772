"""Shares of a time sum to exactly one, and are what scaling a group's givens does to the answer."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import SYMBOLIC, Kind, numbers, shapes

from ddcalc.ask.shares import shares
from ddcalc.ask.solve import solve
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import TIME
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.quantity import Given

WITHOUT_PARTS = {"checkpoint-interval", "training-time"}  # answers that are no sum of times
TIMED = [p for p in SYMBOLIC if p.quantities[p.answer].unit.dimension == TIME]
TIMED = [p for p in TIMED if p.slug not in WITHOUT_PARTS]
of_times = pytest.mark.parametrize("problem", TIMED, ids=lambda problem: problem.slug)

Known = dict[str, Number | None]


def _known(plan: EquationPlan, given: dict[str, Number]) -> Known:
    known: Known = {letter: given[letter] for letter in plan.givens}
    for line in plan.lines:
        known[line.symbol] = evaluate(line.formula, known)
    return known


def _scaled(plan: EquationPlan, given: dict[str, Number], group: str, by: Number) -> Number:
    """The answer when the times of *group* are *by* times as long, and its rates as slow."""
    changed = dict(given)
    for letter, value in given.items():
        quantity, _ = plan.problem.origin[letter]
        assert isinstance(quantity, Given)
        if quantity.group == group and quantity.unit.dimension.time:
            changed[letter] = value * Fraction(by) ** int(quantity.unit.dimension.time)
    answer = _known(plan, changed)[plan.problem.answered.letter]
    assert answer is not None
    return answer


@of_times
def test_what_takes_time_has_a_group(problem: Kind) -> None:
    for quantity in problem.givens.values():
        if quantity.unit.dimension == TIME:
            assert quantity.group, quantity.name


@of_times
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_share_is_what_scaling_its_group_does(problem: Kind, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(list(shapes(problem))))
    made = plan(problem, shape)
    random = Random(data.draw(st.integers(0, 2**32)))
    given = dict(zip(made.givens, numbers(made, random), strict=True))
    try:
        known = _known(made, given)
    except ZeroDivisionError:
        return
    total = known[made.problem.answered.letter]
    little = Fraction(1, 10**15)
    parts = shares(made, known)
    assert not parts or sum(share.part for share in parts) == 1
    for share in parts:
        assert total
        up = (_scaled(made, given, share.group, 1 + little) - total) / little
        down = (total - _scaled(made, given, share.group, 1 - little)) / little
        assert min(up, down) <= share.part * total <= max(up, down)


def test_what_has_no_value_on_the_way_takes_no_share() -> None:
    nothing_sent = {"compute": "1 s", "before": "1 s", "communication": "0 s", "parts": "2"}
    solved = solve(problem_named("buckets"), nothing_sent | {"latency": "0 s"})
    assert solved.values["hidden"] is None
    assert solved.shares == ()


def test_no_shares_of_a_count_a_schedule_or_nothing() -> None:
    none: dict[str, str | list[str]] = {"finish": ["0 s"], "aggregate": "0 s", "update": "0 s"}
    assert solve(problem_named("sync-step"), none).shares == ()
    breakeven = {"download": "1 s", "compute": "4 s", "upload": "1 s", "aggregate": "1 s"}
    assert solve(problem_named("breakeven"), breakeven).shares == ()
    played = {"starts": ["0 s"], "update": "1 s", "horizon": "2 s"}
    assert solve(problem_named("divergence"), played).shares == ()
