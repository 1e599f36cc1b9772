"""Numbers as they stand in the cells of tables, and which of many rows are told."""

from __future__ import annotations

from itertools import pairwise

from ddcalc.numbers.display import ABOUT, decimal_or_fraction, number_text, rounded
from ddcalc.numbers.number import Number

SHORT = 9  # characters up to which a number is told exactly
DIGITS = 5  # of a rounded one
ROWS = 12  # rows up to which all are told
WRITTEN = 8  # things of a kind that are written out; the rest is … and the last one


def is_short(value: Number) -> bool:
    """Whether *value* is told exactly in a few characters."""
    text = decimal_or_fraction(value)
    return len(text) <= SHORT and not text.startswith(ABOUT)


def brief(value: Number) -> str:
    """*value* exactly where that is short, else rounded."""
    return decimal_or_fraction(value) if is_short(value) else decimal(value)


def decimal(value: Number) -> str:
    """*value* as a decimal, which compares more easily than a fraction."""
    text, exact = number_text(value)
    return text if exact and len(text) <= SHORT else ABOUT + number_text(rounded(value, DIGITS))[0]


def outline(first: int, last: int, limit: int = WRITTEN) -> list[int | None]:
    """The numbers from *first* to *last*: *limit* of them, None for a gap, and the last one."""
    if last - first <= limit:
        return list(range(first, last + 1))
    return [*range(first, first + limit), None, last]


def outlined(last: int, *around: int) -> list[int | None]:
    """The rows from 1 to *last* that are told, with None for a gap.

    Of many rows these are the first and last ones and those *around* which one looks.
    """
    if last <= ROWS:
        return list(range(1, last + 1))
    near = {i + by for i in (2, last, *around) for by in (-1, 0, 1)}
    told = sorted(i for i in near if 1 <= i <= last)
    found: list[int | None] = [told[0]]
    for before, row in pairwise(told):
        found += [row] if row == before + 1 else [None, row]
    return found
