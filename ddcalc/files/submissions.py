"""What students have answered, student by student.

A table has one answer a row (student, problem, quantity, answer), or one student a row and a column
a question, named ``problem`` or ``problem.quantity``; a column ``version`` says which version of an
exam a student had, whose problems then need no number behind their names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ddcalc.boundary.nodes import Scalar, place
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row
from ddcalc.boundary.table import rows as table_rows
from ddcalc.errors import (
    BadFile,
    BadSheet,
    DdcalcError,
    Missing,
    OverLimit,
    Place,
    Repeated,
    UnknownName,
)
from ddcalc.files.batch import Ids
from ddcalc.files.keys import Keys, Meant, Paper, PaperEntry

MOST_ANSWERS: Final = 1_000_000  # of a table with one answer a row, put together by student

COLUMNS: Final = {  # what columns are called in small letters, the surest name first
    "student": ("student", "student id", "id", "username", "user", "login", "email", "name"),
    "version": ("version",),
    "problem": ("problem", "question"),
    "quantity": ("quantity", "result"),
    "answer": ("answer", "response"),
}
BESIDE: Final = (*COLUMNS["student"], "first name", "last name", "group", "section", "date", "time",
                 "state", "grade", "score", "points")  # fmt: skip


def papers(source: Source, keys: Keys) -> Iterator[Paper]:
    """What *source* holds, student by student."""
    rows = iter(table_rows(source))
    header = next(rows, None)
    if not isinstance(header, Row):
        yield Paper("", [header or BadSheet("is empty", Place(keys.file))])
        return
    table = _Table(keys, header)
    if table.lacks:
        lacking = Missing([table.lacks]).about("header", place(keys.file, header.cells[0]))
        yield Paper("", [lacking])
        return
    if table.wrong:
        yield Paper("", [*table.wrong])
    handed: dict[str, Paper] = {}
    for number, row in enumerate(rows):
        if isinstance(row, BadFile):
            yield Paper("", [row])
        elif not table.is_by_answer:
            yield table.read(row, {})
        elif number < MOST_ANSWERS:
            table.read(row, handed)
        else:
            reason = f"more than {MOST_ANSWERS} answers, one a row; the rest is not read"
            yield Paper("", [OverLimit(reason, place(keys.file, row.cells[0]))])
            break
    yield from handed.values()


class _Table:
    """Where a table has what, under its *header*."""

    def __init__(self, keys: Keys, header: Row) -> None:
        self.keys = keys
        self.students = Ids(keys.file)
        titles = [" ".join(cell.text.lower().split()) for cell in header.cells]
        self.at = {  # columns by what they are for
            role: titles.index(word)
            for role, words in COLUMNS.items()
            for word in reversed(words)
            if word in titles
        }
        self.is_by_answer = "answer" in self.at
        own = (self.at.get("student"), self.at.get("version"))
        some = next(iter(keys.versions.values()), keys) if "version" in self.at else keys
        asked: dict[Meant, int] = {}
        self.wrong: list[DdcalcError] = []
        for i, (cell, title) in enumerate(zip(header.cells, titles, strict=True)):
            if self.is_by_answer or not title or i in own:
                continue
            try:
                if (meant := some.meant(cell.text)) in asked:
                    raise Repeated(cell.text)
                asked[meant] = i
            except DdcalcError as error:
                if not isinstance(error, UnknownName) or (i and title not in BESIDE):
                    self.wrong.append(error.about("header", place(keys.file, cell)))
        self.questions = {i: header.cells[i] for i in asked.values()}
        if not self.is_by_answer and 0 not in {*self.questions, self.at.get("version")}:
            self.at.setdefault("student", 0)
        self.lacks = "" if "student" in self.at else "student"
        if self.is_by_answer and "problem" not in self.at and not keys.is_one:
            self.lacks = self.lacks or "problem"
        if not (self.is_by_answer or asked or self.wrong):
            self.lacks = self.lacks or "a problem as the header of a column"

    def _cell(self, row: Row, column: int | str) -> Scalar:
        """The cell of a *row* in a *column*, or for what that says; empty where there is none."""
        if isinstance(column, str):
            column = self.at.get(column, len(row.cells))
        is_there = column < len(row.cells)
        return row.cells[column] if is_there else Scalar("", row.line, row.cells[0].column)

    def read(self, row: Row, handed: dict[str, Paper]) -> Paper:
        """The paper of the student in a *row*, with what that answers; one of those *handed* in
        before, where the table has one answer a row."""
        wrong = self._cell(row, "student")
        name = wrong.text.strip()
        paper = handed.setdefault(name, Paper(name))
        try:
            if not name:
                raise Missing(["student"])
            if not self.is_by_answer and (first := self.students.first(name, wrong.line)):
                raise Repeated(name, first)
            wrong = self._cell(row, "version")
            self._check_version(wrong.text, paper)
        except DdcalcError as error:
            paper.refuse(error, self.keys.file, wrong if wrong.text else row.cells[0])
            return paper
        if self.is_by_answer:
            problem, quantity = self._cell(row, "problem"), self._cell(row, "quantity")
            answer = self._cell(row, "answer")
            paper.stated.append(PaperEntry(problem.text, problem, quantity, answer))
        else:
            paper.about = "header"
            asked = self.questions.items()
            paper.stated += [
                PaperEntry(x.text, x, Scalar(""), self._cell(row, i)) for i, x in asked
            ]
        return paper

    def _check_version(self, text: str, paper: Paper) -> None:
        """Note the version that *text* names, which is that of the student."""
        if "version" not in self.at:
            return
        if not text.strip():
            raise Missing(["version"])
        version = self.keys.of_version(text).version
        if paper.version not in (None, version):
            raise BadSheet(f"had version {paper.version} further up, and {version} here")
        paper.version = version
