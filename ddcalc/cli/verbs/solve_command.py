"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.pieces import FileReading, LineText, TextPiece, pieces, reading
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import FileShare, Source, inputs
from ddcalc.cli.documents import Document, Page, below
from ddcalc.cli.formats import PAGES, REPORTS, Format, Steps, Target
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import Jobs, jobs
from ddcalc.cli.options import RESUME, argument, delivery, option
from ddcalc.cli.session import DIFFERS, Session, gravity_of
from ddcalc.cli.showing import Manner, Part, Shared, ShownProblem, shown, solved_items, unread
from ddcalc.cli.subject import with_options
from ddcalc.errors import BadNumber, BadTarget, BadValue, DdcalcError
from ddcalc.numbers.display import counted
from ddcalc.numbers.units import SECOND, TIME, measure
from ddcalc.render.terminal.progress import Progress
from ddcalc.sheet.batch import Earlier, Finished, Solved
from ddcalc.sheet.ids import Ids

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.render.blocks import Block
    from ddcalc.render.reports import TestReport


class Diagnostics(StrEnum):
    """How errors are shown."""

    full = "full"
    short = "short"


HELP: Final = ""
WORDS: Final = argument("FILE|FOLDER|-", list[str], "Problem files; - is standard input.")
SOLVED: Final = (*PAGES, *REPORTS)
SECONDS: Final = 10  # of the processor that one problem of several may take
LONGEST: Final = 10**6
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
    RESUME,
    *JOBS,
    option(
        "--timeout",
        str | None,
        "The processor's time for one problem. (default: 10 s for one of several)",
        metavar="TIME",
    ),
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
        timeout: str | None,
        diagnostics: Diagnostics,
        **options: Any,
    ) -> None:
        if answers and steps not in (None, Steps.none):
            reason = f"--answers leaves out how they are found, which --steps {steps} shows"
            raise BadTarget(f"{reason}; leave one of the two away").about("--answers")
        session.short = diagnostics is Diagnostics.short
        shared = jobs(options)
        target = Target(SOLVED, **options)
        known = [*inputs(words)]
        sources = {one.name for one in known if isinstance(one, Source)}
        kept = [*words, *sources]
        target.check(kept if target.output else ())
        steps = Steps.none if answers else steps
        seconds = None if timeout is None else _seconds(timeout)
        wanted = _Wanted(steps, answers, seconds, shared, len(sources) > 1)
        _Batch(session, target, kept, wanted, FileShare(known)).run(words)

    return with_options(run, [WORDS, *OPTIONS])


def _seconds(text: str) -> float:
    """The time that *text* states; BadValue where it is none, or too long."""
    try:
        seconds = float(measure(text, TIME, bare_unit=SECOND).value)
    except BadNumber as error:
        raise error.about("--timeout") from None
    if not 0 < seconds <= LONGEST:
        raise BadValue(text, f"must be above 0 s and at most {LONGEST} s").about("--timeout")
    return seconds


class _Wanted(NamedTuple):
    """What the options say: the *steps* to be shown or the *answers* alone, the *seconds* that a
    problem may take, by how many *jobs*; whether files are *headed* by their names."""

    steps: Steps | None
    answers: bool
    seconds: float | None
    jobs: Jobs
    headed: bool


