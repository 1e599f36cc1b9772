"""Numbers as they stand in tables on stragglers, and which of many rows are told."""

from __future__ import annotations

from itertools import pairwise

from ddcalc.display import ABOUT, number_text, rounded
from ddcalc.expression import Expr
from ddcalc.number import Number
from ddcalc.schedule.divergence.reading import exact_text

SHORT = 9  # characters up to which a number is told exactly
DIGITS = 5  # of a rounded one
ROWS = 12  # rows up to which all are told

Cells = tuple[str | Expr, ...]


def is_short(value: Number) -> bool:
    """Whether *value* is told exactly in a few characters."""
    text = exact_text(value)
    return len(text) <= SHORT and not text.startswith(ABOUT)


def brief(value: Number) -> str:
    """*value* exactly where that is short, else rounded."""
    return exact_text(value) if is_short(value) else decimal(value)


def decimal(value: Number) -> str:
    """*value* as a decimal, which compares more easily than a fraction."""
    text, exact = number_text(value)
    return text if exact and len(text) <= SHORT else ABOUT + number_text(rounded(value, DIGITS))[0]


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
