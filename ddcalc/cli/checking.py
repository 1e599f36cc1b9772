"""One call of ``check``: every student's answers marked and told as they are read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Final

from ddcalc.ask.mark.grading import ClassTally
from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.reader import read
from ddcalc.boundary.signals import Terminated
from ddcalc.boundary.source import Source, fed, inputs
from ddcalc.boundary.table import is_table, rows
from ddcalc.cli.mark_format import MarkFormat
from ddcalc.cli.markers import marker
from ddcalc.cli.progress import Progress
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.errors import BadTarget, Bug, DdcalcError, Place, Repeated
from ddcalc.render.marks import Marked
from ddcalc.sheet import columns, tree
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.marking import Key, Stated, claims
from ddcalc.sheet.submissions import Keys, Submission

FIRST: Final = 100  # students whose marks settle the width of the columns
_FORMATS: Final = {
    ".txt": MarkFormat.text,
    ".csv": MarkFormat.csv,
    ".md": MarkFormat.markdown,
    ".tex": MarkFormat.latex,
    ".html": MarkFormat.html,
    ".json": MarkFormat.json,
    ".ndjson": MarkFormat.ndjson,
}

Told = tuple[str, list[Marked]]  # a student, and the marks


@dataclass(frozen=True, slots=True)
class Target:
    """Where marks are written to, and in which *format*."""

    format: MarkFormat | None
    output: str | None
    force: bool

    @property
    def form(self) -> MarkFormat:
        """The format asked for, else that of the file, else text."""
        return self.format or _FORMATS.get(self._suffix, MarkFormat.text)

    def check(self, read: Sequence[str]) -> None:
        """Refuse now what could not be written after the work; *read* are files that stay."""
        if self.output is None:
            if self.force:
                raise BadTarget("--force goes with --output FILE").about("force")
            return
        where = Place(files.shown(self.output))
        if self._suffix not in _FORMATS:
            known = ", ".join(_FORMATS)
            raise BadTarget(f"its suffix says no format; {known} do", where).about("output")
        if self.format not in (None, _FORMATS[self._suffix]):
            told = f"{self._suffix} and --format {self.format} contradict each other"
            raise BadTarget(told, where).about("output")
        files.check(self.output, force=self.force, inputs=read)

    @property
    def _suffix(self) -> str:
        return os.path.splitext(self.output or "")[1].lower()


@dataclass
class Checking:
    """Answers to mark, and what has become of them so far."""

    session: Session
    target: Target
    tally: ClassTally = field(default_factory=ClassTally)
    told: list[str] = field(default_factory=list)  # for a file

    def run(self, sheet: str, answers: str | None) -> None:
        """Mark *answers* to *sheet*, or what the sheet claims."""
        if sheet == answers == "-":
            raise Repeated("-")
        noun = "problem" if answers is None else "student"
        with Progress(self.session.err, noun, self.session.out) as progress:
            handed = self._claims(sheet) if answers is None else self._students(sheet, answers)
            first = []
            for each in islice(handed, FIRST):
                first.append(each)
                progress.step()
            write = marker(self.target.form, self.session.out, first)
            self._write(write.begin())
            try:
                for number, (student, marked) in enumerate(chain(first, handed)):
                    self._count(student, marked)
                    self._write(write.student(student, marked))
                    progress.step(0 if number < len(first) else 1)
            except (KeyboardInterrupt, Terminated):
                self._write(write.end(self.tally))  # what is finished stays readable
                raise
            self._write(write.end(self.tally))
        if not self.tally.whole.answers and not self.session.code:
            nothing = (
                "claims nothing; name a file of answers, too" if answers is None else "is empty"
            )
            self.session.tell(f"note: {files.shown(answers or sheet)} {nothing}\n")
        self._deliver([sheet, *([answers] if answers else [])])

    def _write(self, told: str) -> None:
        if self.target.output is None:
            self.session.out.write(told)
        else:
            self.told.append(told)

    def _deliver(self, read: Sequence[str]) -> None:
        name = self.target.output
        if name is not None:
            files.write(name, "".join(self.told), force=self.target.force, inputs=read)
            self.session.tell(f"wrote {files.shown(name)}\n")

    def _count(self, student: str, marked: Sequence[Marked]) -> None:
        self.tally.students += bool(student)
        for problem, mark in marked:
            self.tally.add(problem, mark)

    def _claims(self, sheet: str) -> Iterator[Told]:
        """The marks of what each problem claims."""
        for done, source in self._solved(sheet, claims_later=True):
            if (key := self._key(done, source)) is None:
                continue
            claimed, errors = claims(key, done)
            self.session.refuse(errors, source.line_text)
            if marked := list(self._of_claims(key, claimed)):
                yield "", marked

    def _of_claims(self, key: Key, claimed: Stated) -> Iterator[Marked]:
        """The marks of what a problem claims; a mistake of ours costs this problem only."""
        try:
            yield from [(key.name, mark) for mark in key.marks(claimed)]
        except Exception as error:
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])

    def _students(self, sheet: str, answers: str) -> Iterator[Told]:
        """The marks of each student."""
        keys: dict[str, Key] = {}
        unsolved: set[str] = set()
        order: list[str] = []
        for done, source in self._solved(sheet):
            key = self._key(done, source)
            name = (key.name if key else done.question.id or "").lower()
            order.append(name)
            if key is not None:
                keys[name] = key
            elif name:
                unsolved.add(name)
        for source in self._sources(answers):
            known = Keys(keys, frozenset(unsolved), source.name, order)
            for handed in _submissions(source, known):
                self.session.refuse(handed.errors, source.line_text)
                if marked := list(self._marked(known, handed)):
                    yield handed.student, marked

    def _marked(self, keys: Keys, handed: Submission) -> Iterator[Marked]:
        """The marks of a submission; a mistake of ours costs the problem in which it is."""
        try:
            yield from ((key.name, mark) for key, mark in keys.marks(handed))
        except Exception as error:  # whatever we did not foresee costs this student only
            self.session.refuse([error if isinstance(error, DdcalcError) else Bug(error)])

    def _sources(self, name: str) -> Iterator[Source]:
        for source in inputs([name]):
            if isinstance(source, Source):
                yield source
            else:
                self.session.refuse([source])

    def _solved(self, sheet: str, claims_later: bool = False) -> Iterator[tuple[Solved, Source]]:
        """The problems of *sheet*; what is wrong is told, with what they claim unless that is read
        as an answer later."""
        for source in self._sources(sheet):
            for done in solved(source):
                later = done.of_claims if claims_later else []
                wrong = [error for error in done.errors if error not in later]
                self.session.refuse(wrong, source.line_text)
                if done.differs:
                    self._differs(done)
                yield done, source

    def _key(self, done: Solved, source: Source) -> Key | None:
        """The key to a problem; None where it is not solved."""
        if done.derivation is None:
            return None
        key = Key(done.question, done.derivation)
        self.session.refuse(key.asked.wrong, source.line_text)
        return key

    def _differs(self, done: Solved) -> None:
        names = ", ".join(c.name for c in done.checks if c.ours and not c.agrees)
        where = clean(done.question.id or done.question.file)
        self.session.happened(DIFFERS)
        self.session.tell(f"note: {where}: {names} differs from what the sheet expects\n")


def _submissions(source: Source, keys: Keys) -> Iterator[Submission]:
    """What *source* holds: a table, or YAML or JSON."""
    feed = fed(source)
    if is_table(source.name, feed.first_line()):
        return columns.submissions(rows(feed, source.name), keys)
    return tree.submissions(read(source, feed), keys)
