"""A tornado chart: as a table with bars, and as a picture that tells itself in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from string import Template
from typing import Final

from ddcalc.boundary.cleaning import html as escaped
from ddcalc.formula.expression import Number, Sym
from ddcalc.numbers.display import ABOUT, quantity_text, signed
from ddcalc.problem.steps import NOT_ADMITTED, Swung, Table, Tornado
from ddcalc.render.bars import bars
from ddcalc.render.formula import letter
from ddcalc.render.svg import (
    BAR,
    DARK,
    EDGE,
    HEAD,
    LIGHT,
    ROW,
    SHOWN,
    WIDE,
    rectangle,
    tenth,
    words_at,
)

NAMES, NUMBERS = 200, 84  # widths of the column of names, and of the number beside a bar

_COLOURS: Final = Template("""
.tornado .paper{fill:$paper}.tornado text{fill:$ink}.tornado .soft{fill:$soft}
.tornado .line{stroke:$ink}.tornado .less{fill:$up}.tornado .more{fill:$compute}
""")
_STYLE: Final = (
    "<style>.tornado{max-width:min(100%,60rem);height:auto;color-scheme:light dark}"
    ".tornado text{font:12px system-ui,sans-serif}.tornado .middle{text-anchor:middle}"
    ".tornado .heading{font-weight:bold;font-size:14px}.tornado .end{text-anchor:end}"
    f"{_COLOURS.substitute(LIGHT)}"
    f"@media (prefers-color-scheme:dark){{{_COLOURS.substitute(DARK)}}}</style>\n"
)


def table(step: Tornado, drawn: bool = True) -> Table:
    """The chart in words, the lower answer always on the left; with bars between if *drawn*."""
    middles = bars(step.rows, step.answer) if drawn else [""] * len(step.rows)
    rows = []
    for row, middle in zip(step.rows, middles, strict=True):
        (left, lower), (right, higher) = row.ends(step.answer)
        changes = _change(step, lower), _change(step, higher)
        between = (middle,) if drawn else ()
        rows.append((Sym(row.symbol), left, changes[0], *between, changes[1], right))
    header = ("", "at", "change", *([""] if drawn else []), "change", "at")
    return Table(step.title, step.why, header, tuple(rows))


def _change(step: Tornado, end: Number | None) -> str:
    return NOT_ADMITTED if end is None else signed(end - step.answer, step.unit)


def picture(step: Tornado) -> str:
    """The chart as a complete document that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + inline(step)


def inline(step: Tornado) -> str:
    """The chart as an element of a page."""
    symbol = letter(step.symbol)
    title = f"{symbol}: {step.why}"
    height = HEAD + ROW * (len(step.rows) + 1) + 12
    size = f'width="{SHOWN}" height="{height * SHOWN // WIDE}" viewBox="0 0 {WIDE} {height}"'
    scale = _Scale(step.answer, step.rows)
    rows = "".join(_row(step, row, scale, i) for i, row in enumerate(step.rows))
    middle = tenth(scale.x(step.answer))
    bottom = HEAD + ROW * len(step.rows)
    line = f'<path class="line" d="M{middle} {HEAD - 4}V{bottom}"/>\n'
    told = f"{symbol} = {quantity_text(step.answer, step.unit)}".replace(f"= {ABOUT}", ABOUT)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tornado" role="img" {size}>\n'
        f"<title>{escaped(title)}</title>\n{_STYLE}"
        f'<rect class="paper" width="{WIDE}" height="{height}"/>\n'
        f"{words_at(EDGE, 18, title, 'heading')}{rows}{line}{_legend(bottom)}"
        f"{words_at(scale.x(step.answer), bottom + 16, told, 'middle')}</svg>\n"
    )


def _legend(top: float) -> str:
    """What the colours mean, below the names."""
    told = ""
    for x, look, says in ((EDGE, "less", "given less"), (EDGE + 90, "more", "given more")):
        told += f"{rectangle(x, top + 7, 10, 10, look)}{words_at(x + 15, top + 16, says)}"
    return told


class _Scale:
    """Where answers stand: from the least to the greatest of all ends."""

    def __init__(self, answer: Number, rows: Sequence[Swung]) -> None:
        ends = [end for row in rows for _, end in (row.smaller, row.larger) if end is not None]
        self.low, self.high = min([answer, *ends]), max([answer, *ends])

    def x(self, value: Number) -> float:
        """Where *value* stands."""
        left, right = NAMES + NUMBERS, WIDE - NUMBERS
        span = Fraction(self.high - self.low) or Fraction(1)
        return left + float((value - self.low) / span) * (right - left)


def _row(step: Tornado, row: Swung, scale: _Scale, i: int) -> str:
    """The name of a given, and its bars with what they come to on either side of them."""
    moved = (row.smaller[0], row.larger[0])
    told = words_at(EDGE, 13, f"{letter(row.symbol)}: {' to '.join(moved)}")
    axis = scale.x(step.answer)
    looks = (("less", row.smaller[1]), ("more", row.larger[1]))
    ends = [(look, axis if end is None else scale.x(end)) for look, end in looks]
    for look, x in sorted(ends, key=lambda each: -abs(each[1] - axis)):  # the longer one below
        if x != axis:
            told += rectangle(min(axis, x), 0, max(abs(x - axis), 1), BAR, look)
    left, right = (end for _, end in row.ends(step.answer))
    beside = (
        (left, min(axis, *(x for _, x in ends)) - 4, "soft end"),
        (right, max(axis, *(x for _, x in ends)) + 4, "soft"),
    )
    for end, x, look in beside:
        if end != step.answer:
            told += words_at(x, 13, _change(step, end), look)
    return f'<g transform="translate(0 {HEAD + i * ROW + 5})">\n{told}</g>\n'
