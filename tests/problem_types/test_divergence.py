"""Asynchronous against sequential SGD: what is drawn, and long costs."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import pytest

from ddcalc.ask.solve import Derivation, solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Step, Timeline

SHEET: dict[str, str | Sequence[str]] = {
    "starts": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"],
    "update": "0.2 s",
    "horizon": "0.6 s",
}


def _solved(**more: str | Sequence[str]) -> Derivation:
    return solve(problem_named("divergence"), {**SHEET, **more})


def _steps(derivation: Derivation, kind: type[Step]) -> list[Step]:
    return [step for step in derivation.steps if isinstance(step, kind)]


@pytest.mark.parametrize(
    "more",
    [{}, {"compare": "same-time"}, {"operations": "2"}, {"operations": "8"}, {"starts": ["2 s"]}],
)
def test_what_ends_in_time_is_not_drawn_as_not_done(more: dict[str, str | Sequence[str]]) -> None:
    """An update that ends by the end of the picture is done; it may only not be counted."""
    (timeline,) = _steps(_solved(**more), Timeline)
    assert isinstance(timeline, Timeline)
    assert timeline.name == ("end" if {*more} & {"operations", "starts"} else "horizon")
    for lane in timeline.lanes:
        for bar, behind in pairwise((*lane.bars, None)):
            assert bar is not None
            assert bar.end > timeline.horizon or bar.label != "not done"
            assert bar.end <= timeline.horizon or bar.label in ("not done", "not counted")
            assert behind is None or bar.end == behind.start  # a core starts again at once


def test_long_costs_are_rounded_up_by_next_to_nothing() -> None:
    slope, exact = Fraction(1, 1237), [Fraction(0)]
    for data in range(1, 301):  # three cores: each update sees those of the rounds before
        seen = (data - 1) // 3 * 3
        exact.append(min(Fraction(2), slope * (data - 1 - seen + sum(exact[1 : seen + 1]))))
    value = _solved(
        starts=["0 s"] * 3,
        update="1 s",
        operations="300",
        eta="1/1237",
        delta="1237",
        lipschitz="1",
    ).answer.value
    assert isinstance(value, Fraction)
    assert value.denominator < 10**220  # not one of thousands of digits
    assert 0 < value - sum(exact) < Fraction(1, 10**95)
