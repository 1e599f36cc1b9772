"""An exchange in words: how values, parts and messages are written in every output.

A part that the step changed is marked ``*``, one that is complete ``✓``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from ddcalc.formula.expression import Number
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.problem.steps import Exchange, Held
from ddcalc.render.notation import shown

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
