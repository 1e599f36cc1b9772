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
from dataclasses import dataclass, replace
from functools import cached_property
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
from ddcalc.files.keys import BLANK, Keys, Meant, Names, Paper


def papers(source: Source, keys: Keys) -> Iterator[Paper]:
    """What *source* holds, a table, or YAML or JSON, student by student."""
    if is_table(source.name, source.first_line()):
        return of_rows(table_rows(source), keys)
    return of_documents(read(source), keys)


# Tables

MOST_ANSWERS: Final = 1_000_000  # of a table with one answer a row, put together by student


# Names of columns, the surest first, in English and as Moodle has them in German. They are compared
# in small letters.
EMAIL = ("email address", "e-mail address", "email", "e-mail", "e-mail-adresse")
STUDENT = ("student", "student id", "id number", "username", "user", "login", *EMAIL, "full name",
           "name", "id", "surname", "last name", "first name", "matrikelnummer", "id-nummer",
           "anmeldename", "nachname", "vorname")  # fmt: skip
VERSION = ("version",)
PROBLEM = ("problem", "question", "problem id")
QUANTITY = ("quantity", "result")
ANSWER = ("answer", "response")
FAMILY = ("surname", "last name", "nachname")  # shown with the first name: they are no one's alone
FIRST_NAME = ("first name", "vorname")
BESIDE = ("timestamp", "date", "state", "status", "started on", "started", "completed",
          "completed on", "time taken", "duration", "institution", "department", "group", "groups",
          "section", "attempt", "score", "grade", "points", "row", "feedback", "begonnen",
          "begonnen am", "beendet", "abgeschlossen", "verbrauchte zeit", "dauer", "abteilung",
          "gruppe", "gruppen", "bewertung", "punkte")  # fmt: skip
BESIDE_STARTS = ("grade/", "score/", "points/", "right answer ", "bewertung/", "punkte/",
                 "richtige antwort ")  # fmt: skip
# before the number of a problem, the best first
NUMBERED = ("response", "answer", "antwort", "question", "frage", "q")
FOOTERS = ("overall average", "average", "gesamtdurchschnitt")  # rows that are no students

_NUMBERED = re.compile(rf"({'|'.join(NUMBERED)})[ .]*(\d{{1,5}})")
_GRADED = re.compile(r"[qf]\. ?\d+ ?/ ?[\d.,]+")  # the points of a question

Rows = Iterable[Row | BadFile]


