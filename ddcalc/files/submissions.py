"""A class: who writes an exam, and what students have answered, student by student.

In tables one answer a row (student, problem, quantity, answer), or one student a row and a column a
question, named ``problem`` or ``problem.quantity``; a column ``version``, or the exam, says which
version of it a student had, whose problems then need no number behind their names. In YAML or JSON
``students: {ann: {ps-epochs: {total: 588.47 s}}}``, in each document or line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from ddcalc.boundary.nodes import Item, Node, Scalar, place
from ddcalc.boundary.nodes import Mapping as Named
from ddcalc.boundary.source import Source
from ddcalc.boundary.table import Row, is_table
from ddcalc.boundary.table import rows as table_rows
from ddcalc.boundary.tree import read
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

NUMBERS: Final = ("id", "number", "student id", "matriculation number")
_SHAPE = "answers are `students:`, each by name, with answers by problem"


class Student(NamedTuple):
    """One of a class, by *name*, and by *number* where they have one."""

    name: str
    number: str = ""


def students(source: Source) -> list[Student]:
    """The class in a table with a column ``name``, and perhaps one ``id``.

    Raises BadFile, or what is wrong where it is no such table, lists nobody or somebody twice.
    """
    made, heads = list[Student](), list[str]()
    for row in table_rows(source):
        if isinstance(row, BadFile):
            raise row
        texts, at = [" ".join(cell.text.split()) for cell in row], Place(source.name, row[0].line)
        heads = heads or [text.lower() for text in texts]
        said = dict(zip(heads, texts, strict=False))
        if "name" not in said:
            raise Missing(["a column called name"]).about("--names", at)
        made.append(Student(said["name"], next((said[x] for x in NUMBERS if x in said), "")))
        if made[-1] in made[1:-1]:
            raise Repeated(made[-1].name).about("--names", at)
    if len(made) < 2:
        raise BadSheet("lists no students", Place(source.name))
    return made[1:]


def named(papers: Sequence[tuple[Student, int]]) -> dict[str, int]:
    """The versions by each name and number that one student alone has."""
    known = Counter(called for one, _ in papers for called in {*one} if called)
    return {called: i for one, i in papers for called in one if known[called] == 1}


def papers(source: Source, keys: Keys) -> Iterator[Paper]:
    """What *source* holds, a table, or YAML or JSON, student by student."""
    if not is_table(source.name, source.first_line()):
        yield from _of_documents(read(source), keys)
        return
    rows = iter(table_rows(source))
    header = next(rows, None)
    if not isinstance(header, list):
        yield Paper("", [header or BadSheet("is empty", Place(keys.file))])
        return
    table = _Table(keys, header)
    if table.lacks:
        yield _refused(keys, header[0], Missing([table.lacks]).about("header"))
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
            yield _refused(keys, row[0], OverLimit(reason))
            break
    yield from handed.values()


class _Table:
    """Where a table has what, under its *header*."""

    def __init__(self, keys: Keys, header: Row) -> None:
        self.keys, self.students, self.width = keys, Ids(keys.file), len(header)
        titles = [" ".join(cell.text.lower().split()) for cell in header]
        self.at = {  # columns by what they are for
            role: titles.index(word)
            for role, words in COLUMNS.items()
            for word in reversed(words)
            if word in titles
        }
        self.is_by_answer = "answer" in self.at
        own = (self.at.get("student"), self.at.get("version"))
        has_versions = "version" in self.at or keys.having
        some = next(iter(keys.versions.values()), keys) if has_versions else keys
        asked: dict[Meant, int] = {}
        self.wrong: list[DdcalcError] = []
        for i, (cell, title) in enumerate(zip(header, titles, strict=True)):
            if self.is_by_answer or not title or i in own:
                continue
            try:
                if (meant := some.meant(cell.text)) in asked:
                    raise Repeated(cell.text)
                asked[meant] = i
            except DdcalcError as error:
                if not isinstance(error, UnknownName) or (i and title not in BESIDE):
                    self.wrong.append(error.about("header", place(keys.file, cell)))
        self.questions = {i: header[i] for i in asked.values()}
        if not self.is_by_answer and 0 not in {*self.questions, self.at.get("version")}:
            self.at.setdefault("student", 0)
        self.lacks = "" if "student" in self.at else "student"
        if self.is_by_answer and "problem" not in self.at and not keys.is_one:
            self.lacks = self.lacks or "problem"
        if not (self.is_by_answer or asked or self.wrong):
            self.lacks = self.lacks or "a problem as the header of a column"

    def read(self, row: Row, handed: dict[str, Paper]) -> Paper:
        """The paper of the student in a *row*, with what that answers; one of those *handed* in
        before, where the table has one answer a row."""
        empty = Scalar("", row[0].line, row[0].column)
        cells = [*row, *[empty] * max(1, self.width + 1 - len(row))]
        of = {role: cells[self.at.get(role, -1)] for role in COLUMNS}
        wrong, name = of["student"], of["student"].text.strip()
        paper = handed.setdefault(name, Paper(name))
        try:
            if not name:
                raise Missing(["student"])
            if any(cell.text.strip() for cell in row[self.width :]):
                reason = f"has {len(row)} cells, the header {self.width}"
                raise BadSheet(f'{reason}; quote commas: "1,5"')
            if not self.is_by_answer and (first := self.students.first(name, wrong.line)):
                raise Repeated(name, first)
            if "version" in self.at and (of["version"].text.strip() or not self.keys.having):
                wrong = of["version"]
                if not wrong.text.strip():
                    raise Missing(["version"])
                version = self.keys.of_version(wrong.text).version
                if paper.version not in (None, version):
                    raise BadSheet(f"had version {paper.version} further up, and {version} here")
                paper.version = version
            else:
                paper.version = paper.version or self.keys.version_of(name)
        except DdcalcError as error:
            paper.refuse(error, self.keys.file, wrong if wrong.text else row[0])
            return paper
        if self.is_by_answer:
            problem, quantity, answer = of["problem"], of["quantity"], of["answer"]
            paper.stated.append(PaperEntry(problem.text, problem, quantity, answer))
        else:
            paper.about = "header"
            asked = self.questions.items()
            paper.stated += [PaperEntry(x.text, x, Scalar(""), cells[i]) for i, x in asked]
        return paper


# YAML and JSON


def _of_documents(items: Iterable[Item], keys: Keys) -> Iterator[Paper]:
    """The papers in the documents or lines of a file, in order."""
    before = Ids(keys.file)
    for item in items:
        entries = item.node.entries if isinstance(item.node, Named) else {}
        students = entries["students"][1] if "students" in entries else item.node
        if item.errors or students is item.node or not isinstance(students, Named):
            yield _refused(keys, students, *(item.errors or [BadSheet(_SHAPE)]))
            continue
        for name, (key, _) in entries.items():
            if name != "students":
                yield _refused(keys, key, UnknownName("key of answers", name, ["students"]))
        for key, answers in students.entries.values():
            paper, name = Paper(key.text), key.text.strip()
            if first := before.first(name, key.line):
                paper.refuse(Repeated(name, first), keys.file, key)
            elif not isinstance(answers, Named):
                paper.refuse(BadSheet(_SHAPE), keys.file, answers)
            else:
                try:
                    paper.version = keys.version_of(name)
                    its = keys.versions.get(paper.version or 0, keys)
                    for problem, (at, node) in answers.entries.items():
                        _hand_in(paper, problem, at, node, its)
                except DdcalcError as error:
                    paper.refuse(error, keys.file, key)
            yield paper


def _refused(keys: Keys, node: Node | None, *errors: DdcalcError) -> Paper:
    """What nobody has handed in, as it is wrong at *node*."""
    for error in errors:
        if error.place is None and node is not None:
            error.place = place(keys.file, node)
    return Paper("", list(errors))


def _hand_in(paper: Paper, problem: str, key: Scalar, node: Node, keys: Keys) -> None:
    """Put on the *paper* what *node* answers to a *problem*, its quantities by name or the one
    asked, or to the parts of a question."""
    if not isinstance(node, Named):
        paper.stated.append(PaperEntry(problem, key, Scalar(""), node))
        return
    for quantity, (spelt, answer) in node.entries.items():
        if not isinstance(answer, Named):
            paper.stated.append(PaperEntry(problem, key, spelt, answer))
        elif keys.is_part(part := f"{problem}.{quantity}"):
            _hand_in(paper, part, spelt, answer, keys)
        else:
            paper.refuse(BadSheet("an answer is a value, or a list of values"), keys.file, answer)
