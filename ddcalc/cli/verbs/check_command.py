"""The verb ``check``: every student's answers marked, and shown as they are read."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import Final

from ddcalc.ask.mark.grading import ClassTally, without_version
from ddcalc.boundary import files
from ddcalc.cli.documents import PAGES, Document, Format, Page, Steps, Target, report_page
from ddcalc.cli.marking import Marking
from ddcalc.cli.options import argument
from ddcalc.cli.session import Waiting
from ddcalc.cli.subject import Call, verb
from ddcalc.errors import BadTarget, Repeated
from ddcalc.problem.known.catalog import is_sheet
from ddcalc.render.json.verb_data import class_marks, student_marks
from ddcalc.render.papers import marks
from ddcalc.render.papers.marks import Gradebook
from ddcalc.schedule.watching import tell

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
)


@verb(OPTIONS, FORMATS)
def command(call: Call, sheet: str, answers: str | None) -> None:
    """Marks of *answers* to a *sheet*, or of what it claims itself."""
    if is_sheet(sheet) and answers is None:
        from ddcalc.cli.verbs.show_command import examine

        examine(sheet, call.session)
        return
    session, target = call.session, call.target
    target.check(*(name for name in (sheet, answers) if name))
    if answers is None and target.form is Format.csv:
        raise BadTarget("goes with a file of answers").about("--format csv")
    if sheet == answers == "-":
        raise Repeated("-")
    marking, tally = Marking(session, sheet, answers), ClassTally()
    with Waiting(session, among=target.output is None):
        _write(marking, target, tally)
    if not tally.whole.answers and not session.code:
        claims_none = "claims nothing; name a file of answers, too"
        nothing = claims_none if answers is None else "holds no answers"
        session.say(f"note: {files.shown(answers or sheet)} {nothing}\n")


def _write(marking: Marking, target: Target, tally: ClassTally) -> None:
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

    with Document(target, "students", head=head, last=last).opened() as document:
        for one in chain(first, students):
            tally.add(one)
            if form is Format.csv:
                document.put(book.row(one))
            else:
                document.add(Page(partial(marks.page, one, TITLE), partial(student_marks, one)))
            tell("student")
