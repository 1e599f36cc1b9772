"""How often a number can be doubled or halved, found in whole numbers: never by a logarithm."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Final

from ddcalc.numbers.number import Number

DOUBLING: Final = ("floor_log2", "ceiling_log2", "floor_power2")
"""The functions of one plain number that formulas may use; they change at powers of two only."""


def floor_log2(x: Number) -> int:
    """The largest k with 2^k at most *x*; ArithmeticError unless *x* is positive.

    >>> floor_log2(9), floor_log2(8), floor_log2(Fraction(1, 3))
    (3, 3, -2)
    """
    _check(x)
    return floor(x).bit_length() - 1 if x >= 1 else -ceiling_log2(1 / Fraction(x))


def ceiling_log2(x: Number) -> int:
    """The smallest k with 2^k at least *x*; ArithmeticError unless *x* is positive."""
    _check(x)
    return (ceil(x) - 1).bit_length() if x >= 1 else -floor_log2(1 / Fraction(x))


def floor_power2(x: Number) -> Number:
    """The largest power of two that is at most *x*; ArithmeticError unless *x* is positive."""
    power = floor_log2(x)
    return 1 << power if power >= 0 else Fraction(1, 1 << -power)


def is_power2(x: Number) -> bool:
    """Whether positive *x* is 1, doubled or halved some times."""
    return x == floor_power2(x)


def _check(x: Number) -> None:
    if x <= 0:
        raise ArithmeticError("a logarithm of a number that is not positive")
