"""An exchange: how values, parts and messages are written in every output, and its picture.

A part that the step changed is marked ``*``, one that is complete ``✓``, and their boxes have
outlines of their own; so they read without colour. In the picture a panel is a step, a line a
process, a box a part, an arrow a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ddcalc.formula.expression import Number
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render.notation import shown
from ddcalc.render.pictures.canvas import (
    EDGE,
    HEAD,
    LETTER,
    LINE,
    SWATCH,
    Style,
    document,
    entry_width,
    explained,
    legend,
    rectangle,
    tenth,
    width,
    words_at,
)

Mark = Literal["plain", "changed", "complete", "both"]
Cell = tuple[str, Mark]

PAGE: Final = 64  # characters of all values of a line on a page
DRAWN: Final = 12  # processes of a picture, at most
COLUMNS: Final = 8  # parts up to which a page has all of them
CHANGED, COMPLETE, EMPTY = "*", "✓", "–"
# characters of a cell's values, tried in this order
ROOMS: Final = (60, 40, 30, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7)


def mark(held: Held) -> Mark:
    """How *held* looks."""
    if held.complete:
        return "both" if held.changed else "complete"
    return "changed" if held.changed else "plain"


def values(numbers: Sequence[Number], room: int) -> str:
    """The values, the first and last ones of many where there is no *room* for all."""
    texts = list(map(decimal_or_fraction, numbers))
    whole = ", ".join(texts)
    if len(whole) <= room or len(texts) <= 1:
        return whole or EMPTY
    for count in range(len(texts) - 2, 0, -1):
        short = ", ".join([*texts[:count], "…", texts[-1]])
        if len(short) <= room:
            return short
    return f"{texts[0]}, …"


def held(part: Held, room: int) -> str:
    """What a process holds of a part, with its marks."""
    marks = CHANGED * part.changed + COMPLETE * part.complete
    between = " " if marks and len(part.values) > 1 else ""
    return f"{values(part.values, room)}{between}{marks}"


def marks(steps: Iterable[Exchange]) -> list[tuple[Mark, str]]:
    """The marks that occur in *steps*, with what they mean."""
    meanings: dict[tuple[Mark, str], None] = {}
    for step in steps:
        parts = [part for row in step.holds for part in row]
        if any(part.changed for part in parts):
            meanings["changed", f"{CHANGED} just {step.how}"] = None
        if any(part.complete for part in parts):
            meanings["complete", f"{COMPLETE} complete"] = None
    return list(meanings)


def caption(step: Exchange) -> str:
    """What the marks of the table for pages mean; empty where there are none."""
    words = [meaning for _, meaning in marks([step])]
    if any("…" in text for row in grid(step)[1] for text in row):
        words.append("… left out")
    return "; ".join(words)


def sentence(message: Sent, what: str) -> str:
    """A message in words."""
    content = values(message.values, ROOMS[0])
    named = f"{what} {message.number}" if message.number else "what it has"
    return f"process {message.sender} sends {named} ({content}) to process {message.receiver}"


def header(step: Exchange, full: bool = True) -> tuple[str, ...]:
    """The titles of a table's columns; unless it is *full*, one column says what is held."""
    sends = (f"sends {step.what}", "to") if step.sent else ()
    return ("process", *sends, *(step.parts if full else ("holds",)))


def rows(step: Exchange, room: int, full: bool = True) -> Iterator[list[Cell]]:
    """The cells of each process, of many the first ones and the last; … for those between."""
    width = len(header(step, full))
    for process in shown(range(1, len(step.holds) + 1)):
        if process is None:
            yield [("…", "plain")] * width
        else:
            yield [(str(process), "plain"), *_sends(step, process, room), *(
                _holds(step, process, room) if full else _changed(step, process, room)
            )]  # fmt: skip


def _sends(step: Exchange, process: int, room: int) -> Iterator[Cell]:
    """What *process* sends, and to whom."""
    if not step.sent:
        return
    message = next((sent for sent in step.sent if sent.sender == process), None)
    if message is None:
        yield from ((EMPTY, "plain"), (EMPTY, "plain"))
    else:
        content = values(message.values, room)
        named = f"{message.number}: {content}" if message.number else content
        yield from ((named, "plain"), (str(message.receiver), "plain"))


def _holds(step: Exchange, process: int, room: int) -> Iterator[Cell]:
    return ((held(part, room), mark(part)) for part in step.holds[process - 1])


def _changed(step: Exchange, process: int, room: int) -> Iterator[Cell]:
    """The part that changed; before anything is sent the whole vector."""
    parts = step.holds[process - 1]
    changed = next((k for k, part in enumerate(parts) if part.changed), None)
    if changed is not None:
        before = f"{step.parts[changed]}: " if len(step.parts) > 1 else ""
        yield before + held(parts[changed], room), mark(parts[changed])
    elif step.sent:
        yield "as before", "plain"
    else:
        yield values([value for part in parts for value in part.values], room), "plain"


def is_drawn(step: Exchange) -> bool:
    """Whether the processes are few enough for a picture."""
    return len(step.holds) <= DRAWN


def grid(step: Exchange) -> tuple[tuple[str, ...], list[list[str]]]:
    """The table for pages: its header, and the cells as words."""
    full = len(step.parts) <= COLUMNS
    room = PAGE if len(step.parts) == 1 else PAGE // len(step.parts)
    return header(step, full), [[words for words, _ in row] for row in rows(step, room, full)]


# The picture

