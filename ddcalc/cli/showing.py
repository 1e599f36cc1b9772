"""Problems of files shown one by one as they are solved, by whoever works, and what is said of all.

What a problem becomes is data: the same text here or in another process, and what is to be said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import chain, islice
from os.path import exists
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.nodes import ID, Mapping, Scalar
from ddcalc.boundary.signals import Terminated
from ddcalc.boundary.source import SUFFIXES, Source, inputs
from ddcalc.boundary.timeout import OUT_OF_TIME, within
from ddcalc.cli.documents import REPORTS, Document, Format, Page, Steps, Target, shows_unused
from ddcalc.cli.jobs import Jobs
from ddcalc.cli.session import DIFFERS, Lines, Waiting, gravity
from ddcalc.errors import Bug, DdcalcError, OutOfTime, WorkerLost
from ddcalc.files.batch import Unsolved, chosen, refused, worked_out
from ddcalc.files.defaults import Defaults
from ddcalc.files.solved import Solved
from ddcalc.numbers.display import counted
from ddcalc.render.whole import Look
from ddcalc.render.writers import WRITERS
from ddcalc.schedule.watching import tell

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.render.blocks import Block

SECONDS: Final = 10  # of the processor that one problem of several may take
NAMED: Final = 5  # parts that differ, in the last line


class Manner(NamedTuple):
    """How problems are shown: in a *form*, with *steps* or the *answers* alone, as a *summary* of a
    line each, in a *look*. Each may take so many *seconds* of the processor; 0: as many as it
    takes. With *everything*, what nobody asked for stands there too."""

    form: Format
    look: Look
    steps: Steps | None
    answers: bool
    everything: bool
    summary: bool = False
    seconds: float = 0


class ShownProblem(NamedTuple):
    """A problem as it is shown, or a part of its file that is wrong."""

    text: str
    errors: list[DdcalcError]
    notes: list[tuple[str, ...]]
    differs: list[str]  # the parts in which an answer is not as the file expects
    wrong: int  # answers that are not as stated


def is_id(word: str) -> bool:
    """Whether *word* behind a file names a problem in it, or a part."""
    return not exists(word) and not word.endswith(SUFFIXES) and ID.fullmatch(word) is not None


def shown(manner: Manner, one: Unsolved) -> ShownProblem:
    """A problem solved and shown; what goes wrong costs this one only."""
    try:
        return within(manner.seconds, lambda: _put(manner, worked_out(one), one))
    except OutOfTime as error:
        return _put(manner, refused(one, error), one)


def _put(manner: Manner, done: Solved, one: Unsolved) -> ShownProblem:
    """What is shown of a problem that was worked out."""
    question, write, page = done.question, WRITERS[manner.form].part, _page(done, manner)
    try:
        text = write(page, manner.look)
    except Exception as error:  # our own mistake must not cost the other problems
        wrong = error if isinstance(error, DdcalcError) else Bug(error)
        wrong.problem = question.id
        done.errors.append(wrong)
        text = write(page, manner.look)
    notes: list[tuple[str, ...]] = [(question.file, one.note)] if one.note else []
    if done.derivation and done.answered and not shows_unused(manner.form, manner.steps):
        # what it states without effect itself, as opposed to the defaults
        name = question.id or f"line {question.line}"
        told = (x for x in done.derivation.unused if x.noted and x.name not in question.usual)
        notes += [(question.file, name, x.name, x.says) for x in told]
    unlike = sum(not check.agrees for one in (done, *done.parts) for check in one.checks)
    return ShownProblem(text, done.errors, notes, done.differs, unlike)


def _page(done: Solved, manner: Manner) -> Page:
    """A problem of a file; what is not solved is for scripts and for the summary. A report for
    continuous integration has its own text."""
    if manner.form in REPORTS:
        from ddcalc.render.reports import test_suite, workflow_commands

        made = test_suite if manner.form is Format.junit else workflow_commands
        return Page(text=lambda: made(done))
    steps = manner.steps or Steps.none

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages
        from ddcalc.render.parts import question

        detail = pages.Detail(steps.value, everything=manner.everything)
        return pages.summary(done) if manner.summary else question.problem(done, detail)

    def data() -> Any:
        from ddcalc.render.json import answered_problem, solved_problem

        is_brief = steps is Steps.none
        return answered_problem(done) if manner.answers else solved_problem(done, not is_brief)

    return Page(blocks, data)


_Entry = tuple[Unsolved, Lines]  # a problem or what is wrong in a file, with the lines around it


@dataclass
class Batch:
    """The problems of files *names*, to be shown in a *manner* where the *target* is; how many were
    solved, failed, or differ, and how many stated answers were wrong."""

    target: Target
    names: Sequence[str]
    manner: Manner
    jobs: Jobs
    headed: bool  # whether files are headed by their names
    ids: Sequence[str] = ()  # of the problems and parts that are asked for, if not all
    total: int = 0  # problems of all parts of the work, where it has parts
    solved: int = 0
    failed: int = 0
    differing: list[str] = field(default_factory=list)  # the first ones
    wrong: int = 0
    begun: set[str] = field(default_factory=set)  # files whose names stand there

    def run(self) -> None:
        """Solve and show them all, or what an earlier run has left."""
        session = self.target.session
        with ExitStack() as stack:
            journal = stack.enter_context(self._resumed()) if self.target.resume else None
            entries = self._entries()
            begun = [*islice(entries, 2)]
            entries = chain(begun, entries)
            several = len(begun) > 1 or self.total > 1
            manner = self._settled(several)
            stack.enter_context(Waiting(session, among=self.target.output is None))
            from ddcalc.boundary.workers import in_order, open_executor

            executor = stack.enter_context(open_executor(*self.jobs[:3]))
            document = self._document(begun, several, journal)
            stack.enter_context(document.opened())
            if journal is not None:
                self._pass_over(entries, journal)
            pieces = ((entry, entry[0]) for entry in entries)
            for entry, made in in_order(executor, partial(shown, manner), pieces):
                if not isinstance(made, ShownProblem):  # its worker ended, the next one too
                    is_late = made.exit_code == OUT_OF_TIME
                    late = OutOfTime(manner.seconds) if is_late else WorkerLost(made.exit_code)
                    made = _put(manner, refused(entry[0], late), entry[0])
                self._add(document, entry, made, close=manner.summary)
                tell("problem")

    def conclude(self) -> None:
        """Say how it went, where not all is well."""
        if self.failed or self.differing:
            names = [*self.differing[:NAMED], *["…"] * (len(self.differing) > NAMED)]
            says = f"; {', '.join(names)} not as the file expects or allows" * bool(names)
            self.target.session.say(f"{self._counts()}{says}: exit {self.target.session.code}\n")

    def _counts(self, wrong: int = 0) -> str:
        """How many are solved or not, and how many stated answers are *wrong*."""
        differ = "answer differs" if wrong == 1 else "answers differ"
        parts = [f"{counted(self.solved, 'problem')} solved"]
        parts += [f"{wrong} stated {differ}"] * bool(wrong)
        return ", ".join([*parts, *[f"{self.failed} not solved"] * bool(self.failed)])

    def _settled(self, several: bool) -> Manner:
        """The manner of *several* problems, or of one, where nothing was said."""
        seconds = SECONDS if self.jobs.seconds is None and several else self.jobs.seconds or 0
        steps = self.manner.steps or (Steps.none if several else Steps.full)
        summary = several and steps is Steps.none and self.manner.form is Format.text
        return self.manner._replace(steps=steps, summary=summary, seconds=seconds)

    def _entries(self) -> Iterator[_Entry]:
        """All that the files hold, in order; of a part of the work, its share of that."""

        def every() -> Iterator[_Entry]:
            for source in inputs(self.names):
                if isinstance(source, Source):
                    yield from ((one, source.line_text) for one in chosen(source, self.ids))
                else:  # it cannot be read
                    file = source.place.file if source.place else ""
                    yield Unsolved(file, None, Defaults(file), [source]), lambda number: None

        part, parts = self.jobs.part, self.jobs.parts
        if parts == 1:
            return every()
        self.total = total = sum(1 for _ in every())
        return islice(every(), total * (part - 1) // parts, total * part // parts)

    def _document(
        self, begun: Sequence[_Entry], several: bool, journal: Journal | None
    ) -> Document:
        title = ", ".join(self.names)
        if not several:  # its own, if it has one
            nodes = (entry.node for entry, _ in begun if isinstance(entry.node, Mapping))
            titles = (x.entries["title"][1] for x in nodes if "title" in x.entries)
            title = "".join(one.text for one in titles if isinstance(one, Scalar))

        def last() -> Page | None:
            if self.manner.form in REPORTS or not several:
                return None
            from ddcalc.render.blocks import Paragraph

            return Page(lambda: [Paragraph((self._counts(self.wrong),))])

        return Document(self.target, "problems", title, last=last, journal=journal)

    def _add(self, document: Document, entry: _Entry, made: ShownProblem, *, close: bool) -> None:
        """Write a problem, below the name of its file where there are several; say what is to be
        said of it, and count it."""
        session, (one, lines) = self.target.session, entry
        if self.headed and one.file not in {"", *self.begun} and self.manner.form not in REPORTS:
            from ddcalc.render.blocks import Heading

            self.begun.add(one.file)
            document.add(Page(lambda: [Heading(clean(one.file))]))
        session.refuse(made.errors, lines)
        for note in made.notes:
            session.note(*note)
        document.put(made.text, close=close)
        self.wrong += made.wrong
        self._count(not made.errors, made.differs)

    def _count(self, is_solved: bool, differs: Sequence[str]) -> None:
        self.solved += is_solved
        self.failed += not is_solved
        if differs:
            self.differing = [*self.differing, *differs][: NAMED + 1]
            self.target.session.happened(DIFFERS)

    # A file that is gone on with

    @contextmanager
    def _resumed(self) -> Iterator[Journal]:
        """The file that is gone on with; how far it has come is said."""
        from ddcalc.boundary.journal import origin, resumed

        jobs, say = self.jobs, self.target.session.say
        options = {
            "--answers": "yes" if self.manner.answers else "",
            "--steps": self.manner.steps or "",
            "--part": f"{jobs.part}/{jobs.parts}" if jobs.parts > 1 else "",
            "--timeout": "" if jobs.seconds is None else f"{jobs.seconds:g} s",
        }
        read = [one.name if isinstance(one, Source) else str(one) for one in inputs(self.names)]
        name = str(self.target.output)
        has = f"{files.shown(name)} has"
        with resumed(name, origin(version("ddcalc"), options, read), read) as journal:
            if journal.kept:
                say(f"{has} {counted(journal.kept, 'line')} already: going on after them\n")
            try:
                yield journal
            except (KeyboardInterrupt, Terminated):
                lines = counted(journal.count, "line")
                say(f"interrupted: {has} {lines}; the same call goes on after them\n")
                raise
        if 0 < journal.kept == journal.count:
            say(f"{files.shown(name)} is complete: nothing to do\n")

    def _pass_over(self, entries: Iterator[_Entry], journal: Journal) -> None:
        """Count what an earlier run has done of the *entries*."""
        for number, before in enumerate(journal.earlier(), 1):
            if before.name != next((one.name for one, _ in entries), ""):
                raise journal.foreign(number)
            if before.kind:
                self.target.session.happened(gravity(before.kind))
            self._count(not before.kind, [str(before.name)][: before.differs])
