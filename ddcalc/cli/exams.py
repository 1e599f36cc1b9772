"""Variants written out: the exam and its key, each in a format and to a place of its own."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Final

from ddcalc.boundary import files
from ddcalc.cli.session import Session
from ddcalc.errors import BadTarget, DdcalcError, Place

if TYPE_CHECKING:
    from ddcalc.ask.variants.versions import Version
    from ddcalc.render.blocks import Block
    from ddcalc.render.layout import Look


class ExamFormat(StrEnum):
    """What is printed."""

    yaml = "yaml"
    text = "text"
    markdown = "markdown"
    latex = "latex"
    html = "html"
    json = "json"
    key = "key"


_FORMATS: Final = {
    ".yaml": ExamFormat.yaml,
    ".yml": ExamFormat.yaml,
    ".txt": ExamFormat.text,
    ".md": ExamFormat.markdown,
    ".tex": ExamFormat.latex,
    ".html": ExamFormat.html,
    ".json": ExamFormat.json,
}
_NEW_PAGE: Final = "\\newpage\n"
_TOGETHER: Final = "\\filbreak\n"


@dataclass(frozen=True, slots=True)
class Target:
    """Where the exam goes (standard output, or a file) and its *key* (a file, or nowhere)."""

    format: ExamFormat | None
    output: str | None
    key: str | None
    force: bool

    @property
    def form(self) -> ExamFormat:
        """The format asked for, else that of the file, else a problem file."""
        return self.format or _FORMATS.get(_suffix(self.output), ExamFormat.yaml)

    def check(self, inputs: Sequence[str]) -> None:
        """Refuse now what could not be written after the work; *inputs* are files that stay."""
        if self.force and self.output is None and self.key is None:
            raise BadTarget("--force goes with --output FILE or --key FILE").about("force")
        for option, name in (("output", self.output), ("key", self.key)):
            if name is None:
                continue
            if _suffix(name) not in _FORMATS:
                told = "its suffix says no format; .yaml, .txt, .md, .tex, .html or .json does"
                raise BadTarget(told, Place(files.shown(name))).about(option)
            try:
                files.check(name, force=self.force, inputs=inputs)
            except DdcalcError as error:
                raise error.about(option) from None
        if self.key is not None and _suffix(self.key) in (".yaml", ".yml"):
            told = "a key is no problem file; .txt, .md, .tex, .html or .json says its format"
            raise BadTarget(told, Place(files.shown(self.key))).about("key")
        if self.output and self.key and _place(self.output) == _place(self.key):
            told = "is the exam's own file; choose another name"
            raise BadTarget(told, Place(files.shown(self.key))).about("key")
        if self.output and self.format not in (None, ExamFormat.key, self._of_output):
            told = f"{_suffix(self.output)} and --format {self.format} contradict each other"
            raise BadTarget(told, Place(files.shown(self.output))).about("output")

    def deliver(self, versions: Sequence[Version], seed: int, look: Look, session: Session) -> None:
        """Write the exam, then its key."""
        of_file = self._of_output or ExamFormat.text
        if self.form is ExamFormat.key:
            told = key(versions, of_file, look)
        else:
            told = exam(versions, self.form, seed, look)
        if self.output is None:
            session.out.write(told)
        else:
            self._write(self.output, told, session)
        if self.key is not None:
            self._write(self.key, key(versions, _FORMATS[_suffix(self.key)], look), session)

    @property
    def _of_output(self) -> ExamFormat | None:
        return _FORMATS.get(_suffix(self.output))

    def _write(self, name: str, told: str, session: Session) -> None:
        files.write(name, told, force=self.force)
        session.tell(f"wrote {files.shown(name)}\n")


def exam(versions: Sequence[Version], form: ExamFormat, seed: int, look: Look) -> str:
    """The sheets of all *versions*, or the problem file, in the format *form*."""
    from ddcalc.render import exam as rendered

    if form is ExamFormat.yaml:
        return rendered.problem_file(versions, seed)
    if form is ExamFormat.json:
        return _json(versions, steps=False)
    several = any(len(version) > 1 for version in versions)
    pages = (list(rendered.sheet(version)) for version in versions)
    return _document(pages, form, _NEW_PAGE if several else _TOGETHER, look)


def key(versions: Sequence[Version], form: ExamFormat, look: Look) -> str:
    """The key of all *versions* in the format *form*."""
    from ddcalc.render import exam as rendered

    if form is ExamFormat.json:
        return _json(versions, steps=True)
    return _document(rendered.key(versions), form, _TOGETHER, look)


def _document(pages: Iterable[list[Block]], form: ExamFormat, between: str, look: Look) -> str:
    match form:
        case ExamFormat.markdown:
            from ddcalc.render import markdown

            return "\n".join(map(markdown.page, pages))
        case ExamFormat.latex:
            from ddcalc.render import latex

            parts = list(map(latex.part, pages))
            return latex.opening() + between.join(parts) + latex.closing()
        case ExamFormat.html:
            from ddcalc.render import html

            return html.page(map(html.part, pages))
        case _:
            from ddcalc.render import manual

            return manual.page(chain.from_iterable(pages), look)


def _json(versions: Sequence[Version], steps: bool) -> str:
    from ddcalc.render import exam as rendered
    from ddcalc.render.data import dumped

    return dumped(rendered.data(versions, steps), 2) + "\n"


def _suffix(name: str | None) -> str:
    return os.path.splitext(name or "")[1].lower()


def _place(name: str) -> str:
    return os.path.realpath(name) if "\0" not in name else name
