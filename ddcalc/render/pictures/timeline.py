"""A timeline: what its bars are called in every output, how far it goes, and its picture.

Each kind of bar has a shape of its own as well as a colour, and its sentence as a tooltip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, cast, get_args

from ddcalc.boundary.cleaning import clean
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Kind, Lane, Timeline
from ddcalc.render.pictures.axis import share, ticks
from ddcalc.render.pictures.canvas import (
    BAR,
    EDGE,
    HEAD,
    LETTER,
    ROW,
    SHOWN,
    SWATCH,
    WIDE,
    Style,
    document,
    explained,
    legend,
    rectangle,
    tenth,
    width,
    words_at,
)
from ddcalc.render.story import ShownFormula

Undone = Literal["not done", "not counted", "dropped", "interrupted"]
Mark = Kind | Undone
"""How a bar looks: by what the worker does, or by why a computation does not count."""

WORDS: Final[dict[Mark, str]] = {
    "down": "downloads",
    "compute": "computes",
    "up": "uploads",
    "server": "at the server",
    "send": "sends",
    "wait": "waits",
    "not done": "not done",
    "not counted": "not counted",
    "dropped": "dropped",
    "interrupted": "interrupted",
}
LABELLED: Final = ("compute", "send")  # kinds whose bars have labels
BEYOND: Final = Fraction(5, 4)  # of the horizon: how far a picture follows what goes on after it


def mark(bar: Bar) -> Mark:
    """How *bar* looks."""
    if bar.done or bar.kind != "compute":
        return bar.kind
    known = isinstance(bar.label, str) and bar.label in get_args(Undone)
    return cast(Undone, bar.label) if known else "not done"


def marks(step: Timeline) -> list[Mark]:
    """The looks that occur in *step*, in the order of ``WORDS``."""
    used = {mark(bar) for lane in step.lanes for bar in lane.bars}
    return [look for look in WORDS if look in used]


def label(bar: Bar) -> str:
    """What is written on *bar*."""
    return str(ShownFormula(bar.label)) if isinstance(bar.label, Expr) else bar.label


def deed(bar: Bar) -> str:
    """What the worker does, in words: ``computes 3``, ``waits``, ``dropped``."""
    if bar.kind == "compute" and not bar.done and isinstance(bar.label, str):
        return bar.label or WORDS["not done"]
    words = WORDS[bar.kind]
    if bar.kind in LABELLED:
        words = f"{words} {label(bar)}".rstrip()
    return words if bar.done else f"{words}, {WORDS['not done']}"


def sentence(lane: str, bar: Bar) -> str:
    """The whole bar of the worker *lane* in words: its note, else its deed and its times."""
    start, end = (amount_text(time, SECOND) for time in (bar.start, bar.end))
    return bar.note or f"{lane}: {deed(bar)}, from {start} to {end}"


def in_words(step: Timeline) -> str:
    """The whole schedule in words: how often and how long each worker does what."""
    lanes = "".join(f" {lane.label}: {_summary(lane)}." for lane in step.lanes)
    missing = f" {step.shown} more are not drawn." if step.shown else ""
    end = amount_text(step.horizon, SECOND)
    return f"Who works when, until the {step.name} at {end}.{lanes}{missing}"


def horizon(step: Timeline) -> str:
    """The name and time of the horizon."""
    return f"{step.name} {amount_text(step.horizon, SECOND)}"


def _summary(lane: Lane) -> str:
    """What is done on *lane*, added up."""
    parts: list[str] = []
    for look, word in WORDS.items():
        bars = [bar for bar in lane.bars if mark(bar) == look]
        whole = amount_text(sum((bar.end - bar.start for bar in bars), Fraction(0)), SECOND)
        if bars and look in get_args(Kind):
            parts.append(f"{word} {_times(len(bars))}, {whole} in all")
        elif bars:
            parts.append(f"{len(bars)} {word}")
    return "; ".join(parts) or "nothing"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count) or f"{count} times"


def extent(step: Timeline) -> Number:
    """The time (seconds, more than 0) at which the picture of *step* ends.

    That is the last bar's end or the horizon, the later of them; but a bar is not followed far
    beyond the horizon, and where operations are left out, the picture ends with the last one shown.
    """
    bars = [bar for lane in step.lanes for bar in lane.bars]
    last = max((bar.end for bar in bars), default=step.horizon)
    if step.shown and 0 < last < step.horizon:
        return last
    far = max([step.horizon, *(bar.start for bar in bars)]) * BEYOND
    return max(step.horizon, min(last, far)) or Fraction(1)


# The picture

AXIS = 28  # height of the axis
END = 26  # what stays free after the last tick, for half its number
NAME = 24  # characters of a lane's name
LEAST = 1.5  # width of the shortest bar
UNIT = "seconds"
TICKS = 12  # at most, along the axis

STYLE: Final = Style(
    "timeline",
    """
path{fill:none}
.note{stroke-width:4;stroke-linejoin:round;paint-order:stroke}
.wait{stroke-width:3;stroke-linecap:round;stroke-dasharray:.1 6}
.server{stroke-width:12;stroke-dasharray:2 2}
.undone,.dropped{stroke-width:1.5;stroke-dasharray:4 2}
.cut,.cross{stroke-width:1.5}
.horizon{stroke-width:1.5;stroke-dasharray:6 3}
""",
    """
