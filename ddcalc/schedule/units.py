"""Whole numbers for exact times: they play about ten times faster than fractions."""

from __future__ import annotations

from math import lcm

from ddcalc.errors import OverLimit
from ddcalc.numbers.number import Number

DIGITS = 300  # of the number of parts


def common_unit(*times: Number) -> int:
    """How many parts of a second make all *times* whole; OverLimit where these are too many."""
    unit = 1
    for time in times:
        unit = lcm(unit, time.denominator)
        if unit >= 10**DIGITS:
            raise OverLimit(
                f"the times have no common denominator of at most {DIGITS} digits; round them"
            )
    return unit


def in_units(time: Number, unit: int) -> int:
    """*time* (seconds) in parts of a second, of which there are *unit*."""
    return time.numerator * (unit // time.denominator)
