"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Final

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks
from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import FileShare, Source, inputs
from ddcalc.cli.documents import Document, Page, below, entry, report_page
from ddcalc.cli.formats import JSON, PAGES, Format, Steps, Target
from ddcalc.cli.options import argument, delivery, option, taking
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import refusing
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, Bug, DdcalcError, Repeated
from ddcalc.files.answer_key import Key, claims
from ddcalc.files.batch import Solved, solved
from ddcalc.files.keys import Keys, Paper, Submission, without_version
from ddcalc.files.submissions import papers
from ddcalc.problem.catalog import is_sheet
from ddcalc.render import marks
from ddcalc.render.json import verb_data
from ddcalc.render.marks import Gradebook

FORMATS: Final = (Format.text, Format.csv, *(form for form in PAGES if form is not Format.text))
FIRST: Final = 100  # students whose marks settle the width of the columns
HELP: Final = """\
A table (CSV) has one answer a row under the names student, problem, quantity,
answer; or one student a row and a column for each question, named problem or problem.quantity.
A column named version says which version of an exam a student had. In YAML: students: {ann:
{ps-epochs: {total: 588.47 s}}}.

Of a file NAME.sheet, a problem type of your own, all that is wrong is said (ddcalc explain sheets).

With --format csv there is a row a student with the points of each problem, for a gradebook.
"""


class Rows(StrEnum):
    """What a row of the table (CSV) is about."""

    students = "students"
    answers = "answers"


WORDS: Final = (
    argument("SHEET", str, "The problem file, or - for stdin.", "sheet"),
    argument(
        "ANSWERS",
        str | None,
        "Answers: CSV, YAML or JSON; without them, what the sheet itself claims is marked.",
        "answers",
    ),
    option("--decimal-comma", bool, "Answers have decimal commas: 1.234,5 s.", False),
)
OPTIONS: Final = (
    option("--variant", int | None, "The version that all students had.", min=1, metavar="N"),
    option(
        "--rows",
        Rows | None,
        "With --format csv, a row for each of these. (default: students)",
        metavar="|".join(Rows),
    ),
    *delivery(FORMATS),
)


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""

    def run(
        sheet: str,
        answers: str | None,
        decimal_comma: bool,
        variant: int | None,
        rows: Rows | None,
        format: Format | None,
        output: str | None,
        force: bool,
    ) -> None:
        target = Target(FORMATS, format, output, force)
        with refusing(session, target, None):
            if is_sheet(sheet) and answers is None:
                from ddcalc.cli.sheets import check

                check(sheet, session)
                return
            target.check([name for name in (sheet, answers) if name])
            if rows is not None and target.form is not Format.csv:
                raise BadTarget("goes with --format csv").about("--rows")
            if answers is None and (rows is Rows.students or variant is not None):
                reason = "goes with a file of answers"
                raise BadTarget(reason).about("--rows" if variant is None else "--variant")
            of_answers = rows is Rows.answers or answers is None
            _Marking(session, target, sheet, answers, decimal_comma, variant, of_answers).run()

    return taking(run, [*WORDS, *OPTIONS])


