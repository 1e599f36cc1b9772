"""Tables with separators (CSV): rows out of a source, each cell with its place; and rows written.

Spreadsheets separate by comma, semicolon or tab; the first line tells which. A row that is wrong is
told, and the next line begins a new row.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.feed import Feed
from ddcalc.boundary.lines import numbered
from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.source import SUFFIXES
from ddcalc.errors import BadFile, OverLimit, Place

SEPARATORS: Final = (",", ";", "\t")
LINES: Final = 100  # that one row may have: a quoted cell may hold line breaks
TABLES: Final = (".csv", ".tsv", ".txt")
_TREE: Final = re.compile(r"""---|- |[{#]|["']?[\w. -]+["']?:(\s|$)""")  # YAML or JSON begins so
_DECLARED: Final = re.compile(r"sep=([,;\t])", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"?')
_ACTIVE: Final = ("=", "+", "-", "@", "\t", "\r")  # how a formula of a spreadsheet begins


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row that begins on *line*."""

    line: int
    cells: list[Scalar]


def is_table(name: str, first_line: str) -> bool:
    """Whether a file is a table, by its suffix, or else by its *first_line*."""
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix in (*TABLES, *SUFFIXES):
        return suffix in TABLES
    plain = _QUOTED.sub("", first_line)
    return not _TREE.match(first_line) and any(mark in plain for mark in SEPARATORS)


def rows(feed: Feed, file: str) -> Iterator[Row | BadFile]:
    """The rows of *feed* that are not blank, the header first; what is wrong in their places.

    Raises BadFile where the file itself ends early.
    """
    lines = _Lines(numbered(feed.chunks()), file)
    separator = lines.separator()
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.begin()
        try:
            texts = next(reader, None)
        except csv.Error as error:
            yield lines.wrong(BadFile, f"is no valid CSV: {error}")
            continue
        except OverLimit as error:
            lines.again()
            yield error
            continue
        if texts is None:
            return
        if any(texts):
            yield _row(texts, lines, separator, file)


def told(cells: Iterable[object]) -> str:
    """A row of *cells* as a line of a table; a text that a spreadsheet would run is disarmed."""
    line = StringIO()
    csv.writer(line).writerow(map(_disarmed, cells))  # its own end of line quotes CR and LF
    return f"{line.getvalue()[:-2]}\n"


def _disarmed(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_ACTIVE) else cell


def _row(texts: list[str], lines: _Lines, separator: str, file: str) -> Row | OverLimit:
    if len(texts) > limits.LIST:
        reason = f"{len(texts)} cells in one row; {limits.LIST} are allowed"
        return OverLimit(reason, Place(file, lines.first))
    columns = lines.columns(separator, len(texts))
    longest = max(range(len(texts)), key=lambda i: len(texts[i]))
    if len(texts[longest]) > limits.SCALAR:
        reason = f"{len(texts[longest])} characters in one cell; {limits.SCALAR} are allowed"
        return OverLimit(reason, Place(file, lines.first, columns[longest]))
    cells = [Scalar(text, lines.first, column) for text, column in zip(texts, columns, strict=True)]
    return Row(lines.first, cells)


class _Lines:
    """The lines that the csv module reads, kept until their row is whole."""

    def __init__(self, lines: Iterator[tuple[int, str | None]], file: str) -> None:
        self._lines, self._file = lines, file
        self._back: deque[tuple[int, str | None]] = deque()  # to be read once more
        self._row: list[tuple[int, str | None]] = []  # of the present row

    def separator(self) -> str:
        """The separator that the first line declares or uses most."""
        first = next(self._lines, None)
        if first is None or first[1] is None:
            self._back.extend([] if first is None else [first])
            return SEPARATORS[0]
        if declared := _DECLARED.fullmatch(first[1]):
            return declared[1]
        self._back.append(first)
        outside = _QUOTED.sub("", first[1])
        return max(SEPARATORS, key=outside.count)

    @property
    def first(self) -> int:
        """The number of the present row's first line."""
        return self._row[0][0] if self._row else 0

    def begin(self) -> None:
        """A new row begins."""
        self._row = []

    def again(self) -> None:
        """The present row is none: read its lines behind the first one once more."""
        self._back.extendleft(reversed(self._row[1:]))

    def wrong(self, kind: type[BadFile], reason: str) -> BadFile:
        """The error that the present row is none, and *reason*."""
        self.again()
        return kind(reason, Place(self._file, self.first))

    def columns(self, separator: str, cells: int) -> list[int]:
        """In which column each of the *cells* of the present row begins; 0 where unknown."""
        if len(self._row) > 1:
            return [0] * cells
        text = self._row[0][1] or ""
        found, at = [], 0
        for cell in re.findall(rf'("(?:[^"]|"")*"|[^{separator}]*)(?:{separator}|$)', text):
            found.append(at + 1)
            at += len(cell) + 1
        return [*found, *[0] * cells][:cells]

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        number, text = self._back.popleft() if self._back else next(self._lines)
        self._row.append((number, text))
        where = Place(self._file, self._row[0][0])
        if text is None:
            raise OverLimit(f"more than {limits.LINE} characters in one line", where)
        if len(self._row) > LINES:
            raise OverLimit(f"a quoted cell does not end within {LINES} lines", where)
        return f"{text}\n"
