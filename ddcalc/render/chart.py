"""A line chart as a picture: SVG that stands alone, loads nothing and tells itself in words.

Lines differ in dashes as well as in colours, and every point has its sentence as a tooltip. There
are no ids, so that any number of charts may stand on one page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import log
from string import Template
from typing import Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import number_text
from ddcalc.problem.steps import Chart, Curve, Dot
from ddcalc.render.axis import decade, distance, powers, ticks
from ddcalc.render.svg import DARK, EDGE, LETTER, LIGHT, SHOWN, WIDE, tenth, words_at

TOP, TALL = 30, 300  # the heading with the name of the scale, the plane of the curves
BELOW, LINE = 40, 22  # the numbers and the name below, a line of the legend
TICKS = 10  # at most, along an axis
DOTS = 400  # of all curves up to which each has a tooltip
NAME = 40  # characters of a curve's label
NOTE = 100  # characters of a line of the legend
SWATCH = 30  # width of a line in the legend
LOOKS: Final = ("compute", "lost", "down", "up", "server", "wait")

_SHAPES: Final = """
.chart{max-width:min(100%,60rem);height:auto;color-scheme:light dark}
.chart text{font:12px system-ui,sans-serif}
.chart .heading{font-weight:bold;font-size:14px}
.chart .middle{text-anchor:middle}.chart .end{text-anchor:end}
.chart path{fill:none;stroke-width:2;stroke-linejoin:round}
.chart .grid{stroke-width:1}
.chart .dot{stroke:none}.chart .hit{fill:none;pointer-events:all}
.chart .lost{stroke-dasharray:8 3}.chart .down{stroke-dasharray:2 2}
.chart .up{stroke-dasharray:10 3 2 3}.chart .server{stroke-dasharray:5 5}
.chart .wait{stroke-dasharray:1 4;stroke-linecap:round}
.chart .best{stroke-width:2}
"""
_COLOURS: Final = Template(
    """
.chart .paper{fill:$paper}.chart text{fill:$ink}.chart .soft{fill:$soft}
.chart .grid{stroke:$grid}.chart .best{stroke:$ink;fill:none}
"""
    + "".join(
        f".chart path.{look}{{stroke:${look}}}.chart .dot.{look}{{fill:${look}}}" for look in LOOKS
    )
    + "\n"
)
_STYLE: Final = (
    f"<style>{_SHAPES.strip()}{_COLOURS.substitute(LIGHT)}"
    f"@media (prefers-color-scheme:dark){{{_COLOURS.substitute(DARK)}}}</style>\n"
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where numbers stand: between two of them on each scale."""

    left: float
    x: tuple[Number, Number]
    y: tuple[Number, Number]
    factors: bool
    tens: bool  # whether equal distances upwards are equal factors

    @property
    def right(self) -> float:
        return WIDE - 26

    @property
    def bottom(self) -> float:
        return TOP + TALL

    def across(self, x: Number) -> float:
        return self.left + share(x, self.x, self.factors) * (self.right - self.left)

    def up(self, y: Number) -> float:
        return self.bottom - share(y, self.y, self.tens) * TALL


