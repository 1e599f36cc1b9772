"""What students have answered, student by student.

In tables one answer a row (student, problem, quantity, answer), or one student a row and a column a
question, named ``problem`` or ``problem.quantity``; a column ``version`` says which version of an
exam a student had, whose problems then need no number behind their names. In YAML or JSON
``students: {ann: {ps-epochs: {total: 588.47 s}}}``, in each document or line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ddcalc.boundary.nodes import Item, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, is_table
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
from ddcalc.files.keys import Keys, Meant, Paper

MOST_ANSWERS: Final = 1_000_000  # of a table with one answer a row, put together by student
MOST_STUDENTS: Final = 1_000_000  # of whom it is checked that they hand in once

COLUMNS: Final = {  # what columns are called in small letters, the surest name first
    "student": ("student", "student id", "id", "username", "user", "login", "email", "name"),
    "version": ("version",),
    "problem": ("problem", "question"),
    "quantity": ("quantity", "result"),
    "answer": ("answer", "response"),
}
BESIDE: Final = (*COLUMNS["student"], "first name", "last name", "group", "section", "date", "time",
                 "state", "grade", "score", "points")  # fmt: skip

_SHAPE = "answers are `students:`, each by name, with answers by problem"


def papers(source: Source, keys: Keys) -> Iterator[Paper]:
    """What *source* holds, a table, or YAML or JSON, student by student."""
    if not is_table(source.name, source.first_line()):
        yield from _of_documents(read(source), keys)
        return
    rows = iter(table_rows(source))
    header = next(rows, None)
    if not isinstance(header, Row):
        yield Paper("", [header or BadSheet("is empty", Place(keys.file))])
        return
    table = _Table(keys, header)
    yield from table.by_answer(rows) if "answer" in table.at else table.by_student(rows)


class _Names:
    """The students so far, each of whom hands in once; packed, for there may be many."""

    def __init__(self, keys: Keys) -> None:
        self._file = keys.file
        self._lines: dict[str, int] = {}

    def check(self, name: Scalar) -> None:
        """Raise Repeated where a student called *name* came before."""
        text = name.text.strip()
        if text in self._lines:
            raise Repeated(text, Place(self._file, self._lines[text]))
        if len(self._lines) < MOST_STUDENTS:
            self._lines[text] = name.line


class _Table:
    """Where a table has what, under its *header*."""

    def __init__(self, keys: Keys, header: Row) -> None:
        self.keys, self.header = keys, header
        self.names = [" ".join(cell.text.lower().split()) for cell in header.cells]
        self.at = {  # columns by what they are for
            role: self.names.index(word)
            for role, words in COLUMNS.items()
            for word in reversed(words)
            if word in self.names
        }
        self._questions: dict[int | None, dict[int, Meant]] = {}  # columns by version
        self._refused: set[int] = set()  # columns that no version has

    def cell(self, row: Row, column: int | str) -> Scalar:
        """The cell of a *row* in a *column*, or for what that says; empty where there is none."""
        if isinstance(column, str):
            column = self.at.get(column, len(row.cells))
        is_there = column < len(row.cells)
        return row.cells[column] if is_there else Scalar("", row.line, row.cells[0].column)

    def _of_version(self, row: Row, paper: Paper) -> Keys:
        """The problems of the version that *row* names, which is that of its student."""
        keys = self.keys
        if "version" in self.at:
            text = self.cell(row, "version").text
            if not text.strip():
                raise Missing(["version"])
            keys = keys.of_version(text)
            if paper.version not in (None, keys.version):
                raise BadSheet(f"had version {paper.version} further up, and {keys.version} here")
        paper.version = keys.version
        return keys

    def _lacks(self, what: str) -> DdcalcError:
        return Missing([what]).about("header", place(self.keys.file, self.header.cells[0]))

    def by_answer(self, rows: Iterable[Row | BadFile]) -> Iterator[Paper]:
        """The papers of a table with an answer a row, put together by student, in the order in
        which they first come."""
        needed = ["student", *(["problem"] if len(self.keys.keys) > 1 else [])]
        if lacking := [role for role in needed if role not in self.at]:
            yield Paper("", [self._lacks(lacking[0])])
            return
        handed: dict[str, Paper] = {}
        for number, row in enumerate(rows):
            if isinstance(row, BadFile):
                yield Paper("", [row])
            elif number < MOST_ANSWERS:
                student = self.cell(row, "student").text.strip()
                self._answer(row, handed.setdefault(student, Paper(student)))
            else:
                reason = f"more than {MOST_ANSWERS} answers, one a row; the rest is not read"
                yield _refused(self.keys, row.cells[0], OverLimit(reason))
                break
        yield from handed.values()

    def _answer(self, row: Row, paper: Paper) -> None:
        """Read one row into the *paper* of its student."""
        wrong = self.cell(row, "student")
        try:
            if not paper.student:
                raise Missing(["student"])
            wrong = self.cell(row, "version")
            keys, wrong = self._of_version(row, paper), self.cell(row, "problem")
            meant = keys.meant(wrong.text, self.cell(row, "quantity").text.strip())
        except DdcalcError as error:
            paper.refuse(error, self.keys.file, wrong if wrong.text else row.cells[0])
        else:
            paper.stated.append((meant, self.cell(row, "answer")))

    def by_student(self, rows: Iterable[Row | BadFile]) -> Iterator[Paper]:
        """The papers of a table with a student a row."""
        if "version" not in self.at:
            about_all = Paper("")
            if 0 not in self._columns(self.keys, about_all):
                self.at.setdefault("student", 0)
            if about_all.stated:
                yield about_all
        if "student" not in self.at:
            yield Paper("", [self._lacks("student")])
            return
        names = _Names(self.keys)
        for row in rows:
            yield Paper("", [row]) if isinstance(row, BadFile) else self._student(row, names)

    def _student(self, row: Row, names: _Names) -> Paper:
        """What the student of a *row* has handed in."""
        wrong = name = self.cell(row, "student")
        paper = Paper(name.text.strip())
        try:
            if not paper.student:
                raise Missing(["student"])
            names.check(name)
            wrong = self.cell(row, "version")
            keys = self._of_version(row, paper)
        except DdcalcError as error:
            paper.refuse(error, self.keys.file, wrong if wrong.text else row.cells[0])
            return paper
        questions = self._columns(keys, paper)
        paper.stated += [(meant, self.cell(row, i)) for i, meant in questions.items()]
        return paper

    def _columns(self, keys: Keys, paper: Paper) -> dict[int, Meant]:
        """The columns with answers to one version; what is wrong with others is told once, beside
        the first *paper* that there is."""
        if keys.version in self._questions:
            return self._questions[keys.version]
        questions = self._questions[keys.version] = {}
        for i, (cell, name) in enumerate(zip(self.header.cells, self.names, strict=True)):
            if not name or i in (self.at.get("student"), self.at.get("version")):
                continue
            try:
                meant = keys.meant(cell.text)
                if meant in questions.values():
                    raise Repeated(cell.text)
                questions[i] = meant
            except DdcalcError as error:
                if i and name not in BESIDE and i not in self._refused:
                    self._refused.add(i)
                    paper.stated.append(error.about("header", place(keys.file, cell)))
        if not questions and not self._refused:
            paper.stated.append(self._lacks("a problem as the header of a column"))
        return questions


# YAML and JSON


def _of_documents(items: Iterable[Item], keys: Keys) -> Iterator[Paper]:
    """The papers in the documents or lines of a file, in order."""
    names = _Names(keys)
    for item in items:
        entries = item.node.entries if isinstance(item.node, Named) else {}
        students = entries["students"][1] if "students" in entries else item.node
        if item.errors or students is item.node or not isinstance(students, Named):
            yield _refused(keys, students, *(item.errors or [BadSheet(_SHAPE)]))
            continue
        for name, (key, _) in entries.items():
            if name != "students":
                yield _refused(keys, key, UnknownName("key of answers", name, ["students"]))
        yield from (_submission(*entry, keys, names) for entry in students.entries.values())


def _refused(keys: Keys, node: Node | None, *errors: DdcalcError) -> Paper:
    """What nobody has handed in, as it is wrong at *node*."""
    for error in errors:
        if error.place is None and node is not None:
            error.place = place(keys.file, node)
    return Paper("", list(errors))


def _submission(name: Scalar, answers: Node, keys: Keys, names: _Names) -> Paper:
    """What one student has answered: to each problem its quantities by name, or the one asked."""
    paper = Paper(name.text)
    try:
        names.check(name)
    except Repeated as error:
        paper.refuse(error, keys.file, name)
        return paper
    if not isinstance(answers, Named):
        paper.refuse(BadSheet(_SHAPE), keys.file, answers)
        return paper
    for problem, (key, node) in answers.entries.items():
        _answers(problem, key, node, keys, paper)
    return paper


def _answers(problem: str, key: Scalar, node: Node, keys: Keys, paper: Paper) -> None:
    """Read what *node* answers to a *problem*, or a question of parts, into the *paper*."""
    several = node.entries if isinstance(node, Named) else {"": (key, node)}
    for quantity, (spelt, answer) in several.items():
        try:
            if isinstance(answer, Named) and keys.is_part(f"{problem}.{quantity}"):
                _answers(f"{problem}.{quantity}", spelt, answer, keys, paper)
                continue
            meant = keys.meant(problem, quantity)
        except DdcalcError as error:
            is_result = isinstance(error, UnknownName) and error.what == "result"
            paper.refuse(error, keys.file, spelt if is_result else key)
            continue
        if isinstance(answer, Named):
            reason = "an answer is a value, or a list of values"
            paper.refuse(BadSheet(reason), keys.file, answer)
        else:
            paper.stated.append((meant, answer))
