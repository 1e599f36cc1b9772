"""A timeline drawn with characters: a lane for each worker, a bar for each operation, an axis.

The scale is even: where the times share a step that has room, it has a whole number of columns, and
every bar begins and ends exactly where its times stand; else no edge is off by more than a column.
Every kind of bar has glyphs of its own, in ASCII too, so that it reads without colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Final

from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.said.steps import Bar, Drawn, Lane, Timeline
from ddcalc.render import timeline
from ddcalc.render.whole import Look, wrapped

TICKS = 7  # at most, along the axis
TIGHT = 3  # characters of a label that needs no blanks beside it
LONG, SHORT = "grad f_", "g_"  # a gradient in ASCII, and how a bar shortens it

_BARS: Final = dict(zip(timeline.WORDS, (  # the first column, those between, the last, one alone
    "↓↓↓↓", "├─┤├", "↑↑↑↑", "▒▒▒▒", "╞═╡╞", "····", "├───", "├╌┤╌", "├╌××", "├─//",
), strict=True))  # fmt: skip
_MANY, _HORIZON = "╫", "┊"
_ASCII: Final = str.maketrans("├─┤╌×·↓↑▒╞═╡╫┊", "[-]~x.v^#<=>%|")  # distinct, one character for one
_PLAIN: Final = {"compute", "not done"}  # bars that explain themselves


@dataclass(frozen=True, slots=True)
class _Canvas:
    """*width* columns behind a *margin*, for the times from 0 to *last*; *scale* columns a second,
    so that not all of them may be needed."""

    margin: int
    width: int
    last: Number
    scale: Fraction
    look: Look

    def column(self, time: Number) -> int:
        """The column at which *time* begins, or the last one, behind which it lies."""
        return min(round(min(time, self.last) * self.scale), self.width)


def text(step: Drawn, look: Look) -> str:
    """The picture: the axis, the lanes, and below what is not plain; nothing of curves."""
    lines = _lines(step, look) if isinstance(step, Timeline) else ()
    drawn = "\n".join(line.rstrip() for line in lines)
    return drawn if look.unicode else drawn.translate(_ASCII)


def _lines(step: Timeline, look: Look) -> Iterator[str]:
    names = [clean(look.spelt(lane.label), look.width // 4) for lane in step.lanes]
    margin = max(map(len, names), default=0) + 4
    width = look.width - margin - 1
    last = timeline.extent(step)
    canvas = _Canvas(margin, width, last, _scale(step, width, last), look)
    yield " " * margin + _axis(canvas)
    lanes = [_lane(lane, canvas, step.horizon) for lane in step.lanes]
    yield from (f"  {name:<{margin - 2}}{lane}" for name, lane in zip(names, lanes, strict=True))
    yield from _horizon(step, canvas)
    labels = (look.spelt(timeline.label(bar)) for lane in step.lanes for bar in lane.bars)
    if not look.unicode and any(label.startswith(LONG) for label in labels):
        yield f"  ({SHORT}i stands for {LONG}i)"
    yield from _legend(step, any(_MANY in lane for lane in lanes), look.width)


def _horizon(step: Timeline, canvas: _Canvas) -> Iterator[str]:
    """The name and time of the horizon, at its column; how far a picture goes that ends before."""
    words, width = canvas.look.spelt(timeline.horizon(step)), canvas.look.width
    place = canvas.margin + canvas.column(step.horizon)
    if step.horizon > canvas.last:
        part = canvas.look.spelt(f"the first {amount_text(canvas.last, SECOND)}; {words}")
        yield from (f"  {shown}" for shown in wrapped(part, width - 2))
    elif place + 2 + len(words) <= width:
        yield f"{' ' * place}{_HORIZON} {words}"
    else:
        yield f"{f'{words} {_HORIZON}':>{place + 1}}"


def _scale(step: Timeline, width: int, last: Number) -> Fraction:
    """Columns for a second: a whole number of them for the step that all times share, if there is
    room; else for a tick of the axis."""
    times = {time for lane in step.lanes for bar in lane.bars for time in (bar.start, bar.end)}
    shared = [Fraction(time) for time in (*times, last) if 0 < time <= last]
    bottom = lcm(*(time.denominator for time in shared))
    grid = Fraction(gcd(*(int(time * bottom) for time in shared)), bottom)
    for unit in (grid, round_step(Fraction(last) / TICKS)):
        if columns := int(width * unit / last):
            return columns / unit
    return Fraction(width) / last


def round_step(least: Fraction) -> Fraction:
    """The first of 1, 2 and 5 times a power of ten that is not below *least*."""
    power = len(str(least.numerator)) - len(str(least.denominator)) - 1
    steps = (Fraction(10) ** power * part for part in (1, 2, 5, 10, 20, 50, 100))
    return next(step for step in steps if step >= least)


def _axis(canvas: _Canvas) -> str:
    """Round numbers at their columns, as many as have room."""
    for most in range(TICKS, 0, -1):
        step = round_step(Fraction(canvas.last) / most)
        places = [i * step for i in range(int(canvas.last / step) + 1)]
        marks = [(canvas.column(at), canvas.look.spelt(count_text(at))) for at in places]
        room = canvas.width + 1 - len(marks[-1][1])
        marks[-1] = min(marks[-1][0], room), marks[-1][1]
        if all(at + len(words) < after for (at, words), (after, _) in pairwise(marks)):
            break
    line = ""
    for at, words in marks:
        line = f"{line:<{at}}{words}"
    return line


def _lane(lane: Lane, canvas: _Canvas, horizon: Number) -> str:
    """The bars at their times, a character a cell. One that is shorter than a column takes the
    first one of the next bar, if that has more; those that share a column are several. Those that
    take no time are drawn where nothing else is."""
    cells = [""] * (canvas.width + 1)
    begun = [bar for bar in lane.bars if bar.start < canvas.last or bar.start == bar.end]
    edge, most = 0, canvas.column(canvas.last)
    for bar in sorted(begun, key=lambda bar: bar.end == bar.start):
        start = min(canvas.column(bar.start), most - 1)
        behind = max(canvas.column(bar.end), start + 1)
        first = max(start, edge)
        if bar.start == bar.end:
            cells[start] = cells[start] or _bar(bar, 1, canvas)
        elif first >= behind:
            cells[edge - 1] = _MANY
        else:
            cells[first:behind] = _bar(bar, behind - first, canvas)
            edge = behind
    if horizon <= canvas.last:
        at = canvas.column(horizon)
        cells[at] = cells[at] or _HORIZON
    return "".join(cell or " " for cell in cells)


def _bar(bar: Bar, length: int, canvas: _Canvas) -> str:
    """*length* characters, with the label among them if there is room for it."""
    begin, rule, end, alone = tuple(_BARS[timeline.mark(bar)])
    if length == 1:
        return alone
    label, inner = "", length - 2
    if bar.kind in timeline.LABELLED:
        label = canvas.look.spelt(clean(timeline.label(bar))).replace(LONG, SHORT)
    words = f" {label} " if len(label) + 2 <= inner else label
    words = words if label and len(label) <= min(inner, max(TIGHT, inner - 2)) else ""
    left = min(3, (inner - len(words)) // 2)
    return begin + rule * left + words + rule * (inner - left - len(words)) + end


def _legend(step: Timeline, has_many: bool, width: int) -> Iterator[str]:
    """What the glyphs mean, those that occur, unless they all explain themselves."""
    marks = timeline.marks(step)
    if _PLAIN.issuperset(marks) and not has_many:
        return
    glyphs = ((_BARS[one], timeline.WORDS[one]) for one in marks)
    items = [f"  {bar[: 3 if len({*bar}) > 1 else 1]} {words}" for bar, words in glyphs]
    line = ""
    for item in [*items, *[f"  {_MANY} several bars"] * has_many]:
        if len(line + item) > width:
            yield line
            line = ""
        line += item
    yield line
