"""A timeline drawn with characters: a lane for each worker, a bar for each operation, an axis.

The scale is even: where the times share a step that has room, it has a whole number of columns, and
every bar begins and ends exactly where its times stand; else no edge is off by more than a column.
Every kind of bar has glyphs of its own, in ASCII too, so that it reads without colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import gcd, lcm
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text, count_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Lane, Timeline
from ddcalc.render.pictures import axis, timeline
from ddcalc.render.pictures.timeline import WORDS, Mark
from ddcalc.render.whole import Look

TICKS = 7  # at most, along the axis
TIMES = 12  # columns for the times at the right
SEEN = 5  # computations of a worker that a part of the picture must have on average
NARROW = 2  # columns of a computation that can be told apart
TIGHT = 3  # characters of a label that needs no blanks beside it
LONG, SHORT = "grad f_", "g_"  # a gradient in ASCII, and how a bar may shorten it

Part = Mark | Literal["axis", "plain", "many", "horizon"]
Piece = tuple[str, Part]  # characters, and what they are part of
Line = Sequence[Piece]

_BARS: Final[dict[Mark, str]] = {  # the first column, those between, the last one
    "down": "↓↓↓",
    "compute": "├─┤",
    "up": "↑↑↑",
    "server": "▒▒▒",
    "send": "╞═╡",
    "wait": "···",
    "not done": "├──",
    "not counted": "├╌┤",
    "dropped": "├╌×",
    "interrupted": "├─/",
}
_ALONE: Final[dict[Mark, str]] = {
    "not done": "─",
    "not counted": "╌",
    "dropped": "×",
    "interrupted": "/",
}
_MANY, _HORIZON = "╫", "┊"
_ASCII: Final = str.maketrans("├─┤╌×·↓↑▒╞═╡╫┊", "[-]~x.v^#<=>%|")  # distinct, one character for one
_PLAIN: Final = {"compute", "not done"}  # bars that explain themselves


class _PlacedBar(NamedTuple):
    """A bar, its first column and the one behind it."""

    bar: Bar
    first: int
    behind: int

    @property
    def length(self) -> int:
        return self.behind - self.first


class _LaneRow(NamedTuple):
    """A lane, its bars that have columns, and the columns in which there are more."""

    lane: Lane
    placed: list[_PlacedBar]
    many: set[int]


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
        """The column at which *time* begins."""
        return round(time * self.scale)

    @property
    def edge(self) -> int:
        """The column at which the last time stands."""
        return min(self.column(self.last), self.width)

    def number(self, time: Number, words: str) -> tuple[int, int]:
        """The columns of a tick's number: the first one and the one behind it."""
        length = len(self.look.spelt(words))
        first = min(self.column(time), self.look.width - self.margin - length)
        return first, first + length

    def glyphs(self, drawn: str) -> str:
        """The glyphs *drawn*, or those that stand for them in ASCII."""
        return drawn if self.look.unicode else drawn.translate(_ASCII)


def lines(step: Timeline, look: Look) -> Iterator[Line]:
    """The lines of the picture: the axis, the lanes, and below what is not plain."""
    canvas = _canvas(step, look)
    rows = [_row(lane, canvas) for lane in step.lanes]
    yield [(" " * canvas.margin + _axis(canvas), "axis")]
    labels = _labels(rows, look)
    for row in rows:
        yield _line(row, labels, canvas, canvas.column(step.horizon))
    yield from _horizon(step, canvas)
    if any(label.startswith(SHORT) for label in labels.values()):
        yield [(f"  ({SHORT}i stands for {LONG}i)", "plain")]
    yield from _legend(timeline.marks(step), any(row.many for row in rows), canvas)


def _canvas(step: Timeline, look: Look) -> _Canvas:
    margin = max((len(_name(lane, look)) for lane in step.lanes), default=0) + 4
    behind = TIMES if any(_times(lane, look) for lane in step.lanes) else 0
    width = look.width - margin - behind - 1
    last = _shown(step, width)
    return _Canvas(margin, width, last, _scale(step, width, last), look)


