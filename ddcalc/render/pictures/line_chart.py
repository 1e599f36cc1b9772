"""A line chart as a picture, and what it shares with the one in the terminal.

Lines differ in dashes as well as in colours, and every point has its sentence as a tooltip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final

from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text
from ddcalc.problem.steps import Chart, Curve, Dot
from ddcalc.render.pictures.axis import (
    Place,
    Ticks,
    decade,
    decades,
    distance,
    powers,
    share,
    ticks,
)
from ddcalc.render.pictures.canvas import (
    EDGE,
    HEAD,
    LINE,
    SHOWN,
    SWATCH,
    WIDE,
    Style,
    document,
    explained,
    legend,
    tenth,
    width,
    words_at,
)

TALL = 300  # the plane of the curves
BELOW = 40  # the numbers and the name below it
TICKS = 10  # at most, along an axis
DOTS = 400  # of all curves up to which each has a tooltip
NAME = 40  # characters of a curve's label
NOTE = 100  # characters of a line of the legend
LOOKS: Final = ("compute", "lost", "down", "up", "server", "wait")

STYLE: Final = Style(
    "chart",
    """
path{fill:none;stroke-width:2;stroke-linejoin:round}
.grid{stroke-width:1}
.dot{stroke:none}
.lost{stroke-dasharray:8 3}
.down{stroke-dasharray:2 2}
.up{stroke-dasharray:10 3 2 3}
.server{stroke-dasharray:5 5}
.wait{stroke-dasharray:1 4;stroke-linecap:round}
.best{stroke-width:2}
""",
    ".best{stroke:$ink;fill:none}\n"
    + "".join(f"path.{look}{{stroke:${look}}}\n.dot.{look}{{fill:${look}}}\n" for look in LOOKS),
)

Ends = tuple[Number, Number]


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where numbers stand: between the two of each scale."""

    left: float
    x: Ends
    y: Ends
    factors: bool
    tens: bool  # whether equal distances upwards are equal factors
    right: float = WIDE - 30
    bottom: float = HEAD + TALL

    def across(self, x: Number) -> float:
        return self.left + share(x, self.x, self.factors) * (self.right - self.left)

    def number(self, x: Number, words: str) -> tuple[float, float]:
        """From where to where the number of a tick goes, and a little more."""
        half = width(words) / 2 + 4
        return self.across(x) - half, self.across(x) + half

    def up(self, y: Number) -> float:
        return self.bottom - share(y, self.y, self.tens) * TALL


def picture(chart: Chart) -> str:
    """*chart* as a complete document that stands alone."""
    return document(inline(chart, alone=True))


def inline(chart: Chart, alone: bool = False) -> str:
    """*chart* as an element of a page, or *alone* under its title."""
    x, y = limits(chart)
    widest = max(width(words) for _, words in heights(chart, y, TICKS, lambda _, words: (0, -1)))
    plane = _Plane(2 * EDGE + widest, x, y, chart.x.factors, chart.y.factors)
    below, end = _legend(chart, plane.bottom + BELOW)
    heading = words_at(EDGE, -10, clean(chart.title, 84), "heading") if alone else ""
    body = (heading, _behind(chart, plane), *_curves(chart, plane), _best(chart, plane), below)
    size, top = (WIDE, end + 12), -HEAD if alone else 0
    shown = SHOWN if alone else None
    return STYLE.frame(chart.title, in_words(chart), "".join(body), size, top, shown)


def in_words(chart: Chart) -> str:
    """The chart in words: from where to where each curve goes, and the best point."""
    words = [f"{chart.y} by {chart.x}."]
    for curve in chart.curves:
        dots = [dot for dot in curve.dots if dot is not None]
        name = f"{curve.label}: " if curve.label else ""
        if dots:
            words.append(f"{name}from {dots[0].words} to {dots[-1].words}.")
        else:
            words.append(f"{name}no point has a value.")
    if chart.best is not None:
        words.append(f"The best point: {chart.best.words}.")
    if chart.left:
        words.append(f"{chart.left} more curves are not drawn.")
    return " ".join(words)


def limits(chart: Chart) -> tuple[Ends, Ends]:
    """From where to where the two scales go; the upright one between round numbers."""
    dots = [dot for curve in chart.curves for dot in curve.dots if dot is not None]
    xs, ys = [dot.x for dot in dots] or [0, 1], [dot.y for dot in dots] or [0, 1]
    low, high = Fraction(min(ys)), Fraction(max(ys))
    if chart.y.factors and low > 0:
        bottom, top = decade(low), decade(high, up=True)
        return (min(xs), max(xs)), (bottom, top if bottom < top else 10 * bottom)
    if low >= 0 and 3 * low < 2 * high:
        low = Fraction(0)  # a curve that falls by a third or more is seen against nothing
    step = distance(max(high - low, abs(high) / 10) or 1, TICKS)
    bottom, top = low // step * step, -(-high // step) * step
    return (min(xs), max(xs)), (bottom, top) if bottom < top else (bottom - step, top + step)


