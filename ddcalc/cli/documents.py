"""Where a call writes, in which of its command's formats: a page, or many as they come."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from ddcalc.boundary import files
from ddcalc.boundary.signals import Terminated
from ddcalc.cli.session import Session, width
from ddcalc.errors import BadTarget, DdcalcError, Missing, Place, blaming
from ddcalc.render.whole import Look
from ddcalc.render.writers import JSON as JSON
from ddcalc.render.writers import PICTURES as PICTURES
from ddcalc.render.writers import WRITERS, dumped, written
from ddcalc.render.writers import Format as Format
from ddcalc.render.writers import Page as Page

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.problem.problem import Problem
    from ddcalc.problem.said.steps import Chart, Report


class Steps(StrEnum):
    """How much of a derivation is printed."""

    none = "none"
    brief = "brief"
    full = "full"


LINES: Final = (Format.csv, Format.ndjson)  # a row or an object a line, written as they come
PAGES: Final = (Format.text, Format.markdown, Format.latex, Format.html, *JSON)
REPORTS: Final = (Format.junit, Format.github)  # for continuous integration
DRAWN: Final = (*PAGES, *PICTURES)  # of what has a picture
PLOTTED: Final = (*PAGES, Format.csv, *PICTURES)  # of what has points and a chart


def shows_unused(form: Format, steps: Steps | None) -> bool:
    """Whether an answer in this format says what it does not use; else a note has to."""
    return form in JSON or (steps is Steps.full and form not in PICTURES)


def of_suffix(name: str | None) -> Format | None:
    """The format that the suffix of a file's *name* says."""
    end = os.path.splitext(name or "")[1].lower()
    return next((form for form, one in WRITERS.items() if end in one.endings), None)


def named(formats: Sequence[Format]) -> str:
    """The suffixes of *formats* in a message.

    >>> named(PAGES)
    '.txt, .md, .tex, .html, .json or .ndjson'
    """
    *most, last = (WRITERS[form].endings[0] for form in formats if WRITERS[form].endings)
    return f"{', '.join(most)} or {last}" if most else last


@dataclass
class Target:
    """Where a call of a *session* writes, and in which of *formats*, the usual one first: standard
    output, or the file *output*, which replaces another one by *force* only, never one of *inputs*,
    and goes on with it by *resume*."""

    session: Session
    formats: Sequence[Format]
    format: Format | None = None
    output: str | None = None
    force: bool = False
    option: str = "--output"
    resume: bool = False
    inputs: Sequence[str] = ()

    @property
    def form(self) -> Format:
        """The format asked for, else that of the file, else the usual one."""
        return self.format or of_suffix(self.output) or self.formats[0]

    @property
    def look(self) -> Look:
        """How a text looks: printed with its width, colours and Unicode; the same in every file."""
        out = self.session.out
        return Look() if self.output is not None else Look(width(), out.colour, out.unicode)

    def check(self, *inputs: str) -> None:
        """Raise, before the work, what could not be written after it; *inputs* are files that
        stay."""
        self.inputs, form, wrong = inputs, of_suffix(self.output), ""
        if self.resume and (self.output is None or self.form is not Format.ndjson):
            raise BadTarget("--resume goes with --output FILE.ndjson").about("--resume")
        if self.resume and self.force:
            reason = "--resume goes on with a file, which --force would replace; leave one away"
            raise BadTarget(reason).about("--resume")
        if self.form in PICTURES:
            from ddcalc.render import pictures

            if wrong := pictures.missing():
                raise BadTarget(wrong).about(self.option if self.output else "--format")
            if self.output is None and self.form is not Format.svg:
                raise BadTarget(f"goes into a file: --output FILE.{self.form}").about("--format")
        if self.output is None and self.force:
            raise BadTarget("--force goes with --output FILE").about("--force")
        if self.output is None:
            return
        if self.output == "-":
            wrong = f"is not a file; without {self.option} the answer goes to standard output"
        elif form not in self.formats and self.format not in REPORTS:
            wrong = f"its suffix names no format; use {named(self.formats)}"
        elif form in self.formats and self.format not in (None, form, Format.key):
            ending = os.path.splitext(self.output)[1].lower()
            wrong = f"{ending} and --format {self.format} contradict each other"
            wrong += "; leave --format away"
        if wrong:
            raise self.refusal(wrong)
        with blaming(self.option):
            files.check(self.output, force=self.force or self.resume, inputs=inputs)

    def refusal(self, reason: str) -> DdcalcError:
        """The error that the file's name does not do, for a *reason*."""
        return BadTarget(reason, Place(files.shown(self.output or ""))).about(self.option)

    def write(self, made: str | bytes) -> None:
        """Write what was *made* into the file, or a text to standard output where there is none."""
        data = made if isinstance(made, bytes) else made.encode("utf-8", "backslashreplace")
        if self.output is None:
            self.session.out.write(data.decode())
            return
        with files.whole(self.output, self.force, self.inputs) as file:
            file.write(data)
        self.session.say(f"wrote {files.shown(self.output)}\n")

    def deliver(self, page: Page) -> None:
        """Write a *page* alone."""
        self.write(written(page, self.form, self.look))

    def refuse(self, error: DdcalcError, problem: type[Problem] | None) -> None:
        """Refuse what is wrong, parameters that stand in no file as the options of *problem* or of
        a verb that they are; where one object of JSON is printed, as that too."""
        singles = error.singles()
        # not of many problems, each of which has its own
        is_one = self.output is None and self.form in JSON and self.formats[-1] not in REPORTS
        if is_one and singles:
            from ddcalc.render import json

            failed = json.failed(singles, problem.slug if problem else None)
            self.session.out.write(dumped(failed, 2 if self.form is Format.json else None))
        for single in singles:
            if single.parameter and not (single.place and single.place.file):
                name = re.sub(r"\W.*", "", single.parameter, flags=re.DOTALL)
                option = f"--{name.replace('_', '-')}" if name else ""
                single.parameter = option + single.parameter.removeprefix(name)
            if problem is not None and isinstance(single, Missing):
                flags = (f"--{name.replace('_', '-')}" for name in single.names)
                single.names = [flag.replace(" or ", " or --") for flag in flags]
        self.session.refuse(singles)


