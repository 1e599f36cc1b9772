"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from typing import Any, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import Document, Page
from ddcalc.cli.formats import PAGES, Format, Steps, Target
from ddcalc.cli.options import argument, delivery, option
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import with_options
from ddcalc.cli.type_command import shows_unused
from ddcalc.errors import Bug, DdcalcError
from ddcalc.render.terminal.progress import Progress
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.sheet_problem import SheetProblem


class Diagnostics(StrEnum):
    """How errors are shown."""

    full = "full"
    short = "short"


HELP: Final = ""
WORDS: Final = argument("FILE|FOLDER|-", list[str], "Problem files; - is standard input.")
OPTIONS: Final = (
    option(
        "--steps",
        Steps | None,
        "How much to explain. (default: full for one problem, none for several)",
        metavar="|".join(Steps),
    ),
    *delivery(PAGES),
    option(
        "--diagnostics",
        Diagnostics,
        "Errors in full, or a line each. (default: full)",
        Diagnostics.full,
        metavar="full|short",
    ),
)


def command(session: Session, _words: Sequence[str]) -> Callable[..., None]:
    """The verb as a command for Typer."""

    def run(
        words: list[str], steps: Steps | None, diagnostics: Diagnostics, **delivered: Any
    ) -> None:
        session.short = diagnostics is Diagnostics.short
        target = Target(PAGES, **delivered)
        kept = [*words, *(one.name for one in inputs(words) if isinstance(one, Source))]
        target.check(kept if target.output else ())
        _Batch(session, target, kept, steps).run(words)

    return with_options(run, [WORDS, *OPTIONS])


@dataclass
class _Batch:
    """Files to solve, and how many of their problems were solved, failed, or differ."""

    session: Session
    target: Target
    kept: list[str]  # files that are read, and so not written over
    steps: Steps | None
    solved: int = 0
    failed: int = 0
    differing: int = 0

    def run(self, files: list[str]) -> None:
        """Solve *files* and say how it went."""
        with Progress(self.session.err, rows=self.session.out) as progress:
            everything = self._everything(files)
            first = list(islice(everything, 2))
            several = len(first) > 1
            steps = self.steps or (Steps.none if several else Steps.full)
            summary = several and steps is Steps.none and self.target.form is Format.text
            title = ", ".join(files) if several else "".join(x.question.title or "" for x in first)
            with self._document(title, summary) as document:
                for done in chain(first, everything):
                    self._add(document, done, steps, summary)
                    self._count(done)
                    progress.step()
        if self.failed or self.differing:
            self.session.say(self._outcome())

    def _document(self, title: str, summary: bool) -> Document:
        head, between = "", "\n"
        if summary:
            from ddcalc.render.terminal import screen

            head, between = screen.summary_head(self.target.look(self.session.out)), ""
        texts = {Format.text: between}
        return Document(
            self.target, self.session, "problems", title=title, head=head, between=texts,
            inputs=self.kept,
        )  # fmt: skip

    def _everything(self, files: list[str]) -> Iterator[Solved]:
        for source in inputs(files):
            if isinstance(source, Source):
                for done in solved(source):
                    self.session.refuse(done.errors, source.line_text)
                    if done.note:
                        self.session.say(f"note: {clean(source.name)}: {done.note}\n")
                    yield done
            else:
                self.session.refuse([source])
                file = source.place.file if source.place else ""
                yield Solved(SheetProblem(file, 0), errors=[source])

    def _add(self, document: Document, done: Solved, steps: Steps, summary: bool) -> None:
        """Write a problem; a mistake of ours in showing it costs this one only."""
        page = _page(done, steps, summary)
        try:
            text = document.made(page)
            if not shows_unused(self.target.form, steps):
                self._note(done)
        except Exception as error:
            wrong = error if isinstance(error, DdcalcError) else Bug(error)
            wrong.problem = done.question.id
            done.errors.append(wrong)
            self.session.refuse([wrong])
            text = document.made(page)
        document.write(text)

    def _note(self, done: Solved) -> None:
        """Say what a problem itself states without effect, as opposed to the defaults."""
        question = done.question
        if done.derivation is None or not done.answered:
            return
        name = question.id or f"line {question.line}"
        for unused in done.derivation.unused:
            if unused.noted and unused.name not in question.usual:
                self.session.note(question.file, name, unused.name, unused.says)

    def _count(self, done: Solved) -> None:
        if done.errors:
            self.failed += 1
        else:
            self.solved += 1
        if done.differs:
            self.differing += 1
            self.session.happened(DIFFERS)

    def _outcome(self) -> str:
        says = f"{self.solved} problem{'' if self.solved == 1 else 's'} solved"
        if self.differing:
            differ = "differs" if self.differing == 1 else "differ"
            says += f" ({self.differing} {differ} from what the file expects)"
        if self.failed:
            says += f", {self.failed} not"
        return f"{says}: exit {self.session.code}\n"


def _page(done: Solved, steps: Steps, summary: bool) -> Page:
    """A problem of a file; what is not solved is for scripts and for the summary."""
    from ddcalc.render.json import solved_problem

    def text(look: Any) -> str:
        from ddcalc.render.terminal import screen

        return screen.summary(done, look)

    def blocks() -> Iterator[Any]:
        from ddcalc.render import pages

        return pages.problem(done, steps.value) if done.answered else iter(())

    return Page(
        blocks, lambda: solved_problem(done, steps is not Steps.none), text if summary else None
    )
