"""What a type command writes and where to: a file's suffix says its format."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

from ddcalc.ask.solve import Derivation
from ddcalc.cli.present import Format, Steps
from ddcalc.cli.session import Session
from ddcalc.errors import BadTarget, DdcalcError, Missing, Place
from ddcalc.problem.steps import Exchange

_FORMATS: Final = {
    ".txt": Format.text,
    ".md": Format.markdown,
    ".markdown": Format.markdown,
    ".tex": Format.latex,
    ".html": Format.html,
    ".htm": Format.html,
    ".json": Format.json,
    ".ndjson": Format.ndjson,
}
_PICTURE: Final = ".svg"
_PROBLEM_FILES: Final = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The options of every type command: what of the answer is told, how, and where."""

    find: str | None
    where: list[str] | None
    as_yaml: bool
    hint: int | None
    unit: str | None
    steps: Steps
    format: Format | None
    output: str | None
    force: bool

    @property
    def form(self) -> Format:
        """The format of the answer: the one asked for, else that of the file, else text."""
        return self.format or _FORMATS.get(self._suffix, Format.text)

    @property
    def picture(self) -> bool:
        """Whether the picture of the answer is wanted instead of a text."""
        return self._suffix == _PICTURE

    def errors(self) -> list[DdcalcError]:
        """What is wrong with the file and the options beside it, before anything is solved."""
        if self.where and self.find is None:
            return [Missing(["find"]), *self._misdirected()]
        return self._misdirected()

    def _misdirected(self) -> list[DdcalcError]:
        if self.output is None:
            alone = BadTarget("--force goes with --output FILE").about("force")
            return [alone] if self.force else []
        from ddcalc.boundary import files

        if misfit := self._misfit(self._suffix):
            return [BadTarget(misfit, Place(files.shown(self.output))).about("output")]
        try:
            files.check(self.output, force=self.force)
        except DdcalcError as error:
            return [error.about("output")]
        return []

    def deliver(self, told: str, session: Session) -> None:
        """Write *told* into the file, or to standard output where there is none."""
        if self.output is None:
            session.out.write(told)
        else:
            from ddcalc.boundary import files

            files.write(self.output, told, force=self.force)
            session.tell(f"wrote {files.shown(self.output)}\n")

    @property
    def _suffix(self) -> str:
        return os.path.splitext(self.output or "")[1].lower()

    def _misfit(self, suffix: str) -> str | None:
        """Why the file's name does not go with the other options."""
        if self.output == "-":
            return "is no file; without --output the answer goes to standard output"
        if self.hint is not None:
            return "--hint is not written into a file; leave --output away"
        if self.as_yaml and suffix not in _PROBLEM_FILES:
            return "--as-yaml writes a problem file; its suffix is .yaml"
        if suffix in _PROBLEM_FILES and not self.as_yaml:
            return "is a name for a problem file; add --as-yaml, or choose another suffix"
        if suffix not in (*_FORMATS, _PICTURE, *_PROBLEM_FILES):
            return "its suffix says no format; .txt, .md, .tex, .html, .json, .ndjson or .svg does"
        if self.format not in (None, _FORMATS.get(suffix)):
            return f"{suffix} and --format {self.format} contradict each other; leave --format away"
        return None


def picture(solved: Derivation) -> str:
    """The schedule or the curves of *solved* as a picture; BadTarget where it has none."""
    from ddcalc.render import pictures
    from ddcalc.render.pictures.exchange import DRAWN

    if drawn := pictures.document(solved.steps):
        return drawn
    many = any(isinstance(step, Exchange) for step in solved.steps)
    why = f" of more than {DRAWN} processes" if many else ""
    told = f"{solved.problem.slug} has no picture{why}; write .html, .md, .tex or .txt instead"
    raise BadTarget(told).about("output")