def report_page(
    report: Report, steps: Steps, extra: Callable[[], Any] = dict, charts: Sequence[Chart] = ()
) -> Page:
    """The *report* of a verb as a page, with *charts* below its answer; *extra* is what stands
    before it in JSON."""
    from ddcalc.render import pages
    from ddcalc.render.json import verb_data

    return Page(
        lambda: pages.report(report, steps.value, charts=charts),
        lambda: {**extra(), **verb_data.report(report, steps is not Steps.none)},
    )


@dataclass
class Document:
    """The pages of one call, *many* things by name, written as they come: what is finished stays
    readable however the call ends. A file has all of them or none; a *journal* is written on.

    A web page is called *title*. *head* stands above the pages of a text or a table, and
    *between*, by format, between two pages; what *last* gives is the page after all others.
    """

    target: Target
    many: str
    title: str = ""
    head: str = ""
    between: Mapping[Format, str] = field(default_factory=dict)
    last: Callable[[], Page | None] = lambda: None
    journal: Journal | None = None
    _empty: bool = True
    _file: Journal | BinaryIO | None = None

    def __post_init__(self) -> None:
        self.form, self.look = self.target.form, self.target.look
        self.title = self.title or f"ddcalc: {self.many}"
        self.between = {Format.text: "\n", Format.markdown: "\n", **self.between}
        if self.form is Format.json:
            self.between = {Format.json: ",\n"}

    @contextmanager
    def opened(self) -> Iterator[Document]:
        """The document itself, which begins now and has its end in the end."""
        target, self._file = self.target, self.journal
        with ExitStack() as stack:
            if target.output is not None and self._file is None:
                file = files.whole(target.output, target.force, target.inputs)
                self._file = stack.enter_context(file)
            before = self.head or WRITERS[self.form].frame(self.title)[0]
            if self.form is Format.json:
                from ddcalc.render.json import SCHEMA_VERSION

                before = f'{{"schema_version": {SCHEMA_VERSION}, "{self.many}": ['
            self.write(before)
            try:
                yield self
            except (KeyboardInterrupt, Terminated):
                self.write(self._end())
                raise
            self.write(self._end())
        if target.output is not None:
            target.session.say(f"wrote {files.shown(target.output)}\n")

    def add(self, page: Page) -> None:
        """Write one more page."""
        self.put(WRITERS[self.form].part(page, self.look))

    def put(self, text: str, *, close: bool = False) -> None:
        """Write the *text* of one more page, with what parts it from the page before, unless it is
        a line *close* to that."""
        if not text:
            return
        first = "\n" if self.form is Format.json else ""
        between = first if self._empty else self.between.get(self.form, "") * (not close)
        self._empty = False
        self.write(between + text)

    def write(self, text: str) -> None:
        """Write *text*, made here."""
        if self._file is None:
            self.target.session.out.write(text)
        else:
            self._file.write(text.encode("utf-8", "backslashreplace"))

    def _end(self) -> str:
        page = self.last()
        if self.form is Format.json:
            more = f", {dumped(page.data())[1:]}" if page and page.data else "}\n"
            return f"\n]{more}"
        closing = WRITERS[self.form].frame(self.title)[1]
        if page is None:
            return closing
        between = self.between.get(self.form, "")
        return between + WRITERS[self.form].part(page, self.look) + closing