def _shown(step: Timeline, width: int) -> Number:
    """How far the picture goes: all of it, or as far as most computations can be told apart."""
    last = timeline.extent(step)
    bars = [bar for lane in step.lanes for bar in lane.bars if bar.kind == "compute"]
    lengths = sorted(bar.end - bar.start for bar in bars if bar.start < bar.end)
    if not lengths or (usual := lengths[len(lengths) // 2]) * width >= last:
        return last
    part = min(last, usual * (width // NARROW))
    return part if sum(bar.end <= part for bar in bars) >= len(step.lanes) * SEEN else last


def _scale(step: Timeline, width: int, last: Number) -> Fraction:
    """Columns for a second: a whole number of them for the step that all times share, if there is
    room; else for a tick of the axis."""
    times = {time for lane in step.lanes for bar in lane.bars for time in (bar.start, bar.end)}
    shared = [Fraction(time) for time in (*times, last) if 0 < time <= last]
    bottom = lcm(*(time.denominator for time in shared))
    grid = Fraction(gcd(*(int(time * bottom) for time in shared)), bottom)
    for unit in (grid, axis.distance(last, TICKS)):
        if columns := int(width * unit / last):
            return columns / unit
    return Fraction(width) / last


def _axis(canvas: _Canvas) -> str:
    line = ""
    for at, words in axis.ticks(canvas.last, TICKS, canvas.number):
        line = f"{line:<{canvas.number(at, words)[0]}}{canvas.look.spelt(words)}"
    return line


def _row(lane: Lane, canvas: _Canvas) -> _LaneRow:
    """The bars at their times. One that is shorter than a column takes the first one of the next
    bar, if that has more; those that share a column are several. Those that take no time are drawn
    where nothing else is.
    """
    row, edge = _LaneRow(lane, [], set()), 0
    for bar in (bar for bar in lane.bars if bar.end > bar.start and bar.start < canvas.last):
        start, behind = canvas.column(bar.start), min(canvas.column(bar.end), canvas.edge)
        first = max(min(start, canvas.edge - 1), edge)
        behind = max(behind, start + 1)
        if first >= min(behind, canvas.edge):
            row.many.add(edge - 1)
        else:
            edge = min(behind, canvas.edge)
            row.placed.append(_PlacedBar(bar, first, edge))
    taken = {column for one in row.placed for column in range(one.first, one.behind)}
    for bar in (bar for bar in lane.bars if bar.end == bar.start <= canvas.last):
        column = min(canvas.column(bar.start), canvas.edge - 1)
        if column not in taken:
            row.placed.append(_PlacedBar(bar, column, column + 1))
    return row


def _labels(rows: Iterable[_LaneRow], look: Look) -> dict[Bar, str]:
    """What stands on the bars: the short form on all, unless the long one has room on all."""
    placed = [one for row in rows for one in row.placed if one.bar.kind in timeline.LABELLED]
    labels = {one.bar: look.spelt(clean(timeline.label(one.bar))) for one in placed}
    if all(one.length > len(labels[one.bar]) + 4 for one in placed if one.bar.done):
        return labels
    return {bar: label.replace(LONG, SHORT) for bar, label in labels.items()}


def _line(row: _LaneRow, labels: dict[Bar, str], canvas: _Canvas, horizon: int) -> Line:
    cells: list[Piece] = [(" ", "plain")] * (canvas.width + 1)
    if horizon <= canvas.edge:
        cells[horizon] = canvas.glyphs(_HORIZON), "horizon"
    for bar, first, behind in row.placed:
        drawn = _bar(bar, labels.get(bar, ""), behind - first, canvas)
        cells[first:behind] = [(character, timeline.mark(bar)) for character in drawn]
    for column in row.many:
        cells[column] = canvas.glyphs(_MANY), "many"
    name, times = _name(row.lane, canvas.look), _times(row.lane, canvas.look)
    return [(f"  {name:<{canvas.margin - 2}}", "plain"), *_joined(cells), (times, "plain")]


def _joined(cells: Iterable[Piece]) -> Iterator[Piece]:
    """*cells* with neighbours of one part in one piece."""
    for part, group in groupby(cells, itemgetter(1)):
        yield "".join(character for character, _ in group), part


def _bar(bar: Bar, label: str, length: int, canvas: _Canvas) -> str:
    """*length* characters, with the *label* among them if there is room for it."""
    look = timeline.mark(bar)
    begin, rule, end = tuple(canvas.glyphs(_BARS[look]))
    if length == 1:
        return canvas.glyphs(_ALONE.get(look, begin))
    inner = length - 2
    padded = f" {label} "
    words = padded if len(padded) <= inner else label if len(label) <= min(inner, TIGHT) else ""
    words = words if label else ""
    left = min(3, (inner - len(words)) // 2)
    return begin + rule * left + words + rule * (inner - left - len(words)) + end


def _horizon(step: Timeline, canvas: _Canvas) -> Iterator[Line]:
    """The name and time of the horizon, beside the column at which it is drawn; where the picture
    ends before it, how far that goes."""
    words, glyph = canvas.look.spelt(timeline.horizon(step)), canvas.glyphs(_HORIZON)
    place = canvas.margin + canvas.column(step.horizon)
    if step.horizon > canvas.last:
        part = canvas.look.spelt(f"  the first {amount_text(canvas.last, SECOND)}; {words}")
        fits = len(part) <= canvas.look.width
        for line in [part] if fits else [part.removesuffix(f" {words}"), f"  {words}"]:
            yield [(line, "horizon")]
    elif place + 2 + len(words) <= canvas.look.width:
        yield [(" " * place, "plain"), (f"{glyph} {words}", "horizon")]
    else:
        yield [(f"{f'{words} {glyph}':>{place + 1}}", "horizon")]


def _legend(marks: Iterable[Mark], many: bool, canvas: _Canvas) -> Iterator[Line]:
    """What the glyphs mean, those that occur, unless they all explain themselves."""
    looks: list[tuple[str, str, Part]] = [(_sample(look), WORDS[look], look) for look in marks]
    if many:
        looks.append((_MANY, "several bars", "many"))
    if all(part in _PLAIN for _, _, part in looks):
        return
    line: list[Piece] = []
    for glyphs, words, part in looks:
        item: list[Piece] = [("  ", "plain"), (canvas.glyphs(glyphs), part), (f" {words}", "plain")]
        if sum(len(characters) for characters, _ in (*line, *item)) > canvas.look.width:
            yield line
            line = []
        line += item
    yield line


def _sample(look: Mark) -> str:
    glyphs = _BARS[look]
    return glyphs if len(set(glyphs)) > 1 else glyphs[0]


def _name(lane: Lane, look: Look) -> str:
    return clean(look.spelt(lane.label), look.width // 4)


def _times(lane: Lane, look: Look) -> str:
    """The times of a bar that is alone, if they are short."""
    if len(lane.bars) != 1:
        return ""
    bar = lane.bars[0]
    times = look.spelt("–".join(count_text(time) for time in (bar.start, bar.end)))
    return times if len(times) <= TIMES else ""
