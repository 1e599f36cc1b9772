"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.nodes import Mapping, Scalar
from ddcalc.boundary.signals import Terminated
from ddcalc.boundary.source import Source, inputs
from ddcalc.cli.documents import PAGES, REPORTS, Document, Format, Page, Steps, Target
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import Jobs, shared
from ddcalc.cli.options import argument, delivery, one_of, option, several, switch
from ddcalc.cli.options import steps as how_much
from ddcalc.cli.session import DIFFERS, Lines, Waiting, gravity
from ddcalc.cli.showing import Manner, ShownProblem, put, shown
from ddcalc.cli.subject import Call, verb
from ddcalc.errors import BadTarget, OutOfTime, WorkerLost
from ddcalc.files.batch import Unsolved, refused, unsolved
from ddcalc.files.defaults import Defaults
from ddcalc.numbers.display import counted
from ddcalc.problem.quantity import named

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal


SOLVED: Final = (*PAGES, *REPORTS)
READ: Final = (Format.text, Format.markdown, Format.latex, Format.html)  # by people
SECONDS: Final = 10  # of the processor that one problem of several may take
NAMED: Final = 5  # parts that differ, in the last line
OPTIONS: Final = (
    argument("FILE|FOLDER|-", list[str], "Problem files; - is standard input."),
    how_much("full for one problem, none for several"),
    switch(
        "--answers", "Only the answer of each problem; in JSON its id, its status and the answer."
    ),
    switch("--all", "Steps and readings that nobody asked for, too.", "everything"),
    switch(
        "--resume",
        "Write --output FILE.ndjson line by line, and go on where a call that ended early stopped.",
    ),
    option("--find", str | None, "The given of one problem to find, also of all its parts."),
    several("--where", "What must hold for it, as for a type: c.gain >= 3.", "RELATION"),
    *JOBS,
    one_of(
        ("full", "short"),
        "--diagnostics",
        "Errors in full, or a line each. (default: full)",
        "full",
    ),
)


@verb(OPTIONS, SOLVED, ways=delivery(SOLVED, "; junit and github for continuous integration"))
def command(
    call: Call,
    steps: Steps | None,
    answers: bool,
    everything: bool,
    resume: bool,
    find: str | None,
    where: list[str],
    diagnostics: str,
    **sharing: Any,
) -> None:
    """All that files hold, or what is to be found in one problem."""
    session, target, words = call.session, call.target, call.words
    target.resume = resume
    if find is not None:
        _find(call, find, where, steps or Steps.full)
        return
    work = shared(**sharing)
    if answers and steps not in (None, Steps.none):
        reason = f"--answers leaves out how they are found, which --steps {steps} shows"
        raise BadTarget(f"{reason}; leave one of the two away").about("--answers")
    session.short = diagnostics == "short"
    known = [*inputs(words)]
    names = {one.name for one in known if isinstance(one, Source)}
    if work.parts > 1 and target.form is not Format.ndjson:
        reason = "goes with --format ndjson, whose lines of all parts make up the whole"
        raise BadTarget(reason).about("--part")
    if work.parts > 1 and "-" in names:
        raise BadTarget("goes with files, whose problems are counted first").about("--part")
    target.check(*(one for one in (*words, *names) if target.output))
    shown = Steps.none if answers else steps
    batch = _Batch(target, words, shown, answers, everything, work, len(names) > 1)
    if names or target.output is None or target.form not in READ:
        batch.run()
    else:  # a page of nothing is not written
        session.refuse(errors := [one for one in known if not isinstance(one, Source)])
        batch.failed = len(errors)
    batch.conclude()


def _find(call: Call, unknown: str, where: list[str], steps: Steps) -> None:
    """Find a given of the one problem that a call is about, of all of its parts together."""
    from ddcalc.ask.find.finding import find
    from ddcalc.cli.type_command import derivation_page
    from ddcalc.render.pages import Detail

    call.target.check(*call.words)
    _, problem, texts, relations = call.one(where)
    known = problem.givens
    texts = {n: x for n, x in texts.items() if named(n, known) != named(unknown, known)}
    solved = find(problem, unknown, relations, texts)
    call.target.deliver(derivation_page(solved, Detail(steps.value)))


_Entry = tuple[Unsolved, Lines]  # a problem or what is wrong in a file, with the lines around it


