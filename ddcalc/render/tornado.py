"""A tornado chart as a table, with bars in characters where that helps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.amounts import signed
from ddcalc.problem.steps import NOT_ADMITTED, Swung, Table, Tornado

COLUMN = 24  # characters of a bar's column
EMPTY, FULL, MIDDLE = "┄", "█", "│"


def table(step: Tornado, drawn: bool = True) -> Table:
    """The chart in words, the lower answer always on the left; with bars between if *drawn*."""
    middles = bars(step.rows, step.answer) if drawn else [""] * len(step.rows)
    rows = []
    ends = [row.ends(step.answer) for row in step.rows]
    lower = [_change(step, low) for (_, low), _ in ends]
    beside = max(map(len, lower), default=0) if drawn else 0  # they end where the bars begin
    for row, change, middle in zip(step.rows, lower, middles, strict=True):
        (left, _), (right, higher) = row.ends(step.answer)
        between = (middle,) if drawn else ()
        changes = change.rjust(beside), *between, _change(step, higher)
        rows.append((Sym(row.symbol), left, *changes, right))
    header = ("", "at", "change".rjust(beside), *([""] if drawn else []), "change", "at")
    return Table(step.title, step.why, header, tuple(rows))


def bars(swings: Sequence[Swung], answer: Number) -> list[str]:
    """A bar of characters for each of *swings*, all alike in scale; the line stands at *answer*."""
    low, high = _ends(swings, answer)
    span = Fraction(high - low) or Fraction(1)

    def column(value: Number) -> int:
        return floor((value - low) * COLUMN / span + Fraction(1, 2))

    middle, drawn = column(answer), []
    for swing in swings:
        first, last = map(column, _ends([swing], answer))
        cells = [FULL if first <= at < last else EMPTY for at in range(COLUMN)]
        drawn.append("".join([*cells[:middle], MIDDLE, *cells[middle:]]))
    return drawn


def _ends(swings: Sequence[Swung], answer: Number) -> tuple[Number, Number]:
    """The least and the greatest answer."""
    ends = [end for row in swings for _, end in (row.smaller, row.larger) if end is not None]
    return min([answer, *ends]), max([answer, *ends])


def _change(step: Tornado, end: Number | None) -> str:
    return NOT_ADMITTED if end is None else signed(end - step.answer, step.unit)
