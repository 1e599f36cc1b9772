"""What students have answered, student by student.

In tables one answer a row (student, problem, quantity, answer), or one student a row and one
question a column, as learning platforms export them. In YAML or JSON ``students: {ann: {ps-epochs:
{total: 588.47 s}}}``, or one student a document or line: ``{student: ann, answers: {ps-epochs:
588.47 s}}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ddcalc.ask.mark.grading import Answer, Mark
from ddcalc.ask.mark.written import Allowed
from ddcalc.boundary.nodes import Item, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import Source, fed
from ddcalc.boundary.table import Row, is_table
from ddcalc.boundary.table import rows as table_rows
from ddcalc.errors import (
    BadFile,
    BadNumber,
    BadSheet,
    DdcalcError,
    Missing,
    OverLimit,
    Place,
    Repeated,
    UnknownName,
)
from ddcalc.sheet.answer_key import Key, Unread

MOST_STUDENTS = 1_000_000  # of whom it is checked that they hand in once
MOST_WARM = 100  # problems of which is kept what was searched for slips
BLANK = ("", "-", "–", "—")  # learning platforms write a dash where nothing was answered
SEPARATORS = ".: /"  # between a problem and its quantity in one name

Meant = tuple[Key, str]  # a problem, and one of its quantities


@dataclass(slots=True)
class Submission:
    """The answers of one *student* by problem; *errors* say what could not be read.

    What was left blank is an answer too: None.
    """

    student: str
    answers: dict[str, dict[str, tuple[Answer, Allowed] | Unread | None]] = field(
        default_factory=dict
    )
    errors: list[DdcalcError] = field(default_factory=list)


class Names:
    """The students so far, each of whom hands in once; packed, for there may be many."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def again(self, name: Scalar, file: str) -> Repeated | None:
        """The error that a student called *name* came before; None for a new one."""
        text = name.text.strip()
        if text in self._lines:
            return Repeated(text, Place(file, self._lines[text]))
        if len(self._lines) < MOST_STUDENTS:
            self._lines[text] = name.line
        return None


class Keys:
    """The problems of a sheet by id, without regard to case; *unsolved* ones cannot be marked.

    *order* are the ids as the sheet has them, "" for a problem without one that is not solved.
    """

    def __init__(
        self,
        keys: Mapping[str, Key],
        unsolved: frozenset[str],
        file: str,
        order: Sequence[str] = (),
    ) -> None:
        self.keys, self.unsolved, self.file = keys, unsolved, file
        self.order = order or tuple(keys)
        self._warm: dict[str, Key] = {}  # those that hold what was searched, the oldest first

    def meant(self, name: str, quantity: str = "") -> Meant:
        """The problem and quantity that *name* means: ``problem``, ``problem.quantity``, or a
        quantity alone where there is only one problem.

        Raises UnknownName, or BadSheet for a problem that is not solved.
        """
        name = name.strip()
        if (key := self._key(name)) is not None:
            return key, key.quantity(quantity)
        if not quantity:
            for at in (i for i, mark in enumerate(name) if mark in SEPARATORS):
                if (key := self._key(name[:at].strip())) is not None:
                    return key, key.quantity(name[at + 1 :])
        if len(self.keys) == 1 and not self.unsolved and not (name and quantity):
            [key] = self.keys.values()
            return key, key.quantity(name or quantity)
        raise UnknownName("problem", name, [key.name for key in self.keys.values()])

    def numbered(self, number: int, name: str) -> Meant:
        """What is asked in problem *number* of the sheet, which a file calls *name*."""
        if not 1 <= number <= len(self.order):
            raise UnknownName("problem", name, [key.name for key in self.keys.values()])
        key = self._key(self.order[number - 1])
        if key is None:
            raise BadSheet(f"problem {number} is not solved, so it is not marked")
        return key, key.quantity("")

    def is_problem(self, name: str) -> bool:
        """Whether a problem is called *name*."""
        return name.strip().lower() in {*self.keys, *self.unsolved}

    def _key(self, name: str) -> Key | None:
        if name.lower() in self.unsolved:
            raise BadSheet(f"problem {name} is not solved, so it is not marked")
        return self.keys.get(name.lower())

    def marks(self, handed: Submission) -> Iterator[tuple[Key, Mark]]:
        """The marks of a submission, problem by problem as the sheet has them."""
        for name, key in self.keys.items():
            stated = handed.answers.get(name)
            if stated is None:
                continue
            self._warmed(name, key)
            given = {q: answer for q, answer in stated.items() if isinstance(answer, tuple)}
            done = {mark.name: mark for mark in key.marks(given)}
            for quantity, answer in stated.items():
                if not isinstance(answer, tuple):
                    done[quantity] = key.unmarked(quantity, answer)
            yield from ((key, done[quantity]) for quantity in key.results if quantity in done)

    def _warmed(self, name: str, key: Key) -> None:
        """Keep what is searched for *key*, and give up what was searched longest ago."""
        self._warm.pop(name, None)
        self._warm[name] = key
        if len(self._warm) > MOST_WARM:
            oldest = next(iter(self._warm))
            self._warm.pop(oldest).question.forget()

    def add(self, handed: Submission, meant: Meant, node: Node) -> None:
        """Read the answer in *node* into *handed*."""
        key, quantity = meant
        answers = handed.answers.setdefault(key.name.lower(), {})
        if quantity in answers:
            repeated = Repeated(f"{handed.student}, {key.name}, {quantity}")
            self.refuse(handed, repeated, node, key.name, quantity)
            return
        try:
            blank = isinstance(node, Scalar) and node.text.strip() in BLANK
            answers[quantity] = None if blank else key.answer(quantity, node)
        except DdcalcError as error:
            answers[quantity] = Unread(node.text if isinstance(node, Scalar) else "…", why(error))
            self.refuse(handed, error, node, key.name, quantity)

    def refuse(
        self, handed: Submission, error: DdcalcError, node: Node, problem: str = "", name: str = ""
    ) -> None:
        """Note that something of *handed* is wrong at *node*."""
        error.problem = error.problem or problem or None
        error.about(", ".join(part for part in (handed.student, name) if part))
        error.place = error.place or place(self.file, node)
        handed.errors.append(error)