@dataclass
class _Batch:
    """The problems of files *names*, to be shown as the options say; how many were solved, failed,
    or differ, how many stated answers were wrong, and where each problem of a long page stands, by
    file."""

    target: Target
    names: Sequence[str]
    steps: Steps | None
    answers: bool
    everything: bool
    jobs: Jobs
    headed: bool  # whether files are headed by their names
    total: int = 0  # problems of all parts of the work, where it has parts
    solved: int = 0
    failed: int = 0
    differing: list[str] = field(default_factory=list)  # the first ones
    wrong: int = 0
    begun: set[str] = field(default_factory=set)  # files whose names stand there

    def counts(self, wrong: int = 0) -> str:
        """How many are solved or not, and how many stated answers are *wrong*."""
        differ = "answer differs" if wrong == 1 else "answers differ"
        parts = [f"{counted(self.solved, 'problem')} solved"]
        parts += [f"{wrong} stated {differ}"] * bool(wrong)
        return ", ".join([*parts, *[f"{self.failed} not solved"] * bool(self.failed)])

    def conclude(self) -> None:
        """Say how it went, where not all is well."""
        if self.failed or self.differing:
            names = [*self.differing[:NAMED], *["…"] * (len(self.differing) > NAMED)]
            says = f"; {', '.join(names)} not as the file expects or allows" * bool(names)
            self.target.session.say(f"{self.counts()}{says}: exit {self.target.session.code}\n")

    def run(self) -> None:
        """Solve and show them all, or what an earlier run has left."""
        session, target = self.target.session, self.target
        with ExitStack() as stack:
            journal = stack.enter_context(self._resumed()) if target.resume else None
            earlier = iter(()) if journal is None else journal.earlier()
            coming = self._entries()
            begun = [*islice(coming, 2)]
            several = len(begun) > 1 or self.total > 1
            stated = self.jobs.seconds
            seconds = stated if stated is not None else SECONDS if several else 0
            steps = self.steps or (Steps.none if several else Steps.full)
            form, look = target.form, target.look
            summary = several and steps is Steps.none and form is Format.text
            manner = Manner(form, steps, self.answers, summary, look, seconds, self.everything)
            known = ((entry, next(earlier, None)) for entry in chain(begun, coming))
            pieces = ((both, None if both[1] else both[0][0]) for both in known)
            progress = stack.enter_context(Waiting(session, "problem", rows=session.out))
            from ddcalc.boundary.timeout import OUT_OF_TIME
            from ddcalc.boundary.workers import in_order, open_executor

            executor = stack.enter_context(open_executor(*self.jobs[:3]))
            document = stack.enter_context(self._document(begun, manner, several, journal).opened())
            for (entry, before), result in in_order(executor, partial(shown, manner), pieces):
                if before is not None and journal is not None:
                    if before.kind:
                        session.happened(gravity(before.kind))
                    self._count(not before.kind, 0, [str(before.name)][: before.differs])
                    if before.name != entry[0].name:
                        raise journal.foreign(self.solved + self.failed)
                else:
                    if not isinstance(result, ShownProblem):  # its worker ended, the next one too
                        code = getattr(result, "exit_code", None)
                        late = OutOfTime(seconds) if code == OUT_OF_TIME else WorkerLost(code)
                        result = put(manner, refused(entry[0], late), entry[0])
                    self._add(document, entry, result, summary)
                progress.step()
            if journal is not None and next(earlier, None) is not None:
                raise journal.foreign(self.solved + self.failed + 1)

    @contextmanager
    def _resumed(self) -> Iterator[Journal]:
        """The file that is gone on with; how far it has come is said."""
        from ddcalc.boundary.journal import origin, resumed

        options = {
            "--answers": "yes" if self.answers else "",
            "--steps": self.steps or "",
            "--part": f"{self.jobs.part}/{self.jobs.parts}" if self.jobs.parts > 1 else "",
            "--timeout": "" if self.jobs.seconds is None else f"{self.jobs.seconds:g} s",
        }
        read = [one.name if isinstance(one, Source) else str(one) for one in inputs(self.names)]
        name, say = str(self.target.output), self.target.session.say
        with resumed(name, origin(version("ddcalc"), options, read), read) as journal:
            if journal.kept:
                has = f"{files.shown(name)} has {counted(journal.kept, 'line')}"
                say(f"{has} already: going on after them\n")
            try:
                yield journal
            except (KeyboardInterrupt, Terminated):
                has = f"{files.shown(name)} has {counted(journal.count, 'line')}"
                say(f"interrupted: {has}; the same call goes on after them\n")
                raise
        if 0 < journal.kept == journal.count:
            say(f"{files.shown(name)} is complete: nothing to do\n")

    def _entries(self) -> Iterator[_Entry]:
        """All that the files hold, in order; of a part of the work, its share of that."""

        def every() -> Iterator[_Entry]:
            for source in inputs(self.names):
                if isinstance(source, Source):
                    yield from ((one, source.line_text) for one in unsolved(source))
                else:  # it cannot be read
                    file = source.place.file if source.place else ""
                    yield Unsolved(file, None, Defaults(file), [source]), lambda number: None

        part, parts = self.jobs.part, self.jobs.parts
        if parts == 1:
            return every()
        self.total = total = sum(1 for _ in every())
        return islice(every(), total * (part - 1) // parts, total * part // parts)

    def _document(
        self, begun: Sequence[_Entry], manner: Manner, several: bool, journal: Journal | None
    ) -> Document:
        title = ", ".join(self.names)
        if not several:  # its own, if it has one
            nodes = (entry.node for entry, _ in begun if isinstance(entry.node, Mapping))
            titles = (x.entries["title"][1] for x in nodes if "title" in x.entries)
            title = "".join(one.text for one in titles if isinstance(one, Scalar))

        def last() -> Page | None:
            if manner.form in REPORTS or not several:
                return None
            from ddcalc.render.blocks import Paragraph

            return Page(lambda: [Paragraph((self.counts(self.wrong),))])

        return Document(self.target, "problems", title, last=last, journal=journal)

    def _add(self, document: Document, entry: _Entry, made: ShownProblem, summary: bool) -> None:
        """Write a problem, below the name of its file where there are several; say what is to be
        said of it, and count it."""
        session, (one, lines) = self.target.session, entry
        is_new = one.file and one.file not in self.begun
        if self.headed and is_new and self.target.form not in REPORTS:
            from ddcalc.render.blocks import Heading

            self.begun.add(one.file)
            document.add(Page(lambda: [Heading(clean(one.file))]))
        session.refuse(made.errors, lines)
        for note in made.notes:
            session.note(*note)
        document.put(made.text, close=summary)
        self._count(not made.errors, made.wrong, made.differs)

    def _count(self, is_solved: bool, wrong: int, differs: Sequence[str]) -> None:
        self.solved += is_solved
        self.failed += not is_solved
        self.wrong += wrong
        if differs:
            self.differing = [*self.differing, *differs][: NAMED + 1]
            self.target.session.happened(DIFFERS)
