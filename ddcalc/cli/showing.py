"""Problems of a file from their text to what is printed, without anything that happens besides:
whoever has a piece of a file makes the same of it, here or in another process.

What comes back of a problem is data: its text, and what is to be said and counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ddcalc.boundary.nodes import Item
from ddcalc.boundary.pieces import FileReading, LineText, PieceForm, TextPiece, reading, singles
from ddcalc.boundary.processes import Lost, in_order
from ddcalc.boundary.timeout import OUT_OF_TIME, end_worker_after, within
from ddcalc.cli.documents import Page, entry
from ddcalc.cli.formats import REPORTS, Format, Steps
from ddcalc.cli.session import note, refusal
from ddcalc.cli.type_command import shows_unused
from ddcalc.errors import Bug, DdcalcError, OutOfTime, Place, WorkerLost
from ddcalc.render.terminal.layout import Look
from ddcalc.sheet.batch import Ids, Sheet, Solved
from ddcalc.sheet.sheet_problem import SheetProblem

if TYPE_CHECKING:
    from ddcalc.render.blocks import Block
    from ddcalc.render.reports import TestCase


class Manner(NamedTuple):
    """How problems are shown, one or *several*: in a *form*, with *steps* or the *answers* alone,
    as a *summary* of a line each, in a *look*; errors *short*, or with what *debug* adds. Solving
    and showing one may take so many *seconds* of the processor each; 0: as many as it takes."""

    form: str
    steps: str
    answers: bool
    several: bool
    summary: bool
    look: tuple[int, bool, bool]
    short: bool
    debug: bool
    seconds: float


Part = TextPiece | FileReading | DdcalcError  # some of a file, all of it, or why it cannot be read


class ShownProblem(NamedTuple):
    """A problem of a *file* as it is shown, or a part of the file that is wrong."""

    file: str
    text: str
    remarks: list[tuple[int | None, str]]  # errors with their exit code, and notes
    is_solved: bool
    differs: bool  # whether an answer is not as the file expects
    wrong: int  # answers that are not as stated
    title: str | None  # in the contents of a long page; None where it is not listed
    case: TestCase | None  # for a report on all problems
    id: tuple[str, int, int] | None  # with its line and column


def shown(done: Solved, manner: Manner, line_text: LineText) -> ShownProblem:
    """A problem as it is shown; a mistake of ours in showing it costs this one only."""
    form, steps = Format(manner.form), Steps(manner.steps)
    question = done.question
    remarks: list[tuple[int | None, str]] = []

    def refuse(errors: Iterable[DdcalcError]) -> None:
        remarks.extend(refusal(one, line_text, manner.short, manner.debug) for one in errors)

    refuse(done.errors)
    remarks += [(None, note(question.file, done.note))] * bool(done.note)
    page = _reported(done, form) if form in REPORTS else _page(done, manner)
    is_listed = steps is not Steps.none and done.answered
    title = question.title or question.id or ""
    try:
        text = within(manner.seconds, entry, page, form, Look(*manner.look))
        if not shows_unused(form, steps):
            remarks += [(None, note(*words)) for words in _unused(done)]
    except Exception as error:
        wrong = error if isinstance(error, DdcalcError) else Bug(error)
        wrong.problem = question.id
        if isinstance(wrong, OutOfTime):
            wrong.place = Place(question.file, question.line)
        done.errors.append(wrong)
        refuse([wrong])
        text = entry(page, form, Look(*manner.look))
    at = question.id_node
    return ShownProblem(
        question.file,
        text,
        remarks,
        not done.errors,
        done.differs,
        sum(not check.agrees for check in done.checks),
        title if is_listed else None,
        _case(done) if form is Format.junit else None,
        None if question.id is None or at is None else (question.id, at.line, at.column),
    )


def unread(error: DdcalcError) -> Solved:
    """What comes of a file that cannot be read because of an *error*."""
    file = error.place.file if error.place else ""
    return Solved(SheetProblem(file, 0), errors=[error])


def _no_line(_number: int) -> None:
    """No line of such a file is known."""


def shown_piece(manner: tuple[Any, ...], piece: Any) -> list[tuple[Any, ...]] | None:
    """What a worker makes of a *piece*, both as plain data; None where the piece does not stand for
    itself, or is none."""
    if _is_for_here(piece):
        return None
    made = piece_shown(Manner(*manner), TextPiece(*piece))
    return None if made is None else [tuple(one) for one in made]


def piece_shown(
    manner: Manner, piece: TextPiece, ids: Ids | None = None
) -> list[ShownProblem] | None:
    """What comes of a *piece* by itself, whose names must not be among the *ids* so far; None where
    it does not stand for itself."""
    made: list[ShownProblem] = []
    read = reading(piece)
    is_list = piece.form == PieceForm.list
    for item, done in solved_items(read, ids or Ids(piece.file), manner.seconds):
        if is_list and (item.head is None or not (item.index or made)):
            return None
        if item.index or piece.last or not is_list:  # else it is said at the end of the list
            made += [shown(one, manner, read.line_text) for one in done]
    return made


def solved_items(
    read: FileReading, ids: Ids, seconds: float
) -> Iterator[tuple[Item, list[Solved]]]:
    """Each item with what comes of it, its problem last; that may take so many *seconds*."""
    sheet = Sheet(read.file, seconds=seconds)
    sheet.ids = ids
    continued = read.continued
    for item in read.items:
        end_worker_after(2 * seconds)
        done = list(sheet.solved(item))
        if continued:
            done, continued = done[-1:], False  # what is wrong above the list was said before
        yield item, done
    end_worker_after(0)


def unsolved(manner: Manner, piece: TextPiece, error: DdcalcError) -> Iterator[ShownProblem]:
    """The problems of a *piece*, none of which could be solved because of an *error*."""
    sheet = Sheet(piece.file)
    read = reading(piece)
    for item in read.items:
        if item.index:
            yield shown(sheet.refused(item, copy(error)), manner, read.line_text)


def _reported(done: Solved, form: Format) -> Page:
    """What a report for continuous integration says of a problem as it comes."""
    from ddcalc.render.reports import workflow_commands

    return Page(text=lambda look: workflow_commands(done)) if form is Format.github else Page()


def _case(done: Solved) -> TestCase:
    from ddcalc.render.reports import case

    return case(done)


def _unused(done: Solved) -> Iterator[tuple[str, ...]]:
    """What a problem itself states without effect, as opposed to the defaults."""
    question = done.question
    if done.derivation is None or not done.answered:
        return
    name = question.id or f"line {question.line}"
    for unused in done.derivation.unused:
        if unused.noted and unused.name not in question.usual:
            yield question.file, name, unused.name, unused.says


def _page(done: Solved, manner: Manner) -> Page:
    """A problem of a file; what is not solved is for scripts and for the summary."""
    from ddcalc.render.json import answered_problem, solved_problem

    steps = Steps(manner.steps)

    def text(look: Look) -> str:
        from ddcalc.render.terminal import screen

        return screen.summary(done, look)

    def blocks() -> Iterator[Block]:
        from ddcalc.render import pages

        return iter(pages.problem(done, steps.value)) if done.answered else iter(())

    def data() -> Any:
        with_steps = steps is not Steps.none
        return answered_problem(done) if manner.answers else solved_problem(done, with_steps)

    line = "" if done.errors else done.line
    return Page(blocks, data, text if manner.summary else None, line=line)


class _Answered(NamedTuple):
    """Some of a file, with the *ids* of that, and what a worker made of it, if it was for one and
    stands for itself."""

    ids: Ids
    part: Part
    shown: list[ShownProblem] | None


class Shared:
    """Problems of pieces that an *executor*'s workers solve, None where this process does, as if
    the files were in one piece: what spans pieces is settled here, in their order."""

    def __init__(self, manner: Manner, executor: Executor | None) -> None:
        self.manner, self._executor = manner, executor
        self._work = partial(shown_piece, tuple(manner))
        self._given: deque[tuple[Ids, Part]] = deque()  # whose results have not come yet
        self._next: _Answered | None = None  # one that was taken too early

    def shown(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[ShownProblem]:
        """What comes of all *parts*, each with the ids of its file."""
        answered = self._answered(parts)
        while (one := self._next or next(answered, None)) is not None:
            self._next = None
            if isinstance(one.part, DdcalcError):
                yield shown(unread(one.part), self.manner, _no_line)
            elif isinstance(one.part, TextPiece) and one.shown is not None:
                yield from self._settled(one.part, one.shown, one.ids)
            else:
                yield from self._in_turn(one, answered)

    def _answered(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[_Answered]:
        results = in_order(self._executor, self._work, self._handed(parts), here=_is_for_here)
        for result in results:
            ids, part = self._given.popleft()
            if isinstance(result, Lost) and isinstance(part, TextPiece):
                yield from self._alone(ids, part, result)
            else:
                yield _Answered(ids, part, _sent(result))

    def _handed(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[object]:
        """Pieces as plain data, for workers; and what is for this process."""
        for ids, part in parts:
            self._given.append((ids, part))
            yield _data(part) if isinstance(part, TextPiece) else part

    def _alone(self, ids: Ids, piece: TextPiece, lost: Lost[object]) -> Iterator[_Answered]:
        """Each problem of a *piece* that was *lost*, tried by itself: the others do not suffer."""
        cut = singles(piece)
        results: Iterable[object] = [lost]
        if len(cut) > 1:
            results = in_order(self._executor, self._work, map(_data, cut))
        for one, result in zip(cut, results, strict=True):
            made = None if isinstance(result, Lost) else _sent(result)
            if made is None:
                code = result.exit_code if isinstance(result, Lost) else lost.exit_code
                made = [*unsolved(self.manner, one, _reason(code, self.manner))]
            yield _Answered(ids, one, made)

    def _settled(self, piece: TextPiece, made: list[ShownProblem], ids: Ids) -> list[ShownProblem]:
        """What was *made* of a *piece*, worked out once more where a name was given above it."""
        names = [one.id for one in made if one.id is not None]
        if any(ids.known(name) for name, _, _ in names) or 0 < ids.room <= len(names):
            return piece_shown(self.manner, piece, ids) or made
        for name, line, column in names:
            if ids.room and not ids.known(name):
                ids.add(name, line, column)
        return made

    def _in_turn(self, one: _Answered, answered: Iterator[_Answered]) -> Iterator[ShownProblem]:
        """What comes of a part that is read here, or must be since it does not stand for itself;
        with it all that stands below it in its file."""
        assert not isinstance(one.part, DdcalcError)
        below = self._below(one.ids, answered)
        read = reading(one.part, texts(below)) if isinstance(one.part, TextPiece) else one.part
        for _, done in solved_items(read, one.ids, self.manner.seconds):
            yield from (shown(solved, self.manner, read.line_text) for solved in done)
        for _ in below:  # which stands below an error that ends the file
            pass

    def _below(self, ids: Ids, answered: Iterator[_Answered]) -> Iterator[Part]:
        for one in answered:
            if one.ids is not ids:
                self._next = one
                return
            yield one.part


def _data(piece: TextPiece) -> tuple[str | int, ...]:
    """A *piece* for workers, who need not know our classes to take it."""
    return tuple(str(part) if isinstance(part, str) else part for part in piece)


def _sent(result: Any) -> list[ShownProblem] | None:
    """What a worker sent."""
    return None if result is None else [ShownProblem(*one) for one in result]


def _is_for_here(part: object) -> bool:
    return isinstance(part, FileReading | DdcalcError)


def _reason(exit_code: int | None, manner: Manner) -> DdcalcError:
    """Why there is no answer of a worker that ended with *exit_code*."""
    return OutOfTime(manner.seconds) if exit_code == OUT_OF_TIME else WorkerLost(exit_code)


def texts(parts: Iterable[Part]) -> Iterator[str]:
    """All text of *parts* of which nothing was taken."""
    for part in parts:
        if isinstance(part, TextPiece):
            yield part.text
        elif isinstance(part, FileReading):
            yield from part.text
