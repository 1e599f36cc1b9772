"""A line chart in the terminal, in dots of braille (plotille, the extra ``plot``).

Each curve ends in a letter, so that they differ without colours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, log
from string import ascii_lowercase
from textwrap import wrap
from typing import Any, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text, power_text
from ddcalc.problem.steps import Chart, Dot
from ddcalc.render.terminal.gantt import round_step
from ddcalc.render.whole import Look

TALL: Final = 16  # rows of the plane
WIDEST: Final = 100  # columns of it
ROWS, COLUMNS = 5, 8  # numbers on a scale, about
BEST: Final = "o"
EMPTY: Final = "\u2800"  # braille without a dot
ROOM: Final = 0.985  # of the plane, where a letter still has room


@dataclass(frozen=True, slots=True)
class _Stretch:
    """The numbers from *first* to *last*; equal distances may be equal *factors*."""

    first: Fraction
    last: Fraction
    factors: bool

    def place(self, x: Number) -> float:
        """Where *x* stands, from 0 to 1."""
        if self.factors:
            return (_log(x) - _log(self.first)) / (_log(self.last) - _log(self.first))
        return float(Fraction(x - self.first) / (self.last - self.first))

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """The places of round numbers, or of powers of ten, and the numbers."""
        if self.factors:
            tens = range(ceil(_log(self.first) - 1e-9), floor(_log(self.last) + 1e-9) + 1)
            powers = [Fraction(10) ** power for power in tens[:: -(-len(tens) // most) or 1]]
            if len(powers) > 1:
                return [(self.place(power), power_text(power)) for power in powers]
            return [(end, count_text(x)) for end, x in ((0.0, self.first), (1.0, self.last))]
        step = round_step((self.last - self.first) / most)
        marks = [i * step for i in range(ceil(self.first / step), self.last // step + 1)]
        return [(self.place(at), count_text(at)) for at in marks]


def lines(chart: Chart, look: Look) -> Iterator[str]:
    """The lines of *chart* for a terminal; BadValue where it cannot be drawn here."""
    canvas_of = check(look)
    x, y = stretches(chart)
    rows = {TALL - 1 - round(at * (TALL - 1)): words for at, words in y.ticks(ROWS)}
    margin = max(map(len, rows.values())) + 1
    wide = min(WIDEST, look.width - margin - 4)
    canvas = canvas_of(wide, TALL, 0, 0, 1, 1)
    _draw(chart, canvas, lambda dot: (min(x.place(dot.x), ROOM), min(y.place(dot.y), ROOM)))
    yield f"  {clean(str(chart.y), look.width - 2)}"
    for i, drawn in enumerate(canvas.plot().splitlines()):
        edge = "┤" if i in rows else "│"
        yield f"{rows.get(i, ''):>{margin}} {edge}{drawn.replace(EMPTY, ' ')}".rstrip()
    yield f"{'':>{margin}} └{'─' * wide}"
    below = ""
    for at, words in x.ticks(COLUMNS):
        column = max(0, min(round(at * (wide - 1)) - (len(words) - 1) // 2, wide - len(words)))
        if not below or column > len(below):
            below = f"{below:<{column}}{words}"
    yield f"{'':>{margin + 2}}{below}"
    yield f"{clean(str(chart.x)):>{margin + 2 + wide}}"
    names: Iterable[str] = ascii_lowercase if len(chart.curves) > 1 else [""]
    legend = [(name, curve.label) for name, curve in zip(names, chart.curves, strict=False)]
    legend += [(BEST, chart.best.words)] if chart.best is not None else []
    legend += [("", f"{chart.left} more curves are not drawn")] if chart.left else []
    for name, words in legend:
        if words:
            line = f"  {name}  {clean(words)}" if name else f"  {clean(words)}"
            yield from wrap(line, look.width, subsequent_indent="     ", break_long_words=False)


def _draw(chart: Chart, canvas: Any, spot: Callable[[Dot], tuple[float, float]]) -> None:
    """Each curve, with its letter where there are several: these stand apart even where curves
    meet; and the best point."""
    for i, curve in enumerate(chart.curves):
        spots = [None if dot is None else spot(dot) for dot in curve.dots]
        for start, end in pairwise(spots):
            if start is not None and end is not None:
                canvas.line(*start, *end)
        known = [at for at in spots if at is not None]
        for at in known:
            canvas.point(*at)
        if known and len(chart.curves) > 1:
            canvas.text(*known[(i + 1) * len(known) // (len(chart.curves) + 1)], ascii_lowercase[i])
    if chart.best is not None:
        canvas.text(*spot(chart.best), BEST)


def check(look: Look) -> Callable[..., Any]:
    """What draws; BadValue where a chart cannot be drawn here."""
    if not look.unicode:
        reason = "needs a terminal with Unicode, or --output FILE.svg"
        raise BadValue("chart", reason).about("chart")
    try:
        from plotille import Canvas
    except ImportError:
        needs = "needs the extra plot: python3 -m pip install 'ddcalc[plot]'"
        raise BadValue("chart", needs).about("chart") from None
    made: Callable[..., Any] = Canvas
    return made


def stretches(chart: Chart) -> tuple[_Stretch, _Stretch]:
    """From where to where the two scales go; the upright one between round numbers."""
    dots = [dot for curve in chart.curves for dot in curve.dots if dot is not None]
    xs = [Fraction(dot.x) for dot in dots] or [Fraction(0)]
    ys = [Fraction(dot.y) for dot in dots] or [Fraction(0)]
    left, right, low, high = min(xs), max(xs), min(ys), max(ys)
    x = _Stretch(left, right if left < right else left + 1, chart.x.factors and left < right)
    if chart.y.factors and low < high:
        return x, _Stretch(low, high, True)
    if low >= 0 and 3 * low < 2 * high:
        low = Fraction(0)  # a curve that falls by a third or more is seen against nothing
    step = round_step((max(high - low, abs(high) / 10) or Fraction(1)) / ROWS)
    bottom, top = low // step * step, -(-high // step) * step
    return x, _Stretch(bottom, top if bottom < top else top + step, False)


def _log(x: Number) -> float:
    """The logarithm to base 10, of numbers that no float holds too."""
    return (log(x.numerator) - log(x.denominator)) / log(10)
