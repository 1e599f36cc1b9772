"""A tornado chart as a picture: SVG that stands alone, loads nothing and tells itself in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from string import Template
from typing import Final

from ddcalc.ask.sensitivity import Sensitivity
from ddcalc.ask.sensitivity.levers import amount_of
from ddcalc.ask.sensitivity.swings import Swing
from ddcalc.ask.words import signed
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.display import quantity_text
from ddcalc.expression import Number
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
MOST = 24  # bars that are drawn

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


def picture(found: Sensitivity) -> str:
    """The swings of *found* as a complete document that stands alone."""
    shown = found.swings[:MOST]
    share = f"{quantity_text(found.by * 100, None)} %"
    symbol = letter(found.point.result.symbol)
    title = f"{symbol} when each given alone is {share} less or more"
    height = HEAD + ROW * (len(shown) + 1) + 12
    size = f'width="{SHOWN}" height="{height * SHOWN // WIDE}" viewBox="0 0 {WIDE} {height}"'
    scale = _Scale(found.point.value, shown)
    rows = "".join(_row(found, swing, scale, i) for i, swing in enumerate(shown))
    middle = tenth(scale.x(found.point.value))
    bottom = HEAD + ROW * len(shown)
    line = f'<path class="line" d="M{middle} {HEAD - 4}V{bottom}"/>\n'
    told = f"{symbol} = {quantity_text(found.point.value, found.point.result.unit)}"
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<svg xmlns="http://www.w3.org/2000/svg" class="tornado" role="img" {size}>\n'
        f"<title>{escaped(title)}</title>\n{_STYLE}"
        f'<rect class="paper" width="{WIDE}" height="{height}"/>\n'
        f"{words_at(EDGE, 18, title, 'heading')}{rows}{line}{_legend(bottom)}"
        f"{words_at(scale.x(found.point.value), bottom + 16, told, 'middle')}</svg>\n"
    )


def _legend(top: float) -> str:
    """What the colours mean, below the names."""
    told = ""
    for x, look, says in ((EDGE, "less", "given less"), (EDGE + 90, "more", "given more")):
        told += f"{rectangle(x, top + 7, 10, 10, look)}{words_at(x + 15, top + 16, says)}"
    return told


class _Scale:
    """Where answers stand: from the least to the greatest of all ends."""

    def __init__(self, answer: Number, swings: Sequence[Swing]) -> None:
        ends = [end for each in swings for end in (each.below, each.above) if end is not None]
        self.low, self.high = min([answer, *ends]), max([answer, *ends])

    def x(self, value: Number) -> float:
        """Where *value* stands."""
        left, right = NAMES + NUMBERS, WIDE - NUMBERS
        span = Fraction(self.high - self.low) or Fraction(1)
        return left + float((value - self.low) / span) * (right - left)


def _row(found: Sensitivity, swing: Swing, scale: _Scale, i: int) -> str:
    """The name of a lever, and its bars to both sides with what they come to."""
    value, unit = found.point.value, found.point.result.unit
    moved = (amount_of(swing.lever, each) for each in (swing.low, swing.high))
    name = words_at(EDGE, 13, f"{letter(swing.lever.symbol)}: {' to '.join(moved)}")
    told = ""
    ends = (("less", swing.below), ("more", swing.above))
    for look, end in ends:
        if end is None or end == value:
            continue
        start, stop = sorted((scale.x(value), scale.x(end)))
        change = signed(end - value, unit)
        beside = (start - 4, "soft end") if end < value else (stop + 4, "soft")
        bar = rectangle(start, 0, max(stop - start, 1), BAR, look)
        told += f"{bar}{words_at(beside[0], 13, change, beside[1])}"
    return f'<g transform="translate(0 {HEAD + i * ROW + 5})">\n{name}{told}</g>\n'
