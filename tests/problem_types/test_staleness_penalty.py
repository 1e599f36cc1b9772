"""staleness-penalty against mpmath, with sums added one staleness after the other."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, readings_by_hand, results

from ddcalc.ask.solve import solve
from ddcalc.errors import NoAnswer
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.catalog import problem_named

SLUG = "staleness-penalty"
PENALTIES = ("exponential", "inverse", "polynomial")
strengths = st.fractions(min_value=Fraction(1, 1000), max_value=5, max_denominator=1000)
kinds = st.sampled_from(PENALTIES)  # whose mean has a formula
all_kinds = st.sampled_from((*PENALTIES, "linear"))


def factor(penalty: str, strength: Fraction, staleness: int | Fraction) -> Any:
    """The factor by its definition, in ninety digits."""
    a = mpmath.mpf(strength.numerator) / strength.denominator
    stale = mpmath.mpf(staleness.numerator) / staleness.denominator
    if penalty == "exponential":
        return 1 / mpmath.e ** (a * stale)
    if penalty == "inverse":
        return 1 / max(stale, mpmath.mpf(1))
    return 1 / (1 + a * stale) if penalty == "linear" else (1 + stale) ** -a


@pytest.fixture(autouse=True)
def _ninety_digits() -> Any:
    with mpmath.workdps(90):
        yield


def _same(values: Any, truth: Any) -> bool:
    value = mpmath.mpf(values.numerator) / values.denominator
    return bool(abs(value - truth) <= abs(truth) * mpmath.mpf(10) ** -45)


@settings(max_examples=100, deadline=None)
@given(
    penalty=all_kinds,
    strength=strengths,
    average=st.fractions(min_value=0, max_value=50, max_denominator=20),
    counts=st.lists(st.integers(0, 20), min_size=1, max_size=30).filter(any),
)
def test_factors_and_the_mean_of_counted_ones(
    penalty: str, strength: Fraction, average: Fraction, counts: list[int]
) -> None:
    """An average staleness need not be whole."""
    values: dict[str, Any] = results(
        SLUG, penalty=penalty, strength=strength, average=average, counts=counts, step="1/8"
    )
    assert _same(values["factor"], factor(penalty, strength, average))
    assert _same(values["stale_step"], factor(penalty, strength, average) / 8)
    drawn = [age for age, number in enumerate(counts) for _ in range(number)]
    truth = mpmath.fsum(factor(penalty, strength, age) for age in drawn) / len(drawn)
    assert _same(values["counted_mean"], truth)
    for age, text in enumerate(values["factors"]):
        assert _same(text, factor(penalty, strength, age))


@settings(max_examples=100, deadline=None)
@given(penalty=kinds, strength=strengths, oldest=st.integers(0, 200))
def test_the_mean_of_equally_frequent_ones(penalty: str, strength: Fraction, oldest: int) -> None:
    values = results(SLUG, penalty=penalty, strength=strength, staleness=1, oldest=oldest)
    added = mpmath.fsum(factor(penalty, strength, age) for age in range(oldest + 1))
    assert _same(values["mean"], added / (oldest + 1))


@pytest.mark.parametrize(
    ("stated", "value"),
    [
        ({"penalty": "exponential", "staleness": 0}, 1),
        ({"penalty": "inverse", "staleness": 0}, 1),
        ({"penalty": "inverse", "staleness": 15}, Fraction(1, 15)),
        ({"penalty": "polynomial", "staleness": 0, "strength": "1/2"}, 1),
        ({"penalty": "polynomial", "staleness": 15, "strength": "1/2"}, Fraction(1, 4)),
        ({"penalty": "polynomial", "staleness": 4, "strength": 3}, Fraction(1, 125)),
        ({"penalty": "polynomial", "staleness": 26, "strength": "2/3"}, Fraction(1, 9)),
    ],
)
def test_what_is_rational_is_exact(stated: dict[str, Any], value: Fraction) -> None:
    values = results(SLUG, **stated)["factor"]
    assert values == value
    assert not isinstance(values, Approximate)


def test_sums_of_whole_powers_are_exact() -> None:
    inverse = results(SLUG, penalty="inverse", staleness=1, oldest=3)
    assert inverse["mean"] == Fraction(1 + 1) / 4 + Fraction(1, 8) + Fraction(1, 12)
    squares = results(SLUG, penalty="polynomial", strength=2, staleness=1, oldest=2, counts=[3, 2])
    assert squares["mean"] == (1 + Fraction(1, 4) + Fraction(1, 9)) / 3
    assert squares["counted_mean"] == Fraction(7, 10)


def test_the_mean_of_very_many_takes_no_time() -> None:
    values = results(SLUG, strength="0.0001", staleness=1, oldest=10**8)
    assert float(values["mean"]) == pytest.approx(1.00005e-4, rel=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({"penalty": "inverse", "oldest": 10**6}, "a sum of more than 10000 terms"),
        ({"penalty": "polynomial", "oldest": 10**39}, "a sum of more than 10000 terms"),
        ({"penalty": "polynomial", "strength": 10**30}, "a power of more than 100000 bits"),
        ({"strength": 10**30}, "a power of e of more than 100000 bits"),
        ({"strength": "1e-58", "oldest": 5}, "a difference too small to be sure of"),
        ({"counts": [0, 0]}, "divide by zero"),
    ],
)
def test_what_cannot_be_told_is_said(stated: dict[str, Any], reason: str) -> None:
    texts = {name: str(value) for name, value in stated.items() if name != "counts"}
    lists = {name: ["0", "0"] for name in stated if name == "counts"}
    with pytest.raises(NoAnswer, match=reason):
        solve(problem_named(SLUG), {"staleness": "1", **texts, **lists})


def test_the_other_penalties_are_other_readings() -> None:
    stated: dict[str, Any] = {"staleness": 15, "strength": "1/2"}
    assert readings(SLUG, **stated) == readings_by_hand(SLUG, **stated)
    assert readings(SLUG, **stated)["penalty", "polynomial"] == Fraction(1, 4)
    assert readings(SLUG, staleness=0) == {}  # a fresh gradient keeps its step in all of them
