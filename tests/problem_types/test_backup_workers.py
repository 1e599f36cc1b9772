"""backup-workers of exponential times: rounds played by the event engine, and its explanation."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stating import results

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import k_of_n
from ddcalc.schedule.times import Drawn, Law, in_parts

TYPE = "backup-workers"


def solved(means: Sequence[Fraction | int | str] | str, **more: Any) -> dict[str, Any]:
    """All quantities by name; a mean without a unit is in seconds."""
    return results(TYPE, means=means, **more)


@given(st.lists(st.fractions(Fraction(1, 12), 20, max_denominator=12), min_size=1, max_size=5))
def test_without_a_fixed_cost_the_fastest_alone_is_best(means: list[Fraction]) -> None:
    """As the manual says, and why: each further wait is longer."""
    values = solved(means)
    assert values["best_wait_for"] == 1
    assert all(a < b for a, b in pairwise(values["gaps"]))
    assert max(values["gradient_rates"][1:], default=0) < values["gradient_rates"][0]


# The event engine draws times and plays the rounds


@pytest.mark.parametrize(
    ("means", "wait_for", "fixed"),
    [
        (["1/2"] * 10, 9, "1/5"),
        (["1", "1/2", "1/3"], 2, "0"),
        (["0.9", "1", "1.2", "2", "5"], 4, "0"),
    ],
)
def test_played_rounds_last_as_long(means: list[str], wait_for: int, fixed: str) -> None:
    rounds = 4_000
    drawn = Drawn([Fraction(mean) for mean in means], Law("exponential"), seed=11)
    unit = 5 * drawn.unit
    machine = Machine([0] * len(means), update=in_parts(Fraction(fixed), unit))
    run = engine(k_of_n(wait_for, "cancel"), machine, drawn.exact(unit))
    used = (gradient for gradient in run.gradients() if gradient.update > 0)
    ends = [0]
    for update, gradients in groupby(used, key=lambda gradient: gradient.update):
        text = [gradient.written for gradient in gradients]
        assert len(text) == wait_for
        ends.append(text[0])
        if update == rounds:
            break
    lasted = [(after - before) / unit for before, after in pairwise(ends)]
    expected = solved(means, wait_for=wait_for, fixed=fixed)
    error = stdev(lasted) / sqrt(rounds)
    assert abs(fmean(lasted) - expected["round_time"]) < 4 * error
    assert error < expected["round_time"] / 40
