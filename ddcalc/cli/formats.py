"""Where a call writes, and in which of the formats that its command has."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ddcalc.boundary import files
from ddcalc.cli.session import Session, width
from ddcalc.errors import BadTarget, DdcalcError, Place
from ddcalc.render.whole import Look
from ddcalc.render.writers import JSON as JSON
from ddcalc.render.writers import PICTURES as PICTURES
from ddcalc.render.writers import WRITERS, Page, written
from ddcalc.render.writers import Format as Format


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


def shows_unused(form: Format, steps: Steps) -> bool:
    """Whether an answer in this format says what it does not use; else a note has to."""
    return form in JSON or (steps is Steps.full and form not in PICTURES)


def suffix(name: str | None) -> str:
    """The suffix of a file's *name*, in small letters."""
    return os.path.splitext(name or "")[1].lower()


def of_suffix(name: str | None) -> Format | None:
    """The format that the suffix of a file's *name* says."""
    end = suffix(name)
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
    def printed_json(self) -> bool:
        """Whether standard output is one object for scripts, as which errors are told, too: not of
        many problems, each of which has its own."""
        return self.output is None and self.form in JSON and self.formats[-1] not in REPORTS

    @property
    def look(self) -> Look:
        """How a text looks: printed with its width, colours and Unicode; the same in every file."""
        out = self.session.out
        return Look() if self.output is not None else Look(width(), out.colour, out.unicode)

    def check(self, *inputs: str) -> None:
        """Raise, before the work, what could not be written after it; *inputs* are files that
        stay."""
        self.inputs = inputs
        self._check_options()
        if self.output is None:
            return
        form, reason = of_suffix(self.output), ""
        if self.output == "-":
            reason = f"is not a file; without {self.option} the answer goes to standard output"
        elif form not in self.formats:
            named_none = f"its suffix names no format; use {named(self.formats)}"
            reason = "" if self.format in REPORTS else named_none
        elif self.format not in (None, form, Format.key):
            contrary = f"{suffix(self.output)} and --format {self.format} contradict each other"
            reason = f"{contrary}; leave --format away"
        if reason:
            raise self.refusal(reason)
        try:
            files.check(self.output, force=self.force or self.resume, inputs=inputs)
        except DdcalcError as error:
            raise error.about(self.option) from None

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

    def _check_options(self) -> None:
        """Raise what is wrong with the options beside the file."""
        lines = self.output is not None and self.form is Format.ndjson
        if self.resume and not lines:
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
        if self.force and self.output is None:
            raise BadTarget("--force goes with --output FILE").about("--force")
