"""A tornado chart in characters: a bar for each swing, around the stated answer."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.formula.expression import Number
from ddcalc.numbers.number import quotient
from ddcalc.problem.steps import Swung

WIDE = 24  # characters of a bar's column
EMPTY, FULL, MIDDLE = "┄", "█", "│"


def bars(swings: Sequence[Swung], answer: Number) -> list[str]:
    """A text for each of *swings*, all alike in scale; the line stands at *answer*."""
    ends = [answer, *(end for each in swings for end in _ends(each, answer))]
    low, high = min(ends), max(ends)
    middle = _column(answer, low, high)
    told = []
    for swing in swings:
        first, last = (_column(end, low, high) for end in _ends(swing, answer))
        told.append(_bar(first, last, middle))
    return told


def _ends(swing: Swung, answer: Number) -> tuple[Number, Number]:
    ends = (swing.smaller[1], answer, swing.larger[1])
    known = [each for each in ends if each is not None]
    return min(known), max(known)


def _column(value: Number, low: Number, high: Number) -> int:
    """The column in which *value* stands, from 0 to WIDE, half up."""
    share = (value - low) * WIDE
    over = quotient(
        share.numerator * (high - low).denominator, share.denominator * (high - low).numerator
    )
    return (2 * over.numerator + over.denominator) // (2 * over.denominator)


def _bar(first: int, last: int, middle: int) -> str:
    cells = [FULL if first <= at < last else EMPTY for at in range(WIDE)]
    return "".join([*cells[:middle], MIDDLE, *cells[middle:]])
