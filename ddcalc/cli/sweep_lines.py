"""The points of a sweep as lines, written block by block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ddcalc.boundary import files
from ddcalc.boundary.cleaning import clean
from ddcalc.boundary.output import Output
from ddcalc.boundary.signals import Terminated, reraise_signals
from ddcalc.cli.progress import Progress
from ddcalc.cli.session import Session

if TYPE_CHECKING:
    from ddcalc.ask.sweep.best import Sweep

ATOMIC: Final = 4096  # bytes that a pipe takes whole or not at all (PIPE_BUF)


class Lines:
    """Points written as lines, block by block: what is finished stays, however it ends."""

    def __init__(self, session: Session, table: bool) -> None:
        self.session, self.table = session, table

    def write(self, sweep: Sweep, output: str | None, force: bool, inputs: Sequence[str]) -> None:
        """Work out all points, and write them as they come: CSV for a *table*, else ndjson."""
        if output is None:
            with reraise_signals():
                for told, _ in self._blocks(sweep, self.session.out):
                    for piece in _pieces(told):
                        self.session.out.write(piece.decode())
        else:
            name = files.shown(output)
            ends, file = {0: 0}, None  # the points that belong to a size of the file, in bytes
            try:
                with files.opened(output, force=force, inputs=inputs) as file, reraise_signals():
                    for told, points in self._blocks(sweep):
                        ends = {file.size: ends[file.size], file.size + len(told): points}
                        file.write(told)
            except (KeyboardInterrupt, Terminated):
                if file is not None and file.size:
                    kept = f"{name} has {ends[file.size]} of {sweep.size} points"
                    self.session.tell(f"interrupted: {kept}\n")
                raise
            self.session.tell(f"wrote {name}: {sweep.size} points\n")
            self._best(sweep)
        self._notes(sweep)

    def _blocks(self, sweep: Sweep, printed: Output | None = None) -> Iterator[tuple[bytes, int]]:
        """The lines of each block, the names of the columns before the first, and how many points
        there have been; *printed* is where they go in between, if not into a file."""
        from ddcalc.render import rows

        form = (rows.csv if self.table else rows.ndjson)(sweep.question)
        head = rows.csv_head(sweep.question) if self.table else b""
        with Progress(self.session.err, "point", printed) as progress:
            for block, pieces in sweep.blocks():
                told = head + rows.lines(sweep.question, form, block, pieces)
                yield told, block.start + block.size
                head = b""
                progress.step(block.size)

    def _best(self, sweep: Sweep) -> None:
        """The best points, on standard error."""
        from ddcalc.ask.sweep.account import best_of

        for optimum in sweep.optima:
            self.session.tell(f"{clean(best_of(sweep, optimum))}\n")

    def _notes(self, sweep: Sweep) -> None:
        """What has no value, on standard error."""
        from ddcalc.ask.sweep.account import notes

        for note in notes(sweep):
            points = "point has" if note.points == 1 else "points have"
            told = f"{note.points} {points} no value, first at {note.at}: {note.says}"
            self.session.tell(f"note: {clean(told)}\n")


def _pieces(lines: bytes) -> Iterator[bytes]:
    """Whole lines, as many as a pipe takes at once: none is cut in two by Ctrl-C."""
    start = 0
    while start < len(lines):
        end = lines.rfind(b"\n", start, start + ATOMIC) + 1
        if not end:  # a line that is longer
            end = lines.index(b"\n", start) + 1
        yield lines[start:end]
        start = end
