"""What all tables and pictures of an exchange share: how values, chunks and messages are written.

A chunk that the step changed is marked ``*``, one that is complete ``✓``; so they read without
colour.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from ddcalc.formula.expression import Number
from ddcalc.numbers.display import fraction_text, number_text
from ddcalc.problem.steps import Exchange, Held, Sent
from ddcalc.render.story import shown

Mark = Literal["plain", "changed", "complete", "both"]
Cell = tuple[str, Mark]

PAGE: Final = 64  # characters of all values of a line on a page
DRAWN: Final = 12  # processes of a picture, at most
COLUMNS: Final = 8  # parts up to which a page tells all of them
CHANGED, COMPLETE, EMPTY = "*", "✓", "–"
ROOMS: Final = (
    60,
    40,
    30,
    24,
    20,
    16,
    14,
    12,
    11,
    10,
    9,
    8,
    7,
)  # characters of a cell's values, tried in this order


def mark(held: Held) -> Mark:
    """How *held* looks."""
    if held.complete:
        return "both" if held.changed else "complete"
    return "changed" if held.changed else "plain"


def values(told: Sequence[Number], room: int) -> str:
    """The values, the first and last ones of many in so much *room*; their number behind them."""
    texts = list(map(_exact, told))
    whole = ", ".join(texts)
    if len(whole) <= room or len(texts) <= 1:
        return whole or EMPTY
    for count in range(len(texts) - 2, 0, -1):
        short = ", ".join([*texts[:count], "…", texts[-1]])
        if len(short) <= room:
            return short
    return f"{texts[0]}, …"


def held(told: Held, room: int) -> str:
    """What a process holds of a part, with its marks."""
    marks = CHANGED * told.changed + COMPLETE * told.complete
    between = " " if marks and len(told.values) > 1 else ""
    return f"{values(told.values, room)}{between}{marks}"


def legend(step: Exchange) -> list[tuple[Mark, str]]:
    """The marks that occur in *step*, with what they mean."""
    every = [each for row in step.holds for each in row]
    told: list[tuple[Mark, str]] = []
    if any(each.changed for each in every):
        told.append(("changed", f"{CHANGED} just {step.how}"))
    if any(each.complete for each in every):
        told.append(("complete", f"{COMPLETE} complete"))
    return told


def sentence(message: Sent, what: str) -> str:
    """A message in words."""
    content = values(message.values, ROOMS[0])
    named = f"{what} {message.number}" if message.number else "what it has"
    return f"process {message.sender} sends {named} ({content}) to process {message.receiver}"


def header(step: Exchange, full: bool = True) -> tuple[str, ...]:
    """The titles of a table's columns; unless it is *full*, one column tells what is held."""
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
    message = next((each for each in step.sent if each.sender == process), None)
    if message is None:
        yield from ((EMPTY, "plain"), (EMPTY, "plain"))
    else:
        content = values(message.values, room)
        named = f"{message.number}: {content}" if message.number else content
        yield from ((named, "plain"), (str(message.receiver), "plain"))


def _holds(step: Exchange, process: int, room: int) -> Iterator[Cell]:
    return ((held(each, room), mark(each)) for each in step.holds[process - 1])


def _changed(step: Exchange, process: int, room: int) -> Iterator[Cell]:
    """The part that changed; before anything is sent the whole vector."""
    own = step.holds[process - 1]
    part = next((k for k, each in enumerate(own) if each.changed), None)
    if part is not None:
        before = f"{step.parts[part]}: " if len(step.parts) > 1 else ""
        yield before + held(own[part], room), mark(own[part])
    elif step.sent:
        yield "as before", "plain"
    else:
        yield values([value for each in own for value in each.values], room), "plain"


def _exact(value: Number) -> str:
    """*value* as a decimal if it is one, else as a fraction."""
    text, exact = number_text(value)
    return text if exact else fraction_text(value)


def is_drawn(step: Exchange) -> bool:
    """Whether the processes are few enough for a picture."""
    return len(step.holds) <= DRAWN


def grid(step: Exchange) -> tuple[tuple[str, ...], list[list[str]]]:
    """The table for pages: its header, and the cells as words."""
    full = len(step.parts) <= COLUMNS
    room = PAGE if len(step.parts) == 1 else PAGE // len(step.parts)
    told = [[words for words, _ in row] for row in rows(step, room, full)]
    return header(step, full), told
