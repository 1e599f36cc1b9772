"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Final

from ddcalc.ask.mark.grading import ClassTally, StudentMarks
from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import FileShare, Source, inputs
from ddcalc.cli.documents import Document, Page, below, report_page
from ddcalc.cli.formats import PAGES, Format, Steps, Target
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import Jobs, jobs
from ddcalc.cli.marking import (
    ANSWERS,
    MarkedStudent,
    MarkManner,
    PaperData,
    Remark,
    SheetText,
    in_pieces,
    paper_data,
    piece_marked,
    shared,
    shown,
)
from ddcalc.cli.options import argument, delivery, option, taking
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import refusing
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, Repeated
from ddcalc.files.answer_key import Key, claims
from ddcalc.files.batch import Solved, solved
from ddcalc.files.keys import Keys, without_version
from ddcalc.files.submissions import papers
from ddcalc.problem.catalog import is_sheet
from ddcalc.render import marks
from ddcalc.render.json import verb_data
from ddcalc.render.marks import Gradebook
from ddcalc.render.whole import Look

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
    *JOBS,
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
        **shared_out: Any,
    ) -> None:
        target = Target(FORMATS, format, output, force)
        with refusing(session, target, None):
            if is_sheet(sheet) and answers is None:
                from ddcalc.cli.sheets import check

                check(sheet, session)
                return
            workers = jobs(shared_out)
            target.check([name for name in (sheet, answers) if name])
            if rows is not None and target.form is not Format.csv:
                raise BadTarget("goes with --format csv").about("--rows")
            if answers is None and (rows is Rows.students or variant is not None):
                reason = "goes with a file of answers"
                raise BadTarget(reason).about("--rows" if variant is None else "--variant")
            of_answers, look = rows is Rows.answers or answers is None, target.look(session.out)
            manner = MarkManner(target.form.value, of_answers, look, session.short, session.debug)
            workers = workers if answers else Jobs()  # claims are marked here
            _Marking(session, target, sheet, answers, decimal_comma, variant, manner, workers).run()

    return taking(run, [*WORDS, *OPTIONS])


@dataclass
class _Marking:
    """*answers* to a *sheet* to be marked, or what it claims, and what has become of them; all are
    answers to the *variant*, if one is stated. They are shown in a *manner*, and marked by so many
    *jobs*."""

    session: Session
    target: Target
    sheet: str
    answers: str | None
    decimal_comma: bool
    variant: int | None
    manner: MarkManner
    jobs: Jobs
    tally: ClassTally = field(default_factory=ClassTally)
    widths: marks.Widths = field(default_factory=marks.Widths)
    names: list[str] = field(default_factory=list)  # of the problems that are solved
    share: FileShare = field(default_factory=lambda: FileShare(()))

    def run(self) -> None:
        """Mark everything."""
        if self.sheet == self.answers == "-":
            raise Repeated("-")
        noun = "problem" if self.answers is None else "student"
        self.share = FileShare(inputs([self.answers or self.sheet]))
        session = self.session
        with (
            Waiting(session, noun, rows=session.out, share=self.share, written=True) as progress,
            self.jobs.opened() as executor,
        ):
            students = self._marked(executor)
            first = []
            for one in islice(students, FIRST):
                first.append(one)
                if one.cells is not None:
                    self.widths.fit(one.cells)
                progress.step()
            book = self._gradebook(first)
            with self._document(book) as document:
                for number, one in enumerate(chain(first, students)):
                    self.tally.students += bool(one.student)
                    for entry in one.entries:
                        self.tally.add(entry)
                    document.put(self._text(one, book))
                    if number >= len(first):
                        progress.step()
                self._note_nothing()

    def _marked(self, executor: Executor | None) -> Iterator[MarkedStudent]:
        """Whoever has marks, after what is to be said of them and of others before."""
        students = (
            self._claims() if self.answers is None else self._students(self.answers, executor)
        )
        for one in students:
            for remark in one.remarks:
                self.session.remark(*remark)
            if one.entries:
                yield one

    def _gradebook(self, first: Sequence[MarkedStudent]) -> Gradebook | None:
        """The columns of a table of students, as the *first* ones have them."""
        if self.manner.answers or self.target.form is not Format.csv:
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

    def _text(self, one: MarkedStudent, book: Gradebook | None) -> str:
        """What is shown of a student."""
        if book is not None:
            return book.row(one.student, one.email, one.version, one.entries)
        if one.cells is None:
            return one.text
        self.widths.fit(one.cells)
        return marks.lines(one.cells, self.widths, Look(*self.manner.look))

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

    def _claims(self) -> Iterator[MarkedStudent]:
        """The marks of what each problem claims."""
        for done, source in self._solved():
            if (key := self._key(done)) is None:
                continue
            claimed, errors = claims(key)
            self.session.refuse(errors, source.line_text)
            made = ((key, mark) for mark in key.marks(claimed))
            yield shown(StudentMarks("", []), made, self.manner)

    def _students(self, answers: str, executor: Executor | None) -> Iterator[MarkedStudent]:
        """What comes of each student's answers."""
        keys: dict[str, Key] = {}
        unsolved: set[str] = set()
        order: list[str] = []
        text = None if executor is None else SheetText([], self.decimal_comma)
        for done, _ in self._solved(text):
            key = self._key(done)
            name = (key.name if key else done.question.id or "").lower()
            order.append(name)
            if key is not None:
                keys[name] = key
                self.names.append(key.name)
            elif name:
                unsolved.add(name)
        known = Keys(keys, frozenset(unsolved), "", order)
        pieces = in_pieces(self._papers(answers, known), 1 if text is None else ANSWERS)
        begun = [*islice(pieces, 0 if text is None else 2)]
        pieces = chain(begun, pieces)
        if text is not None and executor is not None and len(begun) > 1:
            yield from shared(pieces, text, self.manner, executor)
        else:
            for piece in pieces:
                yield from piece_marked(known, self.manner, piece)

    def _papers(self, answers: str, keys: Keys) -> Iterator[tuple[str, PaperData]]:
        """What each student has handed in, and beside students what is to be said."""
        for source in self.share.watched(inputs([answers])):
            if not isinstance(source, Source):
                yield "", _aside(self.manner.remark(source))
                continue
            known = Keys(keys.keys, keys.unsolved, source.name, keys.order)
            if self.variant is not None:
                known = known.of_version(str(self.variant))
            for paper in papers(source, known):
                version = known.version if paper.version is None else paper.version
                yield source.name, paper_data(paper, version, source.line_text, self.manner)
            if known.is_guessed:
                first, which = clean(known.order[0]), "--variant N, or a column named version"
                note = f"note: question 1 is {first}, and so on; {which}, says otherwise\n"
                yield "", _aside((None, note))

    def _sources(self) -> Iterator[Source]:
        sources = inputs([self.sheet])
        for source in self.share.watched(sources) if self.answers is None else sources:
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])

    def _solved(self, text: SheetText | None = None) -> Iterator[tuple[Solved, Source]]:
        """The problems of the sheet, whose *text* is kept where it is wanted; what is wrong is
        refused, with what they claim unless that is marked."""
        for source in self._sources():
            for done in solved(source) if text is None else text.solved(source):
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


def _aside(remark: Remark) -> PaperData:
    """What is to be said beside students, in its place among them."""
    return PaperData("", "", None, [remark], {})
