"""backup-workers against all finishing orders, inclusion and exclusion, and the event engine."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, groupby, pairwise, permutations
from math import comb, sqrt
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stating import derivation, refusals, results

from ddcalc.formula.expression import Div, Expr, Num, Sym
from ddcalc.problem.steps import Define, DefineEach, Table
from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import k_of_n
from ddcalc.schedule.times import Drawn, Law

TYPE = "backup-workers"
MEANS = st.fractions(min_value=Fraction(1, 12), max_value=20, max_denominator=12)
CREWS = st.lists(MEANS, min_size=1, max_size=5)

Means = Sequence[Fraction]


def solved(means: Sequence[Fraction | int | str] | str, **more: Any) -> dict[str, Any]:
    """All quantities by name; a mean without a unit is in seconds."""
    return results(TYPE, means=means, **more)


# Witnesses that share no code with the solver, nor with each other


def by_orders(means: Means) -> list[Fraction]:
    """The expected time of each finish, over every order in which workers may finish."""
    values = [Fraction(0)] * len(means)
    for order in permutations(1 / mean for mean in means):
        chance, passed, after = Fraction(1), Fraction(0), []
        for done, rate in enumerate(order):
            together = sum(order[done:])
            chance *= rate / together
            passed += Fraction(1) / together
            after.append(passed)
        values = [one + chance * time for one, time in zip(values, after, strict=True)]
    return values


def by_sets(means: Means) -> list[Fraction]:
    """The same by inclusion and exclusion over the smallest time of every set of workers."""
    n = len(means)
    smallest = [
        sum(1 / sum(1 / mean for mean in some) for some in combinations(means, size))
        for size in range(n + 1)
        if size
    ]
    return [
        sum(
            (-1) ** (size - n + k - 1) * comb(size - 1, n - k) * Fraction(smallest[size - 1])
            for size in range(n - k + 1, n + 1)
        )
        for k in range(1, n + 1)
    ]


def harmonic(n: int) -> Fraction:
    return sum((Fraction(1, i) for i in range(1, n + 1)), Fraction(0))


@given(CREWS)
def test_unlike_workers_by_every_order(means: Means) -> None:
    values = solved(means)
    assert values["waits"] == by_orders(means)
    assert [values["first"], values["last"]] == [values["waits"][0], values["waits"][-1]]
    assert values["first"] == 1 / sum(1 / mean for mean in means)


@given(st.lists(st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 3)]), min_size=6))
def test_workers_of_a_few_kinds_by_every_set(means: Means) -> None:
    assert solved(means[:9])["waits"] == by_sets(means[:9])


@pytest.mark.parametrize("n", [1, 2, 3, 10, 200])
def test_like_workers_by_harmonic_numbers(n: int) -> None:
    mean = Fraction(7, 3)
    expected = [mean * (harmonic(n) - harmonic(n - k)) for k in range(1, n + 1)]
    assert solved([mean], workers=n)["waits"] == expected
    assert solved([mean] * n)["waits"] == expected


@given(CREWS, st.data())
def test_what_follows_from_the_waits(means: Means, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(means)))
    fixed = data.draw(st.fractions(0, 30, max_denominator=7))
    values, waits = solved(means, wait_for=k, fixed=fixed), by_orders(means)
    rates = [i / (wait + fixed) for i, wait in enumerate(waits, 1)]
    assert values["variances"] == [mean**2 for mean in means]
    assert values["rates"] == [1 / mean for mean in means]
    assert values["gaps"] == [b - a for a, b in pairwise([Fraction(0), *waits])]
    assert values["wait"] == waits[k - 1]
    assert values["round_time"] == waits[k - 1] + fixed
    assert values["gradient_rate"] == rates[k - 1]
    assert values["gradient_rates"] == rates
    assert values["best_wait_for"] == rates.index(max(rates)) + 1


@given(CREWS)
def test_without_a_fixed_cost_the_fastest_alone_is_best(means: Means) -> None:
    """As the manual says, and why: each further wait is longer."""
    values = solved(means)
    assert values["best_wait_for"] == 1
    assert all(a < b for a, b in pairwise(values["gaps"]))
    assert max(values["gradient_rates"][1:], default=0) < values["gradient_rates"][0]


# The event engine draws times and plays the rounds


@pytest.mark.parametrize(
    ("means", "wait_for", "fixed"),
    [
        (["1"] * 4, 3, "0"),
        (["1"] * 4, 4, "1/2"),
        (["1/2"] * 10, 9, "1/5"),
        (["1", "1/2", "1/3"], 1, "0"),
        (["1", "1/2", "1/3"], 2, "0"),
        (["1", "1/2", "1/3"], 3, "0"),
        (["1", "1", "1", "4"], 3, "1"),
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


# The published case


def test_the_published_case() -> None:
    """sg-02: rates 1, 2, 3; mean and variance of the third time, mean of the smallest."""
    values = solved(["1 s", "1/2 s", "1/3 s"])
    assert values["rates"] == [1, 2, 3]
    assert values["means"][2] == Fraction(1, 3)
    assert values["variances"][2] == Fraction(1, 9)
    assert values["first"] == Fraction(1, 6)


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
    assert "m·(H_4 − H_1) with harmonic numbers" in step.why


def test_who_is_still_computing() -> None:
    table = tables(means=["1 s", "1/2 s", "1/3 s"])["Who is still computing"]
    assert table.rows == (
        ("1, 2, 3", "1", "6", "1/6"),
        ("2, 3", "1/6", "5", "0.2"),
        ("1, 3", "1/3", "4", "0.25"),
        ("1, 2", "0.5", "3", "1/3"),
        ("3", "0.15", "3", "1/3"),
        ("2", "4/15", "2", "0.5"),
        ("1", "7/12", "1", "1"),
    )


def test_like_workers_are_told_together_and_long_tables_cut() -> None:
    table = tables(means=["1 s", "1 s", "4 s"], wait_for=2)["Who is still computing"]
    assert [row[:2] for row in table.rows] == [
        ("2 of 1 s, 1 of 4 s", "1"),
        ("1 of 1 s, 1 of 4 s", "8/9"),
        ("2 of 1 s", "1/9"),
        ("1 of 4 s", "32/45"),
        ("1 of 1 s", "13/45"),
    ]
    table = tables(means=[f"{i} s" for i in range(1, 7)])["Who is still computing"]
    assert len(table.rows) == 16
    assert table.rows[-1] == ("…",) * 4
    assert table.why.endswith("; 48 more are not listed")  # of 2^6 - 1


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
