"""Computation times: fixed rows in turn, and distributions against their own definitions."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import erf, exp, log, log1p, sqrt
from statistics import fmean, stdev

import pytest

from ddcalc.schedule.times import Drawn, Fixed, Law

DRAWN = 20_000
MEAN = 2

LAWS = [
    Law("exponential"),
    Law("shifted_exponential", shift=Fraction(1, 2)),
    Law("uniform", spread=Fraction(3, 2)),
    Law("normal", spread=Fraction(1, 4)),
    Law("lognormal", spread=3),
    Law("pareto", tail=3),
]


def below(law: Law, time: float) -> float:
    """The probability of a time up to *time*, by the textbook; the mean is 2."""
    shift, spread, tail = float(law.shift), float(law.spread), float(law.tail)
    match law.distribution:
        case "exponential":
            return 1 - exp(-time / MEAN)
        case "shifted_exponential":
            return 1 - exp(-(time - shift) / (MEAN - shift))
        case "uniform":
            return (time - (MEAN - spread)) / (2 * spread)
        case "normal":
            return (1 + erf((time - MEAN) / spread / sqrt(2))) / 2
        case "lognormal":
            variance = log1p((spread / MEAN) ** 2)
            return (1 + erf((log(time / MEAN) + variance / 2) / sqrt(2 * variance))) / 2
        case "pareto":
            return 1 - (MEAN * (tail - 1) / tail / time) ** tail


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_drawn_times_follow_their_distribution(law: Law) -> None:
    """The largest distance between the drawn and the true distribution (Kolmogorov-Smirnov)."""
    times = sorted(islice(law.times(MEAN, "seed"), DRAWN))
    assert times[0] > 0
    gaps = [abs(below(law, time) - (i + 0.5) / DRAWN) for i, time in enumerate(times)]
    assert max(gaps) < 1.63 / sqrt(DRAWN)  # one fair sample in a hundred is farther off
    assert abs(fmean(times) - MEAN) < 4 * stdev(times) / sqrt(DRAWN)


def test_normal_times_are_drawn_again_until_they_are_positive() -> None:
    assert min(islice(Law("normal", spread=5).times(1, "seed"), 5000)) > 0


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.distribution)
def test_exact_times_are_the_floats_rounded(law: Law) -> None:
    times = Drawn([MEAN, Fraction(1, 3)], law, 7)
    for rounded, drawn in zip(times.exact(3 * times.unit), times.drawn(), strict=True):
        for exact, time in islice(zip(rounded, drawn, strict=False), 100):
            assert exact % 3 == 0
            assert abs(exact / (3 * times.unit) - time) <= 0.51 / times.unit


def test_a_worker_draws_the_same_times_beside_others() -> None:
    alone, beside = (Drawn([1] * n, LAWS[0], 3).drawn()[0] for n in (1, 4))
    assert list(islice(alone, 20)) == list(islice(beside, 20))
    other = Drawn([1], LAWS[0], 4).drawn()[0]
    assert list(islice(other, 20)) != list(islice(beside, 20))


def test_drawn_times_never_change() -> None:
    """What problem files state about drawn times rests on these."""
    times = Drawn([1], Law("exponential"), 3)
    assert list(islice(times.exact(times.unit)[0], 4)) == [861406, 536446, 1560852, 2786463]


def test_fixed_rows_come_again_from_the_first() -> None:
    times = Fixed([(1, Fraction(1, 2)), (Fraction(1, 3),)])
    assert times.unit == 6
    first, second = times.exact(12)
    assert list(islice(first, 5)) == [12, 6, 12, 6, 12]
    assert list(islice(second, 3)) == [4, 4, 4]
    assert times.means == [Fraction(3, 4), Fraction(1, 3)]
