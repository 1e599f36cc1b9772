"""The columns of tables: as wide as their cells, or narrowed with words going on below, or given up
for rows that are told one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from ddcalc.render.terminal.layout import INDENT, Look, filled
from ddcalc.render.whole import SOLID
from ddcalc.render.whole import wrapped as wrapped_lines

LINES: Final = 3  # of a cell, at most
_TOGETHER: Final = re.compile(r"(?<=[\d≈+−×<>=≤≥±-]) (?=\S)")


def widths(header: list[str], rows: list[list[str]], look: Look) -> list[int]:
    """The widths of columns, with titles in several lines if they must; none if there is no
    room."""
    cells_of = list(zip(*rows, strict=True)) or [()] * len(header)
    for titles in ([[title] for title in header], [title.split() for title in header]):
        found = [
            max(map(len, [*cells, *words])) for cells, words in zip(cells_of, titles, strict=True)
        ]
        if sum(found) + 2 * len(found) <= look.width - INDENT + 2:
            return found
    return []


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The *rows* of a table with lines broken in their cells, and the *widths* of its columns."""

    rows: list[list[str]]
    widths: list[int]


def wrapped(header: list[str], rows: list[list[str]], look: Look) -> Wrapped | None:
    """The table with its widest columns narrowed, their words going on below; None where that is
    not enough, or a cell would get too many lines."""
    solid = [[_TOGETHER.sub(SOLID, cell) for cell in row] for row in rows]
    cells_of = list(zip(*solid, strict=True)) or [()] * len(header)
    least, found = [], []
    for title, cells in zip(header, cells_of, strict=True):
        head = max(map(len, title.split()), default=0)
        least.append(max([head, *(len(word) for cell in cells for word in cell.split(" "))]))
        found.append(max([head, *map(len, cells)]))
    room = look.width - INDENT + 2 - 2 * len(found)
    while sum(found) > room:
        width, i = max((width if width > least[i] else 0, i) for i, width in enumerate(found))
        if not width:
            return None
        found[i] -= 1
    told = [[_broken(cell, width) for cell, width in zip(row, found, strict=True)] for row in solid]
    long = any(cell.count("\n") >= LINES for row in told for cell in row)
    return None if long else Wrapped(told, found)


def by_itself(header: list[str], row: list[str], look: Look) -> list[str]:
    """A row of a table for which there is no room: what it is about, then cell by cell."""
    names = sum(1 for _ in takewhile(lambda title: not title, header)) or 1
    told = [f"{title} {cell}".strip() for title, cell in zip(header, row, strict=True)]
    subject = " ".join(filter(None, told[:names]))
    more = [each for each, cell in zip(told[names:], row[names:], strict=True) if cell]
    return filled(more, look.width - INDENT, head=f"{subject}:" if more else subject)


def _broken(cell: str, width: int) -> str:
    return "\n".join(wrapped_lines(cell, width, break_on_hyphens=False, break_long_words=False))
