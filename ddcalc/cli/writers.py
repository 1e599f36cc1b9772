"""What ``solve`` prints, problem by problem, in each format; a writer each."""

from __future__ import annotations

from typing import Protocol

from ddcalc.boundary.output import Output
from ddcalc.cli.present import Format, Steps, look
from ddcalc.render.terminal.layout import Look
from ddcalc.sheet.batch import Solved


class Writer(Protocol):
    """Prints the problems of a batch one by one."""

    def begin(self) -> str:
        """What stands before the first problem."""

    def problem(self, done: Solved) -> str:
        """What is told of one problem, solved or not."""

    def end(self) -> str:
        """What stands behind the last problem, however the batch ended."""


def writer(form: Format, steps: Steps, out: Output, several: bool) -> Writer:
    """The writer for *form*."""
    match form:
        case Format.json:
            return Json(steps)
        case Format.ndjson:
            return Lines(steps)
        case Format.text if several and steps is Steps.none:
            return Summary(look(out))
        case Format.text:
            return Text(look(out), steps)
        case Format.markdown | Format.latex | Format.html:
            return Document(form, steps)


class Lines:
    """A JSON object a line, as each problem is solved."""

    def __init__(self, steps: Steps) -> None:
        from ddcalc.render import json as data

        self.steps, self.data = steps is not Steps.none, data

    def begin(self) -> str:
        return ""

    def problem(self, done: Solved) -> str:
        return self.data.dumped(self.data.solved_problem(done, self.steps)) + "\n"

    def end(self) -> str:
        return ""


class Json(Lines):
    """One JSON document."""

    separator = "\n"

    def begin(self) -> str:
        return f'{{"schema_version": {self.data.SCHEMA_VERSION}, "problems": ['

    def problem(self, done: Solved) -> str:
        told = self.separator + super().problem(done).rstrip()
        self.separator = ",\n"
        return told

    def end(self) -> str:
        return "\n]}\n"


class Text:
    """Every problem in full or in brief, under its title, with its checks below."""

    def __init__(self, look: Look, steps: Steps) -> None:
        from ddcalc.render import pages
        from ddcalc.render.terminal import screen

        self.pages, self.screen, self.look, self.steps = pages, screen, look, steps
        self.separator = ""

    def begin(self) -> str:
        return ""

    def problem(self, done: Solved) -> str:
        if not done.answered:
            return ""
        told = self.separator + self.screen.page(
            self.pages.problem(done, self.steps.value), self.look
        )
        self.separator = "\n"
        return told

    def end(self) -> str:
        return ""


class Summary:
    """A line a problem: what it is called, its answer, and whether stated answers agree."""

    def __init__(self, look: Look) -> None:
        from ddcalc.render.terminal import screen

        self.screen, self.look = screen, look

    def begin(self) -> str:
        return self.screen.summary_head(self.look)

    def problem(self, done: Solved) -> str:
        return self.screen.summary(done, self.look)

    def end(self) -> str:
        return ""


class Document:
    """One Markdown, LaTeX or HTML document with all problems."""

    def __init__(self, form: Format, steps: Steps) -> None:
        from ddcalc.render import pages
        from ddcalc.render.markup import html, latex, markdown

        self.page, self.steps = pages.problem, steps.value
        self.format = {Format.markdown: markdown, Format.latex: latex, Format.html: html}[form]

    def begin(self) -> str:
        return str(self.format.opening())

    def problem(self, done: Solved) -> str:
        return str(self.format.part(self.page(done, self.steps))) if done.answered else ""

    def end(self) -> str:
        return str(self.format.closing())
