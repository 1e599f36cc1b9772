"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Final

from ddcalc.ask.mark.grading import ClassTally, StudentMarks, without_version
from ddcalc.boundary import files
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import PAGES, Document, Format, Page, Steps, Target, report_page
from ddcalc.cli.options import argument, option, switch
from ddcalc.cli.session import Session, Waiting
from ddcalc.cli.subject import Call, tell_differing, verb
from ddcalc.errors import BadTarget, Bug, DdcalcError, Repeated
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import solved
from ddcalc.files.keys import Keys, Paper, keys_of
from ddcalc.files.submissions import papers
from ddcalc.problem.catalog import is_sheet
from ddcalc.render import marks
from ddcalc.render.json.verb_data import class_marks, student_marks
from ddcalc.render.marks import Gradebook

FORMATS: Final = (Format.text, Format.csv, *(form for form in PAGES if form is not Format.text))
TITLE: Final = "Stated answers"  # above those of nobody
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
    switch("--decimal-comma", "Answers have decimal commas: 1.234,5 s."),
    option("--variant", int | None, "The version that all students had.", min=1, metavar="N"),
)


@verb(OPTIONS, FORMATS)
def command(
    call: Call, sheet: str, answers: str | None, decimal_comma: bool, variant: int | None
) -> None:
    """Marks of *answers* to a *sheet*, or of what it claims itself."""
    if is_sheet(sheet) and answers is None:
        from ddcalc.cli.verbs.show_command import examine

        examine(sheet, call.session)
        return
    session, target = call.session, call.target
    target.check(*(name for name in (sheet, answers) if name))
    if answers is None and (target.form is Format.csv or variant is not None):
        reason = "goes with a file of answers"
        raise BadTarget(reason).about("--format csv" if variant is None else "--variant")
    if sheet == answers == "-":
        raise Repeated("-")
    marking, tally = _Marking(session, sheet, answers, decimal_comma, variant), ClassTally()
    with Waiting(session, "student" if answers else "problem", rows=session.out) as progress:
        _write(marking, target, progress, tally)
    if not tally.whole.answers and not session.code:
        claims_none = "claims nothing; name a file of answers, too"
        nothing = claims_none if answers is None else "holds no answers"
        session.say(f"note: {files.shown(answers or sheet)} {nothing}\n")


def _write(marking: _Marking, target: Target, progress: Waiting, tally: ClassTally) -> None:
    """Write all marks, in a table a student a row; then what is to be said of the class."""
    form, students = target.form, (one for one in marking.students() if one.marked)
    first = [*islice(students, 1)]  # who tells which columns a book has
    names, has_version = marking.names, any(one.version is not None for one in first)
    if has_version:
        names = [*dict.fromkeys(map(without_version, names))]
    book = Gradebook(names, has_version)
    head = book.head() if form is Format.csv else ""

    def last() -> Page:
        """The page of the whole class, where it is one."""
        data = {"class": class_marks(tally)}
        if tally.whole.answers > 1:
            return replace(report_page(marks.class_report(tally), Steps.full), data=lambda: data)
        return Page(data=lambda: data)

    document = Document(target, "students", head=head, last=last)
    with document.opened():
        for one in chain(first, students):
            tally.add(one)
            if form is Format.csv:
                document.put(book.row(one))
            else:
                document.add(Page(partial(marks.page, one, TITLE), partial(student_marks, one)))
            progress.step()


@dataclass
class _Marking:
    """*answers* to a *sheet* to be marked, or what it claims, and what has become of them; all are
    answers to the *variant*, if one is stated."""

    session: Session
    sheet: str
    answers: str | None
    decimal_comma: bool
    variant: int | None
    names: list[str] = field(default_factory=list)  # of the problems that are solved

    def students(self) -> Iterator[StudentMarks]:
        """What comes of each student's answers, or of what each problem claims."""
        known, session = dict[str, tuple[Key, ...]](), self.session
        for source in self._sources(self.sheet):
            for done in solved(source):
                # what is claimed is refused later, unless that is marked
                its = (done, *done.parts)
                later = [e for x in its for e in x.of_claims if not self.answers]
                session.refuse([e for e in done.errors if e not in later], source.line_text)
                tell_differing(done, (y for x in its for y in (*x.checks, *x.limits)), session)
                keys = keys_of(done, decimal_comma=self.decimal_comma)
                if self.answers is None:
                    of_one = Keys(keys, source.name)
                    yield self._marked(of_one, of_one.claims(), source)
                known |= keys
        for source in self._sources(self.answers) if self.answers is not None else ():
            of_sheet = Keys(known, source.name)
            self.names = of_sheet.names
            if self.variant is not None:
                of_sheet = of_sheet.of_version(str(self.variant))
            for paper in papers(source, of_sheet):
                yield self._marked(of_sheet, paper, source)

    def _marked(self, keys: Keys, paper: Paper, source: Source) -> StudentMarks:
        """The marks of what a *paper* states; what could not be read is refused."""
        try:
            handed, wrong = keys.marked(paper)
            self.session.refuse(wrong, source.line_text)
            return handed
        except Exception as error:  # whatever we did not foresee costs these only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])
            return StudentMarks(paper.student, [])

    def _sources(self, name: str) -> Iterator[Source]:
        """The files that *name* means; what cannot be opened is refused."""
        for source in inputs([name]):
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])
