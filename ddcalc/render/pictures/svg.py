"""A timeline as a picture: SVG that stands alone, loads nothing and tells itself in words.

Each kind of bar has a shape of its own as well as a colour. There are no ids, so that any number
of pictures may stand on one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from string import Template
from typing import Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.cleaning import html as escaped
from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Bar, Lane, Timeline
from ddcalc.render.pictures import axis, timeline
from ddcalc.render.pictures.timeline import WORDS, Mark

WIDE = 720  # of the drawing, in its own units
SHOWN = 960  # pixels of a picture that stands alone
HEAD, AXIS, ROW, LINE = 30, 28, 28, 26  # heights of a heading, the axis, a lane, a line of words
BAR = 18  # height of a bar
EDGE = 8  # what stays free at the sides
END = 26  # what stays free behind the last tick, for half its number
LETTER = 7.6  # width of a character, about as wide as they come
NAME = 24  # characters of a lane's name
LEAST = 1.5  # width of the shortest bar
SWATCH = 26  # width of a bar in the legend
UNIT = "seconds"
TICKS = 12  # at most, along the axis

# Kinds keep apart, and from the paper, for readers with colour blindness too.
LIGHT: Final = {
    "paper": "#ffffff",
    "beyond": "#f0f1f4",
    "grid": "#d6d8dd",
    "ink": "#1b1b1f",
    "soft": "#5c5f66",
    "compute": "#1a63d6",
    "on": "#ffffff",
    "down": "#0a4a4a",
    "up": "#6a1b8a",
    "server": "#b27c00",
    "wait": "#7f8187",
    "lost": "#8a2400",
}
DARK: Final = {
    "paper": "#16171b",
    "beyond": "#202228",
    "grid": "#3a3d45",
    "ink": "#e6e6ea",
    "soft": "#a2a5ad",
    "compute": "#a9cdfb",
    "on": "#0c0d10",
    "down": "#3fdc9f",
    "up": "#c850d8",
    "server": "#f2c744",
    "wait": "#767b85",
    "lost": "#e2472f",
}
_SHAPES: Final = """
.timeline{max-width:min(100%,60rem);height:auto;color-scheme:light dark}
.timeline text{font:12px system-ui,sans-serif}
.timeline .heading{font-weight:bold;font-size:14px}
.timeline .middle{text-anchor:middle}
.timeline path{fill:none}
.timeline .note{stroke-width:4;stroke-linejoin:round;paint-order:stroke}
.timeline .hit{fill:none;pointer-events:all}
.timeline .wait{stroke-width:3;stroke-linecap:round;stroke-dasharray:.1 6}
.timeline .server{stroke-width:12;stroke-dasharray:2 2}
.timeline .undone,.timeline .dropped{stroke-width:1.5;stroke-dasharray:4 2}
.timeline .cut,.timeline .cross{stroke-width:1.5}
.timeline .horizon{stroke-width:1.5;stroke-dasharray:6 3}
"""
_COLOURS: Final = Template("""
.timeline .paper{fill:$paper}.timeline .beyond{fill:$beyond}
.timeline text{fill:$ink}.timeline .soft{fill:$soft}.timeline .on{fill:$on}
.timeline .note{fill:$soft;stroke:$paper}
.timeline .grid{stroke:$grid}.timeline .horizon{stroke:$ink}
.timeline .compute{fill:$compute}.timeline .down{fill:$down}.timeline .up{fill:$up}
.timeline .send{fill:$up}
.timeline .server{stroke:$server}.timeline .wait{stroke:$wait}
.timeline .undone{stroke:$compute}
.timeline .dropped,.timeline .cut,.timeline .cross{stroke:$lost}
""")
_STYLE: Final = (
    f"<style>{_SHAPES.strip()}{_COLOURS.substitute(LIGHT)}"
    f"@media (prefers-color-scheme:dark){{{_COLOURS.substitute(DARK)}}}</style>\n"
)


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where times stand: from *left* to the right edge, 0 to *last*."""

    left: float
    last: Number
    bottom: float

    @property
    def right(self) -> float:
        return WIDE - END

    def x(self, time: Number) -> float:
        """Where *time* stands, or the edge that it lies behind."""
        share = float(min(max(Fraction(time) / self.last, Fraction(0)), Fraction(1)))
        return self.left + share * (self.right - self.left)

    def span(self, bar: Bar) -> tuple[float, float]:
        """From where to where *bar* goes."""
        start = min(self.x(bar.start), self.right - LEAST)
        return start, max(self.x(bar.end), start + LEAST)

    def number(self, time: Number, words: str) -> tuple[float, float]:
        """From where to where the number of a tick goes, and a little more."""
        half = _width(words) / 2
        middle = min(self.x(time), WIDE - EDGE - half)
        return middle - half - 4, middle + half + 4


