"""The verb ``solve``: everything in problem files, shown one by one as it is solved."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.nodes import Item
from ddcalc.boundary.pieces import (
    SIZE,
    FileReading,
    LineText,
    PieceForm,
    TextPiece,
    pieces,
    reading,
)
from ddcalc.boundary.reader import read
from ddcalc.boundary.source import FileShare, Source, inputs
from ddcalc.cli.documents import Document, Page, below
from ddcalc.cli.formats import PAGES, REPORTS, Format, Steps, Target
from ddcalc.cli.jobs import OPTIONS as JOBS
from ddcalc.cli.jobs import Jobs, WorkShare, jobs, share
from ddcalc.cli.options import argument, delivery, option, taking
from ddcalc.cli.session import DIFFERS, Session, gravity_of
from ddcalc.cli.showing import (
    Manner,
    Part,
    ShownProblem,
    new_wording,
    shown,
    solved_items,
    texts,
    unread,
)
from ddcalc.cli.waiting import Waiting
from ddcalc.errors import BadNumber, BadTarget, BadValue, DdcalcError
from ddcalc.files.batch import Earlier, Finished, Solved
from ddcalc.files.ids import Ids
from ddcalc.numbers.display import counted
from ddcalc.numbers.units import SECOND, TIME, measure

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
READ: Final = (Format.text, Format.markdown, Format.latex, Format.html)  # by people
SECONDS: Final = 10  # of the processor that one problem of several may take
LONGEST: Final = 10**6
FINENESS: Final = 50  # pieces, about, in a part of a work
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
        "--resume",
        bool,
        "Write --output FILE.ndjson line by line, and go on where a call that ended early stopped.",
        False,
    ),
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
        part: str | None,
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
        mine = None if part is None else _share(part, target, sources)
        target.check(kept if target.output else ())
        steps = Steps.none if answers else steps
        seconds = None if timeout is None else _seconds(timeout)
        wanted = _Wanted(steps, answers, seconds, shared, mine, len(sources) > 1)
        batch = _Batch(session, target, kept, wanted, FileShare(known))
        if sources or target.output is None or target.form not in READ:
            batch.run(words)
        else:
            batch.refuse([one for one in known if not isinstance(one, Source)])

    return taking(run, [WORDS, *OPTIONS])


def _seconds(text: str) -> float:
    """The time that *text* states; BadValue where it is none, or too long."""
    try:
        seconds = float(measure(text, TIME, bare_unit=SECOND).value)
    except BadNumber as error:
        raise error.about("--timeout") from None
    if not 0 < seconds <= LONGEST:
        raise BadValue(text, f"must be above 0 s and at most {LONGEST} s").about("--timeout")
    return seconds


def _share(text: str, target: Target, sources: Iterable[str]) -> WorkShare:
    """The share that *text* states; BadValue or BadTarget where it does not go with the rest."""
    made = share(text)
    if target.form is not Format.ndjson:
        reason = "goes with --format ndjson, whose lines of all parts make up the whole"
        raise BadTarget(reason).about("--part")
    if "-" in sources:
        raise BadTarget("goes with files, whose sizes are known").about("--part")
    return made


class _Wanted(NamedTuple):
    """What the options say: the *steps* to be shown or the *answers* alone, the *seconds* that a
    problem may take, by how many *jobs*, and which *share* of all; whether files are *headed* by
    their names."""

    steps: Steps | None
    answers: bool
    seconds: float | None
    jobs: Jobs
    share: WorkShare | None
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

    def refuse(self, errors: Sequence[DdcalcError]) -> None:
        """Say why nothing can be read; a page of nothing is not written."""
        self.session.refuse(errors)
        self.failed = len(errors)
        self.session.say(self._outcome())

    def _go_on(self, files: list[str]) -> None:
        """Solve what an earlier run has left."""
        from ddcalc.cli.resuming import finished_problems, foreign, resuming

        wanted = self.wanted
        options = {
            "--steps": wanted.steps or "",
            "--answers": "yes" if wanted.answers else "",
            "--part": "/".join(map(str, wanted.share)) if wanted.share else "",
            "--timeout": "" if wanted.seconds is None else f"{wanted.seconds:g} s",
        }
        names = [one.name if isinstance(one, Source) else str(one) for one in inputs(files)]
        with resuming(self.session, self.target, options, names) as journal:
            finished = finished_problems(journal)
            if journal.finished:
                for one in finished:
                    self._count_finished(one)
                return
            self._solve(files, Earlier(finished), journal)
            if next(finished, None) is not None:
                raise foreign(journal, self.solved + self.failed + 1)

    def _solve(self, files: list[str], earlier: Earlier, journal: Journal | None = None) -> None:
        session = self.session
        with (
            Waiting(
                session, "problem", rows=session.out, share=self.share, written=True
            ) as progress,
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
        mine = self.wanted.share
        in_pieces = executor is not None or mine is not None
        size = 0 if mine is None else max(1, sum(_sizes(files).values()) // (FINENESS * mine.parts))
        sources = self.share.watched(inputs(files))
        parts, several = _looked_into(_parts(sources, size, in_pieces=in_pieces))
        if mine is not None:
            parts = _of_share(parts, mine, files)
        seconds = self.wanted.seconds
        if seconds is None:
            seconds = SECONDS if several else 0
        if several and in_pieces:
            manner = self._manner(several, seconds)
            from ddcalc.cli.sharing import Shared

            everything = Shared(manner, executor, earlier).shown(parts)
            return manner, ", ".join(files), everything
        done = _solved(parts, seconds, earlier)
        begun = list(islice(done, 2))
        several = len(begun) > 1
        manner = self._manner(several, seconds)
        title = ", ".join(files) if several else "".join(x.question.title or "" for x, _ in begun)
        says = new_wording(manner)
        return manner, title, (shown(x, manner, text, says) for x, text in chain(begun, done))

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
        if not self.wanted.headed or not file or file in self.places:
            return
        if self.target.form not in REPORTS:
            from ddcalc.render.blocks import Heading

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
    sources: Iterable[Source | DdcalcError], size: int, *, in_pieces: bool
) -> Iterator[tuple[Ids, Iterator[Part]]]:
    """The parts of each of the *sources*, with the ids of its file; of about a *size*, if any."""
    for source in sources:
        if not isinstance(source, Source):
            yield Ids(""), iter([source])
        elif in_pieces:
            yield Ids(source.name), pieces(source, min(size, SIZE))
        else:
            yield Ids(source.name), iter([FileReading(source.name, read(source), source.line_text)])


def _sizes(files: list[str]) -> dict[str, int]:
    """The bytes of all that *files* mean, by their names."""
    sources = (one.name for one in inputs(files) if isinstance(one, Source))
    return {name: os.stat(name).st_size for name in sources}


def _of_share(
    parts: Iterator[tuple[Ids, Part]], mine: WorkShare, files: list[str]
) -> Iterator[tuple[Ids, Part]]:
    """Those of the *parts* that begin in a share of all bytes."""
    sizes = _sizes(files)
    total = sum(sizes[one.name] for one in inputs(files) if isinstance(one, Source))
    before = at = 0
    last: Ids | None = None
    for ids, part in parts:
        if last is not None and ids is not last:
            before, at = before + sizes.get(last.file, 0), 0
        last = ids
        if mine.has(min(before + at, max(total - 1, 0)), total):
            yield ids, part
        at += len(part.text.encode()) if isinstance(part, TextPiece) else 0


def _looked_into(
    files: Iterator[tuple[Ids, Iterator[Part]]],
) -> tuple[Iterator[tuple[Ids, Part]], bool]:
    """The parts of all *files*, each with the ids of its file, and whether they hold more than one
    problem, as far as that can be seen without solving any."""
    first, problems = [], 0
    for ids, parts in files:
        begun, here = _begun(parts)
        first.append((ids, begun))
        problems += here
        if problems > 1:
            break
    return ((ids, part) for ids, parts in chain(first, files) for part in parts), problems > 1


def _begun(parts: Iterator[Part]) -> tuple[Iterator[Part], int]:
    """The *parts* of a file and how many problems it holds, two at most; it is read in one go where
    that cannot be seen in its pieces."""
    pieces: list[Part] = []
    problems = 0
    for part in parts:
        pieces.append(part)
        if isinstance(part, DdcalcError):
            return iter(pieces), 1
        items = list(islice(reading(part).items, 2)) if isinstance(part, TextPiece) else []
        if not isinstance(part, TextPiece) or not _stands_alone(part, items):
            break
        problems += _problems(items)
        if problems > 1 or part.last:
            return chain(pieces, parts), problems
    first, *others = pieces
    whole = reading(first, texts(chain(others, parts))) if isinstance(first, TextPiece) else first
    assert isinstance(whole, FileReading)
    items = list(islice(whole.items, 2))
    return iter([whole._replace(items=chain(items, whole.items))]), _problems(items)


def _stands_alone(piece: TextPiece, items: Sequence[Item]) -> bool:
    """Whether a *piece* that begins with *items* can be read by itself."""
    in_list = piece.form == PieceForm.list
    return not in_list or (all(item.head is not None for item in items) and items[0].index > 0)


def _problems(items: Iterable[Item]) -> int:
    """How many of *items* are problems, or errors that stand for one."""
    return sum(bool(item.index or item.errors) for item in items)


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
