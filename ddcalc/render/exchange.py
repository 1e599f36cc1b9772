"""An exchange as a table: who sends what to whom, and who holds what then.

A part that the step changed is marked ``*``, one that is complete ``✓``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

from ddcalc.formula.expression import Number
from ddcalc.numbers.display import decimal_or_fraction
from ddcalc.problem.steps import Exchange, Held
from ddcalc.render.notation import shown

WIDTH: Final = 72  # characters of a table on a page
GAP: Final = 2  # between its columns
CHANGED, COMPLETE, EMPTY = "*", "✓", "–"
# characters of a cell's values, tried in this order
ROOMS: Final = (60, 40, 30, 24, 20, 16, 14, 12, 11, 10, 9, 8, 7)

Cells = list[list[str]]


def grid(step: Exchange, width: int = WIDTH) -> tuple[tuple[str, ...], Cells]:
    """The header and the cells of each process, as wide as the *width* admits: each part in a
    column of its own, or one column for what changed."""
    sends = (f"sends {step.what}", "to") if step.sent else ()
    for full, room in product((True, False), ROOMS):
        header = ("process", *sends, *(step.parts if full else ("holds",)))
        rows = [*_rows(step, room, full, len(header))]
        columns = zip(header, *rows, strict=True)
        if sum(max(map(len, column)) + GAP for column in columns) - GAP <= width:
            break
    return header, rows


def caption(step: Exchange, cells: Cells) -> str:
    """What the marks of the *cells* mean; empty where there are none."""
    parts = [part for row in step.holds for part in row]
    words = [f"{CHANGED} just {step.how}"] * any(part.changed for part in parts)
    words += [f"{COMPLETE} complete"] * any(part.complete for part in parts)
    words += ["… left out"] * any("…" in text for row in cells for text in row)
    return "; ".join(words)


def _rows(step: Exchange, room: int, full: bool, wide: int) -> Iterator[list[str]]:
    """The cells of each process, of many the first ones and the last; … for those between."""
    for process in shown(range(1, len(step.holds) + 1)):
        if process is None:
            yield ["…"] * wide
            continue
        parts = step.holds[process - 1]
        sends = [EMPTY, EMPTY] if step.sent else []
        for sent in (one for one in step.sent if one.sender == process):
            number = f"{sent.number}: " if sent.number else ""
            sends = [number + _values(sent.values, room), str(sent.receiver)]
        holds = [_held(part, room) for part in parts] if full else [_changed(step, parts, room)]
        yield [str(process), *sends, *holds]


def _changed(step: Exchange, parts: Sequence[Held], room: int) -> str:
    """The part that changed; before anything is sent the whole vector."""
    for name, part in zip(step.parts, parts, strict=True):
        if part.changed:
            return (f"{name}: " if len(parts) > 1 else "") + _held(part, room)
    every = [value for part in parts for value in part.values]
    return "as before" if step.sent else _values(every, room)


def _held(part: Held, room: int) -> str:
    """What a process holds of a part, with its marks."""
    marks = CHANGED * part.changed + COMPLETE * part.complete
    between = " " if marks and len(part.values) > 1 else ""
    return f"{_values(part.values, room)}{between}{marks}"


def _values(numbers: Sequence[Number], room: int) -> str:
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
