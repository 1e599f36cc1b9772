"""Computation times drawn at random: distributions by their mean, from reproducible streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log, log1p, sqrt
from random import Random
from statistics import NormalDist
from typing import Literal

from ddcalc.numbers.number import Number

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
        inverse = self._inverse(float(mean))
        while True:
            time = inverse(draw())
            if time > 0 or self.negative:
                yield time

    def _inverse(self, mean: float) -> Callable[[float], float]:
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
