"""How long each worker computes: fixed times in turn, or drawn ones.

Times are played as whole numbers of the part of a second that makes all of them whole. Drawn ones
come from a distribution by its mean, and from reproducible streams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle
from math import exp, floor, lcm, log, log1p, log10, sqrt
from random import Random
from statistics import NormalDist
from typing import Literal

from ddcalc.errors import OverLimit
from ddcalc.numbers.number import Number

DIGITS = 7  # to which drawn times are rounded, counted from the first one of the least mean
UNIT_DIGITS = 300  # of the number of parts of a second, at most


def common_unit(*times: Number) -> int:
    """How many parts of one make all *times* (or other numbers) whole; OverLimit where these are
    too many."""
    unit = 1
    for time in times:
        unit = lcm(unit, time.denominator)
        if unit >= 10**UNIT_DIGITS:
            reason = f"the common denominator has more than {UNIT_DIGITS} digits; round the numbers"
            raise OverLimit(reason)
    return unit


def in_parts(time: Number, unit: int) -> int:
    """*time* (seconds) in parts of a second, of which there are *unit*."""
    return time.numerator * (unit // time.denominator)


Distribution = Literal[
    "exponential", "shifted_exponential", "uniform", "normal", "lognormal", "pareto"
]

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Law:
    """A distribution of times around a mean (seconds), and what else it takes.

    shifted_exponential: at least *shift*, the rest exponential; uniform: up to *spread* around
    the mean; normal: with the standard deviation *spread*, drawn again until it is positive (so
    the mean is a little larger); lognormal: with this standard deviation; pareto: P(T > t) falls
    like t^-*tail*, from the least time on that gives the mean.
    """

    distribution: Distribution
    shift: Number = 0
    spread: Number = 0
    tail: Number = 0
    negative: bool = False

    def times(self, mean: Number, seed: str) -> Iterator[float]:
        """Times with this *mean*, the same ones for the same *seed*, without end.

        Every time uses one number between 0 and 1 through the inverse of the distribution, which
        Python's ``random()`` draws alike in all its versions.
        """
        draw = Random(seed).random  # noqa: S311 - reproducible, not secret
        inverse = self.inverse(float(mean))
        while True:
            time = inverse(draw())
            if time > 0 or self.negative:
                yield time

    def inverse(self, mean: float) -> Callable[[float], float]:
        """The time below which the times are with a given probability."""
        shift, spread, tail = float(self.shift), float(self.spread), float(self.tail)
        match self.distribution:
            case "exponential":
                return lambda u: -mean * log1p(-u)
            case "shifted_exponential":
                return lambda u: shift - (mean - shift) * log1p(-u)
            case "uniform":
                return lambda u: mean + spread * (2 * u - 1)
            case "normal":
                return lambda u: mean + spread * _quantile(u)
            case "lognormal":
                variance = log1p((spread / mean) ** 2)
                middle, width = log(mean) - variance / 2, sqrt(variance)
                return lambda u: exp(middle + width * _quantile(u))
            case "pareto":
                least = mean * (tail - 1) / tail
                return lambda u: least * (1 - u) ** (-1 / tail)


def _quantile(u: float) -> float:
    """The quantile of the standard normal distribution; that of 0 is never asked for twice."""
    return _NORMAL.inv_cdf(u) if u else -_NORMAL.inv_cdf(2**-54)


@dataclass(frozen=True, slots=True)
class Fixed:
    """Each worker's row of times (seconds), again from the first one after the last; *named* is the
    given that states them."""

    rows: Sequence[Sequence[Number]]
    named: str = "periods"

    @property
    def unit(self) -> int:
        """How many parts of a second make the times whole."""
        return common_unit(*(time for row in self.rows for time in row))

    def exact(self, unit: int) -> list[Iterator[int]]:
        """The times of each worker in parts of a second, of which there are *unit* (a multiple of
        :attr:`unit`), without end."""
        return [cycle(in_parts(time, unit) for time in row) for row in self.rows]

    @property
    def means(self) -> Sequence[Number]:
        """The mean time of each worker."""
        return [Fraction(sum(row)) / len(row) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Times around the *means* of the workers (s); worker i's do not depend on the others'."""

    means: Sequence[Number]
    law: Law
    seed: int
    named: str = "periods"

    @property
    def unit(self) -> int:
        """As of fixed times."""
        decimals: int = DIGITS - 1 - floor(log10(min(self.means)))
        return int(10 ** max(decimals, 0))

    def exact(self, unit: int) -> list[Iterator[int]]:
        """As of fixed times."""
        fine, parts = self.unit, unit // self.unit
        return [((round(time * fine) or 1) * parts for time in times) for times in self.drawn()]

    def drawn(self) -> list[Iterator[float]]:
        """The times of each worker in seconds as they are drawn, without end."""
        seeds = (f"{self.seed}/{worker}" for worker in range(1, len(self.means) + 1))
        return [self.law.times(mean, seed) for mean, seed in zip(self.means, seeds, strict=True)]


Times = Fixed | Drawn
"""The computation times of some workers, the same ones whenever they are asked for."""
