"""A tornado chart as a table, with bars in characters where that helps."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor

from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.amounts import signed
from ddcalc.problem.steps import NOT_ADMITTED, Swung, Table, Tornado

COLUMN, LEAST = 24, 8  # characters of a bar's column, where it is drawn
EMPTY, FULL, MIDDLE = "┄", "█", "│"


def fitting(step: Tornado, width: int, gap: int) -> Table:
    """The chart with bars as long as the *width* admits, columns a *gap* apart; else without."""
    words = table(step)
    columns = zip(words.header, *words.rows, strict=True)
    taken = sum(max(len(str(cell)) for cell in column) + gap for column in columns)
    room = min(COLUMN, width - taken - len(MIDDLE))
    return table(step, room) if room >= LEAST else words


def table(step: Tornado, room: int = 0) -> Table:
    """The chart in words, the lower answer always on the left; with bars between in so many
    characters of *room*, if there is any."""
    drawn = bool(room)
    middles = bars(step.rows, step.answer, room) if drawn else [""] * len(step.rows)
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


def bars(swings: Sequence[Swung], answer: Number, room: int = COLUMN) -> list[str]:
    """A bar of characters for each of *swings*, all alike in scale; the line stands at *answer*."""
    low, high = _ends(swings, answer)
    span = Fraction(high - low) or Fraction(1)

    def column(value: Number) -> int:
        return floor((value - low) * room / span + Fraction(1, 2))

    middle, drawn = column(answer), []
    for swing in swings:
        first, last = map(column, _ends([swing], answer))
        cells = [FULL if first <= at < last else EMPTY for at in range(room)]
        drawn.append("".join([*cells[:middle], MIDDLE, *cells[middle:]]))
    return drawn


def _ends(swings: Sequence[Swung], answer: Number) -> tuple[Number, Number]:
    """The least and the greatest answer."""
    ends = [end for row in swings for _, end in (row.smaller, row.larger) if end is not None]
    return min([answer, *ends]), max([answer, *ends])


def _change(step: Tornado, end: Number | None) -> str:
    return NOT_ADMITTED if end is None else signed(end - step.answer, step.unit)
