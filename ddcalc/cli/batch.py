"""One call of ``solve``: everything in the files, told one by one as it is solved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.signals import Terminated
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.present import Format, Steps, is_told
from ddcalc.cli.progress import Progress
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.writers import Writer, writer
from ddcalc.errors import Bug, DdcalcError
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.question import Question


@dataclass
class Batch:
    """Files to solve, and how many of their problems were solved, failed, or differ."""

    session: Session
    format: Format
    steps: Steps | None
    solved: int = 0
    failed: int = 0
    differing: int = 0

    def run(self, files: list[str]) -> None:
        """Solve *files* and say how it went."""
        with Progress(self.session.err, rows=self.session.out) as progress:
            everything = self._everything(files)
            first = list(islice(everything, 2))
            steps = self.steps or (Steps.full if len(first) < 2 else Steps.none)
            write = writer(self.format, steps, self.session.out, several=len(first) > 1)
            self.session.out.write(write.begin())
            try:
                for done in chain(first, everything):
                    self.session.out.write(self._told(write, done, steps))
                    self._count(done)
                    progress.step()
            except (KeyboardInterrupt, Terminated):
                self.session.out.write(write.end())  # what is finished stays readable
                raise
            self.session.out.write(write.end())
        if self.failed or self.differing:
            self.session.tell(self._summary())

    def _everything(self, files: list[str]) -> Iterator[Solved]:
        for source in inputs(files):
            if isinstance(source, Source):
                for done in solved(source):
                    self.session.refuse(done.errors, source.line_text)
                    if done.note:
                        self.session.tell(f"note: {clean(source.name)}: {done.note}\n")
                    yield done
            else:
                self.session.refuse([source])
                file = source.place.file if source.place else ""
                yield Solved(Question(file, 0), errors=[source])

    def _told(self, write: Writer, done: Solved, steps: Steps) -> str:
        """What is printed of a problem; a mistake of ours in telling it costs this one only."""
        try:
            told = write.problem(done)
            if not is_told(self.format, steps):
                self._note(done)
            return told
        except Exception as error:
            wrong = error if isinstance(error, DdcalcError) else Bug(error)
            wrong.problem = done.question.id
            done.errors.append(wrong)
            self.session.refuse([wrong])
            return write.problem(done)

    def _note(self, done: Solved) -> None:
        """Say what a problem itself states without effect, as opposed to the defaults."""
        question = done.question
        if done.derivation is None or not done.answered:
            return
        name = question.id or f"line {question.line}"
        for each in done.derivation.unused:
            if each.noted and each.name not in question.usual:
                self.session.note(question.file, name, each.name, each.says)

    def _count(self, done: Solved) -> None:
        if done.errors:
            self.failed += 1
        else:
            self.solved += 1
        if done.differs:
            self.differing += 1
            self.session.happened(DIFFERS)

    def _summary(self) -> str:
        told = f"{self.solved} problem{'' if self.solved == 1 else 's'} solved"
        if self.differing:
            differ = "differs" if self.differing == 1 else "differ"
            told += f" ({self.differing} {differ} from what the file expects)"
        if self.failed:
            told += f", {self.failed} not"
        return f"{told}: exit {self.session.code}\n"
