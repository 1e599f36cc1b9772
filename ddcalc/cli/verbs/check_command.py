"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from typing import Any, Final, Literal

from ddcalc.ask.mark.grading import ClassTally, Mark, StudentMarks, without_version
from ddcalc.ask.mark.judge import StatedAnswers
from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import Document, Page, below, entry, report_page
from ddcalc.cli.formats import JSON, PAGES, Format, Steps, Target
from ddcalc.cli.options import argument, option
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import Call, calling
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadTarget, Bug, DdcalcError, Repeated
from ddcalc.files.answer_key import Key, claims
from ddcalc.files.batch import Solved, solved
from ddcalc.files.keys import Keys, keys_of, marked
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


OPTIONS: Final = (
    argument("SHEET", str, "The problem file, or - for stdin.", "sheet"),
    argument(
        "ANSWERS",
        str | None,
        "Answers: CSV, YAML or JSON; without them, what the sheet itself claims is marked.",
        "answers",
    ),
    option("--decimal-comma", bool, "Answers have decimal commas: 1.234,5 s.", False),
    option("--variant", int | None, "The version that all students had.", min=1, metavar="N"),
    option(
        "--rows",
        Literal["students", "answers"] | None,
        "With --format csv, a row for each of these. (default: students)",
        metavar="students|answers",
    ),
)


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""

    def run(
        call: Call,
        sheet: str,
        answers: str | None,
        decimal_comma: bool,
        variant: int | None,
        rows: str | None,
    ) -> None:
        if is_sheet(sheet) and answers is None:
            from ddcalc.cli.sheets import check

            check(sheet, session)
            return
        target = call.target
        target.check(*(name for name in (sheet, answers) if name))
        if rows is not None and target.form is not Format.csv:
            raise BadTarget("goes with --format csv").about("--rows")
        if answers is None and (rows == "students" or variant is not None):
            reason = "goes with a file of answers"
            raise BadTarget(reason).about("--rows" if variant is None else "--variant")
        if sheet == answers == "-":
            raise Repeated("-")
        marking = _Marking(session, sheet, answers, decimal_comma, variant)
        with Waiting(session, "student" if answers else "problem", rows=session.out) as progress:
            _write(marking, target, progress, answers is not None and rows != "answers")
        if not marking.tally.whole.answers and not session.code:
            claims_none = "claims nothing; name a file of answers, too"
            nothing = claims_none if answers is None else "holds no answers"
            session.say(f"note: {files.shown(answers or sheet)} {nothing}\n")

    return calling(run, OPTIONS, FORMATS, session)


def _write(marking: _Marking, target: Target, progress: Waiting, book: bool) -> None:
    """Write all marks, a student a row of a *book* where that is wanted, then the class; the first
    students settle how wide the columns are, and which there are."""
    form, tally, widths = target.form, marking.tally, marks.Widths()
    students = (one for one in marking.students() if one.marked)
    first = []
    for one in islice(students, FIRST):
        first.append(one)
        widths.fit(one)
        progress.step()
    gradebook = marking.gradebook(first) if book and form is Format.csv else None
    head = gradebook.head() if gradebook else marks.head()
    head = head if form is Format.csv else ""
    with Document(
        target, "students", head=head, last=partial(_of_class, tally)
    ).opened() as document:
        for number, one in enumerate(chain(first, students)):
            tally.students += bool(one.student)
            marks.counted_in(tally, one)
            widths.fit(one)
            document.put(gradebook.row(one) if gradebook else _text(one, widths, target))
            if number >= len(first):
                progress.step()


def _text(one: StudentMarks, widths: marks.Widths, target: Target) -> str:
    """What is shown of a student."""
    form, look = target.form, target.look
    if form is Format.text:
        return marks.lines(one, widths, look)
    if form is Format.csv:
        return "".join(marks.row(one.student, *marked) for marked in one.marked)
    if form in JSON:
        return entry(Page(data=lambda: verb_data.student_marks(one)), form, look)
    return entry(report_page(marks.report(one), Steps.full), form, look)


def _of_class(tally: ClassTally) -> Page:
    """The page of the whole class, where it is one."""

    def data() -> Any:
        return {"class": verb_data.class_marks(tally)}

    report = report_page(marks.class_report(tally), Steps.full)
    if tally.whole.answers < 2 or report.blocks is None:
        return Page(data=data, text=lambda _: "")
    return below(report.blocks, data)


@dataclass
class _Marking:
    """*answers* to a *sheet* to be marked, or what it claims, and what has become of them; all are
    answers to the *variant*, if one is stated."""

    session: Session
    sheet: str
    answers: str | None
    decimal_comma: bool
    variant: int | None
    tally: ClassTally = field(default_factory=ClassTally)
    names: list[str] = field(default_factory=list)  # of the problems that are solved

    def gradebook(self, first: Sequence[StudentMarks]) -> Gradebook:
        """The columns of a table of students, as the *first* ones have them."""
        names, has_version = self.names, any(one.version is not None for one in first)
        if has_version:
            names = [*dict.fromkeys(map(without_version, names))]
        return Gradebook(names, has_version)

    def students(self) -> Iterator[StudentMarks]:
        """What comes of each student's answers, or of what each problem claims."""
        solved: dict[str, Key | None] = {}
        for source, done in self._solved():
            keys = keys_of(done, decimal_comma=self.decimal_comma)
            solved |= keys if self.answers is not None else {}
            read: dict[Key, StatedAnswers] = {}
            for key in filter(None, keys.values()) if self.answers is None else ():
                read[key], errors = claims(key)
                self.session.refuse(errors, source.line_text)
            if read:
                yield self._marked(StudentMarks("", []), marked(read, read), source)
        for source in self._sources(self.answers) if self.answers is not None else ():
            known = Keys(solved, source.name)
            self.names = known.names
            if self.variant is not None:
                known = known.of_version(str(self.variant))
            for paper in papers(source, known):
                version = known.version if paper.version is None else paper.version
                handed = StudentMarks(paper.student, [], version)
                yield self._marked(handed, known.marks(paper), source)

    def _marked(
        self,
        handed: StudentMarks,
        made: Iterator[tuple[Key, Mark] | DdcalcError],
        source: Source,
    ) -> StudentMarks:
        """The marks that are *made* of what was *handed* in; what could not be read is refused."""
        try:
            for one in made:
                if isinstance(one, DdcalcError):
                    self.session.refuse([one], source.line_text)
                else:
                    key, mark = one
                    handed.marked.append((key.name, mark))
        except Exception as error:  # whatever we did not foresee costs these only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])
        return handed

    def _sources(self, name: str) -> Iterator[Source]:
        """The files that *name* means; what cannot be opened is refused."""
        for source in inputs([name]):
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])

    def _solved(self) -> Iterator[tuple[Source, Solved]]:
        """The problems of the sheet; what is wrong is refused, with what they claim unless that is
        marked."""
        for source in self._sources(self.sheet):
            for done in solved(source):
                later = [e for x in (done, *done.parts) for e in x.of_claims if not self.answers]
                wrong = [error for error in done.errors if error not in later]
                self.session.refuse(wrong, source.line_text)
                if done.differs:
                    names = ", ".join(c.name for c in done.checks if c.ours and not c.agrees)
                    where = clean(done.question.id or done.question.file)
                    self.session.happened(DIFFERS)
                    note = f"note: {where}: {names} differs from what the sheet expects\n"
                    self.session.say(note)
                yield source, done
