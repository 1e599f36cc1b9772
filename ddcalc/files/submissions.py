"""What students have answered, student by student.

In tables one answer a row (student, problem, quantity, answer), or one student a row and one
question a column, as learning platforms export them; a column ``version`` says which version of
an exam a student had, whose problems then need no number behind their names. In YAML or JSON
``students: {ann: {ps-epochs: {total: 588.47 s}}}``, or one student a document or line: ``{student:
ann, answers: {ps-epochs: 588.47 s}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
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
from ddcalc.files.keys import BLANK, Keys, Meant, Paper

MOST_ANSWERS: Final = 1_000_000  # of a table with one answer a row, put together by student
MOST_STUDENTS: Final = 1_000_000  # of whom it is checked that they hand in once

# Names of columns, the surest first, in English and as Moodle has them in German. They are compared
# in small letters.
EMAIL = ("email address", "e-mail address", "email", "e-mail", "e-mail-adresse")
STUDENT = ("student", "student id", "id number", "username", "user", "login", *EMAIL, "full name",
           "name", "id", "surname", "last name", "first name", "matrikelnummer", "id-nummer",
           "anmeldename", "nachname", "vorname")  # fmt: skip
FAMILY = ("surname", "last name", "nachname")  # shown with the first name: they are no one's alone
COLUMNS = {
    "student": STUDENT,
    "email": EMAIL,
    "first name": ("first name", "vorname"),
    "version": ("version",),
    "problem": ("problem", "question", "problem id"),
    "quantity": ("quantity", "result"),
    "answer": ("answer", "response"),
}
BESIDE = ("timestamp", "date", "state", "status", "started on", "started", "completed",
          "completed on", "time taken", "duration", "institution", "department", "group", "groups",
          "section", "attempt", "score", "grade", "points", "row", "feedback", "begonnen",
          "begonnen am", "beendet", "abgeschlossen", "verbrauchte zeit", "dauer", "abteilung",
          "gruppe", "gruppen", "bewertung", "punkte", "version", *STUDENT)  # fmt: skip
BESIDE_STARTS = ("grade/", "score/", "points/", "right answer ", "bewertung/", "punkte/",
                 "richtige antwort ")  # fmt: skip
# before the number of a problem, the best first
NUMBERED = ("response", "answer", "antwort", "question", "frage", "q")
FOOTERS = ("overall average", "average", "gesamtdurchschnitt")  # rows that are no students

_NUMBERED = re.compile(rf"({'|'.join(NUMBERED)})[ .]*(\d{{1,5}})")
_GRADED = re.compile(r"[qf]\. ?\d+ ?/ ?[\d.,]+")  # the points of a question
_SHAPE = "answers are `students:` with answers by problem, or `student:` and `answers:`"


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
        self.names = [_plain(cell.text) for cell in header.cells]
        self.at: dict[str, int] = {}  # columns by what they are for
        for role, words in COLUMNS.items():
            if known := [word for word in words if word in self.names]:
                self.at[role] = self.names.index(known[0])
        if keys.is_problem("version"):
            self.at.pop("version", None)
        self._questions: dict[int | None, dict[int, Meant]] = {}
        self._others: dict[int | None, list[int]] = {}  # columns of other versions
        self._refused: set[int] = set()  # columns that no version has

    def cell(self, row: Row, role: str) -> Scalar:
        """The cell of a *row* for what *role* says; empty where there is none."""
        return self._cell(row, self.at.get(role, len(row.cells)))

    def _cell(self, row: Row, column: int) -> Scalar:
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

    # One answer a row

    def by_answer(self, rows: Iterable[Row | BadFile]) -> Iterator[Paper]:
        """The papers put together by student, in the order in which they first come."""
        needed = ["student", *(["problem"] if len(self.keys.keys) > 1 else [])]
        for role in needed:
            if role not in self.at:
                yield Paper("", [self._lacks(role)])
                return
        handed: dict[str, Paper] = {}
        for number, row in enumerate(rows):
            if isinstance(row, BadFile):
                yield Paper("", [row])
            elif number < MOST_ANSWERS:
                self._answer(row, handed)
            else:
                reason = f"more than {MOST_ANSWERS} answers, one a row; the rest is not read"
                yield _refused(self.keys, row.cells[0], OverLimit(reason))
                break
        yield from handed.values()

    def _answer(self, row: Row, handed: dict[str, Paper]) -> None:
        """Read one row into the paper of its student."""
        wrong = student = self.cell(row, "student")
        paper = handed.setdefault(student.text.strip(), Paper(student.text.strip()))
        if self.at.get("email") != self.at["student"]:
            paper.email = paper.email or self.cell(row, "email").text.strip()
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

    # One student a row

    def by_student(self, rows: Iterable[Row | BadFile]) -> Iterator[Paper]:
        """A paper a row."""
        has_student = "student" in self.at
        self.at.setdefault("student", 0)
        if "version" not in self.at:
            questions, wrong = self._columns(self.keys)
            if wrong:
                yield Paper("", [*wrong])
            has_student = self.at["student"] not in questions
        if not has_student:
            yield Paper("", [self._lacks("student")])
            return
        names = _Names(self.keys)
        for row in rows:
            yield Paper("", [row]) if isinstance(row, BadFile) else self._student(row, names)

    def _student(self, row: Row, names: _Names) -> Paper:
        """What the student of a *row* has handed in."""
        file = self.keys.file
        wrong = name = self.cell(row, "student")
        if self.names[self.at["student"]] in FAMILY and name.text.strip():
            name = replace(name, text=f"{self.cell(row, 'first name').text} {name.text}")
        paper = Paper(name.text.strip())
        if self.at.get("email") != self.at["student"]:
            paper.email = self.cell(row, "email").text.strip()
        if not paper.student and _plain(row.cells[0].text) in FOOTERS:
            return paper
        try:
            if not paper.student:
                wrong = row.cells[0]
                raise Missing(["student"])
            names.check(name)
            wrong = self.cell(row, "version")
            keys = self._of_version(row, paper)
        except DdcalcError as error:
            paper.refuse(error, file, wrong if wrong.text else row.cells[0])
            return paper
        questions, errors = self._columns(keys)
        paper.stated += [*errors, *((meant, self._cell(row, i)) for i, meant in questions.items())]
        for i in self._others[keys.version]:
            cell = self._cell(row, i)
            if cell.text.strip() not in BLANK:
                title = self.header.cells[i].text
                reason = f"answers {title}, but the student had version {keys.version}"
                paper.refuse(BadSheet(reason), file, cell)
        return paper

    def _columns(self, keys: Keys) -> tuple[dict[int, Meant], list[DdcalcError]]:
        """The columns with answers to one version, and, at first, what is wrong with others."""
        if keys.version in self._questions:
            return self._questions[keys.version], []
        cells = self.header.cells
        others = [i for i, cell in enumerate(cells) if keys.is_of_another(cell.text)]
        questions: dict[int, Meant] = {}
        wrong: list[DdcalcError] = []
        for i, cell in enumerate(cells):
            if not self.names[i] or i in others:
                continue
            try:
                meant = self._in_column(keys, cell.text)
                if meant in questions.values():
                    raise Repeated(cell.text)
            except DdcalcError as error:
                beside = _is_beside(self.names[i], i) and not keys.is_problem(cell.text)
                if not beside and i not in self._refused:
                    self._refused.add(i)
                    wrong.append(error.about("header", place(keys.file, cell)))
                continue
            if meant is not None:
                questions[i] = meant
        if not questions and not wrong:
            wrong.append(self._lacks("a problem as the header of a column"))
        self._questions[keys.version], self._others[keys.version] = questions, others
        return questions, wrong

    def _in_column(self, keys: Keys, name: str) -> Meant | None:
        """The question in a column called *name*; None for one that tells something else about a
        numbered question, beside its Response 1."""
        try:
            return keys.meant(name)
        except DdcalcError:
            numbered = _NUMBERED.fullmatch(_plain(name))
            if numbered is None or keys.is_problem(name):
                raise
            words = {match[1] for other in self.names if (match := _NUMBERED.fullmatch(other))}
            best = next(word for word in NUMBERED if word in words)
            return keys.numbered(int(numbered[2]), name) if numbered[1] == best else None


def _is_beside(name: str, column: int) -> bool:
    """Whether a column is no question but what platforms add; the first one may be."""
    known = name in BESIDE or name.startswith(BESIDE_STARTS)
    return column == 0 or known or _GRADED.fullmatch(name) is not None


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


# YAML and JSON


def _of_documents(items: Iterable[Item], keys: Keys) -> Iterator[Paper]:
    """The papers in the documents or lines of a file, in order."""
    names = _Names(keys)
    for item in items:
        if item.errors or not isinstance(item.node, Named):
            yield _refused(keys, item.node, *(item.errors or [BadSheet(_SHAPE)]))
            continue
        entries = item.node.entries
        known = ("students",) if "students" in entries else ("student", "answers")
        nodes = {name: node for name, (_, node) in entries.items()}
        stray = (name for name in nodes if name not in known and known[0] in nodes)
        for name in stray:
            yield _refused(keys, entries[name][0], UnknownName("key of answers", name, known))
        match nodes:
            case {"students": Named(students)}:
                yield from (_submission(*entry, keys, names) for entry in students.values())
            case {"students": other}:
                yield _refused(keys, other, BadSheet(_SHAPE))
            case {"student": Scalar() as student, "answers": answers}:
                yield _submission(student, answers, keys, names)
            case {"student": Scalar()}:
                yield _refused(keys, item.node, Missing(["answers"]))
            case _:
                yield _refused(keys, item.node, BadSheet(_SHAPE))


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
        several = node.entries if isinstance(node, Named) else {"": (key, node)}
        for quantity, (spelt, answer) in several.items():
            try:
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
    return paper
