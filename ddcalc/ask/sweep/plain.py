"""Exact numbers as plain text that can be read again: ``0.015``, ``1/3``."""

from __future__ import annotations

from typing import Final

from ddcalc.number import Number

PLACES: Final = 16  # behind the point, at most


def places(denominator: int) -> int | None:
    """How many decimals a quotient by *denominator* needs; None for too many, or no end of them."""
    return next((n for n in range(PLACES + 1) if 10**n % denominator == 0), None)


def decimal(value: Number) -> str | None:
    """*value* as a whole number or a short decimal; None where it is neither.

    >>> from fractions import Fraction
    >>> decimal(Fraction(3, 200)), decimal(Fraction(1, 3))
    ('0.015', None)
    """
    behind = places(value.denominator)
    if behind is None:
        return None
    sign, size = ("-", -value) if value < 0 else ("", value)
    digits = str(size.numerator * (10**behind // size.denominator)).rjust(behind + 1, "0")
    return f"{sign}{digits[:-behind]}.{digits[-behind:]}" if behind else sign + digits


def spelt(value: Number) -> str:
    """*value* as a decimal, or as a quotient."""
    return decimal(value) or str(value)
