"""How far a long call has come: one plain line on standard error, where somebody watches."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from contextvars import Token
from time import monotonic
from typing import Final

from ddcalc.boundary.output import ClosedPipe, Output
from ddcalc.cli.session import Session
from ddcalc.errors import OutputFailed
from ddcalc.numbers.display import counted
from ddcalc.schedule.watching import Watch, watch

PATIENCE: Final = 1.0  # seconds before anything is shown
PAUSE: Final = 0.2  # seconds between updates
WIPED: Final = "\r\x1b[K"


class Waiting:
    """Counts what *noun* says, of a *total*; without a noun, what those who work tell.

    The line is wiped at the end, and before anything else is written to standard error or to
    *rows*, where results go in between, so that they never mix on a screen. Where *rows* is a
    pipe, which may lead to the same screen at a time of its own, nothing is shown.
    """

    def __init__(
        self, session: Session, noun: str = "", total: int = 0, *, rows: Output | None = None
    ) -> None:
        self.err, self.noun, self.total = session.err, noun, total
        self.counts = Counter[str]()
        self.outputs = [session.err] if rows is None else [session.err, rows]
        watched = self.err.interactive and not (rows is not None and rows.piped)
        shown = watched and os.environ.get("TERM") != "dumb"
        self._next = monotonic() + PATIENCE if shown else float("inf")
        self._is_shown = False
        self._token: Token[Watch | None] | None = None

    def step(self, more: int = 1) -> None:
        """One more is done, or *more* of them."""
        self._count(self.noun, more)

    def done(self, noun: str, more: int = 1) -> None:
        """So many *more* of what *noun* says are done by those who work."""
        self._count(self.noun or noun, 0 if self.noun else more)

    def _count(self, noun: str, more: int) -> None:
        self.counts[noun] += more
        if (now := monotonic()) < self._next:
            return
        self._next = now + PAUSE
        line = ", ".join(counted(count, what) for what, count in self.counts.items())
        if self.total:
            line += f", {round(100 * min(self.counts[self.noun] / self.total, 1))} %"
        self._write(WIPED + line)
        self._is_shown = True

    def __enter__(self) -> Waiting:
        self._token = watch.set(self)
        for output in self.outputs:
            if output.interactive:
                output.before = self._wipe
        return self

    def __exit__(self, *_error: object) -> None:
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