WIDE = 1200  # of a picture, unless a panel is wider
SIDE, BETWEEN = 10, 26  # what stays free at the sides, and between panels
TITLE, STUB = 34, 22  # heights of a panel's title, and of an arrow that comes from the last line
LABEL = 26  # width of the processes' numbers
BOX, GAP, PAD = 24, 20, 12  # height of a box, what arrows take between lines, room in a box
LEAST, VECTOR, SPACE = 38, 200, 4  # width of a box at least, of a vector's, and between boxes
TAIL = 16  # what stays free after the last panel, for the name of an arrow
ROOM = 11  # characters of a box's values

STYLE: Final = Style(
    "exchange",
    """
.title{font-weight:bold}
.small{font-size:11px}
.plain{stroke-width:1}
.changed{stroke-width:2.5}
.complete{stroke-width:1}
.both{stroke-width:3}
.arrow{fill:none;stroke-width:1.5}
.stub{stroke-dasharray:3 2}
""",
    """
.plain{fill:$beyond;stroke:$soft}
.changed{fill:$paper;stroke:$server}
.complete{fill:$down;stroke:$down}
.both{fill:$down;stroke:$server}
.arrow{stroke:$ink}
.point{fill:$ink}
""",
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
    count = len(steps[0].holds)
    processes = "1 process" if count == 1 else f"{count} processes"
    return document(_drawn(steps, f"Ring all-reduce of {processes}", alone=True))


def inline(step: Exchange) -> str:
    """*step* as an element of a page."""
    return _drawn([step], step.title)


def _drawn(steps: Sequence[Exchange], title: str, alone: bool = False) -> str:
    box = _box(steps)
    boxes = LABEL + len(steps[0].parts) * (box + SPACE) - SPACE
    panel = max(boxes, *(width(_name(step)) for step in steps))
    tall = TITLE + 2 * STUB + len(steps[0].holds) * (BOX + GAP) - GAP
    lines = _lines(steps, panel)
    shapes = [words_at(SIDE, 20, title, "heading")] if alone else []
    y = float(HEAD if alone else 0)
    for line in lines:
        for i, step in enumerate(line):
            shapes += _panel(_Panel(step, SIDE + i * (panel + BETWEEN), y, box))
        y += tall + BETWEEN / 2
    wide = 2 * SIDE + max(map(len, lines)) * (panel + BETWEEN) - BETWEEN + TAIL
    if alone:
        columns = "a column a chunk; " if len(steps[0].parts) > 1 else ""
        says = f"A line is a process; {columns}an arrow what one sends to the next."
        entries = marks(steps)
        drawn, _ = legend(entries, _swatch, SWATCH, y + LINE / 2, room=float("inf"))
        shapes += [drawn, words_at(SIDE, y + LINE * 3 / 2, says, "soft")]
        below = 2 * EDGE + sum(entry_width(words, SWATCH) for _, words in entries)
        wide = max(wide, below, 2 * SIDE + width(says))
        y += 2 * LINE
    words = " ".join(f"{step.title}: {_sentences(step)}." for step in steps)
    return STYLE.frame(title, words, "".join(shapes), (wide, y), shown=wide)


def _sentences(step: Exchange) -> str:
    """Who sends what to whom."""
    sent = "; ".join(sentence(message, step.what) for message in step.sent)
    return sent or "nothing is sent yet"


def _lines(steps: Sequence[Exchange], panel: float) -> list[list[Exchange]]:
    """The panels in lines: each phase begins a line of its own where it has several panels."""
    most = max(1, int((WIDE - 2 * SIDE + BETWEEN) // (panel + BETWEEN)))
    lines: list[list[Exchange]] = []
    for step in steps:
        shares = lines and lines[-1][-1].how == "reduced" and step.how == "received"
        if lines and len(lines[-1]) < most and not shares:
            lines[-1].append(step)
        else:
            lines.append([step])
    return lines


def _box(steps: Sequence[Exchange]) -> float:
    """The width of a box: that of the longest text."""
    longest = max(len(held(part, ROOM)) for step in steps for row in step.holds for part in row)
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
        for k, content in enumerate(row):
            yield _held(panel, process, k, content)
    for message in step.sent:
        yield _arrow(panel, message)


def _name(step: Exchange) -> str:
    return f"{step.phase} {step.place}".strip()


def _held(panel: _Panel, process: int, part: int, content: Held) -> str:
    look = mark(content)
    name = panel.step.parts[part]
    holds = f"process {process}, {name}: {held(content, ROOMS[0])}"
    x, y = panel.x(part), panel.y(process)
    on = " on" if look in ("complete", "both") else ""
    words = words_at(panel.middle(part), y + 16, held(content, ROOM), f"middle{on}")
    shape = rectangle(x, y, panel.box, BOX, look)
    return explained(holds, shape + words)


def _arrow(panel: _Panel, message: Sent) -> str:
    """The arrow to the next line; the last line's goes out below and comes in above."""
    x = panel.middle(message.part)
    says = sentence(message, panel.step.what)
    if message.receiver > message.sender:
        start, end = panel.y(message.sender) + BOX, panel.y(message.receiver)
        which = _which(panel.step, message)
        named = words_at(x + 8, start + 14, which, "soft small") if which else ""
        return explained(says, _line(x, start + 1, end - 2, "arrow") + named)
    below, above = panel.y(panel.last) + BOX, panel.y(message.receiver)
    out = _line(x, below + 1, below + STUB - 5, "arrow stub")
    into = _line(x, above - STUB + 9, above - 2, "arrow stub")
    which = f"{_which(panel.step, message)} to {message.receiver}".strip()
    goes = words_at(x + 7, below + STUB - 6, which, "soft small")
    return explained(says, out + into + goes)


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


def _swatch(look: str, x: float, y: float) -> str:
    return rectangle(x, y - 12, SWATCH, 16, look)
