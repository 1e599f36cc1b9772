"""Exchanges as a picture: a panel a step, a line a process, a box a chunk, an arrow a message.

SVG that stands alone, loads nothing and tells itself in words. What a step changed and what is
complete have marks and outlines of their own as well as colours. There are no ids, so that any
number of pictures may stand on one page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Template
from typing import Final

from ddcalc.boundary.cleaning import html as escaped
from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render.pictures import exchange
from ddcalc.render.pictures.svg import DARK, LETTER, LIGHT, rectangle, tenth, words_at

WIDE = 1200  # of a picture, unless a panel is wider
EDGE, BETWEEN = 10, 26  # what stays free at the sides, and between panels
HEAD, LINE = 30, 26  # heights of the heading and of a line of words
TITLE, STUB = 34, 22  # heights of a panel's title, and of an arrow that comes from the last line
LABEL = 26  # width of the processes' numbers
BOX, GAP, PAD = 24, 20, 12  # height of a box, what arrows take between lines, room in a box
LEAST, VECTOR, SPACE = 38, 200, 4  # width of a box at least, of a vector's, and between boxes
TAIL = 16  # what stays free behind the last panel, for the name of an arrow
ROOM = 11  # characters of a box's values

_SHAPES: Final = """
.exchange{max-width:100%;height:auto;color-scheme:light dark}
.exchange text{font:12px system-ui,sans-serif}
.exchange .heading{font-weight:bold;font-size:14px}
.exchange .title{font-weight:bold}
.exchange .middle{text-anchor:middle}
.exchange .small{font-size:11px}
.exchange .plain{stroke-width:1}
.exchange .changed{stroke-width:2.5}
.exchange .complete{stroke-width:1}
.exchange .both{stroke-width:3}
.exchange .arrow{fill:none;stroke-width:1.5}
.exchange .stub{stroke-dasharray:3 2}
"""
_COLOURS: Final = Template("""
.exchange .paper{fill:$paper}.exchange text{fill:$ink}
.exchange .soft{fill:$soft}.exchange .on{fill:$on}
.exchange .plain{fill:$beyond;stroke:$soft}
.exchange .changed{fill:$paper;stroke:$server}
.exchange .complete{fill:$down;stroke:$down}
.exchange .both{fill:$down;stroke:$server}
.exchange .arrow{stroke:$ink}.exchange .point{fill:$ink}
""")
_STYLE: Final = (
    f"<style>{_SHAPES.strip()}{_COLOURS.substitute(LIGHT)}"
    f"@media (prefers-color-scheme:dark){{{_COLOURS.substitute(DARK)}}}</style>\n"
)


@dataclass(frozen=True, slots=True)
class _Panel:
    """Where the boxes of one exchange stand."""

    step: Exchange
    left: float
    top: float
    box: float

    def x(self, part: int) -> float:
        """The left side of the boxes of *part*."""
        return self.left + LABEL + part * (self.box + SPACE)

    def middle(self, part: int) -> float:
        return self.x(part) + self.box / 2

    def y(self, process: int) -> float:
        """The upper side of the boxes of *process*."""
        return self.top + TITLE + STUB + (process - 1) * (BOX + GAP)

    @property
    def last(self) -> int:
        return len(self.step.holds)


def picture(steps: Sequence[Exchange]) -> str:
    """*steps* as a complete document that stands alone."""
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + _drawn(steps, alone=True)


def inline(step: Exchange) -> str:
    """*step* as an element of a page."""
    return _drawn([step], alone=False)


def _drawn(steps: Sequence[Exchange], alone: bool) -> str:
    box = _box(steps)
    boxes = LABEL + len(steps[0].parts) * (box + SPACE) - SPACE
    panel = max(boxes, *(len(_name(step)) * LETTER for step in steps))
    tall = TITLE + 2 * STUB + len(steps[0].holds) * (BOX + GAP) - GAP
    lines = _lines(steps, panel)
    top = HEAD if alone else 0
    told: list[str] = []
    y = float(top)
    for line in lines:
        for i, step in enumerate(line):
            told += _panel(_Panel(step, EDGE + i * (panel + BETWEEN), y, box))
        y += tall + BETWEEN / 2
    widest = max(map(len, lines))
    below = max(_legend_width(steps), 2 * EDGE + len(_caption(steps[0])) * LETTER) if alone else 0
    wide = max(2 * EDGE + widest * (panel + BETWEEN) - BETWEEN + TAIL, below)
    if alone:
        told += _legend(steps, y + LINE / 2)
        told.append(words_at(EDGE, y + LINE * 3 / 2, _caption(steps[0]), "soft"))
        y += 2 * LINE
    title = _title(steps, alone)
    heading = words_at(EDGE, 20, title, "heading") if alone else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="exchange" role="img"'
        f' width="{tenth(wide)}" height="{tenth(y)}" viewBox="0 0 {tenth(wide)} {tenth(y)}">\n'
        f"<title>{escaped(title)}</title>\n<desc>{escaped(_told(steps))}</desc>\n"
        f'{_STYLE}<rect class="paper" width="{tenth(wide)}" height="{tenth(y)}"/>\n'
        f"{heading}{''.join(told)}</svg>\n"
    )


def _title(steps: Sequence[Exchange], alone: bool) -> str:
    processes = len(steps[0].holds)
    many = "" if processes == 1 else "es"
    return f"Ring all-reduce of {processes} process{many}" if alone else steps[0].title


def _told(steps: Iterable[Exchange]) -> str:
    """All steps in words: who sends what to whom, and what is complete where in the end."""
    told = []
    for step in steps:
        sent = "; ".join(exchange.sentence(message, step.what) for message in step.sent)
        told.append(f"{step.title}: {sent or 'nothing is sent yet'}.")
    return " ".join(told)


def _lines(steps: Sequence[Exchange], panel: float) -> list[list[Exchange]]:
    """The panels in lines: each phase begins a line of its own where it has several panels."""
    most = max(1, int((WIDE - 2 * EDGE + BETWEEN) // (panel + BETWEEN)))
    lines: list[list[Exchange]] = []
    for step in steps:
        fresh = lines and len(lines[-1]) < most and not _begins(step, lines[-1][-1])
        if fresh:
            lines[-1].append(step)
        else:
            lines.append([step])
    return lines


def _begins(step: Exchange, before: Exchange) -> bool:
    """Whether *step* is the first of the phase that shares."""
    return before.how == "reduced" and step.how == "received"


def _box(steps: Sequence[Exchange]) -> float:
    """The width of a box: that of the longest text."""
    longest = max(
        len(exchange.held(each, ROOM)) for step in steps for row in step.holds for each in row
    )
    least = VECTOR if any(step.what == "vector" for step in steps) else LEAST
    return max(least, longest * LETTER + PAD)


def _panel(panel: _Panel) -> Iterator[str]:
    step = panel.step
    yield words_at(panel.left, panel.top + 14, _name(step), "title")
    for k, part in enumerate(step.parts):
        name = part.removeprefix("chunk ") if panel.box < 8 * LETTER else part
        yield words_at(panel.middle(k), panel.top + TITLE - 4, name, "soft small middle")
    for process, row in enumerate(step.holds, 1):
        yield words_at(panel.left + 6, panel.y(process) + 16, str(process), "soft")
        for k, each in enumerate(row):
            yield _held(panel, process, k, each)
    for message in step.sent:
        yield _arrow(panel, message)


def _name(step: Exchange) -> str:
    return f"{step.phase} {step.place}".strip()


def _held(panel: _Panel, process: int, part: int, each: Held) -> str:
    look = exchange.mark(each)
    name = panel.step.parts[part]
    holds = f"process {process}, {name}: {exchange.held(each, exchange.ROOMS[0])}"
    x, y = panel.x(part), panel.y(process)
    on = " on" if look in ("complete", "both") else ""
    words = words_at(panel.middle(part), y + 16, exchange.held(each, ROOM), f"middle{on}")
    shape = rectangle(x, y, panel.box, BOX, look)
    return f"<g><title>{escaped(holds)}</title>{shape}{words}</g>\n"


def _arrow(panel: _Panel, message: Sent) -> str:
    """The arrow to the next line; the last line's goes out below and comes in above."""
    x = panel.middle(message.part)
    told = f"<title>{escaped(exchange.sentence(message, panel.step.what))}</title>"
    if message.receiver > message.sender:
        start, end = panel.y(message.sender) + BOX, panel.y(message.receiver)
        which = _which(panel.step, message)
        named = words_at(x + 8, start + 14, which, "soft small") if which else ""
        return f"<g>{told}{_line(x, start + 1, end - 2, 'arrow')}{named}</g>\n"
    below, above = panel.y(panel.last) + BOX, panel.y(message.receiver)
    out = _line(x, below + 1, below + STUB - 5, "arrow stub")
    into = _line(x, above - STUB + 9, above - 2, "arrow stub")
    which = f"{_which(panel.step, message)} to {message.receiver}".strip()
    goes = words_at(x + 7, below + STUB - 6, which, "soft small")
    return f"<g>{told}{out}{into}{goes}</g>\n"