def picture(chart: Chart) -> str:
    """*chart* as a complete document that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _drawn(chart, alone=True)


def inline(chart: Chart) -> str:
    """*chart* as an element of a page."""
    return _drawn(chart, alone=False)


def section(chart: Chart) -> str:
    """*chart* as a section of a page."""
    return f'<section>\n<div class="picture">\n{inline(chart)}</div>\n</section>\n'


def _drawn(chart: Chart, alone: bool) -> str:
    frame = _framed(chart)
    legend, end = _legend(chart, frame.bottom + BELOW)
    top, height = (-TOP if alone else 0), end + 12
    box = f'viewBox="0 {top} {WIDE} {tenth(height - top)}"'
    tall = round((height - top) * SHOWN / WIDE)
    size = f'width="{SHOWN}" height="{tall}"' if alone else 'width="100%"'
    heading = words_at(EDGE, -10, clean(chart.title, 84), "heading") if alone else ""
    body = (_behind(chart, frame), *_curves(chart, frame), _best(chart, frame), legend)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="chart" role="img" {size} {box}>\n'
        f"<title>{escaped(chart.title)}</title>\n<desc>{escaped(told(chart))}</desc>\n"
        f'{_STYLE}<rect class="paper" y="{top}" width="{WIDE}" height="{tenth(height - top)}"/>\n'
        f"{heading}{''.join(body)}</svg>\n"
    )


def told(chart: Chart) -> str:
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


def limits(chart: Chart) -> tuple[tuple[Number, Number], tuple[Number, Number]]:
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


def share(x: Number, ends: tuple[Number, Number], factors: bool) -> float:
    """How far *x* is on the way between the *ends* of a scale, from 0 to 1."""
    first, last = ends
    if factors and 0 < first < last:
        return (_log(x) - _log(first)) / (_log(last) - _log(first))
    return float(Fraction(x - first) / Fraction(last - first or 1))


def _log(x: Number) -> float:
    """The logarithm, of numbers that no float holds too."""
    return log(x.numerator) - log(x.denominator)


def _framed(chart: Chart) -> _Frame:
    x, y = limits(chart)
    rows = heights(chart, y, TICKS, lambda _, words: (0, -1))
    left = 2 * EDGE + max(_width(words) for _, words in rows)
    return _Frame(left, x, y, chart.x.factors, chart.y.factors)


def heights(
    chart: Chart,
    ends: tuple[Number, Number],
    most: int,
    place: Callable[[Number, str], tuple[float, float]],
) -> list[tuple[Number, str]]:
    """The ticks of the upright scale between *ends*: round numbers, or powers of ten."""
    found = powers if chart.y.factors and ends[0] > 0 else ticks
    return found(ends[1], most, place, ends[0])


def _behind(chart: Chart, frame: _Frame) -> str:
    """The grid, with the numbers and names of both scales."""
    rows = heights(chart, frame.y, TICKS, lambda y, _: (-frame.up(y) - 8, -frame.up(y) + 8))
    below = _columns(chart, frame)
    left, right, bottom = tenth(frame.left), tenth(frame.right), tenth(frame.bottom)
    lines = "".join(f"M{left} {tenth(frame.up(y))}H{right}" for y, _ in rows)
    lines += "".join(f"M{tenth(frame.across(x))} {TOP}V{bottom}" for x, _ in below)
    numbers = [words_at(frame.left - 6, frame.up(y) + 4, w, "soft end") for y, w in rows]
    numbers += [words_at(frame.across(x), frame.bottom + 16, w, "soft middle") for x, w in below]
    names = words_at(EDGE, TOP - 12, clean(str(chart.y), NAME))
    names += words_at(frame.right, frame.bottom + 32, clean(str(chart.x), NAME), "end")
    return f'<path class="grid" d="{lines}"/>\n{"".join(numbers)}{names}'


def _columns(chart: Chart, frame: _Frame) -> list[tuple[Number, str]]:
    """The ticks of the scale below."""

    def place(x: Number, words: str) -> tuple[float, float]:
        half = _width(words) / 2 + 4
        return frame.across(x) - half, frame.across(x) + half

    return columns(chart, frame.x, TICKS, place)


def columns(
    chart: Chart,
    ends: tuple[Number, Number],
    most: int,
    place: Callable[[Number, str], tuple[float, float]],
) -> list[tuple[Number, str]]:
    """The ticks of the level scale between *ends*: round numbers, or those that factors lead to."""
    if not chart.x.factors:
        return ticks(ends[1], most, place, ends[0])
    told: list[tuple[Number, str]] = []
    for dot in max((curve.dots for curve in chart.curves), key=len):
        if dot is not None:
            words = number_text(dot.x)[0]
            if not told or place(*told[-1])[1] < place(dot.x, words)[0]:
                told.append((dot.x, words))
    return told


def _curves(chart: Chart, frame: _Frame) -> Iterator[str]:
    few = sum(len(curve.dots) for curve in chart.curves) <= DOTS
    for look, curve in zip(LOOKS, chart.curves, strict=False):
        path = "".join(_path(curve, frame))
        words = escaped(curve.label or chart.y.name)
        yield f'<g><title>{words}</title><path class="{look}" d="{path}"/></g>\n'
        if few:
            yield "".join(_dot(dot, look, frame) for dot in curve.dots if dot is not None)


def _path(curve: Curve, frame: _Frame) -> Iterator[str]:
    for before, dot in pairwise([None, *curve.dots]):
        if dot is not None:
            yield f"{'M' if before is None else 'L'}{_spot(dot, frame)}"


def _spot(dot: Dot, frame: _Frame) -> str:
    return f"{tenth(frame.across(dot.x))} {tenth(frame.up(dot.y))}"


def _dot(dot: Dot, look: str, frame: _Frame) -> str:
    """A point with its sentence, and room to point at it."""
    at = f'cx="{tenth(frame.across(dot.x))}" cy="{tenth(frame.up(dot.y))}"'
    shape = f'<circle class="dot {look}" r="2.5" {at}/><circle class="hit" r="6" {at}/>'
    return f"<g><title>{escaped(dot.words)}</title>{shape}</g>\n"


def _best(chart: Chart, frame: _Frame) -> str:
    """A ring round the best point."""
    if chart.best is None:
        return ""
    x, y = frame.across(chart.best.x), frame.up(chart.best.y)
    ring = f'<circle class="best" cx="{tenth(x)}" cy="{tenth(y)}" r="7"/>'
    return f"<g><title>{escaped(f'The best point: {chart.best.words}')}</title>{ring}</g>\n"


def _legend(chart: Chart, y: float) -> tuple[str, float]:
    """A line of each curve with its label, from *y* on, and the end of the last one."""
    drawn, x, y = "", float(EDGE), y + LINE
    room = NAME if len(chart.curves) > 1 else NOTE
    labels = [
        (look, clean(curve.label, room)) for look, curve in zip(LOOKS, chart.curves, strict=False)
    ]
    for look, words in labels if any(words for _, words in labels) else ():
        width = SWATCH + 6 + _width(words) + 12
        if x > EDGE and x + width > WIDE:
            x, y = float(EDGE), y + LINE
        line = f'<path class="{look}" d="M{tenth(x)} {tenth(y - 4)}h{SWATCH}"/>\n'
        drawn += line + words_at(x + SWATCH + 6, y, words)
        x += width
    notes = [f"○ {chart.best.words}"] if chart.best is not None else []
    notes += [f"{chart.left} more curves are not drawn"] if chart.left else []
    for note in notes:
        y = y + LINE if drawn else y
        drawn += words_at(EDGE, y, clean(note, NOTE))
    return drawn, y


def _width(words: str) -> float:
    return len(words) * LETTER
