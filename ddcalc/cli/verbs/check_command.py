"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Final

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks
from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import FileShare, Source, inputs
from ddcalc.cli.documents import Document, Page, below, report_page
from ddcalc.cli.formats import PAGES, Format, Steps, Target
from ddcalc.cli.options import argument, delivery, option, taking
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import refusing
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, Bug, DdcalcError, Repeated
from ddcalc.render import marks
from ddcalc.render.json import verb_data
from ddcalc.render.marks import Gradebook, Marked
from ddcalc.render.terminal.layout import Look
from ddcalc.sheet.answer_key import Key, claims
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.keys import Keys, without_version
from ddcalc.sheet.submissions import submissions

FORMATS: Final = (Format.text, Format.csv, *(form for form in PAGES if form is not Format.text))
FIRST: Final = 100  # students whose marks settle the width of the columns
HELP: Final = """\
A table (CSV) has one answer a row under the names student, problem, quantity,
answer; or one student a row and a column for each question, named problem or problem.quantity.
A column named version says which version of an exam a student had. In YAML: students: {ann:
{ps-epochs: {total: 588.47 s}}}.

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
        **delivered: Any,
    ) -> None:
        target = Target(FORMATS, **delivered)
        with refusing(session, target, None):
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
    answers to the *variant*, if one is stated. A table has a row for each of the answers, or of the
    students."""

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
        self.share = FileShare(inputs([self.answers or self.sheet]))
        session = self.session
        with Waiting(session, noun, rows=session.out, share=self.share, written=True) as progress:
            students = self._claims() if self.answers is None else self._students(self.answers)
            first = []
            for handed in islice(students, FIRST):
                first.append(handed)
                self.widths.fit(handed.student, handed.marked)
                progress.step()
            book = self._gradebook(first)
            with self._document(book) as document:
                for number, handed in enumerate(chain(first, students)):
                    self._count(handed)
                    document.add(self._page(handed, book))
                    if number >= len(first):
                        progress.step()
                self._note_nothing()

    def _gradebook(self, first: Sequence[StudentMarks]) -> Gradebook | None:
        """The columns of a table of students, as the *first* ones have them."""
        if self.of_answers:
            return None
        names = self.names
        if has_version := any(handed.version is not None for handed in first):
            names = [*dict.fromkeys(map(without_version, names))]
        return Gradebook(names, any(handed.email for handed in first), has_version)

    def _document(self, book: Gradebook | None) -> Document:
        head = marks.head() if book is None else book.head()
        return Document(
            self.target,
            self.session,
            "students",
            head=head if self.target.form is Format.csv else "",
            last=self._class,
            inputs=[name for name in (self.sheet, self.answers) if name],
        )

    def _page(self, handed: StudentMarks, book: Gradebook | None) -> Page:
        student, marked = handed.student, handed.marked

        def text(look: Look) -> str:
            self.widths.fit(student, marked)
            return marks.lines(student, marked, self.widths, look)

        def rows(_: Format) -> str:
            if book is not None:
                return book.row(handed)
            return "".join(marks.row(student, *one) for one in marked)

        return Page(
            report_page(marks.report(student, marked), Steps.full).blocks,
            lambda: verb_data.student_marks(handed),
            text,
            rows=rows,
        )

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

    def _count(self, handed: StudentMarks) -> None:
        self.tally.students += bool(handed.student)
        for problem, mark in handed.questions():
            self.tally.add(problem, mark)

    def _claims(self) -> Iterator[StudentMarks]:
        """The marks of what each problem claims."""
        for done, source in self._solved(claims_later=True):
            if (key := self._key(done, source)) is None:
                continue
            claimed, errors = claims(key, done)
            self.session.refuse(errors, source.line_text)
            if marked := list(self._marked((key, mark) for mark in key.marks(claimed))):
                yield StudentMarks("", marked)

    def _students(self, answers: str) -> Iterator[StudentMarks]:
        """The marks of each student."""
        keys: dict[str, Key] = {}
        unsolved: set[str] = set()
        order: list[str] = []
        for done, source in self._solved():
            key = self._key(done, source)
            name = (key.name if key else done.question.id or "").lower()
            order.append(name)
            if key is not None:
                keys[name] = key
                self.names.append(key.name)
            elif name:
                unsolved.add(name)
        for source in self._sources(answers):
            known = Keys(keys, frozenset(unsolved), source.name, order)
            if self.variant is not None:
                known = known.of_version(str(self.variant))
            for handed in submissions(source, known):
                self.session.refuse(handed.errors, source.line_text)
                if marked := list(self._marked(known.marks(handed))):
                    version = known.version if handed.version is None else handed.version
                    yield StudentMarks(handed.student, marked, handed.email, version)
            if known.is_guessed:
                first, which = clean(known.order[0]), "--variant N, or a column named version"
                self.session.say(
                    f"note: question 1 is {first}, and so on; {which}, says otherwise\n"
                )

    def _marked(self, marks: Iterable[tuple[Key, Mark]]) -> Iterator[Marked]:
        """The *marks* of a student, or of a problem's claims."""
        try:
            yield from ((key.name, mark) for key, mark in marks)
        except Exception as error:  # whatever we did not foresee costs these only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])

    def _sources(self, name: str) -> Iterator[Source]:
        marked = name == (self.answers or self.sheet)
        for source in self.share.watched(inputs([name])) if marked else inputs([name]):
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])

    def _solved(self, claims_later: bool = False) -> Iterator[tuple[Solved, Source]]:
        """The problems of the sheet; what is wrong is refused, with what they claim unless that is
        read as an answer later."""
        for source in self._sources(self.sheet):
            for done in solved(source):
                later = done.of_claims if claims_later else []
                wrong = [error for error in done.errors if error not in later]
                self.session.refuse(wrong, source.line_text)
                if done.differs:
                    self._differs(done)
                yield done, source

    def _key(self, done: Solved, source: Source) -> Key | None:
        """The key to a problem; None where it is not solved."""
        if done.derivation is None:
            return None
        key = Key(done.question, done.derivation, decimal_comma=self.decimal_comma)
        self.session.refuse(key.requirements.wrong, source.line_text)
        return key

    def _differs(self, done: Solved) -> None:
        names = ", ".join(c.name for c in done.checks if c.ours and not c.agrees)
        where = clean(done.question.id or done.question.file)
        self.session.happened(DIFFERS)
        self.session.say(f"note: {where}: {names} differs from what the sheet expects\n")
