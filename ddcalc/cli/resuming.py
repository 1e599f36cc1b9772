"""Files that a call goes on with (``--resume``): of what run they are, and what they have."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol

from ddcalc.boundary import files
from ddcalc.boundary.journal import Origin, contents, resumed
from ddcalc.boundary.signals import Terminated
from ddcalc.errors import BadTarget, Place
from ddcalc.files.batch import Finished
from ddcalc.problem.presets import own_files

if TYPE_CHECKING:
    from ddcalc.boundary.journal import Journal
    from ddcalc.cli.formats import Target
    from ddcalc.cli.session import Session


@contextmanager
def resuming(
    session: Session,
    target: Target,
    command: str,
    options: Mapping[str, str],
    inputs: Sequence[str],
) -> Iterator[Journal]:
    """The file of *target*, which the same *command* with the same *options*, of those that change
    its lines, and the same *inputs* goes on with; how far it has come is said."""
    from importlib.metadata import version

    assert target.output is not None
    name = files.shown(target.output)
    stated = {option: value for option, value in options.items() if value}
    origin = Origin(version("ddcalc"), command, stated, contents([*inputs, *own_files()]))
    with resumed(target.output, origin) as journal:
        if journal.finished:
            session.say(f"{name} is complete, with {_lines(journal.kept)}: nothing to do\n")
        elif journal.kept:
            session.say(f"{name} has {_lines(journal.kept)} already: going on after them\n")
        try:
            yield journal
        except (KeyboardInterrupt, Terminated):
            journal.flush()
            has = f"{name} has {_lines(journal.count)}"
            session.say(f"interrupted: {has}; the same call goes on after them\n")
            raise


def _lines(count: int) -> str:
    from ddcalc.numbers.display import counted

    return counted(count, "line")


def finished_problems(journal: Journal) -> Iterator[Finished]:
    """The problems that *journal* has from earlier."""
    for number, line in enumerate(journal.lines(), 1):
        try:
            data = json.loads(line)
            checks = [(check["ours"], check["agrees"]) for check in data.get("checks", ())]
            kind = data["error"]["kind"] if data["status"] == "error" else ""
            yield Finished(
                data["id"],
                kind,
                sum(not agrees for _, agrees in checks),
                any(ours and not agrees for ours, agrees in checks),
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            raise foreign(journal, number) from None


class ResumablePiece(Protocol):
    """A piece of work that comes to so many results, each of which has a line of its own."""

    def __len__(self) -> int: ...

    def has(self, place: int, result: Any) -> bool:
        """Whether the *result* may be the one at this *place*."""


class KeptWork:
    """Work that *share* does on pieces, each result of which has a line in *journal*; what it has
    from earlier is not done again. Of several works of a call only the first one has lines."""

    def __init__(self, journal: Journal, share: Callable[..., Iterable[Any]]) -> None:
        self.journal, self._share = journal, share
        self._earlier = enumerate(journal.lines(), 1)
        self._is_begun = False

    def __call__(
        self, work: Callable[[Any], Any], pieces: Iterable[ResumablePiece]
    ) -> Iterable[Any]:
        if self._is_begun:
            return self._share(work, pieces)
        self._is_begun = True
        return self._gone_on(work, iter(pieces))

    def _gone_on(
        self, work: Callable[[Any], Any], pieces: Iterator[ResumablePiece]
    ) -> Iterator[Any]:
        begun: list[tuple[int, bytes]] = []  # the lines of a piece that lacks some
        for piece in pieces:
            begun = list(islice(self._earlier, len(piece)))
            if len(begun) < len(piece):
                pieces = chain([piece], pieces)
                break
            yield [self._result(piece, place, *line) for place, line in enumerate(begun)]
        else:
            return
        for results in self._share(work, pieces):
            lines = [f"{json.dumps(result, allow_nan=False)}\n".encode() for result in results]
            for (number, line), again in zip(begun, lines, strict=False):
                if line != again:
                    raise foreign(self.journal, number)
            self.journal.write(b"".join(lines[len(begun) :]))
            begun = []
            yield results

    def _result(self, piece: ResumablePiece, place: int, number: int, line: bytes) -> Any:
        """What *line* number *number* says, which is the result at this *place* of a *piece*."""
        try:
            result = json.loads(line)
            if piece.has(place, result):
                return result
        except (ValueError, TypeError, KeyError):
            pass
        raise foreign(self.journal, number)

    def finish(self, text: str) -> None:
        """Write the last line, the answer, if it is not there."""
        if (last := next(self._earlier, None)) is None:
            self.journal.write(text.encode())
        elif last[1] != text.encode() or next(self._earlier, None):
            raise foreign(self.journal, last[0])


def foreign(journal: Journal, number: int) -> BadTarget:
    """That line *number* of *journal* is not of this run."""
    reason = f"line {number} is not of this run; remove the file to begin anew"
    return BadTarget(reason, Place(files.shown(journal.name), number))
