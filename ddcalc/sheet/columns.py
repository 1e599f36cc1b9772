"""Answers in tables: one a row (student, problem, quantity, answer), or one student a row and one
question a column, as learning platforms export them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ddcalc.boundary.nodes import Scalar, place
from ddcalc.boundary.table import Row
from ddcalc.errors import BadFile, BadSheet, DdcalcError, Missing, OverLimit, Place, Repeated
from ddcalc.sheet.submissions import Found, Keys, Names, Submission

MOST = 1_000_000  # answers of a table with one answer a row, which are put together by student

# Names of columns, the surest first. Names are compared in small letters.
STUDENT = ("student", "student id", "id number", "username", "user", "login", "email address",
           "e-mail address", "email", "e-mail", "full name", "name", "id", "surname", "last name",
           "first name")  # fmt: skip
PROBLEM = ("problem", "question", "problem id")
QUANTITY = ("quantity", "result")
ANSWER = ("answer", "response")
FAMILY = ("surname", "last name")  # told with the first name: they are no one's alone
BESIDE = ("timestamp", "date", "state", "status", "started on", "started", "completed",
          "completed on", "time taken", "duration", "institution", "department", "group", "groups",
          "section", "attempt", "score", "grade", "points", "row")  # fmt: skip
BESIDE_STARTS = ("grade/", "score/", "points/", "right answer ")
NUMBERED = ("response", "answer", "question", "q")  # before the number of a problem, the best first
FOOTERS = ("overall average", "average")  # rows of platforms that are no students

_NUMBERED = re.compile(rf"({'|'.join(NUMBERED)})[ .]*(\d{{1,5}})")
_GRADED = re.compile(r"q\. ?\d+ ?/ ?[\d.,]+")  # the points of a question

Rows = Iterable[Row | BadFile]


def submissions(rows: Rows, keys: Keys) -> Iterator[Submission]:
    """The submissions in *rows*, the header first."""
    told = iter(rows)
    header = next(told, None)
    if not isinstance(header, Row):
        wrong = header or BadSheet("is empty", Place(keys.file))
        yield Submission("", errors=[wrong])
        return
    names = [_plain(cell.text) for cell in header.cells]
    if (answer := _first(ANSWER, names)) is not None:
        yield from _by_answer(told, keys, names, answer, header)
    else:
        yield from _by_student(told, keys, names, header)


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where a table with one answer a row has what; None where it has it not."""

    student: int
    problem: int | None
    quantity: int | None
    answer: int


def _by_answer(
    rows: Rows, keys: Keys, names: list[str], answer: int, header: Row
) -> Iterator[Submission]:
    """One answer a row: put together by student, in the order in which they first come."""
    student = _first(STUDENT, names)
    if student is None:
        yield Submission("", errors=[_missing(keys, "student", header)])
        return
    problem = _first(PROBLEM, names)
    if problem is None and len(keys.order) > 1:
        yield Submission("", errors=[_missing(keys, "problem", header)])
        return
    columns = _Columns(student, problem, _first(QUANTITY, names), answer)
    handed: dict[str, Submission] = {}
    for number, row in enumerate(rows):
        if isinstance(row, BadFile):
            yield Submission("", errors=[row])
            continue
        if number == MOST:
            reason = f"more than {MOST} answers, one a row; the rest of the file is not read"
            yield Submission("", errors=[OverLimit(reason, place(keys.file, row.cells[0]))])
            break
        _answer(row, columns, keys, handed)
    yield from handed.values()


def _answer(row: Row, columns: _Columns, keys: Keys, handed: dict[str, Submission]) -> None:
    """Read one row into the submission of its student."""
    name = _cell(row, columns.student)
    mine = handed.setdefault(name.text.strip(), Submission(name.text.strip()))
    problem, quantity = _cell(row, columns.problem), _cell(row, columns.quantity)
    if not mine.student:
        keys.refuse(mine, Missing(["student"]), name)
        return
    try:
        found = keys.found(problem.text, quantity.text.strip())
    except DdcalcError as error:
        keys.refuse(mine, error, problem if problem.text else row.cells[0])
        return
    keys.add(mine, found, _cell(row, columns.answer))


def _by_student(rows: Rows, keys: Keys, names: list[str], header: Row) -> Iterator[Submission]:
    """One student a row."""
    questions, wrong = _questions(keys, names, header)
    if wrong:
        yield Submission("", errors=wrong)
    first = _first(STUDENT, names)
    student = 0 if first is None else first
    given = _first(("first name",), names) if names[student] in FAMILY else None
    if student in questions:
        yield Submission("", errors=[_missing(keys, "student", header)])
        return
    seen = Names()
    for row in rows:
        yield (
            Submission("", errors=[row])
            if isinstance(row, BadFile)
            else _student(row, (student, given), questions, keys, seen)
        )


def _student(
    row: Row,
    student: tuple[int, int | None],
    questions: dict[int, Found],
    keys: Keys,
    seen: Names,
) -> Submission:
    name = _cell(row, student[0])
    if student[1] is not None and name.text.strip():
        name = replace(name, text=f"{_cell(row, student[1]).text} {name.text}")
    handed = Submission(name.text.strip())
    if not handed.student:
        if _plain(row.cells[0].text) not in FOOTERS:
            keys.refuse(handed, Missing(["student"]), row.cells[0])
    elif (repeated := seen.again(name, keys.file)) is not None:
        keys.refuse(handed, repeated, name)
    else:
        for column, found in questions.items():
            keys.add(handed, found, _cell(row, column))
    return handed


def _questions(
    keys: Keys, names: list[str], header: Row
) -> tuple[dict[int, Found], list[DdcalcError]]:
    """The columns with answers, and what is wrong with others."""
    questions: dict[int, Found] = {}
    wrong: list[DdcalcError] = []
    best = _best(keys, header)
    for i, cell in enumerate(header.cells):
        try:
            found = _asked(keys, cell.text, best) if names[i] else None
        except DdcalcError as error:
            if not _is_beside(names[i], i) or keys.is_problem(cell.text):
                wrong.append(error.about("header", place(keys.file, cell)))
            continue
        if found is None:
            continue
        if found in questions.values():
            wrong.append(Repeated(cell.text).about("header", place(keys.file, cell)))
        else:
            questions[i] = found
    if not questions:
        wrong.append(_missing(keys, "a problem as the header of a column", header))
    return questions, wrong


def _asked(keys: Keys, name: str, best: str) -> Found | None:
    """The question in a column called *name*, which may be *best* with a number; None for one that
    tells something else about a numbered question."""
    try:
        return keys.found(name)
    except DdcalcError:
        numbered = _NUMBERED.fullmatch(_plain(name))
        if numbered is None or keys.is_problem(name):
            raise
        return keys.numbered(int(numbered[2]), name) if numbered[1] == best else None


def _best(keys: Keys, header: Row) -> str:
    """The word before the number of a question under which the answers stand: Response 1."""
    words = {
        found[1]
        for cell in header.cells
        if (found := _NUMBERED.fullmatch(_plain(cell.text))) and not keys.is_problem(cell.text)
    }
    return next((word for word in NUMBERED if word in words), "")


def _is_beside(name: str, column: int) -> bool:
    """Whether a column is no question but what platforms tell besides; the first one may be."""
    told = name in (*STUDENT, *BESIDE) or name.startswith(BESIDE_STARTS)
    return column == 0 or told or _GRADED.fullmatch(name) is not None


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