def picture(step: Timeline) -> str:
    """*step* as a complete document that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _drawn(step, alone=True)


def inline(step: Timeline) -> str:
    """*step* as an element of a page."""
    return _drawn(step, alone=False)


def _drawn(step: Timeline, alone: bool) -> str:
    names = max([len(UNIT) + 2, *(len(_name(lane)) for lane in step.lanes)])
    bottom = AXIS + ROW * len(step.lanes)
    frame = _Frame(2 * EDGE + names * LETTER, timeline.extent(step), bottom)
    legend, end = _legend(timeline.marks(step), bottom + 18)
    top, height = (-HEAD if alone else 0), end + 12
    box = f'viewBox="0 {top} {WIDE} {height - top}"'
    size = f'width="{SHOWN}" height="{(height - top) * SHOWN // WIDE}"' if alone else 'width="100%"'
    missing = f" ({step.shown} more are not drawn)" if step.shown else ""
    heading = words_at(EDGE, -10, f"{step.title}{missing}", "heading") if alone else ""
    body = (_behind(step, frame), _horizon(step, frame), *_lanes(step, frame), legend)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="timeline" role="img" {size} {box}>\n'
        f"<title>{escaped(step.title)}</title>\n<desc>{escaped(timeline.told(step))}</desc>\n"
        f'{_STYLE}<rect class="paper" y="{top}" width="{WIDE}" height="{height - top}"/>\n'
        f"{heading}{''.join(body)}</svg>\n"
    )


def _behind(step: Timeline, frame: _Frame) -> str:
    """What stands behind the bars: the time after the horizon, and the axis with its grid."""
    edge, right = frame.x(step.horizon), frame.right
    beyond = (
        rectangle(edge, AXIS, right - edge, frame.bottom - AXIS, "beyond") if edge < right else ""
    )
    told = axis.ticks(frame.last, TICKS, frame.number)
    grid = "".join(f"M{tenth(frame.x(at))} {AXIS - 4}V{tenth(frame.bottom)}" for at, _ in told)
    numbers = (
        words_at(sum(frame.number(at, words)) / 2, AXIS - 10, words, "soft middle")
        for at, words in told
    )
    unit = words_at(EDGE, AXIS - 10, UNIT, "soft")
    return f'{beyond}<path class="grid" d="{grid}"/>\n{unit}{"".join(numbers)}'


def _lanes(step: Timeline, frame: _Frame) -> Iterator[str]:
    for i, lane in enumerate(step.lanes):
        bars = "".join(_bar(lane, bar, frame) for bar in lane.bars)
        name = words_at(EDGE, 13, _name(lane))
        yield f'<g transform="translate(0 {AXIS + i * ROW + 5})">\n{name}{bars}</g>\n'


def _bar(lane: Lane, bar: Bar, frame: _Frame) -> str:
    """A bar with its label, if there is room for it, and with its sentence as a tooltip."""
    start, end = frame.span(bar)
    look = timeline.mark(bar)
    shape = _shape(look, start, end)
    words = escaped(timeline.sentence(lane.label, bar))
    return f"<g><title>{words}</title>{shape}{_label(bar, look, start, end)}</g>\n"


def _label(bar: Bar, look: Mark, start: float, end: float) -> str:
    if bar.kind not in timeline.LABELLED:
        return ""
    words = timeline.label(bar)
    behind = {"dropped": 14, "interrupted": 6}.get(look, 0)  # what the shape's end takes
    if not words or _width(words) + behind + 4 > end - start:
        return ""
    middle = (start + end - behind) / 2
    full = look in timeline.LABELLED
    return words_at(middle, 13, words, "on middle" if full else "note middle").strip()


def _shape(look: Mark, start: float, end: float) -> str:
    """A bar from *start* to *end*, *BAR* high; a place to point at where the shape has holes."""
    a, b = tenth(start), tenth(end)
    hit = rectangle(start, 0, end - start, BAR, "hit").strip()
    match look:
        case "compute" | "send":
            gap = 1 if end - start > 4 else 0  # so that neighbours keep apart
            return rectangle(start, 0, end - start - gap, BAR, look).strip()
        case "down":
            return f'<polygon class="down" points="{a},0 {b},{BAR} {a},{BAR}"/>'
        case "up":
            return f'<polygon class="up" points="{a},{BAR} {b},0 {b},{BAR}"/>'
        case "server" | "wait":
            return f'{hit}<path class="{look}" d="M{a} {BAR // 2}H{b}"/>'
        case "not done":
            return f'{hit}<path class="undone" d="M{b} 1H{a}V{BAR - 1}H{b}"/>'
        case "not counted":
            return f'{hit}<path class="undone" d="M{b} 1H{a}V{BAR - 1}H{b}Z"/>'
        case "dropped":
            cross = tenth(max(start, end - 11))
            outline = f'<path class="dropped" d="M{a} 1H{b}V{BAR - 1}H{a}Z"/>'
            return f'{hit}{outline}<path class="cross" d="M{cross} 3L{b} 15M{cross} 15L{b} 3"/>'
        case "interrupted":
            notch = tenth(max(start, end - 5))
            teeth = f"L{notch} 5L{b} 9L{notch} 13L{b} 17"
            return f'{hit}<path class="cut" d="M{a} 1H{b}{teeth}H{a}Z"/>'


def _horizon(step: Timeline, frame: _Frame) -> str:
    """The line at the horizon and its time below; an arrow where it lies outside."""
    words = timeline.horizon(step)
    inside = step.horizon <= frame.last
    at = frame.x(step.horizon)
    half = _width(words) / 2
    place = min(max(at, frame.left + half), WIDE - half - EDGE)
    below = words_at(place, frame.bottom + 16, words if inside else f"{words} →", "middle")
    line = f'<path class="horizon" d="M{tenth(at)} {AXIS - 4}V{tenth(frame.bottom + 4)}"/>\n'
    return (line if inside else "") + below


def _legend(marks: Sequence[Mark], y: float) -> tuple[str, float]:
    """A bar of each kind with its name, in lines from *y* on, and the end of the last one."""
    if len(marks) < 2:
        return "", y
    told, x, y = "", float(EDGE), y + LINE
    for look in marks:
        width = SWATCH + 6 + _width(WORDS[look]) + 12
        if x > EDGE and x + width > WIDE:
            x, y = float(EDGE), y + LINE
        place = f"translate({tenth(x)} {tenth(y - 13)})"
        shape = f'<g transform="{place}">{_shape(look, 0, SWATCH)}</g>'
        told += f"{shape}{words_at(x + SWATCH + 6, y, WORDS[look])}"
        x += width
    return told, y


def _name(lane: Lane) -> str:
    return clean(lane.label, NAME)


def _width(words: str) -> float:
    return len(words) * LETTER


def words_at(x: float, y: float, words: str, look: str = "") -> str:
    """*words* of the class *look*, which begin at a place."""
    named = f' class="{look}"' if look else ""
    return f'<text{named} x="{tenth(x)}" y="{tenth(y)}">{escaped(words)}</text>\n'


def rectangle(x: float, y: float, width: float, height: float, look: str) -> str:
    """A rectangle of the class *look*."""
    place = f'x="{tenth(x)}" y="{tenth(y)}"'
    size = f'width="{tenth(width)}" height="{tenth(height)}"'
    return f'<rect class="{look}" {place} {size}/>\n'


def tenth(number: float) -> str:
    """A coordinate, to a tenth."""
    return f"{round(number, 1):g}"
