"""Tables as spreadsheets and learning platforms write them, and as nobody should."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.boundary import table
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, csv_line, is_table
from ddcalc.errors import BadFile


def rows(folder: Path, content: str | bytes) -> list[Row | BadFile]:
    """What a table with *content* holds."""
    file = folder / "answers.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(table.rows(Source(str(file))))


def texts(parsed: list[Row | BadFile]) -> list[list[str]]:
    """The texts of the rows that are whole."""
    return [[cell.text for cell in row.cells] for row in parsed if isinstance(row, Row)]


def errors(parsed: list[Row | BadFile]) -> list[tuple[str, int, int]]:
    """What is wrong, and where."""
    wrong = [row for row in parsed if isinstance(row, BadFile)]
    return [(str(e), e.place.line, e.place.column) for e in wrong if e.place]


SPELLINGS = [
    "a,b\n1,2\n",
    "a,b\r\n1,2\r\n",
    "a,b\r1,2",
    "\ufeffa,b\n1,2\n",
    "a;b\n1;2\n",
    "a\tb\n1\t2\n",
    '"a","b"\n"1","2"\n',
    "sep=;\na;b\n1;2\n",
    "\n\na,b\n\n1,2\n\n",
    "a,b\n,\n1,2\n",
]


@pytest.mark.parametrize("content", SPELLINGS)
def test_all_spellings_of_one_table(content: str, tmp_path: Path) -> None:
    assert texts(rows(tmp_path, content)) == [["a", "b"], ["1", "2"]]


def test_cells_know_their_place(tmp_path: Path) -> None:
    parsed = rows(tmp_path, 'student,"ps, part 1",x\nann,"588.47 s",3\n\n"b""ob",,7\n')
    places = [[(c.line, c.column) for c in row.cells] for row in parsed if isinstance(row, Row)]
    assert places == [
        [(1, 1), (1, 9), (1, 22)],
        [(2, 1), (2, 5), (2, 16)],
        [(4, 1), (4, 9), (4, 10)],
    ]
    assert texts(parsed)[2] == ['b"ob', "", "7"]


def test_a_cell_may_hold_line_breaks(tmp_path: Path) -> None:
    parsed = rows(tmp_path, 'a,b\n"one\ntwo",2\nx,y\n')
    assert texts(parsed) == [["a", "b"], ["one\ntwo", "2"], ["x", "y"]]
    assert [row.line for row in parsed if isinstance(row, Row)] == [1, 2, 4]


TABLES = {
    ("answers.csv", "student: ann"): True,
    ("answers.yaml", "a,b"): False,
    ("answers.ndjson", "a,b"): False,
    ("-", "student,ps-epochs"): True,
    ("-", "student;ps-epochs.total"): True,
    ("-", "students:"): False,
    ("-", "students: {ann: {a: 1, b: 2}}"): False,
    ("-", '{"student": "ann", "answers": {}}'): False,
    ("-", '"student": ann, bob'): False,
    ("-", "--- # a, b"): False,
    ("-", "# a, b"): False,
    ("export", '"Last name","First name"'): True,
}


@pytest.mark.parametrize(("name", "line"), TABLES)
def test_what_is_a_table(name: str, line: str) -> None:
    assert is_table(name, line) == TABLES[name, line]


ACTIVE = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=1+1"]
ACTIVE += [chr(ord(sign) + 0xFEE0) + "1" for sign in "=+-@"]  # full width, as typed in East Asia


@pytest.mark.parametrize("text", ACTIVE)
def test_what_a_spreadsheet_would_run_is_disarmed(text: str) -> None:
    [[first, second]] = csv.reader(StringIO(csv_line([text, "x"]), newline=""))
    assert first == f"'{text}"
    assert second == "x"


@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["C"])), min_size=1, max_size=5))
def test_what_is_written_is_read_again(cells: list[str]) -> None:
    harmless = [cell for cell in cells if cell[:1] not in {*"=+-@＝＋－＠"}] or ["x"]
    [parsed] = csv.reader(StringIO(csv_line(harmless), newline="")) or [[]]
    assert parsed == harmless
