"""backup-workers of exponential times: rounds played by the event engine, and its explanation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, pairwise
from math import sqrt
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import ddcalc
from stating import refusals, results

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


def test_one_mean_stands_for_all() -> None:
    assert solved("2 s", workers=3)["wait"] == solved("2 s", workers=3)["last"]
    assert solved("2 s", workers=3)["waits"] == solved([2, 2, 2])["waits"]
    assert solved("2 s", workers=3)["variances"] == 4
    assert solved([2, 2, 2])["variances"] == [4, 4, 4]


# Explanations


def page(stated: str) -> str:
    return " ".join(ddcalc(TYPE, *stated.split()).out.split())


def test_the_harmonic_sum_is_told() -> None:
    """1 s times 1/4 + 1/3 + 1/2."""
    text = page("--means 1s --workers 4 --wait-for 3")
    assert "Mean times that pass · 1/n + 1/(n − 1) + …, as many as are waited for" in text
    assert "E_k = m·h ≈ 1 s · 1.083 ≈ 1.083 s" in text
    assert "That is about 4.333 s of the time of its 4 workers." in text


def test_the_best_k_is_marked_and_a_tie_told() -> None:
    tie = page("--means 1s --workers 2 --fixed 0.5s")
    assert "2 1 1.5 2 1 best, asked" in tie
    assert "To wait for 1 and 2 gives equally many gradients a second, 1, the most" in tie
    many = page("--means 1s --workers 100 --wait-for 95 --fixed 1s")
    assert re.search(r"\b69( (≈ )?[\d.]+){4} best\b", many)
    assert re.search(r"\b95( (≈ )?[\d.]+){4} asked\b", many)


# Limits and refusals


def test_as_many_workers_as_are_possible() -> None:
    assert len(solved(["1 s"], workers=1024)["waits"]) == 1024
    unlike = [Fraction(1, i) for i in range(1, 13)]
    assert solved(unlike)["first"] == Fraction(1, 78)
    assert solved([1] * 63 + [2] * 63)["first"] == Fraction(2, 189)


@pytest.mark.parametrize(
    ("stated", "parameter", "message"),
    [
        ({"means": [1], "workers": 4, "wait_for": 5}, "wait_for", "more than the 4 workers there"),
        ({"means": [1], "wait_for": 2}, "wait_for", "more than the 1 worker there"),
        ({"means": [1, 2, 3], "workers": 2}, "workers", "does not fit means, which lists 3"),
        ({"means": [1, 2, 3], "workers": 4}, "workers", "does not fit means, which lists 3"),
        ({}, None, "missing: means"),
        ({"means": [1], "workers": 1025}, "workers", "at most 1 024 are possible"),
        ({"means": [1], "workers": "1e30"}, "workers", "at most 1 024 are possible"),
        ({"means": [1] * 1025}, "means", "at most 1 024 are possible"),
        ({"means": list(range(1, 14))}, "means", "make too many sets of workers"),
        ({"means": [1] * 64 + [2] * 63}, "means", "make too many sets of workers"),
        ({"means": [f"{i}.{i}7" for i in range(1, 13)]}, "means", "more than 4 000 digits"),
    ],
)
def test_refusals(stated: dict[str, Any], parameter: str | None, message: str) -> None:
    ((values, text),) = refusals(TYPE, **stated)
    assert values == parameter
    assert message in text