def of_rows(rows: Rows, keys: Keys) -> Iterator[Paper]:
    """The papers in *rows* of a table, the header first."""
    others = iter(rows)
    header = next(others, None)
    if not isinstance(header, Row):
        wrong = header or BadSheet("is empty", Place(keys.file))
        yield Paper("", [wrong])
        return
    names = [_plain(cell.text) for cell in header.cells]
    if (answer := _first(ANSWER, names)) is not None:
        yield from _by_answer(others, keys, names, answer, header)
    else:
        yield from _by_student(others, keys, names, header)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where a table with one answer a row has what; None where it has it not."""

    student: int
    problem: int | None
    quantity: int | None
    answer: int
    version: int | None
    email: int | None


def _by_answer(
    rows: Rows, keys: Keys, names: list[str], answer: int, header: Row
) -> Iterator[Paper]:
    """One answer a row: put together by student, in the order in which they first come."""
    student = _first(STUDENT, names)
    if student is None:
        yield Paper("", [_missing(keys, "student", header)])
        return
    problem = _first(PROBLEM, names)
    if problem is None and len(keys.order) > 1:
        yield Paper("", [_missing(keys, "problem", header)])
        return
    version, email = _first(VERSION, names), _first(EMAIL, names)
    columns = _Columns(student, problem, _first(QUANTITY, names), answer, version, email)
    handed: dict[str, Paper] = {}
    for number, row in enumerate(rows):
        if isinstance(row, BadFile):
            yield Paper("", [row])
            continue
        if number == MOST_ANSWERS:
            reason = f"more than {MOST_ANSWERS} answers, one a row; the rest is not read"
            yield _refused(keys, row.cells[0], OverLimit(reason))
            break
        _answer(row, columns, keys, handed)
    yield from handed.values()


def _answer(row: Row, columns: _Columns, keys: Keys, handed: dict[str, Paper]) -> None:
    """Read one row into the paper of its student."""
    name = _cell(row, columns.student)
    mine = handed.setdefault(name.text.strip(), Paper(name.text.strip()))
    problem, quantity = _cell(row, columns.problem), _cell(row, columns.quantity)
    if not mine.student:
        keys.refuse(mine, Missing(["student"]), name)
        return
    if columns.email != columns.student:
        mine.email = mine.email or _cell(row, columns.email).text.strip()
    if (of_version := _of_version(row, columns.version, mine, keys)) is None:
        return
    try:
        meant = of_version.meant(problem.text, quantity.text.strip())
    except DdcalcError as error:
        keys.refuse(mine, error, problem if problem.text else row.cells[0])
        return
    mine.stated.append((meant, _cell(row, columns.answer)))


def _of_version(row: Row, column: int | None, handed: Paper, keys: Keys) -> Keys | None:
    """The problems of the version that *row* names; None where what it names is refused."""
    if column is not None:
        cell = _cell(row, column)
        try:
            if not cell.text.strip():
                raise Missing(["version"])
            keys = keys.of_version(cell.text)
            if handed.version not in (None, keys.version):
                raise BadSheet(f"had version {handed.version} further up, and {keys.version} here")
        except DdcalcError as error:
            keys.refuse(handed, error, cell if cell.text else row.cells[0])
            return None
    handed.version = keys.version
    return keys


def _by_student(rows: Rows, keys: Keys, names: list[str], header: Row) -> Iterator[Paper]:
    """One student a row."""
    table = _WideTable(keys, names, header)
    if table.version is None:
        questions, wrong = table.questions(keys)
        if wrong:
            yield Paper("", [*wrong])
        if table.student in questions:
            yield Paper("", [_missing(keys, "student", header)])
            return
    elif _first(STUDENT, names) is None:
        yield Paper("", [_missing(keys, "student", header)])
        return
    for row in rows:
        yield Paper("", [row]) if isinstance(row, BadFile) else table.read(row)


class _WideTable:
    """Where a table with one student a row has what, under its *header* of *names*."""

    def __init__(self, keys: Keys, names: list[str], header: Row) -> None:
        self.keys, self.names, self.header = keys, names, header
        self.version = None if keys.is_problem(VERSION[0]) else _first(VERSION, names)
        self.student = _first(STUDENT, names) or 0
        is_family = names[self.student] in FAMILY
        self.first_name = _first(FIRST_NAME, names) if is_family else None
        email = _first(EMAIL, names)
        self.email = None if email == self.student else email
        self.seen = Names()
        self._questions: dict[int | None, dict[int, Meant]] = {}
        self._refused: set[int] = set()  # columns that no version has

    def read(self, row: Row) -> Paper:
        """What the student of a *row* has handed in."""
        name = _cell(row, self.student)
        if self.first_name is not None and name.text.strip():
            name = replace(name, text=f"{_cell(row, self.first_name).text} {name.text}")
        handed = Paper(name.text.strip(), email=_cell(row, self.email).text.strip())
        if not handed.student:
            if _plain(row.cells[0].text) not in FOOTERS:
                self.keys.refuse(handed, Missing(["student"]), row.cells[0])
        elif (repeated := self.seen.again(name, self.keys.file)) is not None:
            self.keys.refuse(handed, repeated, name)
        elif (keys := _of_version(row, self.version, handed, self.keys)) is not None:
            questions, wrong = self.questions(keys)
            handed.stated += wrong
            handed.stated += ((meant, _cell(row, column)) for column, meant in questions.items())
            self._refuse_others(row, handed, keys)
        return handed

    def questions(self, keys: Keys) -> tuple[dict[int, Meant], list[DdcalcError]]:
        """The columns with answers to one version, and, at first, what is wrong with others."""
        if keys.version in self._questions:
            return self._questions[keys.version], []
        questions: dict[int, Meant] = {}
        wrong: list[DdcalcError] = []
        best = _best(keys, self.header)
        seen: set[Meant] = set()
        for i, cell in enumerate(self.header.cells):
            if self._is_of_another(i, keys):
                continue
            try:
                meant = _in_column(keys, cell.text, best) if self.names[i] else None
            except DdcalcError as error:
                beside = _is_beside(self.names[i], i) and not keys.is_problem(cell.text)
                if not beside and i not in self._refused:
                    self._refused.add(i)
                    wrong.append(error.about("header", place(keys.file, cell)))
                continue
            if meant is None:
                continue
            if meant in seen:
                wrong.append(Repeated(cell.text).about("header", place(keys.file, cell)))
            else:
                questions[i] = meant
                seen.add(meant)
        if not questions and not wrong:
            wrong.append(_missing(keys, "a problem as the header of a column", self.header))
        self._questions[keys.version] = questions
        return questions, wrong

    def _refuse_others(self, row: Row, handed: Paper, keys: Keys) -> None:
        """Refuse answers to another version than the student's."""
        for i in self._versions if keys.exam is not None else ():
            cell = _cell(row, i)
            if cell.text.strip() not in BLANK and self._is_of_another(i, keys):
                title = self.header.cells[i].text
                reason = f"answers {title}, but the student had version {keys.version}"
                keys.refuse(handed, BadSheet(reason), cell)

    def _is_of_another(self, column: int, keys: Keys) -> bool:
        """Whether a column is about a problem of another version than that of *keys*."""
        of = self._versions.get(column) if keys.exam is not None else None
        return of is not None and of != keys.version

    @cached_property
    def _versions(self) -> dict[int, int]:
        """The version of the problem that a column names in full; 0 for a problem of none."""
        cells = enumerate(self.header.cells)
        meant = {i: self.keys.of_exam(cell.text) for i, cell in cells if cell.text.strip()}
        return {i: version for i, version in meant.items() if version is not None}


