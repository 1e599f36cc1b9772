"""The columns of tables: as wide as their cells, or narrowed with words going on below, or given up
for rows that stand one by one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from ddcalc.render.terminal.layout import filled
from ddcalc.render.whole import SOLID, wrapped

GAP: Final = 2  # between columns
LINES: Final = 3  # of a cell, at most
_TOGETHER: Final = re.compile(r"(?<=[\d≈+−×<>=≤≥±-]) (?=\S)")


def fit(header: list[str], rows: list[list[str]], room: int) -> bool:
    """Whether the table has room with all on one line."""
    widest = (max(map(len, column)) for column in zip(header, *rows, strict=True))
    return sum(widest) + GAP * len(header) <= room


def widths(header: list[str], rows: list[list[str]], room: int) -> list[int]:
    """The widths of columns, with titles in several lines if they must; none if there is no
    *room*."""
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    for titles in ([[title] for title in header], [title.split() for title in header]):
        widest = [
            max(map(len, [*cells, *words])) for cells, words in zip(columns, titles, strict=True)
        ]
        if _all(widest) <= room:
            return widest
    return []


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The *rows* of a table with lines broken in their cells, and the *widths* of its columns."""

    rows: list[list[str]]
    widths: list[int]


def narrowed(header: list[str], rows: list[list[str]], room: int) -> Narrowed | None:
    """The table with its widest columns narrowed, their words going on below; None where that is
    not enough, or a cell would get too many lines."""
    solid = [[_TOGETHER.sub(SOLID, cell) for cell in row] for row in rows]
    columns = list(zip(*solid, strict=True)) or [()] * len(header)
    least, widest = [], []
    for title, cells in zip(header, columns, strict=True):
        head = max(map(len, title.split()), default=0)
        least.append(max([head, *(len(word) for cell in cells for word in cell.split(" "))]))
        widest.append(max([head, *map(len, cells)]))
    while _all(widest) > room:
        width, i = max((w if w > least[i] else 0, i) for i, w in enumerate(widest))
        if not width:
            return None
        widest[i] -= 1
    broken = [[_broken(cell, w) for cell, w in zip(row, widest, strict=True)] for row in solid]
    long = any(cell.count("\n") >= LINES for row in broken for cell in row)
    return None if long else Narrowed(broken, widest)


def by_itself(header: list[str], row: list[str], room: int) -> list[str]:
    """A row of a table for which there is no room: what it is about, then cell by cell."""
    names = sum(1 for _ in takewhile(lambda title: not title, header)) or 1
    cells = [f"{title} {cell}".strip() for title, cell in zip(header, row, strict=True)]
    subject = " ".join(filter(None, cells[:names]))
    more = [text for text, cell in zip(cells[names:], row[names:], strict=True) if cell]
    return filled(more, room, head=f"{subject}:" if more else subject)


def _all(widths: list[int]) -> int:
    """What columns of these *widths* take."""
    return sum(widths) + GAP * (len(widths) - 1)


def _broken(cell: str, width: int) -> str:
    if not cell:
        return ""
    return "\n".join(wrapped(cell, width, break_on_hyphens=False, break_long_words=False))
