"""How far long work has come, on standard error and only where somebody watches; drawn by Rich,
which is imported when there is something to show."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import StringIO
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Final

from ddcalc.boundary.output import Output
from ddcalc.errors import OutputFailed
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted

if TYPE_CHECKING:
    from rich.progress import Progress as Drawn

PATIENCE: Final = 1.0  # seconds before anything is shown
PAUSE: Final = 0.2  # seconds between updates


class Progress:
    """Counts problems, or what *noun* says: how many; and, of a *total*, or where
    *share* knows how much of the work is done, from 0 to 1, a bar and how long the rest will take.

    The line is wiped at the end, and before anything else is written to *err* or to *rows*, where
    results go in between, so that they never mix on a screen. Where *rows* is a pipe, which may
    lead to the same screen at a time of its own, nothing is shown.
    """

    def __init__(
        self,
        err: Output,
        noun: str = "problem",
        rows: Output | None = None,
        total: int | None = None,
        share: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.err, self.noun, self.rows, self.total, self.share = err, noun, rows, total, share
        self.count = 0
        watched = err.interactive and not (rows is not None and rows.piped)
        shown = watched and os.environ.get("TERM") != "dumb"
        self.next = monotonic() + PATIENCE if shown else float("inf")
        self._begun: dict[object, float] = {}  # the shares of what is under way
        self._drawn: Drawn | None = None
        self._is_shown = False

    def step(self, more: int = 1) -> None:
        """One more is done, or *more* of them."""
        self.count += more
        if (now := monotonic()) >= self.next:
            self.next = now + PAUSE
            self._show()

    def under_way(self, which: object, share: float) -> None:
        """A *share* of one of them is done, from 0 to 1."""
        self._begun[which] = share
        self.step(0)

    def finish(self, which: object) -> None:
        """One of those under way is done."""
        self._begun.pop(which, None)
        self.step()

    def __enter__(self) -> Progress:
        for output in (self.err, self.rows):
            if output is not None and output.interactive:
                output.before = self._wipe
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wipe()
        for output in (self.err, self.rows):
            if output is not None:
                output.before = None

    def _show(self) -> None:
        share = self._done()
        if self._drawn is None:
            bar = 1.0 if share is not None else None
            self._drawn = _drawn(bar is not None, ascii_only=not self.err.unicode)
            self._drawn.add_task("", total=bar)
        of = "" if self.total is None else f" of {counted(self.total, self.noun)}"
        words = f"{count_text(self.count)}{of}" if of else counted(self.count, self.noun)
        [task] = self._drawn.task_ids
        self._drawn.update(task, completed=share or 0.0, description=words)
        self._is_shown = False  # it is written over
        self._drawn.start()
        self._drawn.refresh()
        self._write(self._drawn)
        self._is_shown = True

    def _done(self) -> float | None:
        """How much of the work is done; None where nobody knows."""
        if self.total is not None:
            return (self.count + sum(self._begun.values())) / max(1, self.total)
        return self.share()

    def _wipe(self) -> None:
        """Take the line away."""
        if self._is_shown and self._drawn is not None:
            self._is_shown = False
            self._drawn.stop()
            self._write(self._drawn)

    def _write(self, drawn: Drawn) -> None:
        """Write what has been drawn since the last time."""
        assert isinstance(drawn.console.file, StringIO)
        text = drawn.console.file.getvalue()
        drawn.console.file = StringIO()
        try:
            self.err.write(text)
        except OutputFailed:
            self.next = float("inf")


def _drawn(barred: bool, *, ascii_only: bool) -> Drawn:
    """The line, drawn into a text; *barred* where it is known how much is to come."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        ProgressColumn,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Drawn

    words = TextColumn("{task.description}", markup=False)
    columns: tuple[ProgressColumn, ...] = (words,)
    if barred:
        bars = () if ascii_only else (BarColumn(12),)
        columns = (*bars, TaskProgressColumn(), words, TimeRemainingColumn())
    return Drawn(
        *columns,
        console=Console(file=StringIO(), force_terminal=True),
        auto_refresh=False,
        speed_estimate_period=60,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        get_time=lambda: monotonic(),
    )
