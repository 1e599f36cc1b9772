"""Tables with separators (CSV): rows out of a source, each cell with its place; and rows written.

Spreadsheets separate by comma, semicolon or tab; the first line tells which. A row that is wrong is
reported, and the next line begins a new row; of several that follow each other the first one is.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain
from typing import Final

from ddcalc.boundary import limits
from ddcalc.boundary.nodes import Scalar
from ddcalc.boundary.source import SUFFIXES, Source, numbered
from ddcalc.errors import BadFile, OverLimit, Place

SEPARATORS: Final = (",", ";", "\t")
LINES: Final = 100  # that one row may have: a quoted cell may hold line breaks
TABLES: Final = (".csv", ".tsv", ".txt")
_TREE: Final = re.compile(r"""---|- |[{#]|["']?[\w. -]+["']?:(\s|$)""")  # YAML or JSON begins so
_DECLARED: Final = re.compile(r"sep=([,;\t])", re.IGNORECASE)
_QUOTED: Final = re.compile(r'"[^"]*"?')
_ACTIVE: Final = (*"=+-@＝＋－＠", "\t", "\r")  # how a formula of a spreadsheet begins


Row = list[Scalar]
"""The cells of a row, one at least, with the line on which it begins; column 0 is unknown."""


def is_table(name: str, first_line: str) -> bool:
    """Whether a file is a table, by its suffix, or else by its *first_line*."""
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix in (*TABLES, *SUFFIXES):
        return suffix in TABLES
    plain = _QUOTED.sub("", first_line)
    return not _TREE.match(first_line) and any(mark in plain for mark in SEPARATORS)


def rows(source: Source) -> Iterator[Row | BadFile]:
    """The rows of *source* that are not blank, the header first; what is wrong in their places.

    Raises BadFile where the file itself ends early.
    """
    first = source.first_line()
    declared = _DECLARED.fullmatch(first)
    outside = _QUOTED.sub("", first)
    separator = declared[1] if declared else max(SEPARATORS, key=outside.count)
    waiting: deque[tuple[int, str | None]] = deque()  # lines to be read once more
    coming, is_right = numbered(source.chunks()), True
    if declared:
        next(coming)
    while (line := waiting.popleft() if waiting else next(coming, None)) is not None:
        taken: list[tuple[int, str | None]] = []  # of this row
        following = iter(lambda: waiting.popleft() if waiting else next(coming, None), None)
        try:
            texts = _texts(chain([line], following), taken, separator)
        except (csv.Error, OverLimit) as error:
            waiting.extendleft(reversed(taken[1:]))
            where = Place(source.name, line[0])
            reason = (
                f"is not valid CSV: {error}; is a quote open? Rows up to the next right one are"
            )
            wrong = BadFile(f"{reason} left out", where)
            if is_right:
                yield OverLimit(str(error), where) if isinstance(error, OverLimit) else wrong
            is_right = False
            continue
        is_right = True
        if any(texts):
            yield _row(texts, taken, separator, source.name)


def _texts(
    lines: Iterable[tuple[int, str | None]], taken: list[tuple[int, str | None]], separator: str
) -> list[str]:
    """The texts of the cells of the row that begins with *lines*; those of them that it has, or as
    many as were looked at, are added to *taken*."""

    def its_lines() -> Iterator[str]:
        for number, text in lines:
            taken.append((number, text))
            if text is None:
                raise OverLimit(f"more than {limits.LINE} characters in one line")
            if len(taken) > LINES:
                raise OverLimit(f"a quoted cell does not end within {LINES} lines")
            yield f"{text}\n"

    return next(csv.reader(its_lines(), delimiter=separator, strict=True))


def _row(
    texts: list[str], taken: list[tuple[int, str | None]], separator: str, file: str
) -> Row | OverLimit:
    """A row of these *texts*, or what is too much of it."""
    line, source = taken[0]
    columns: list[int] = []
    if len(taken) == 1 and source is not None:
        cell = rf'("(?:[^"]|"")*"|[^{separator}]*)(?:{separator}|$)'
        columns = [match.start() + 1 for match in re.finditer(cell, source)]
    columns += [0] * len(texts)
    cells = [Scalar(text, line, column) for text, column in zip(texts, columns, strict=False)]
    if len(texts) > limits.LIST:
        reason = f"{len(texts)} cells in one row; {limits.LIST} are allowed"
        return OverLimit(reason, Place(file, line))
    longest = max(cells, key=lambda cell: len(cell.text))
    if len(longest.text) > limits.SCALAR:
        reason = f"{len(longest.text)} characters in one cell; {limits.SCALAR} are allowed"
        return OverLimit(reason, Place(file, line, longest.column))
    return cells


def csv_line(cells: Iterable[object]) -> str:
    """A row of *cells* as a line of a table; a text that a spreadsheet would run is disarmed."""
    text = StringIO()
    tame = (f"'{x}" if isinstance(x, str) and x.startswith(_ACTIVE) else x for x in cells)
    csv.writer(text).writerow(tame)  # the writer's end of line quotes CR and LF
    return f"{text.getvalue()[:-2]}\n"
