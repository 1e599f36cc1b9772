"""A line chart in the terminal, in dots of braille (plotille, the extra ``plot``).

Each curve ends in a letter, so that they differ without colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from string import ascii_lowercase
from textwrap import wrap
from typing import Protocol

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Chart, Curve, Dot
from ddcalc.render.pictures.axis import share
from ddcalc.render.pictures.line_chart import columns, heights, limits
from ddcalc.render.whole import Look


class DotPlane(Protocol):
    """What plotille draws on; all coordinates go from 0 to 1."""

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """A line of dots."""

    def point(self, x: float, y: float) -> None:
        """A dot."""

    def text(self, x: float, y: float, text: str) -> None:
        """Letters in place of dots."""

    def plot(self) -> str:
        """What has been drawn."""


TALL = 16  # rows of the plane
WIDEST = 100  # columns of it
BEST = "o"
EMPTY = "\u2800"  # braille without a dot
ROOM = 0.985


def lines(chart: Chart, look: Look) -> Iterator[str]:
    """The lines of *chart* for a terminal; BadValue where it cannot be drawn here."""
    canvas_of = check(look)
    rows = dict(_rows(chart, limits(chart)[1]))
    margin = max(map(len, rows.values())) + 1
    wide = min(WIDEST, look.width - margin - 4)
    canvas = canvas_of(wide, TALL, 0, 0, 1, 1)
    for i, curve in enumerate(chart.curves):
        spots = _draw(curve, canvas, chart)
        if spots and len(chart.curves) > 1:  # letters stand apart even where curves meet
            canvas.text(*spots[(i + 1) * len(spots) // (len(chart.curves) + 1)], ascii_lowercase[i])
    if chart.best is not None:
        canvas.text(*_spot(chart.best, chart), BEST)
    yield f"  {clean(str(chart.y), look.width - 2)}"
    for i, drawn in enumerate(canvas.plot().splitlines()):
        edge = "┤" if i in rows else "│"
        yield f"{rows.get(i, ''):>{margin}} {edge}{drawn.replace(EMPTY, ' ')}".rstrip()
    yield f"{'':>{margin}} └{'─' * wide}"
    yield from _below(chart, margin + 2, wide)
    for line in _legend(chart):
        yield from wrap(line, look.width, subsequent_indent="     ", break_long_words=False)


def check(look: Look) -> Callable[..., DotPlane]:
    """What draws; BadValue where a chart cannot be drawn here."""
    if not look.unicode:
        reason = "needs a terminal with Unicode, or --output FILE.svg"
        raise BadValue("chart", reason).about("chart")
    try:
        from plotille import Canvas
    except ImportError:
        needs = "needs the extra plot: python3 -m pip install 'ddcalc[plot]'; or --output FILE.svg"
        raise BadValue("chart", needs).about("chart") from None
    made: Callable[..., DotPlane] = Canvas
    return made


def _rows(chart: Chart, ends: tuple[Number, Number]) -> Iterator[tuple[int, str]]:
    """The rows that have a number, from the top, and the numbers."""

    def place(y: Number, _: str) -> tuple[float, float]:
        at = share(y, ends, chart.y.factors) * (TALL - 1)
        return at - 0.7, at + 0.7

    for y, words in heights(chart, ends, TALL // 2, place):
        yield TALL - 1 - round(share(y, ends, chart.y.factors) * (TALL - 1)), words


def _draw(curve: Curve, canvas: DotPlane, chart: Chart) -> list[tuple[float, float]]:
    """Draws *curve*; says where its points lie."""
    spots = [None if dot is None else _spot(dot, chart) for dot in curve.dots]
    for start, end in pairwise(spots):
        if start is not None and end is not None:
            canvas.line(*start, *end)
    known = [spot for spot in spots if spot is not None]
    for spot in known:
        canvas.point(*spot)
    return known


def _spot(dot: Dot, chart: Chart) -> tuple[float, float]:
    """Where *dot* lies, from 0 to where a letter still has room."""
    x, y = limits(chart)
    across, up = share(dot.x, x, chart.x.factors), share(dot.y, y, chart.y.factors)
    return min(across, ROOM), min(up, ROOM)


def _below(chart: Chart, margin: int, wide: int) -> Iterator[str]:
    """The numbers of the scale below, and its name."""
    x, _ = limits(chart)

    def place(at: Number, words: str) -> tuple[float, float]:
        start = round(share(at, x, chart.x.factors) * (wide - 1)) - (len(words) - 1) // 2
        start = max(0, min(start, wide - len(words)))
        return start, start + len(words)

    line = ""
    for at, words in columns(chart, x, 8, place):
        line = line.ljust(int(place(at, words)[0])) + words
    yield " " * margin + line
    yield f"{clean(str(chart.x)):>{margin + wide}}"


def _legend(chart: Chart) -> Iterator[str]:
    for name, curve in zip(ascii_lowercase, chart.curves, strict=False):
        if curve.label:
            several = len(chart.curves) > 1
            yield f"  {name}  {clean(curve.label)}" if several else f"  {clean(curve.label)}"
    if chart.best is not None:
        yield f"  {BEST}  {clean(chart.best.words)}"
    if chart.left:
        yield f"  {chart.left} more curves are not drawn"
