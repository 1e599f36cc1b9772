"""A tornado chart as a table, with bars in characters where that helps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import floor
from typing import Final

from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.amounts import signed
from ddcalc.problem.steps import NOT_ADMITTED, Table, Tornado

COLUMN: Final = 24  # characters of a bar's column
EMPTY, FULL, MIDDLE = "┄", "█", "│"


def table(step: Tornado, room: int = 0) -> Table:
    """The chart in words, the lower answer always on the left; with bars between in so many
    characters of *room*, if there is any."""
    ends = [row.ends(step.answer) for row in step.rows]
    lower = [change(step, low) for (_, low), _ in ends]
    beside = max(map(len, lower), default=0) if room else 0  # they end where the bars begin
    middles: list[tuple[str, ...]] = [()] * len(ends)
    if room:
        middles = [(bar,) for bar in _bars(step, room)]
    rows: tuple[tuple[str | Sym, ...], ...] = tuple(
        (Sym(row.symbol), left, below.rjust(beside), *middle, change(step, high), right)
        for row, ((left, _), (right, high)), below, middle in zip(
            step.rows, ends, lower, middles, strict=True
        )
    )
    header = ("", "at", "change".rjust(beside), *[""] * bool(room), "change", "at")
    return Table(step.title, step.why, header, rows)


def _bars(step: Tornado, room: int) -> Iterator[str]:
    """A bar of characters for each given, all alike in scale; the line stands at the answer."""
    pairs = [
        [step.answer, *(end for _, end in row.ends(step.answer) if end is not None)]
        for row in step.rows
    ]
    low, high = min(map(min, pairs)), max(map(max, pairs))
    scale = room / (Fraction(high - low) or Fraction(1))
    for pair in pairs:
        places = (min(pair), step.answer, max(pair))
        first, middle, last = (floor((x - low) * scale + Fraction(1, 2)) for x in places)
        cells = [FULL if first <= at < last else EMPTY for at in range(room)]
        yield "".join([*cells[:middle], MIDDLE, *cells[middle:]])


def change(step: Tornado, end: Number | None) -> str:
    """By how much the answer changes at an *end*."""
    return NOT_ADMITTED if end is None else signed(end - step.answer, step.unit)