def heights(chart: Chart, ends: Ends, most: int, place: Place) -> Ticks:
    """The ticks of the upright scale between *ends*: round numbers, or powers of ten."""
    marks = powers if chart.y.factors and ends[0] > 0 else ticks
    return marks(ends[1], most, place, ends[0])


def _behind(chart: Chart, plane: _Plane) -> str:
    """The grid, with the numbers and names of both scales."""
    rows = heights(chart, plane.y, TICKS, lambda y, _: (-plane.up(y) - 8, -plane.up(y) + 8))
    below = columns(chart, plane.x, TICKS, plane.number)
    left, right, bottom = tenth(plane.left), tenth(plane.right), tenth(plane.bottom)
    lines = "".join(f"M{left} {tenth(plane.up(y))}H{right}" for y, _ in rows)
    lines += "".join(f"M{tenth(plane.across(x))} {HEAD}V{bottom}" for x, _ in below)
    numbers = [words_at(plane.left - 6, plane.up(y) + 4, w, "soft end") for y, w in rows]
    numbers += [words_at(plane.across(x), plane.bottom + 16, w, "soft middle") for x, w in below]
    names = words_at(EDGE, HEAD - 12, clean(str(chart.y), NAME))
    names += words_at(plane.right, plane.bottom + 32, clean(str(chart.x), NAME), "end")
    return f'<path class="grid" d="{lines}"/>\n{"".join(numbers)}{names}'


def columns(chart: Chart, ends: Ends, most: int, place: Place) -> Ticks:
    """The ticks of the level scale between *ends*: round numbers, or those that factors lead to."""
    if not chart.x.factors:
        return ticks(ends[1], most, place, ends[0])
    marks: Ticks = []
    dots = max((curve.dots for curve in chart.curves), key=len)
    if len(dots) > 2 * most:
        return decades(ends[1], most, place, ends[0])
    for dot in dots:
        if dot is not None:
            words = count_text(dot.x)
            if not marks or place(*marks[-1])[1] < place(dot.x, words)[0]:
                marks.append((dot.x, words))
    return marks


def _curves(chart: Chart, plane: _Plane) -> Iterator[str]:
    few = sum(len(curve.dots) for curve in chart.curves) <= DOTS
    for look, curve in zip(LOOKS, chart.curves, strict=False):
        path = "".join(_path(curve, plane))
        yield explained(curve.label or chart.y.name, f'<path class="{look}" d="{path}"/>')
        if few:
            yield "".join(_dot(dot, look, plane) for dot in curve.dots if dot is not None)


def _path(curve: Curve, plane: _Plane) -> Iterator[str]:
    for before, dot in pairwise([None, *curve.dots]):
        if dot is not None:
            yield f"{'M' if before is None else 'L'}{_spot(dot, plane)}"


def _spot(dot: Dot, plane: _Plane) -> str:
    return f"{tenth(plane.across(dot.x))} {tenth(plane.up(dot.y))}"


def _dot(dot: Dot, look: str, plane: _Plane) -> str:
    """A point with its sentence, and room to point at it."""
    at = f'cx="{tenth(plane.across(dot.x))}" cy="{tenth(plane.up(dot.y))}"'
    shape = f'<circle class="dot {look}" r="2.5" {at}/><circle class="hit" r="6" {at}/>'
    return explained(dot.words, shape)


def _best(chart: Chart, plane: _Plane) -> str:
    """A ring round the best point."""
    if chart.best is None:
        return ""
    x, y = plane.across(chart.best.x), plane.up(chart.best.y)
    ring = f'<circle class="best" cx="{tenth(x)}" cy="{tenth(y)}" r="7"/>'
    return explained(f"The best point: {chart.best.words}", ring)


def _legend(chart: Chart, y: float) -> tuple[str, float]:
    """A line of each curve with its label, from *y* on, and the end of the last one."""
    room = NAME if len(chart.curves) > 1 else NOTE
    labels = [
        (look, clean(curve.label, room)) for look, curve in zip(LOOKS, chart.curves, strict=False)
    ]
    labels = labels if any(words for _, words in labels) else []
    drawn, y = legend(labels, _line, SWATCH, y + LINE)
    notes = [f"○ {chart.best.words}"] if chart.best is not None else []
    notes += [f"{chart.left} more curves are not drawn"] if chart.left else []
    for note in notes:
        y = y + LINE if drawn else y
        drawn += words_at(EDGE, y, clean(note, NOTE))
    return drawn, y


def _line(look: str, x: float, y: float) -> str:
    return f'<path class="{look}" d="M{tenth(x)} {tenth(y - 4)}h{SWATCH}"/>\n'