def why(error: DdcalcError) -> str:
    """What *error* says, without the answer that it is about."""
    return error.reason if isinstance(error, BadNumber) else str(error)


def submissions(source: Source, keys: Keys) -> Iterator[Submission]:
    """What *source* holds: a table, or YAML or JSON."""
    feed = fed(source)
    if is_table(source.name, feed.first_line()):
        return of_rows(table_rows(feed, source.name), keys)
    return of_documents(read(source, feed), keys)


# Tables

MOST_ANSWERS: Final = 1_000_000  # of a table with one answer a row, put together by student


# Names of columns, the surest first. Names are compared in small letters.
STUDENT = ("student", "student id", "id number", "username", "user", "login", "email address",
           "e-mail address", "email", "e-mail", "full name", "name", "id", "surname", "last name",
           "first name")  # fmt: skip
PROBLEM = ("problem", "question", "problem id")
QUANTITY = ("quantity", "result")
ANSWER = ("answer", "response")
FAMILY = ("surname", "last name")  # shown with the first name: they are no one's alone
BESIDE = ("timestamp", "date", "state", "status", "started on", "started", "completed",
          "completed on", "time taken", "duration", "institution", "department", "group", "groups",
          "section", "attempt", "score", "grade", "points", "row")  # fmt: skip
BESIDE_STARTS = ("grade/", "score/", "points/", "right answer ")
NUMBERED = ("response", "answer", "question", "q")  # before the number of a problem, the best first
FOOTERS = ("overall average", "average")  # rows of platforms that are no students

_NUMBERED = re.compile(rf"({'|'.join(NUMBERED)})[ .]*(\d{{1,5}})")
_GRADED = re.compile(r"q\. ?\d+ ?/ ?[\d.,]+")  # the points of a question

Rows = Iterable[Row | BadFile]


def of_rows(rows: Rows, keys: Keys) -> Iterator[Submission]:
    """The submissions in *rows* of a table, the header first."""
    others = iter(rows)
    header = next(others, None)
    if not isinstance(header, Row):
        wrong = header or BadSheet("is empty", Place(keys.file))
        yield Submission("", errors=[wrong])
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
        if number == MOST_ANSWERS:
            reason = f"more than {MOST_ANSWERS} answers, one a row; the rest is not read"
            yield _refused(keys, row.cells[0], OverLimit(reason))
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
        meant = keys.meant(problem.text, quantity.text.strip())
    except DdcalcError as error:
        keys.refuse(mine, error, problem if problem.text else row.cells[0])
        return
    keys.add(mine, meant, _cell(row, columns.answer))


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
    questions: dict[int, Meant],
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
        for column, meant in questions.items():
            keys.add(handed, meant, _cell(row, column))
    return handed


def _questions(
    keys: Keys, names: list[str], header: Row
) -> tuple[dict[int, Meant], list[DdcalcError]]:
    """The columns with answers, and what is wrong with others."""
    questions: dict[int, Meant] = {}
    wrong: list[DdcalcError] = []
    best = _best(keys, header)
    for i, cell in enumerate(header.cells):
        try:
            meant = _in_column(keys, cell.text, best) if names[i] else None
        except DdcalcError as error:
            if not _is_beside(names[i], i) or keys.is_problem(cell.text):
                wrong.append(error.about("header", place(keys.file, cell)))
            continue
        if meant is None:
            continue
        if meant in questions.values():
            wrong.append(Repeated(cell.text).about("header", place(keys.file, cell)))
        else:
            questions[i] = meant
    if not questions:
        wrong.append(_missing(keys, "a problem as the header of a column", header))
    return questions, wrong


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
    known = name in (*STUDENT, *BESIDE) or name.startswith(BESIDE_STARTS)
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


def of_documents(items: Iterable[Item], keys: Keys) -> Iterator[Submission]:
    """The submissions in the documents or lines of a file, in order."""
    names = Names()
    for item in items:
        if item.errors:
            yield _refused(keys, item.node, *item.errors)
        elif isinstance(item.node, Named):
            yield from _document(item.node, keys, names)
        else:
            yield _refused(keys, item.node, BadSheet(_SHAPE))


def _document(node: Named, keys: Keys, names: Names) -> Iterator[Submission]:
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


def _refused(keys: Keys, node: Node | None, *errors: DdcalcError) -> Submission:
    """What nobody has handed in, as it is wrong at *node*."""
    for error in errors:
        if error.place is None and node is not None:
            error.place = place(keys.file, node)
    return Submission("", errors=list(errors))


def _submission(name: Scalar, answers: Node, keys: Keys, names: Names) -> Submission:
    """What one student has answered."""
    handed = Submission(name.text)
    if (repeated := names.again(name, keys.file)) is not None:
        keys.refuse(handed, repeated, name)
    elif not isinstance(answers, Named):
        keys.refuse(handed, BadSheet(_SHAPE), answers)
    else:
        for problem, (key, node) in answers.entries.items():
            _problem(handed, problem, key, node, keys)
    return handed


def _problem(handed: Submission, name: str, key: Scalar, node: Node, keys: Keys) -> None:
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
            keys.add(handed, meant, answer)
