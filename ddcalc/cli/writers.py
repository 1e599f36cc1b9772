"""What ``solve`` prints, problem by problem, in each format; one writer for each."""

from __future__ import annotations

from typing import Protocol

from ddcalc.boundary.output import Output
from ddcalc.cli.present import Format, Steps, look
from ddcalc.sheet.batch import Solved


class Writer(Protocol):
    """Prints the problems of a batch one by one."""

    def begin(self) -> None:
        """Before the first problem."""

    def problem(self, done: Solved) -> None:
        """One problem, solved or not."""

    def end(self) -> None:
        """After the last problem, however the batch ended."""


def writer(form: Format, steps: Steps, out: Output, several: bool) -> Writer:
    """The writer for *form*."""
    match form:
        case Format.json:
            return Json(out, steps)
        case Format.ndjson:
            return Lines(out, steps)
        case Format.text if several and steps is Steps.none:
            return Summary(out)
        case Format.text:
            return Text(out, steps)
        case Format.markdown | Format.latex | Format.html:
            return Document(form, out, steps)


class Lines:
    """A JSON object a line, as each problem is solved."""

    def __init__(self, out: Output, steps: Steps) -> None:
        from ddcalc.render import data

        self.out, self.steps, self.data = out, steps is not Steps.none, data

    def begin(self) -> None:
        """Nothing stands before the first line."""

    def problem(self, done: Solved) -> None:
        self.out.write(self.data.dumped(self.data.solved_problem(done, self.steps)) + "\n")

    def end(self) -> None:
        """Nothing stands behind the last line."""


class Json:
    """One JSON document, complete however the batch ends."""

    def __init__(self, out: Output, steps: Steps) -> None:
        from ddcalc.render import data

        self.out, self.steps, self.data = out, steps is not Steps.none, data
        self.separator = "\n"

    def begin(self) -> None:
        self.out.write(f'{{"schema_version": {self.data.SCHEMA_VERSION}, "problems": [')

    def problem(self, done: Solved) -> None:
        told = self.data.dumped(self.data.solved_problem(done, self.steps))
        self.out.write(self.separator + told)
        self.separator = ",\n"

    def end(self) -> None:
        self.out.write("\n]}\n")


class Text:
    """Every problem in full or in brief, under its title, with its checks below."""

    def __init__(self, out: Output, steps: Steps) -> None:
        self.out, self.steps = out, steps
        self.first = True

    def begin(self) -> None:
        """Nothing stands before the first problem."""

    def problem(self, done: Solved) -> None:
        from ddcalc.render import results

        if done.derivation is None or done.errors:
            return
        told = "" if self.first else "\n"
        self.first = False
        self.out.write(told + results.problem(done, self.steps.value, look(self.out)))

    def end(self) -> None:
        """Nothing stands behind the last problem."""


class Summary:
    """A line a problem: what it is called, its answer, and whether stated answers agree."""

    def __init__(self, out: Output) -> None:
        self.out = out

    def begin(self) -> None:
        from ddcalc.render import results

        self.results, self.look = results, look(self.out)
        self.out.write(results.summary_head(self.look))

    def problem(self, done: Solved) -> None:
        self.out.write(self.results.summary(done, self.look))

    def end(self) -> None:
        """Nothing stands behind the last line."""


class Document:
    """One Markdown, LaTeX or HTML document with all problems."""

    def __init__(self, form: Format, out: Output, steps: Steps) -> None:
        from ddcalc.render import html, latex, markdown

        self.out, self.steps = out, steps
        self.format = {Format.markdown: markdown, Format.latex: latex, Format.html: html}[form]

    def begin(self) -> None:
        self.out.write(self.format.opening())

    def problem(self, done: Solved) -> None:
        if done.derivation is not None and not done.errors:
            title = done.question.title or done.question.id or ""
            body = self.format.section(done.derivation, self.steps.value, title=title)
            self.out.write(body)

    def end(self) -> None:
        self.out.write(self.format.closing())
