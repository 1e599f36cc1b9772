"""What ``check`` prints, student by student, in each format; a marker each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ddcalc.ask.mark.grading import ClassTally
from ddcalc.boundary.output import Output
from ddcalc.cli.mark_format import MarkFormat
from ddcalc.cli.present import look
from ddcalc.render import marks
from ddcalc.render.layout import Look
from ddcalc.render.marks import Marked


class Marker(Protocol):
    """Prints the marks of students one by one."""

    def begin(self) -> str:
        """What stands before the first student."""

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        """The marks of one student."""

    def end(self, tally: ClassTally) -> str:
        """What stands behind the last student, however the call ended: the class."""


def marker(form: MarkFormat, out: Output, first: Iterable[tuple[str, Sequence[Marked]]]) -> Marker:
    """The marker for *form*; *first* are the students whose marks settle the columns."""
    match form:
        case MarkFormat.text:
            widths = marks.Widths()
            for student, marked in first:
                widths.fit(student, marked)
            return Text(look(out), widths)
        case MarkFormat.csv:
            return Rows()
        case MarkFormat.json:
            return Json()
        case MarkFormat.ndjson:
            return Lines()
        case MarkFormat.markdown | MarkFormat.latex | MarkFormat.html:
            return Document(form)


class Text:
    """The marks below each other, and the class below them where it is one."""

    def __init__(self, look: Look, widths: marks.Widths) -> None:
        self.look, self.widths = look, widths

    def begin(self) -> str:
        return ""

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        self.widths.fit(name, marked)
        return marks.lines(name, marked, self.widths, self.look)

    def end(self, tally: ClassTally) -> str:
        if tally.students < 2:
            return ""
        from ddcalc.render import report

        return "\n" + report.text(marks.class_report(tally), "full", self.look)


class Rows:
    """A table with a mark a row."""

    def begin(self) -> str:
        return marks.head()

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        return "".join(marks.row(name, problem, mark) for problem, mark in marked)

    def end(self, tally: ClassTally) -> str:
        return ""


class Lines:
    """A JSON object a student, then one of the class."""

    def begin(self) -> str:
        return ""

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        from ddcalc.render.data import dumped

        return dumped(marks.data(name, marked)) + "\n"

    def end(self, tally: ClassTally) -> str:
        from ddcalc.render.data import dumped

        return dumped({"class": marks.class_data(tally)}) + "\n"


class Json(Lines):
    """One JSON document."""

    separator = "\n"

    def begin(self) -> str:
        from ddcalc.render.data import SCHEMA_VERSION

        return f'{{"schema_version": {SCHEMA_VERSION}, "students": ['

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        told = self.separator + super().student(name, marked).rstrip()
        self.separator = ",\n"
        return told

    def end(self, tally: ClassTally) -> str:
        return f"\n], {super().end(tally)[1:]}"


class Document:
    """One Markdown, LaTeX or HTML document with all students and the class."""

    def __init__(self, form: MarkFormat) -> None:
        from ddcalc.render import html, latex, markdown, report

        self.page = report.page
        self.format = {
            MarkFormat.markdown: markdown,
            MarkFormat.latex: latex,
            MarkFormat.html: html,
        }[form]

    def begin(self) -> str:
        return str(self.format.opening())

    def student(self, name: str, marked: Sequence[Marked]) -> str:
        return str(self.format.part(self.page(marks.report(name, marked))))

    def end(self, tally: ClassTally) -> str:
        of_class = self.page(marks.class_report(tally)) if tally.students > 1 else ()
        return f"{self.format.part(of_class) if of_class else ''}{self.format.closing()}"
