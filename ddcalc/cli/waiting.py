"""How far a long call has come: one plain line on standard error, where somebody watches."""

from __future__ import annotations

import os
from contextlib import suppress
from contextvars import Token
from time import monotonic
from types import TracebackType
from typing import Final

from ddcalc.boundary.output import ClosedPipe, Output
from ddcalc.cli.session import Session
from ddcalc.errors import OutputFailed
from ddcalc.numbers.display import counted
from ddcalc.schedule.watching import Watch, watch

PATIENCE: Final = 1.0  # seconds before anything is shown
PAUSE: Final = 0.2  # seconds between updates
WIPED: Final = "\r\x1b[K"
PLAYED: Final = "computation"


class Waiting:
    """Counts what *noun* says, of a *total*; without a noun, the computations that are played, or
    the numbers and the like that a search tries.

    The line is wiped at the end, and before anything else is written to standard error or to
    *rows*, where results go in between, so that they never mix on a screen. Where *rows* is a
    pipe, which may lead to the same screen at a time of its own, nothing is shown.
    """

    def __init__(
        self,
        session: Session,
        noun: str = "",
        total: int = 0,
        *,
        rows: Output | None = None,
    ) -> None:
        self.err, self.total = session.err, total
        self.count = 0
        self.outputs = [session.err] if rows is None else [session.err, rows]
        self.is_watching = not noun  # those who work, and who say by themselves how far they are
        self.noun = noun or PLAYED
        watched = self.err.interactive and not (rows is not None and rows.piped)
        shown = watched and os.environ.get("TERM") != "dumb"
        self._next = monotonic() + PATIENCE if shown else float("inf")
        self._is_shown = False
        self._token: Token[Watch | None] | None = None

    def step(self, more: int = 1) -> None:
        """One more is done, or *more* of them."""
        self.count += more
        if (now := monotonic()) < self._next:
            return
        self._next = now + PAUSE
        line = counted(self.count, self.noun)
        if self.total:
            line += f", {round(100 * min(self.count / self.total, 1))} %"
        self._write(WIPED + line)
        self._is_shown = True

    def expect(self, more: int) -> None:
        """So many more computations are foreseen."""
        if self.is_watching and self.noun == PLAYED:
            self.total += more

    def played(self, more: int) -> None:
        """So many more computations are played; in a search they are only a sign of life."""
        self.step(more if self.is_watching and self.noun == PLAYED else 0)

    def seek(self, noun: str) -> None:
        """A search begins, which tries what *noun* says; how many it takes, nobody knows."""
        if self.is_watching:
            self.count = 0 if self.noun == PLAYED else self.count
            self.noun, self.total = noun, 0

    def tried(self) -> None:
        """One more of these is tried."""
        self.step(int(self.is_watching))

    def __enter__(self) -> Waiting:
        self._token = watch.set(self)
        for output in self.outputs:
            if output.interactive:
                output.before = self._wipe
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wipe()
        for output in self.outputs:
            output.before = None
        if self._token is not None:
            watch.reset(self._token)

    def _wipe(self) -> None:
        if self._is_shown:
            self._write(WIPED)

    def _write(self, text: str) -> None:
        """Write *text*; that it cannot be written changes nothing."""
        self._is_shown = False  # or writing would wipe it once more
        with suppress(OutputFailed, ClosedPipe):
            self.err.write(text)