@dataclass
class _Marking:
    """*answers* to a *sheet* to be marked, or what it claims, and what has become of them; all are
    answers to the *variant*, if one is stated. A row of a table is about one *of_answers* or a
    student."""

    session: Session
    target: Target
    sheet: str
    answers: str | None
    decimal_comma: bool
    variant: int | None
    of_answers: bool
    tally: ClassTally = field(default_factory=ClassTally)
    widths: marks.Widths = field(default_factory=marks.Widths)
    names: list[str] = field(default_factory=list)  # of the problems that are solved
    share: FileShare = field(default_factory=lambda: FileShare(()))

    def run(self) -> None:
        """Mark everything."""
        if self.sheet == self.answers == "-":
            raise Repeated("-")
        noun = "problem" if self.answers is None else "student"
        self.share = FileShare([self.answers or self.sheet])
        session = self.session
        with Waiting(session, noun, rows=session.out, share=self.share, written=True) as progress:
            students = self._claims() if self.answers is None else self._students(self.answers)
            students = (one for one in students if one.marked)
            first = []
            for one in islice(students, FIRST):
                first.append(one)
                if self.target.form is Format.text:
                    self.widths.fit(marks.cells(one.student, one.marked))
                progress.step()
            book = self._gradebook(first)
            with self._document(book) as document:
                for number, one in enumerate(chain(first, students)):
                    self.tally.students += bool(one.student)
                    for counted in marks.tally_entries(one):
                        self.tally.add(counted)
                    document.put(self._text(one, book))
                    if number >= len(first):
                        progress.step()
                self._note_nothing()

    def _gradebook(self, first: Sequence[StudentMarks]) -> Gradebook | None:
        """The columns of a table of students, as the *first* ones have them."""
        if self.of_answers or self.target.form is not Format.csv:
            return None
        names = self.names
        if has_version := any(one.version is not None for one in first):
            names = [*dict.fromkeys(map(without_version, names))]
        return Gradebook(names, any(one.email for one in first), has_version)

    def _document(self, book: Gradebook | None) -> Document:
        head = book.head() if book else marks.head()
        return Document(
            self.target,
            self.session,
            "students",
            head=head if self.target.form is Format.csv else "",
            last=self._class,
            inputs=[name for name in (self.sheet, self.answers) if name],
        )

    def _text(self, one: StudentMarks, book: Gradebook | None) -> str:
        """What is shown of a student."""
        form, look = self.target.form, self.target.look(self.session.out)
        if book is not None:
            return book.row(one.student, one.email, one.version, marks.tally_entries(one))
        if form is Format.text:
            cells = marks.cells(one.student, one.marked)
            self.widths.fit(cells)
            return marks.lines(cells, self.widths, look)
        if form is Format.csv:
            return "".join(marks.row(one.student, *marked) for marked in one.marked)
        if form in JSON:
            page = Page(data=lambda: verb_data.student_marks(one))
        else:
            page = report_page(marks.report(one.student, one.marked), Steps.full)
        return entry(page, form, look)

    def _class(self) -> Page:
        """The page of the whole class, where it is one."""

        def data() -> Any:
            return {"class": verb_data.class_marks(self.tally)}

        report = report_page(marks.class_report(self.tally), Steps.full)
        if self.tally.whole.answers < 2 or report.blocks is None:
            return Page(data=data, text=lambda _: "")
        return below(report.blocks, data)

    def _note_nothing(self) -> None:
        if not self.tally.whole.answers and not self.session.code:
            claims_none = "claims nothing; name a file of answers, too"
            nothing = claims_none if self.answers is None else "holds no answers"
            self.session.say(f"note: {files.shown(self.answers or self.sheet)} {nothing}\n")

    def _claims(self) -> Iterator[StudentMarks]:
        """The marks of what each problem claims."""
        for done, source in self._solved():
            if (key := self._key(done)) is None:
                continue
            claimed, errors = claims(key)
            self.session.refuse(errors, source.line_text)
            made = ((key, mark) for mark in key.marks(claimed))
            yield self._marked(StudentMarks("", []), made)

    def _students(self, answers: str) -> Iterator[StudentMarks]:
        """What comes of each student's answers."""
        solved: dict[str, Key] = {}
        unsolved: set[str] = set()
        order: list[str] = []
        for done, _ in self._solved():
            key = self._key(done)
            name = (key.name if key else done.question.id or "").lower()
            order.append(name)
            if key is not None:
                solved[name] = key
                self.names.append(key.name)
            elif name:
                unsolved.add(name)
        keys = Keys(solved, frozenset(unsolved), "", order)
        for source in self.share.watched(inputs([answers])):
            if not isinstance(source, Source):
                self.session.refuse([source])
                continue
            keys.file = source.name
            known = Keys(keys.keys, keys.unsolved, source.name, keys.order)
            if self.variant is not None:
                known = known.of_version(str(self.variant))
            for paper in papers(source, known):
                version = known.version if paper.version is None else paper.version
                handed = StudentMarks(paper.student, [], paper.email, version)
                yield self._marked(handed, keys.marks(self._read(paper, keys, source)))
            if known.is_guessed:
                first, which = clean(known.order[0]), "--variant N, or a column named version"
                self.session.note(f"question 1 is {first}, and so on; {which}, says otherwise")

    def _read(self, paper: Paper, keys: Keys, source: Source) -> Submission:
        """The answers on a *paper*; what cannot be read of it is refused."""
        handed = Submission(paper.student)
        for one in paper.stated:
            if isinstance(one, DdcalcError):
                self.session.refuse([one], source.line_text)
                continue
            keys.add(handed, *one)
            self.session.refuse(handed.errors, source.line_text)
            handed.errors.clear()
        return handed

    def _marked(self, handed: StudentMarks, made: Iterator[tuple[Key, Mark]]) -> StudentMarks:
        """The marks that are *made* of what was *handed* in."""
        try:
            for key, mark in made:
                handed.marked.append((key.name, mark))
        except Exception as error:  # whatever we did not foresee costs these only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])
        return handed

    def _sources(self) -> Iterator[Source]:
        sources = inputs([self.sheet])
        for source in self.share.watched(sources) if self.answers is None else sources:
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])

    def _solved(self) -> Iterator[tuple[Solved, Source]]:
        """The problems of the sheet; what is wrong is refused, with what they claim unless that is
        marked."""
        for source in self._sources():
            for done in solved(source):
                later = done.of_claims if self.answers is None else []
                wrong = [error for error in done.errors if error not in later]
                self.session.refuse(wrong, source.line_text)
                if done.differs:
                    self._differs(done)
                yield done, source

    def _key(self, done: Solved) -> Key | None:
        """The key to a problem; None where it is not solved."""
        if done.derivation is None:
            return None
        return Key(done.question, done.derivation, decimal_comma=self.decimal_comma)

    def _differs(self, done: Solved) -> None:
        names = ", ".join(c.name for c in done.checks if c.ours and not c.agrees)
        where = clean(done.question.id or done.question.file)
        self.session.happened(DIFFERS)
        self.session.say(f"note: {where}: {names} differs from what the sheet expects\n")
