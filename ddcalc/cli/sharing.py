"""Problems that several processes or machines solve, shown as one process would show them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from copy import copy
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from ddcalc.boundary.pieces import TextPiece, reading, singles
from ddcalc.boundary.processes import WorkerEnded, in_order
from ddcalc.boundary.timeout import OUT_OF_TIME
from ddcalc.cli.session import note
from ddcalc.cli.showing import (
    Manner,
    Part,
    ShownProblem,
    new_wording,
    no_line,
    piece_shown,
    shown,
    solved_items,
    texts,
    unread,
)
from ddcalc.errors import DdcalcError, OutOfTime, WorkerLost
from ddcalc.files.batch import Earlier, ProblemFile
from ddcalc.files.ids import Ids


def shown_piece(manner: tuple[Any, ...], piece: tuple[Any, ...]) -> list[tuple[Any, ...]] | None:
    """What a worker makes of a *piece*, both as plain data; None where the piece does not stand for
    itself."""
    made = piece_shown(Manner(*manner), TextPiece(*piece))
    return None if made is None else [tuple(one) for one in made]


def unsolved(manner: Manner, piece: TextPiece, error: DdcalcError) -> Iterator[ShownProblem]:
    """The problems of a *piece*, none of which could be solved because of an *error*."""
    sheet = ProblemFile(piece.file)
    read, wording = reading(piece), new_wording(manner)
    for item in read.items:
        if item.index:
            yield shown(sheet.refused(item, copy(error)), manner, read.line_text, wording)


class _Answered(NamedTuple):
    """Some of a file, with the *ids* of that, and what a worker made of it, if it was for one and
    stands for itself."""

    ids: Ids
    part: Part
    shown: list[ShownProblem] | None


class Shared:
    """Problems of pieces that an *executor*'s workers solve, None where this process does, as if
    the files were in one piece: what spans pieces is settled here, in their order."""

    def __init__(self, manner: Manner, executor: Executor | None, earlier: Earlier) -> None:
        self.manner, self.earlier, self._executor = manner, earlier, executor
        self._work = partial(shown_piece, tuple(manner))
        self._given: deque[tuple[Ids, Part]] = deque()  # whose results have not come yet
        self._next: _Answered | None = None  # one that was taken too early

    def shown(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[ShownProblem]:
        """What comes of all *parts*, each with the ids of its file."""
        for one in self._shown(parts):
            finished = self.earlier.take()
            assert finished or not one.finished, "a problem that was not finished was passed over"
            yield one._replace(finished=finished) if finished else one

    def _shown(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[ShownProblem]:
        answered = self._answered(parts)
        while (one := self._next or next(answered, None)) is not None:
            self._next = None
            if isinstance(one.part, DdcalcError):
                yield shown(unread(one.part), self.manner, no_line)
            elif isinstance(one.part, TextPiece) and one.shown is not None:
                yield from self._settled(one.part, one.shown, one.ids)
            else:
                yield from self._in_turn(one, answered)

    def _answered(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[_Answered]:
        parts = iter(parts)
        for ids, part in parts:
            if self.earlier.coming() is None:
                parts = chain([(ids, part)], parts)
                break
            made = None
            if isinstance(part, TextPiece):
                made = piece_shown(self.manner, part, None, self.earlier)
            yield _Answered(ids, part, made)
        for result in in_order(self._executor, self._work, self._handed(parts)):
            ids, part = self._given.popleft()
            if isinstance(result, WorkerEnded) and isinstance(part, TextPiece):
                yield from self._alone(ids, part, result)
            else:
                yield _Answered(ids, part, _sent(result))

    def _handed(self, parts: Iterable[tuple[Ids, Part]]) -> Iterator[tuple[str | int, ...] | None]:
        """Pieces as plain data, for workers; None for what is for this process."""
        for ids, part in parts:
            self._given.append((ids, part))
            yield _data(part) if isinstance(part, TextPiece) else None

    def _alone(self, ids: Ids, piece: TextPiece, lost: WorkerEnded) -> Iterator[_Answered]:
        """Each problem of a *piece* that was *lost*, tried by itself: the others do not suffer."""
        cut = singles(piece)
        results: Iterable[object] = [lost]
        if len(cut) > 1:
            results = in_order(self._executor, self._work, map(_data, cut))
        for one, result in zip(cut, results, strict=True):
            if isinstance(result, WorkerEnded):
                made = [*unsolved(self.manner, one, _reason(result.exit_code, self.manner))]
                yield _Answered(ids, one, made)
            else:
                yield _Answered(ids, one, _sent(result))

    def _settled(self, piece: TextPiece, made: list[ShownProblem], ids: Ids) -> list[ShownProblem]:
        """What was *made* of a *piece*, worked out once more where a name was given above it."""
        names = [one.id for one in made if one.id is not None]
        if any(ids.known(name) for name, _, _ in names):
            return piece_shown(self.manner, piece, ids, self.earlier) or made
        for name, line, column in names:
            ids.first(name, line, column)
        if ids.remark:
            made[-1].remarks.append((None, note(piece.file, ids.remark)))
            ids.remark = ""
        return made

    def _in_turn(self, one: _Answered, answered: Iterator[_Answered]) -> Iterator[ShownProblem]:
        """What comes of a part that is read here, or must be since it does not stand for itself;
        with it all that stands below it in its file."""
        assert not isinstance(one.part, DdcalcError)
        below = self._below(one.ids, answered)
        read = reading(one.part, texts(below)) if isinstance(one.part, TextPiece) else one.part
        manner, wording = self.manner, new_wording(self.manner)
        for _, done in solved_items(read, one.ids, manner.seconds, self.earlier):
            yield from (shown(solved, manner, read.line_text, wording) for solved in done)
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


def _reason(exit_code: int | None, manner: Manner) -> DdcalcError:
    """Why there is no answer of a worker that ended with *exit_code*."""
    return OutOfTime(manner.seconds) if exit_code == OUT_OF_TIME else WorkerLost(exit_code)
