"""Tables with separators (CSV): rows out of a source, each cell with its place; and rows written.

Spreadsheets separate by comma, semicolon or tab; the first line tells which. A row that is wrong is
reported, and the next line begins a new row.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from typing import Final, TypeVar

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.source import SUFFIXES, Feed, Source, fed, numbered
from ddcalc.errors import BadFile, BadNumber, BadSheet, DdcalcError, OverLimit, Place
from ddcalc.numbers.display import counted

SEPARATORS: Final = (",", ";", "\t")
Value = TypeVar("Value")
LINES: Final = 100  # that one row may have: a quoted cell may hold line breaks
TABLES: Final = (".csv", ".tsv", ".txt")
_TREE: Final = re.compile(r"""---|- |[{#]|["']?[\w. -]+["']?:(\s|$)""")  # YAML or JSON begins so
_DECLARED: Final = re.compile(r"sep=([,;\t])", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"?')
_ACTIVE: Final = (*"=+-@＝＋－＠", "\t", "\r")  # how a formula of a spreadsheet begins


@dataclass(frozen=True)
class Row:
    """The *texts* of the cells of a row that begins on *line*, and where they begin.

    *source* is the line itself where the row has no other.
    """

    file: str
    line: int
    texts: list[str]
    separator: str
    source: str | None

    @cached_property
    def cells(self) -> list[Scalar]:
        """The cells with their places; column 0 where it is unknown."""
        columns = self._columns()
        return [
            Scalar(text, self.line, column)
            for text, column in zip(self.texts, columns, strict=True)
        ]

    def place(self, index: int) -> Place:
        """Where a cell stands."""
        return Place(self.file, self.line, self.cells[index].column, max(1, len(self.texts[index])))

    def _columns(self) -> list[int]:
        if self.source is None:
            return [0] * len(self.texts)
        columns, at = [], 0
        for cell in re.findall(
            rf'("(?:[^"]|"")*"|[^{self.separator}]*)(?:{self.separator}|$)', self.source
        ):
            columns.append(at + 1)
            at += len(cell) + 1
        return [*columns, *[0] * len(self.texts)][: len(self.texts)]


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
            lines.again()
            yield BadFile(f"is not valid CSV: {error}", Place(file, lines.first))
            continue
        except OverLimit as error:
            lines.again()
            yield error
            continue
        if texts is None:
            return
        if any(texts):
            yield _row(texts, lines, separator, file)


def number_rows(
    name: str, read: Callable[[str], Value]
) -> Iterator[tuple[int, list[Value]] | DdcalcError]:
    """The rows of the table *name* (``-``: standard input) with their lines, all cells numbers.

    A cell is what *read* makes of its text, BadNumber where that is no number. A first row without
    any number is the header. All rows have one width, two cells at least, and none is empty; what
    is wrong is yielded in its place.
    """
    width = 0
    for i, row in enumerate(rows(fed(Source(name)), name)):
        if isinstance(row, BadFile):
            yield row
            continue
        count = len(row.texts)
        width = width or count
        values, wrong = _numbers(row, read)
        if not i and len(wrong) == count:
            continue
        where = Place(name, row.line)
        if width < 2:
            yield BadSheet("one cell in a row; a table of numbers has at least two columns", where)
            return
        if count != width:
            yield BadSheet(f"{counted(count, 'cell')}; the first row has {width}", where)
        elif wrong:
            yield from wrong
        else:
            yield row.line, values


def _numbers(row: Row, read: Callable[[str], Value]) -> tuple[list[Value], list[DdcalcError]]:
    """What *read* makes of the cells of *row*, and the errors of those that are no numbers."""
    values: list[Value] = []
    wrong: list[DdcalcError] = []
    for i, text in enumerate(row.texts):
        try:
            values.append(read(text.strip()))
        except BadNumber as error:
            empty = BadSheet("an empty cell; a number is wanted")
            wrong.append((error if text.strip() else empty).about("data", row.place(i)))
    return values, wrong


def csv_line(cells: Iterable[object]) -> str:
    """A row of *cells* as a line of a table; a text that a spreadsheet would run is disarmed."""
    text = StringIO()
    csv.writer(text).writerow(map(_disarmed, cells))  # the writer's end of line quotes CR and LF
    return f"{text.getvalue()[:-2]}\n"


def _disarmed(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_ACTIVE) else cell


def _row(texts: list[str], lines: _Lines, separator: str, file: str) -> Row | OverLimit:
    row = Row(file, lines.first, texts, separator, lines.only)
    if len(texts) > limits.LIST:
        reason = f"{len(texts)} cells in one row; {limits.LIST} are allowed"
        return OverLimit(reason, Place(file, row.line))
    lengths = list(map(len, texts))
    longest = max(lengths)
    if longest > limits.SCALAR:
        reason = f"{longest} characters in one cell; {limits.SCALAR} are allowed"
        column = row.cells[lengths.index(longest)].column
        return OverLimit(reason, Place(file, row.line, column))
    return row


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

    @property
    def only(self) -> str | None:
        """The line of the present row; None where it has several."""
        return self._row[0][1] if len(self._row) == 1 else None

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