.beyond{fill:$beyond}
.note{fill:$soft;stroke:$paper}
.horizon{stroke:$ink}
.compute{fill:$compute}
.down{fill:$down}
.up,.send{fill:$up}
.server{stroke:$server}
.wait{stroke:$wait}
.undone{stroke:$compute}
.dropped,.cut,.cross{stroke:$lost}
""",
)


@dataclass(frozen=True, slots=True)
class _TimeFrame:
    """Where times stand: from *left* to the right edge, 0 to *last*."""

    left: float
    last: Number
    bottom: float
    right: float = WIDE - END

    def x(self, time: Number) -> float:
        """Where *time* stands, or the edge that it lies beyond."""
        part = min(max(share(time, (0, self.last)), 0), 1)
        return self.left + part * (self.right - self.left)

    def span(self, bar: Bar) -> tuple[float, float]:
        """From where to where *bar* goes."""
        start = min(self.x(bar.start), self.right - LEAST)
        return start, max(self.x(bar.end), start + LEAST)

    def number(self, time: Number, words: str) -> tuple[float, float]:
        """From where to where the number of a tick goes, and a little more."""
        half = width(words) / 2
        middle = min(self.x(time), WIDE - EDGE - half)
        return middle - half - 4, middle + half + 4


def picture(step: Timeline) -> str:
    """*step* as a complete document that stands alone."""
    return document(inline(step, alone=True))


def inline(step: Timeline, alone: bool = False) -> str:
    """*step* as an element of a page, or *alone* under its title."""
    names = max([len(UNIT) + 2, *(len(_name(lane)) for lane in step.lanes)])
    bottom = AXIS + ROW * len(step.lanes)
    frame = _TimeFrame(2 * EDGE + names * LETTER, extent(step), bottom)
    marked = marks(step)
    entries = [(look, WORDS[look]) for look in marked] if len(marked) > 1 else []
    below, end = legend(entries, _swatch, SWATCH, bottom + (44 if entries else 18))
    missing = f" ({step.shown} more are not drawn)" if step.shown else ""
    heading = words_at(EDGE, -10, f"{step.title}{missing}", "heading") if alone else ""
    body = (heading, _behind(step, frame), _horizon(step, frame), *_lanes(step, frame), below)
    size, top = (WIDE, end + 12), -HEAD if alone else 0
    shown = SHOWN if alone else None
    return STYLE.frame(step.title, in_words(step), "".join(body), size, top, shown)


def _behind(step: Timeline, frame: _TimeFrame) -> str:
    """What stands behind the bars: the time after the horizon, and the axis with its grid."""
    edge, right = frame.x(step.horizon), frame.right
    beyond = (
        rectangle(edge, AXIS, right - edge, frame.bottom - AXIS, "beyond") if edge < right else ""
    )
    marked = ticks(frame.last, TICKS, frame.number)
    grid = "".join(f"M{tenth(frame.x(at))} {AXIS - 4}V{tenth(frame.bottom)}" for at, _ in marked)
    numbers = (
        words_at(sum(frame.number(at, words)) / 2, AXIS - 10, words, "soft middle")
        for at, words in marked
    )
    unit = words_at(EDGE, AXIS - 10, UNIT, "soft")
    return f'{beyond}<path class="grid" d="{grid}"/>\n{unit}{"".join(numbers)}'


def _lanes(step: Timeline, frame: _TimeFrame) -> Iterator[str]:
    for i, lane in enumerate(step.lanes):
        bars = "".join(_bar(lane, bar, frame) for bar in lane.bars)
        name = words_at(EDGE, 13, _name(lane))
        yield f'<g transform="translate(0 {AXIS + i * ROW + 5})">\n{name}{bars}</g>\n'


def _bar(lane: Lane, bar: Bar, frame: _TimeFrame) -> str:
    """A bar with its label, if there is room for it, and with its sentence as a tooltip."""
    start, end = frame.span(bar)
    look = mark(bar)
    shape = _shape(look, start, end) + _label(bar, look, start, end)
    return explained(sentence(lane.label, bar), shape)


def _label(bar: Bar, look: Mark, start: float, end: float) -> str:
    words = label(bar) if bar.kind in LABELLED else ""
    behind = {"dropped": 14, "interrupted": 6}.get(look, 0)  # what the shape's end takes
    if not words or width(words) + behind + 4 > end - start:
        return ""
    middle = (start + end - behind) / 2
    return words_at(middle, 13, words, "on middle" if look in LABELLED else "note middle").strip()


def _swatch(look: str, x: float, y: float) -> str:
    shape = _shape(cast(Mark, look), 0, SWATCH)
    return f'<g transform="translate({tenth(x)} {tenth(y - 13)})">{shape}</g>'


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


def _horizon(step: Timeline, frame: _TimeFrame) -> str:
    """The line at the horizon and its time below; an arrow where it lies outside."""
    words = horizon(step)
    inside = step.horizon <= frame.last
    at, half = frame.x(step.horizon), width(words) / 2
    place = min(max(at, frame.left + half), WIDE - half - EDGE)
    below = words_at(place, frame.bottom + 16, words if inside else f"{words} →", "middle")
    line = f'<path class="horizon" d="M{tenth(at)} {AXIS - 4}V{tenth(frame.bottom + 4)}"/>\n'
    return (line if inside else "") + below


def _name(lane: Lane) -> str:
    return clean(lane.label, NAME)
