"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import Document, Page, below
from ddcalc.cli.formats import PAGES, REPORTS, Format, Steps, Target
from ddcalc.cli.options import argument, delivery, option
from ddcalc.cli.session import DIFFERS, Session
from ddcalc.cli.subject import with_options
from ddcalc.cli.type_command import shows_unused
from ddcalc.errors import BadTarget, Bug, DdcalcError
from ddcalc.numbers.display import counted
from ddcalc.render.terminal.progress import Progress
from ddcalc.sheet.batch import Solved, solved
from ddcalc.sheet.sheet_problem import SheetProblem

if TYPE_CHECKING:
    from ddcalc.render.blocks import Block
    from ddcalc.render.reports import TestReport


class Diagnostics(StrEnum):
    """How errors are shown."""

    full = "full"
    short = "short"


HELP: Final = ""
WORDS: Final = argument("FILE|FOLDER|-", list[str], "Problem files; - is standard input.")
SOLVED: Final = (*PAGES, *REPORTS)
OPTIONS: Final = (
    option(
        "--steps",
        Steps | None,
        "How much to explain. (default: full for one problem, none for several)",
        metavar="|".join(Steps),
    ),
    option(
        "--answers",
        bool,
        "Only the answer of each problem; in JSON its id, its status and the answer.",
        False,
    ),
    *delivery(SOLVED, "; junit and github for continuous integration"),
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
        words: list[str],
        steps: Steps | None,
        answers: bool,
        diagnostics: Diagnostics,
        **delivered: Any,
    ) -> None:
        if answers and steps not in (None, Steps.none):
            reason = f"--answers leaves out how they are found, which --steps {steps} shows"
            raise BadTarget(f"{reason}; leave one of the two away").about("--answers")
        session.short = diagnostics is Diagnostics.short
        target = Target(SOLVED, **delivered)
        sources = {one.name for one in inputs(words) if isinstance(one, Source)}
        kept = [*words, *sources]
        target.check(kept if target.output else ())
        steps = Steps.none if answers else steps
        _Batch(session, target, kept, steps, answers, len(sources) > 1).run(words)

    return with_options(run, [WORDS, *OPTIONS])


@dataclass
class _Batch:
    """Files to solve, and how many of their problems were solved, failed, or differ; how many
    stated answers were wrong, and where each problem of a long page stands, by file."""

    session: Session
    target: Target
    kept: list[str]  # files that are read, and so not written over
    steps: Steps | None
    answers: bool = False  # whether JSON has the answers alone
    headed: bool = False  # whether each file has a heading, since there are several
    solved: int = 0
    failed: int = 0
    differing: int = 0
    wrong: int = 0
    places: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    reported: TestReport | None = None

    def run(self, files: list[str]) -> None:
        """Solve *files* and say how it went."""
        with Progress(self.session.err, rows=self.session.out) as progress:
            everything = self._everything(files)
            first = list(islice(everything, 2))
            several = len(first) > 1
            steps = self.steps or (Steps.none if several else Steps.full)
            summary = several and steps is Steps.none and self.target.form is Format.text
            title = ", ".join(files) if several else "".join(x.question.title or "" for x in first)
            with self._document(title, summary, several) as document:
                for done in chain(first, everything):
                    self._head(document, done.question.file, summary)
                    self._add(document, done, steps, summary)
                    self._count(done)
                    progress.step()
        if self.failed or self.differing:
            self.session.say(self._outcome())

    def _document(self, title: str, summary: bool, several: bool) -> Document:
        head, between = "", "\n"
        if summary:
            from ddcalc.render.terminal import screen

            head, between = screen.summary_head(self.target.look(self.session.out)), ""

        def last() -> Page | None:
            if self.target.form in REPORTS:
                return self._report()
            return self._totals(summary) if several else None

        return Document(
            self.target,
            self.session,
            "problems",
            title=title,
            head=head,
            between={Format.text: between},
            last=last,
            inputs=self.kept,
        )

    def _report(self) -> Page | None:
        """The report on all problems, where it is wanted as a whole."""
        made = self.reported
        return None if made is None else Page(text=lambda look: made.text())

    def _head(self, document: Document, file: str, summary: bool) -> None:
        """The name of a *file* above its problems, where there are several files."""
        from ddcalc.render.blocks import Heading

        headed = self.headed and self.target.form not in REPORTS
        if headed and file and file not in self.places:
            self.places[file] = []
            document.add(_line(lambda: [Heading(clean(file))], summary))

    def _totals(self, summary: bool) -> Page:
        """How many were solved, at the end of all; in HTML what stands where."""
        from ddcalc.render.blocks import Contents, Paragraph

        differ = "answer differs" if self.wrong == 1 else "answers differ"
        parts = [f"{counted(self.solved, 'problem')} solved"]
        parts += [f"{self.wrong} stated {differ}"] * bool(self.wrong)
        parts += [f"{self.failed} not solved"] * bool(self.failed)
        contents = Contents(tuple((file, tuple(listed)) for file, listed in self.places.items()))
        page = _line(lambda: [Paragraph((", ".join(parts),))], summary)
        return replace(page, charts=lambda: [contents] if any(self.places.values()) else [])

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
        page = _page(done, steps, summary, self.answers)
        if steps is not Steps.none and done.answered:
            listed = self.places.setdefault(done.question.file if self.headed else "", [])
            page = replace(page, place=f"problem-{self.solved + 1}")
            listed.append((done.question.title or done.question.id or page.place, page.place))
        if self.target.form in REPORTS:
            page = self._reported(done)
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

    def _reported(self, done: Solved) -> Page:
        """What a report for continuous integration says of a problem as it comes."""
        from ddcalc.render.reports import TestReport, workflow_commands

        if self.target.form is Format.github:
            return Page(text=lambda look: workflow_commands(done))
        self.reported = self.reported or TestReport()
        self.reported.add(done)
        return Page()

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
        self.wrong += sum(not check.agrees for check in done.checks)
        if done.differs:
            self.differing += 1
            self.session.happened(DIFFERS)

    def _outcome(self) -> str:
        says = f"{self.solved} problem{'' if self.solved == 1 else 's'} solved"
        if self.failed:
            says += f", {self.failed} not"
        if self.differing:
            differ = "differs" if self.differing == 1 else "differ"
            says += f"; {self.differing} {differ} from what the file expects"
        return f"{says}: exit {self.session.code}\n"


def _line(blocks: Callable[[], list[Block]], summary: bool) -> Page:
    """A line between problems; in a *summary*, a list of lines, it has a blank one above."""
    return below(blocks) if summary else Page(blocks)


def _page(done: Solved, steps: Steps, summary: bool, answers: bool) -> Page:
    """A problem of a file, of *answers* that alone; what is not solved is for scripts and for the
    summary."""
    from ddcalc.render.json import answered_problem, solved_problem

    def text(look: Any) -> str:
        from ddcalc.render.terminal import screen

        return screen.summary(done, look)

    def blocks() -> Iterator[Any]:
        from ddcalc.render import pages

        return pages.problem(done, steps.value) if done.answered else iter(())

    def data() -> Any:
        return answered_problem(done) if answers else solved_problem(done, steps is not Steps.none)

    line = "" if done.errors else done.line
    return Page(blocks, data, text if summary else None, line=line)
