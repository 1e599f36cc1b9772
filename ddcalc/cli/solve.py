"""The verb ``solve``: problem files in batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Annotated

import typer

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.output import Terminated
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.present import Format, Steps
from ddcalc.cli.progress import Progress
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.question import Question


class Diagnostics(StrEnum):
    """How errors are told."""

    full = "full"
    short = "short"


Files = Annotated[
    list[str], typer.Argument(metavar="FILE|FOLDER|-", help="Problem files; - is standard input.")
]


def add(app: typer.Typer, session: Session) -> None:
    """Add the verb to *app*."""

    @app.command("solve")
    def solve(
        files: Files,
        steps: Annotated[
            Steps | None,
            typer.Option(
                "--steps",
                metavar="|".join(Steps),
                help="How much to explain. (default: full for one problem, none for several)",
            ),
        ] = None,
        format: Annotated[
            Format,
            typer.Option(
                "--format",
                metavar="FORMAT",
                help=f"What to print: {', '.join(Format)}. (default: text)",
                show_default=False,
            ),
        ] = Format.text,
        diagnostics: Annotated[
            Diagnostics,
            typer.Option(
                "--diagnostics",
                metavar="full|short",
                help="Errors in full, or a line each. (default: full)",
                show_default=False,
            ),
        ] = Diagnostics.full,
    ) -> None:
        """Solve problem files; compare the answers they state."""
        session.short = diagnostics is Diagnostics.short
        Batch(session, format, steps).run(files)


@dataclass
class Batch:
    """One call of ``solve``: everything in the files, told one by one as it is solved."""

    session: Session
    format: Format
    steps: Steps | None
    solved: int = 0
    failed: int = 0
    differing: int = 0

    def run(self, files: list[str]) -> None:
        """Solve *files* and say how it went."""
        from ddcalc.cli.writers import writer

        with Progress(self.session.err) as progress:
            everything = self._everything(files)
            first = list(islice(everything, 2))
            steps = self.steps or (Steps.full if len(first) < 2 else Steps.none)
            write = writer(self.format, steps, self.session.out, several=len(first) > 1)
            write.begin()
            try:
                for done in chain(first, everything):
                    self._count(done)
                    write.problem(done)
                    progress.step()
            except (KeyboardInterrupt, Terminated):
                write.end()  # what is finished stays, and stays readable
                raise
            write.end()
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

    def _count(self, done: Solved) -> None:
        if done.errors:
            self.failed += 1
        else:
            self.solved += 1
        if done.differs:
            self.differing += 1
            self.session.happened(DIFFERS)

    def _summary(self) -> str:
        told = f"{self.solved} solved"
        if self.differing:
            differ = "differs" if self.differing == 1 else "differ"
            told += f" ({self.differing} {differ} from what the file expects)"
        if self.failed:
            told += f", {self.failed} not"
        return f"{told}: exit {self.session.code}\n"
