"""Means over seeds, how far single runs are from them, and what a difference of them can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10, sqrt
from typing import Final

from ddcalc.numbers.display import MINUS

# quantiles of Student's t at 97.5 % for 1, 2, ... degrees of freedom: the usual table
_T: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """The *mean* of *count* values, and their standard deviation (None of one value)."""

    mean: float
    deviation: float | None
    count: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / sqrt(self.count)

    @property
    def margin(self) -> float | None:
        """How far the true mean may be away, with 95 % confidence (Student's t)."""
        if self.error is None:
            return None
        free = self.count - 1
        return self.error * (_T[free - 1] if free <= len(_T) else _NORMAL)

    @property
    def shown(self) -> int:
        """1 or -1 where the mean lies above or below 0 by more than the margin, else 0."""
        if self.margin is None or abs(self.mean) <= self.margin:
            return 0
        return 1 if self.mean > 0 else -1

    @property
    def told(self) -> str:
        """The mean with the standard deviation behind it."""
        return _with(self.mean, self.deviation)

    @property
    def told_with_error(self) -> str:
        """The mean with its standard error behind it."""
        return _with(self.mean, self.error)


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of *values*, if there are any."""
    if not values:
        return None
    mean = sum(values) / len(values)
    if len(values) == 1:
        return Estimate(mean, None, 1)
    squares = sum((value - mean) ** 2 for value in values)
    return Estimate(mean, sqrt(squares / (len(values) - 1)), len(values))


def plain(value: float, digits: int = 3) -> str:
    """*value* with so many digits, but no fewer than those before its point.

    >>> plain(0.12345), plain(1234.5), plain(-2)
    ('0.123', '1 234', '−2.00')
    """
    return _fixed(value, _places(value, digits)) if value else "0"


def _with(mean: float, deviation: float | None) -> str:
    """*mean* with as many decimals as two digits of its *deviation* have."""
    if not deviation:
        return plain(mean)
    places = _places(deviation, 2)
    return f"{_fixed(mean, places)} ± {_fixed(deviation, places)}"


def _places(value: float, digits: int) -> int:
    """The decimals that so many *digits* of *value* have."""
    return max(digits - 1 - floor(log10(abs(value))), 0)


def _fixed(value: float, places: int) -> str:
    rounded = round(value, places) or 0.0  # no minus before 0
    return f"{rounded:,.{places}f}".replace(",", " ").replace("-", MINUS)
