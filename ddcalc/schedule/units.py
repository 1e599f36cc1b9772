"""Whole numbers for exact times: they play about ten times faster than fractions."""

from __future__ import annotations

from math import lcm

from ddcalc.number import Number


def common_unit(*times: Number) -> int:
    """How many parts of a second make all *times* whole."""
    return lcm(*(time.denominator for time in times))


def in_units(time: Number, unit: int) -> int:
    """*time* (seconds) in parts of a second, of which there are *unit*."""
    return time.numerator * (unit // time.denominator)
