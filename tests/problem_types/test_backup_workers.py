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
from running import ddcalc
from stating import derivation, refusals, results

from ddcalc.formula.expression import Div, Expr, Num, Sym
from ddcalc.problem.steps import Define, DefineEach, Table
from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import k_of_n
from ddcalc.schedule.times import Drawn, Law

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
    machine = Machine([0] * len(means), update=float(Fraction(fixed)))
    run = engine(k_of_n(wait_for, "cancel"), machine, drawn.drawn())
    used = (gradient for gradient in run.gradients() if gradient.update > 0)
    ends = [0.0]
    for update, gradients in groupby(used, key=lambda gradient: gradient.update):
        text = [gradient.written for gradient in gradients]
        assert len(text) == wait_for
        ends.append(text[0])
        if update == rounds:
            break
    lasted = [after - before for before, after in pairwise(ends)]
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


def defined(**stated: Any) -> dict[str, Define]:
    """The definitions in an explanation by symbol."""
    values = {}
    for step in derivation(TYPE, **stated).steps:
        for row in step.rows if isinstance(step, DefineEach) else (step,):
            if isinstance(row, Define):
                values[row.symbol] = row
    return values


def tables(**stated: Any) -> dict[str, Table]:
    steps = derivation(TYPE, **stated).steps
    return {step.title: step for step in steps if isinstance(step, Table)}


def test_the_harmonic_sum_is_written_out() -> None:
    step = defined(means=["1 s"], workers=4, wait_for=3)["E_k"]
    m = Sym("m")
    fractions: list[Expr] = [Div(Num(1), Num(i)) for i in (4, 3, 2)]
    assert step.applied == m * (fractions[0] + fractions[1] + fractions[2])
    ran = " ".join(ddcalc(TYPE, "--means", "1s", "--workers", "4", "--wait-for", "3").out.split())
    assert "∑_{i=1}^{3} (m/(5 − i)) until the i-th finish 5 − i are at work" in ran
    assert "m·(1/4 + 1/3 + 1/2) summed (Rényi 1953)" in ran


def test_who_is_still_computing() -> None:
    table = tables(means=["1 s", "1/2 s", "1/3 s"])["Who is still computing"]
    assert table.rows == (
        ("1, 2, 3", "1", "6", "≈ 0.1667"),
        ("2, 3", "≈ 0.1667", "5", "0.2"),
        ("1, 3", "≈ 0.3333", "4", "0.25"),
        ("1, 2", "0.5", "3", "≈ 0.3333"),
        ("3", "0.15", "3", "≈ 0.3333"),
        ("2", "≈ 0.2667", "2", "0.5"),
        ("1", "≈ 0.5833", "1", "1"),
    )


def test_like_workers_are_told_together_and_long_tables_cut() -> None:
    table = tables(means=["1 s", "1 s", "4 s"], wait_for=2)["Who is still computing"]
    assert [row[:2] for row in table.rows] == [
        ("2 of 1 s, 1 of 4 s", "1"),
        ("1 of 1 s, 1 of 4 s", "≈ 0.8889"),
        ("2 of 1 s", "≈ 0.1111"),
        ("1 of 4 s", "≈ 0.7111"),
        ("1 of 1 s", "≈ 0.2889"),
    ]
    table = tables(means=[f"{i} s" for i in range(1, 7)])["Who is still computing"]
    assert len(table.rows) == 10
    assert table.rows[-1] == ("…",) * 4
    assert table.why.endswith("; 54 more are not listed")  # of 2^6 - 1


def test_the_best_k_is_marked_and_a_tie_told() -> None:
    stated = {"means": ["1 s"], "workers": 2, "fixed": "0.5 s"}
    table = tables(**stated)["For how many to wait"]
    assert [row[-1] for row in table.rows] == ["best", "best, asked"]
    step = defined(**stated)["k_best"]
    assert step.value == 1
    assert step.why.endswith("k = 2 yields as many")
    many = tables(means=["1 s"], workers=100, wait_for=95, fixed="1 s")["For how many to wait"]
    assert [row[0] for row in many.rows if row[-1] == "best"] == [Num(69)]
    assert [row[0] for row in many.rows if row[-1] == "asked"] == [Num(95)]


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
