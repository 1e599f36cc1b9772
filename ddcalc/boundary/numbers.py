"""Tables of plain numbers: one width, no empty cells, read line by line into machine floats."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from math import isfinite
from typing import Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.lines import numbered
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import SEPARATORS
from ddcalc.errors import BadFile, OverLimit, Place, quote

MOST: Final = 1 << 27  # numbers of a table


@dataclass(slots=True)
class Cells:
    """The *rows* of a table, each the bytes of its numbers (64-bit floats), and their *lines*."""

    rows: list[bytes] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def table(name: str) -> Cells:
    """The numbers of the file *name* (``-``: standard input); a first line of names is skipped.

    The first line tells the separator: comma, semicolon or tab. Raises BadFile with file, line and
    column of what is wrong.
    """
    source, cells, separator, width = Source(name), Cells(), "", 0
    for line, text in numbered(source.chunks()):
        if text is None:
            raise OverLimit("is longer than 1 MiB, the most that is read", Place(name, line))
        if not text.strip():
            continue
        if not separator:
            separator = max(SEPARATORS, key=text.count)
            if _is_heading(text.split(separator)):
                continue
        numbers = _numbers(text.split(separator), Place(clean(name, 200), line))
        width = width or len(numbers)
        _check(len(numbers), width, Place(clean(name, 200), line))
        if (len(cells.rows) + 1) * width > MOST:
            raise OverLimit(f"has more than {MOST} numbers, the most that are read", Place(name))
        cells.rows.append(numbers.tobytes())
        cells.lines.append(line)
    if not cells.rows:
        raise BadFile("has no rows of numbers", Place(clean(name, 200)))
    return cells


def _check(found: int, width: int, where: Place) -> None:
    if width < 2:
        raise BadFile("has one number in a row; a label and inputs are wanted", where)
    if found != width:
        raise BadFile(f"has {found} numbers; the rows before have {width}", where)


def _is_heading(texts: list[str]) -> bool:
    """Whether no cell of the first line is a number."""
    return all(_number(text) is None for text in texts)


def _numbers(texts: list[str], where: Place) -> array[float]:
    """The numbers of one row."""
    try:
        row = array("d", map(float, texts))
    except ValueError:
        row = array("d")
    if len(row) == len(texts) and all(map(isfinite, row)):
        return row
    column = 1
    for text in texts:
        if (number := _number(text)) is None or not isfinite(number):
            told = "is no number" if text.strip() else "is an empty cell, no number"
            raise BadFile(f"{quote(text.strip())} {told}", Place(where.file, where.line, column))
        column += len(text) + 1
    raise AssertionError(texts)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
