"""The answers of students from what they handed in to what is shown, without anything that happens
besides: whoever has the sheet and some papers makes the same of them, here or in another process.

Papers are plain data on their way, and so is the sheet: its text, which each process solves once.
What comes back of a student is data, too: what is shown, said and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ddcalc.ask.mark.grading import Mark, StudentMarks, TallyEntry
from ddcalc.boundary.nodes import Node, Scalar
from ddcalc.boundary.nodes import Sequence as Listed
from ddcalc.boundary.source import Feed, Source
from ddcalc.cli.documents import Page, entry, report_page
from ddcalc.cli.formats import JSON, Format, Steps
from ddcalc.cli.session import Lines, refusal
from ddcalc.errors import BadFile, Bug, DdcalcError, Place, WorkerLost
from ddcalc.files.answer_key import Key
from ddcalc.files.batch import Solved, solved_text
from ddcalc.files.keys import Keys, Paper, Submission
from ddcalc.render import marks
from ddcalc.render.json import verb_data
from ddcalc.render.marks import StudentCells
from ddcalc.render.whole import Look

if TYPE_CHECKING:
    from concurrent.futures import Executor

ANSWERS: Final = 200  # of a piece that is sent, about

Remark = tuple[int | None, str]  # an error with its exit code, or a note


# The sheet


class SheetText(NamedTuple):
    """What a sheet says, as plain data: of each file its name, its text in the chunks in which it
    was read, and why it ends early, where it does. Answers have decimal commas or not."""

    files: list[tuple[str, list[str], str]]
    decimal_comma: bool

    def solved(self, source: Source) -> Iterator[Solved]:
        """Everything in *source*, whose text is kept, in order."""
        chunks: list[str] = []

        def passing() -> Iterator[str]:
            for chunk in source.chunks():
                chunks.append(chunk)
                yield chunk

        feed = Feed(passing(), source.name, source.line_text)
        yield from solved_text(feed, source.name)
        self.files.append((source.name, chunks, str(feed.failure or "")))

    def keys(self) -> Keys:
        """The keys to all problems that are solved, made anew."""
        keys: dict[str, Key] = {}
        for file, chunks, failure in self.files:
            for done in solved_text(Feed(_again(chunks, failure), file), file):
                if done.derivation is not None:
                    key = Key(done.question, done.derivation, decimal_comma=self.decimal_comma)
                    keys[key.name.lower()] = key
        return Keys(keys, frozenset(), "")


def _again(chunks: list[str], failure: str) -> Iterator[str]:
    yield from chunks
    if failure:
        raise BadFile(failure)


# Papers


class PaperData(NamedTuple):
    """A student's paper as plain data: each answer *stated*, by problem, quantity and value, what
    is to be said in between, and the *lines* on which answers stand."""

    student: str
    email: str
    version: int | None
    stated: Sequence[tuple[Any, ...]]
    lines: Mapping[int, str | None]


class PaperPiece(NamedTuple):
    """Some papers of a *file*."""

    file: str
    papers: Sequence[PaperData]


class MarkManner(NamedTuple):
    """How marks are shown: in a *form*, as a table with a row for each of the *answers* or of the
    students, in a *look*; errors *short*, or with what *debug* adds."""

    form: str
    answers: bool
    look: tuple[int, bool, bool]
    short: bool
    debug: bool

    def remark(self, error: DdcalcError, lines: Lines = lambda number: None) -> Remark:
        """What is said of an *error*, quoting *lines* of its source."""
        return refusal(error, lines, self.short, self.debug)


def paper_data(
    paper: Paper, version: int | None, line_text: Lines, manner: MarkManner
) -> PaperData:
    """A *paper* to that *version* as plain data."""
    stated: list[tuple[Any, ...]] = []
    lines: dict[int, str | None] = {}
    for one in paper.stated:
        if isinstance(one, DdcalcError):
            stated.append(manner.remark(one, line_text))
            continue
        (key, quantity), node = one
        stated.append((key.name.lower(), quantity, _node_data(node)))
        if node.line not in lines:
            lines[node.line] = line_text(node.line)
    return PaperData(paper.student, paper.email, version, stated, lines)


def _node_data(node: Node) -> tuple[Any, ...]:
    """A value or a list of values; what else stands in a list is no value, whatever is in it."""
    if isinstance(node, Scalar):
        return node.text, node.line, node.column
    items = node.items if isinstance(node, Listed) else ()
    return [*map(_node_data, items)], node.line, node.column


def _node(value: str | list[tuple[Any, ...]], line: int, column: int) -> Node:
    if isinstance(value, str):
        return Scalar(value, line, column)
    return Listed([_node(*item) for item in value], line, column)


def in_pieces(
    papers: Iterable[tuple[str, PaperData]], size: int
) -> Iterator[PaperPiece | Exception]:
    """All *papers*, each with its file, in pieces of about *size* answers; at last the error that
    ends them, where there is one."""
    ending: Exception | None = None
    file, waiting, answers = "", list[PaperData](), 0
    try:
        for name, paper in papers:
            if waiting and name != file:
                yield PaperPiece(file, waiting)
                waiting, answers = [], 0
            file = name
            waiting.append(paper)
            answers += max(1, len(paper.stated))
            if answers >= size:
                yield PaperPiece(file, waiting)
                waiting, answers = [], 0
    except Exception as error:  # it comes after what stands before it, whoever marks that
        ending = error
    if waiting:
        yield PaperPiece(file, waiting)
    if ending is not None:
        yield ending


# Marks


class MarkedStudent(NamedTuple):
    """What comes of a student's answers: what is to be said, what a class counts of each mark, and
    the *text* that is shown; on a screen its *cells*, since columns grow with other students."""

    remarks: Sequence[Remark]
    student: str = ""
    email: str = ""
    version: int | None = None
    entries: Sequence[TallyEntry] = ()
    text: str = ""
    cells: StudentCells | None = None


def shown(
    handed: StudentMarks,
    made: Iterator[tuple[Key, Mark]],
    manner: MarkManner,
    remarks: Sequence[Remark] = (),
) -> MarkedStudent:
    """The marks that are *made* of what was *handed* in, as they are shown, after what is to be
    said before."""
    try:
        for key, mark in made:
            handed.marked.append((key.name, mark))
    except Exception as error:  # whatever we did not foresee costs these only
        wrong = error if isinstance(error, DdcalcError) else Bug(error)
        remarks = [*remarks, manner.remark(wrong)]
    if not handed.marked:
        return MarkedStudent(remarks)
    one = MarkedStudent(
        remarks, handed.student, handed.email, handed.version, marks.tally_entries(handed)
    )
    form = Format(manner.form)
    if form is Format.text:
        return one._replace(cells=marks.cells(handed.student, handed.marked))
    if form is Format.csv:
        rows = (marks.row(handed.student, *marked) for marked in handed.marked)
        return one._replace(text="".join(rows)) if manner.answers else one
    if form in JSON:
        page = Page(data=lambda: verb_data.student_marks(handed))
    else:
        page = report_page(marks.report(handed.student, handed.marked), Steps.full)
    return one._replace(text=entry(page, form, Look(*manner.look)))


def piece_marked(
    keys: Keys, manner: MarkManner, piece: PaperPiece | Exception
) -> list[MarkedStudent]:
    """What comes of the papers in a *piece*, in order; an error that is one is raised."""
    if isinstance(piece, Exception):
        raise piece
    keys.file = piece.file
    return [_marked(keys, manner, paper) for paper in piece.papers]


def _marked(keys: Keys, manner: MarkManner, paper: PaperData) -> MarkedStudent:
    """What comes of one *paper*."""
    handed, remarks = Submission(paper.student), list[Remark]()
    for one in paper.stated:
        if len(one) == 2:
            remarks.append((one[0], one[1]))
            continue
        problem, quantity, value = one
        keys.add(handed, (keys.keys[problem], quantity), _node(*value))
        remarks += (manner.remark(error, paper.lines.get) for error in handed.errors)
        handed.errors.clear()
    student = StudentMarks(paper.student, [], paper.email, paper.version)
    return shown(student, keys.marks(handed), manner, remarks)


# Whoever marks


_latest: tuple[tuple[Any, ...], Keys] | None = None


def marked_there(
    sheet: tuple[Any, ...], manner: tuple[Any, ...], piece: Any
) -> list[MarkedStudent]:
    """What a worker makes of a *piece*; all of it is plain data. The keys are made once."""
    global _latest
    if isinstance(piece, Exception):
        raise piece
    if _latest is None or _latest[0] != sheet:
        _latest = sheet, SheetText(*sheet).keys()
    file, papers = piece
    read = PaperPiece(file, [PaperData(*paper) for paper in papers])
    return piece_marked(_latest[1], MarkManner(*manner), read)


def shared(
    pieces: Iterable[PaperPiece | Exception],
    sheet: SheetText,
    manner: MarkManner,
    executor: Executor,
) -> Iterator[MarkedStudent]:
    """What an *executor*'s workers make of *pieces*, in order; where one ends twice in the midst of
    a piece, of each of its papers alone."""
    from ddcalc.boundary.processes import Lost, in_order

    work = partial(marked_there, tuple(sheet), tuple(manner))

    def alone(lost: Lost[Any]) -> Iterator[MarkedStudent]:
        file, papers = lost.piece
        singles = [(file, [paper]) for paper in papers]
        results = in_order(executor, work, singles) if len(singles) > 1 else [lost]
        for paper, result in zip(papers, results, strict=True):
            if isinstance(result, Lost):
                yield _unmarked(file, PaperData(*paper), result.exit_code, manner)
            else:
                yield from result

    for result in in_order(executor, work, map(_data, pieces), here=_is_error):
        if isinstance(result, Lost):
            yield from alone(result)
        else:
            yield from result


def _data(piece: PaperPiece | Exception) -> Any:
    """A *piece* for workers, who need not know our classes to take it."""
    if isinstance(piece, Exception):
        return piece
    return piece.file, [tuple(paper) for paper in piece.papers]


def _is_error(piece: object) -> bool:
    return isinstance(piece, Exception)


def _unmarked(
    file: str, paper: PaperData, exit_code: int | None, manner: MarkManner
) -> MarkedStudent:
    """A student whose *paper* ended two workers; what was wrong beside its answers is said, too."""
    place = Place(file, next(iter(paper.lines), 0))
    error = WorkerLost(exit_code, "not marked").about(paper.student, place)
    said = [(one[0], one[1]) for one in paper.stated if len(one) == 2]
    return MarkedStudent([*said, manner.remark(error)])
