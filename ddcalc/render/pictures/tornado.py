"""A tornado chart: as a table, with bars in characters where that helps, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Final

from ddcalc.formula.expression import Number, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount_text, signed
from ddcalc.numbers.display import ABOUT
from ddcalc.problem.steps import NOT_ADMITTED, Swung, Table, Tornado
from ddcalc.render.pictures.axis import share
from ddcalc.render.pictures.canvas import (
    BAR,
    EDGE,
    HEAD,
    ROW,
    SHOWN,
    WIDE,
    Style,
    document,
    rectangle,
    tenth,
    words_at,
)

NAMES, NUMBERS = 200, 84  # widths of the column of names, and of the number beside a bar
COLUMN = 24  # characters of a bar's column
EMPTY, FULL, MIDDLE = "┄", "█", "│"

STYLE: Final = Style(
    "tornado",
    "",
    """
.line{stroke:$ink}
.less{fill:$up}
.more{fill:$compute}
""",
)


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


def picture(step: Tornado) -> str:
    """The chart as a complete document that stands alone."""
    return document(inline(step, alone=True))


def inline(step: Tornado, alone: bool = False) -> str:
    """The chart as an element of a page, or *alone* under its title."""
    symbol = letter(step.symbol)
    title = f"{symbol}: {step.why}"
    ends = _ends(step.rows, step.answer)
    rows = "".join(_row(step, row, ends, i) for i, row in enumerate(step.rows))
    axis, bottom = _place(step.answer, ends), HEAD + ROW * len(step.rows)
    line = f'<path class="line" d="M{tenth(axis)} {HEAD - 4}V{bottom}"/>\n'
    answer = f"{symbol} = {amount_text(step.answer, step.unit)}".replace(f"= {ABOUT}", ABOUT)
    heading = words_at(EDGE, 18, title, "heading") if alone else ""
    below = words_at(axis, bottom + 16, answer, "middle")
    body = f"{heading}{rows}{line}{_legend(bottom)}{below}"
    size, top = (WIDE, bottom + ROW + 12), 0 if alone else HEAD - 8
    return STYLE.frame(title, "", body, size, top, SHOWN if alone else None)


def _legend(top: float) -> str:
    """What the colours mean, below the names."""
    drawn = ""
    for x, look, says in ((EDGE, "less", "given less"), (EDGE + 90, "more", "given more")):
        drawn += f"{rectangle(x, top + 7, 10, 10, look)}{words_at(x + 15, top + 16, says)}"
    return drawn


def _place(value: Number, ends: tuple[Number, Number]) -> float:
    """Where an answer stands."""
    return NAMES + NUMBERS + share(value, ends) * (WIDE - NAMES - 2 * NUMBERS)


def _row(step: Tornado, row: Swung, scale: tuple[Number, Number], i: int) -> str:
    """The name of a given, and its bars with what they come to on either side of them."""
    moved = (row.smaller[0], row.larger[0])
    drawn = words_at(EDGE, 13, f"{letter(row.symbol)}: {' to '.join(moved)}")
    axis = _place(step.answer, scale)
    looks = (("less", row.smaller[1]), ("more", row.larger[1]))
    ends = [(look, axis if end is None else _place(end, scale)) for look, end in looks]
    for look, x in sorted(ends, key=lambda end: -abs(end[1] - axis)):  # the longer one below
        if x != axis:
            drawn += rectangle(min(axis, x), 0, max(abs(x - axis), 1), BAR, look)
    left, right = (end for _, end in row.ends(step.answer))
    beside = (
        (left, min(axis, *(x for _, x in ends)) - 4, "soft end"),
        (right, max(axis, *(x for _, x in ends)) + 4, "soft"),
    )
    for end, x, look in beside:
        if end != step.answer:
            drawn += words_at(x, 13, _change(step, end), look)
    return f'<g transform="translate(0 {HEAD + i * ROW + 5})">\n{drawn}</g>\n'