def _in_column(keys: Keys, name: str, best: str) -> Meant | None:
    """The question in a column called *name*, which may be *best* with a number; None for one that
    tells something else about a numbered question."""
    try:
        return keys.meant(name)
    except DdcalcError:
        numbered = _NUMBERED.fullmatch(_plain(name))
        if numbered is None or keys.is_problem(name):
            raise
        return keys.numbered(int(numbered[2]), name) if numbered[1] == best else None


def _best(keys: Keys, header: Row) -> str:
    """The word before the number of a question under which the answers stand: Response 1."""
    words = {
        match[1]
        for cell in header.cells
        if (match := _NUMBERED.fullmatch(_plain(cell.text))) and not keys.is_problem(cell.text)
    }
    return next((word for word in NUMBERED if word in words), "")


def _is_beside(name: str, column: int) -> bool:
    """Whether a column is no question but what platforms add; the first one may be."""
    known = name in (*STUDENT, *VERSION, *BESIDE) or name.startswith(BESIDE_STARTS)
    return column == 0 or known or _GRADED.fullmatch(name) is not None


def _missing(keys: Keys, what: str, header: Row) -> DdcalcError:
    return Missing([what]).about("header", place(keys.file, header.cells[0]))


def _first(words: Iterable[str], names: list[str]) -> int | None:
    return next((names.index(word) for word in words if word in names), None)


def _cell(row: Row, column: int | None) -> Scalar:
    """The cell in *column*; empty where there is none."""
    if column is None or column >= len(row.cells):
        return Scalar("", row.line, row.cells[0].column)
    return row.cells[column]


def _plain(name: str) -> str:
    return " ".join(name.lower().split())


# YAML and JSON

_SHAPE = "answers are `students:` with answers by problem, or `student:` and `answers:`"


def of_documents(items: Iterable[Item], keys: Keys) -> Iterator[Paper]:
    """The papers in the documents or lines of a file, in order."""
    names = Names()
    for item in items:
        if item.errors:
            yield _refused(keys, item.node, *item.errors)
        elif isinstance(item.node, Named):
            yield from _document(item.node, keys, names)
        else:
            yield _refused(keys, item.node, BadSheet(_SHAPE))


def _document(node: Named, keys: Keys, names: Names) -> Iterator[Paper]:
    """The students of one document."""
    entries = node.entries
    known = ("students",) if "students" in entries else ("student", "answers")
    if known[0] not in entries:
        yield _refused(keys, node, BadSheet(_SHAPE))
        return
    for name, (key, _) in entries.items():
        if name not in known:
            yield _refused(keys, key, UnknownName("key of answers", name, known))
    first = entries[known[0]][1]
    if known == ("students",):
        if isinstance(first, Named):
            yield from (_submission(*entry, keys, names) for entry in first.entries.values())
        else:
            yield _refused(keys, first, BadSheet(_SHAPE))
    elif not isinstance(first, Scalar):
        yield _refused(keys, node, BadSheet(_SHAPE))
    elif "answers" not in entries:
        yield _refused(keys, node, Missing(["answers"]))
    else:
        yield _submission(first, entries["answers"][1], keys, names)


def _refused(keys: Keys, node: Node | None, *errors: DdcalcError) -> Paper:
    """What nobody has handed in, as it is wrong at *node*."""
    for error in errors:
        if error.place is None and node is not None:
            error.place = place(keys.file, node)
    return Paper("", list(errors))


def _submission(name: Scalar, answers: Node, keys: Keys, names: Names) -> Paper:
    """What one student has answered."""
    handed = Paper(name.text)
    if (repeated := names.again(name, keys.file)) is not None:
        keys.refuse(handed, repeated, name)
    elif not isinstance(answers, Named):
        keys.refuse(handed, BadSheet(_SHAPE), answers)
    else:
        for problem, (key, node) in answers.entries.items():
            _problem(handed, problem, key, node, keys)
    return handed


def _problem(handed: Paper, name: str, key: Scalar, node: Node, keys: Keys) -> None:
    """The answers to a problem: its quantities by name, or the one asked for."""
    several = node.entries if isinstance(node, Named) else {"": (key, node)}
    for quantity, (spelt, answer) in several.items():
        try:
            meant = keys.meant(name, quantity)
        except DdcalcError as error:
            keys.refuse(
                handed,
                error,
                spelt if isinstance(error, UnknownName) and error.what == "result" else key,
            )
            continue
        if isinstance(answer, Named):
            keys.refuse(handed, BadSheet("an answer is a value, or a list of values"), answer)
        else:
            handed.stated.append((meant, answer))