@dataclass
class _Batch:
    """Files to solve, and how many of their problems were solved, failed, or differ; how many
    stated answers were wrong, and where each problem of a long page stands, by file."""

    session: Session
    target: Target
    kept: list[str]  # files that are read, and so not written over
    wanted: _Wanted
    share: FileShare
    solved: int = 0
    failed: int = 0
    differing: int = 0
    wrong: int = 0
    places: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    reported: TestReport | None = None

    def run(self, files: list[str]) -> None:
        """Solve *files* and say how it went."""
        if self.target.resume:
            self._go_on(files)
        else:
            self._solve(files, Earlier())
        if self.failed or self.differing:
            self.session.say(self._outcome())

    def _go_on(self, files: list[str]) -> None:
        """Solve what an earlier run has left."""
        from ddcalc.cli.resuming import finished_problems, foreign, resuming

        wanted = self.wanted
        options = {"--steps": wanted.steps or "", "--answers": "yes" if wanted.answers else ""}
        names = [one.name if isinstance(one, Source) else str(one) for one in inputs(files)]
        with resuming(self.session, self.target, "solve", options, names) as journal:
            finished = finished_problems(journal)
            if journal.finished:
                for one in finished:
                    self._count_finished(one)
                return
            self._solve(files, Earlier(finished), journal)
            if next(finished, None) is not None:
                raise foreign(journal, self.solved + self.failed + 1)

    def _solve(self, files: list[str], earlier: Earlier, journal: Journal | None = None) -> None:
        with (
            Progress(self.session.err, rows=self.session.out, share=self.share) as progress,
            self.wanted.jobs.opened() as executor,
        ):
            manner, title, everything = self._everything(files, executor, earlier)
            with self._document(title, manner, journal) as document:
                for one in everything:
                    if journal is not None and one.finished is not None:
                        self._count_finished(one.finished)
                        self._compare(one, one.finished, journal)
                    else:
                        self._head(document, one.file, manner.summary)
                        self._add(document, one)
                        self._count(one)
                    progress.step(earlier=one.finished is not None)

    def _compare(self, one: ShownProblem, finished: Finished, journal: Journal) -> None:
        """Refuse a line that is not of the problem that stands in its place."""
        if finished.name != (one.id and one.id[0]):
            from ddcalc.cli.resuming import foreign

            raise foreign(journal, self.solved + self.failed)

    def _everything(
        self, files: list[str], executor: Executor | None, earlier: Earlier
    ) -> tuple[Manner, str, Iterator[ShownProblem]]:
        """How the problems of *files* are shown, the title of them all, and each of them."""
        parts = _parts(self.share.watched(inputs(files)), in_pieces=executor is not None)
        first, several = _looked_into(parts)
        seconds = self.wanted.seconds
        if seconds is None:
            seconds = SECONDS if several else 0
        if several and executor is not None:
            manner = self._manner(several, seconds)
            everything = Shared(manner, executor, earlier).shown(chain(first, parts))
            return manner, ", ".join(files), everything
        done = _solved(chain(first, parts), seconds, earlier)
        begun = list(islice(done, 2))
        several = len(begun) > 1
        manner = self._manner(several, seconds)
        title = ", ".join(files) if several else "".join(x.question.title or "" for x, _ in begun)
        return manner, title, (shown(x, manner, lines) for x, lines in chain(begun, done))

    def _manner(self, several: bool, seconds: float) -> Manner:
        """How each problem is shown, one alone or one of *several*."""
        wanted, session = self.wanted, self.session
        steps = wanted.steps or (Steps.none if several else Steps.full)
        look = self.target.look(session.out)
        return Manner(
            self.target.form.value,
            steps.value,
            wanted.answers,
            several,
            several and steps is Steps.none and self.target.form is Format.text,
            (look.width, look.colour, look.unicode),
            session.short,
            session.debug,
            seconds,
        )

    def _document(self, title: str, manner: Manner, journal: Journal | None) -> Document:
        head, between = "", "\n"
        if manner.summary:
            from ddcalc.render.terminal import screen

            head, between = screen.summary_head(self.target.look(self.session.out)), ""

        def last() -> Page | None:
            if self.target.form in REPORTS:
                return self._report()
            return self._totals(manner.summary) if manner.several else None

        return Document(
            self.target,
            self.session,
            "problems",
            title=title,
            head=head,
            between={Format.text: between},
            last=last,
            inputs=self.kept,
            journal=journal,
        )

    def _report(self) -> Page | None:
        """The report on all problems, where it is wanted as a whole."""
        made = self.reported
        return None if made is None else Page(text=lambda look: made.text())

    def _head(self, document: Document, file: str, summary: bool) -> None:
        """The name of a *file* above its problems, where there are several files."""
        from ddcalc.render.blocks import Heading

        headed = self.wanted.headed and self.target.form not in REPORTS
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

    def _add(self, document: Document, one: ShownProblem) -> None:
        """Write a problem, and say what is to be said of it."""
        for remark in one.remarks:
            self.session.remark(*remark)
        text = one.text
        if one.title is not None:
            place = f"problem-{self.solved + 1}"
            listed = self.places.setdefault(one.file if self.wanted.headed else "", [])
            listed.append((one.title or place, place))
            text = document.placed(text, place)
        if one.case is not None:
            from ddcalc.render.reports import TestCase, TestReport

            self.reported = self.reported or TestReport()
            self.reported.add(TestCase(*one.case))
        document.put(text)

    def _count(self, one: ShownProblem) -> None:
        if one.is_solved:
            self.solved += 1
        else:
            self.failed += 1
        self.wrong += one.wrong
        if one.differs:
            self.differing += 1
            self.session.happened(DIFFERS)

    def _count_finished(self, finished: Finished) -> None:
        if finished.kind:
            self.failed += 1
            self.session.happened(gravity_of(finished.kind))
        else:
            self.solved += 1
        self.wrong += finished.wrong
        if finished.differs:
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


def _parts(
    sources: Iterable[Source | DdcalcError], *, in_pieces: bool
) -> Iterator[tuple[Ids, Part]]:
    """What is in *sources*, in order, each part with the ids of its file."""
    for source in sources:
        if not isinstance(source, Source):
            yield Ids(""), source
        elif in_pieces:
            ids = Ids(source.name)
            yield from ((ids, part) for part in pieces(source))
        else:
            yield Ids(source.name), FileReading(source.name, read(source), source.line_text)


def _looked_into(parts: Iterator[tuple[Ids, Part]]) -> tuple[list[tuple[Ids, Part]], bool]:
    """The first *parts*, up to the second problem, and whether there is one."""
    first, count = [], 0
    for ids, part in parts:
        if isinstance(part, DdcalcError):
            count += 1
        else:
            read = reading(part) if isinstance(part, TextPiece) else part
            begun = list(islice(read.items, 2))
            count += sum(bool(item.index or item.errors) for item in begun)
            if isinstance(part, FileReading):
                part = part._replace(items=chain(begun, part.items))
        first.append((ids, part))
        if count > 1:
            break
    return first, count > 1


def _solved(
    parts: Iterable[tuple[Ids, Part]], seconds: float, earlier: Earlier
) -> Iterator[tuple[Solved, LineText]]:
    """Everything in *parts*, solved here one after the other but for what is known from
    *earlier*."""
    for ids, part in parts:
        for one, line_text in _solved_part(ids, part, seconds, earlier):
            one.finished = earlier.take()
            yield one, line_text


def _solved_part(
    ids: Ids, part: Part, seconds: float, earlier: Earlier
) -> Iterator[tuple[Solved, LineText]]:
    if isinstance(part, DdcalcError):
        yield unread(part), lambda number: None
        return
    whole = reading(part) if isinstance(part, TextPiece) else part
    for _, done in solved_items(whole, ids, seconds, earlier):
        yield from ((one, whole.line_text) for one in done)