def _which(step: Exchange, message: Sent) -> str:
    """Whose vector it is; a chunk stands in its own column."""
    return f"vector {message.number}" if step.what == "vector" and message.number else ""


def _line(x: float, start: float, end: float, look: str) -> str:
    at, point = tenth(x), tenth(end)
    head = f"M{tenth(x - 4)} {tenth(end - 6)}L{at} {point}L{tenth(x + 4)} {tenth(end - 6)}Z"
    return (
        f'<path class="{look}" d="M{at} {tenth(start)}V{tenth(end - 5)}"/>'
        f'<path class="point" d="{head}"/>'
    )


def _legend(steps: Sequence[Exchange], y: float) -> Iterator[str]:
    """What boxes look like, and what that means."""
    x = float(EDGE)
    for look, words in _marks(steps):
        yield rectangle(x, y - 12, 26, 16, look)
        yield words_at(x + 32, y, words)
        x += _swatch(words)


def _legend_width(steps: Sequence[Exchange]) -> float:
    return 2 * EDGE + sum(_swatch(words) for _, words in _marks(steps))


def _caption(step: Exchange) -> str:
    """What lines, columns and arrows are."""
    columns = "a column a chunk; " if len(step.parts) > 1 else ""
    return f"A line is a process; {columns}an arrow what one sends to the next."


def _swatch(words: str) -> float:
    return 32 + len(words) * LETTER + 14


def _marks(steps: Sequence[Exchange]) -> list[tuple[exchange.Mark, str]]:
    told: list[tuple[exchange.Mark, str]] = []
    for step in steps:
        told += [each for each in exchange.legend(step) if each not in told]
    return told
