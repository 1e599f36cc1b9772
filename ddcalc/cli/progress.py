"""How far a long batch has come, on standard error and only where somebody watches."""

from __future__ import annotations

from collections.abc import Callable
from shutil import get_terminal_size
from time import monotonic
from types import TracebackType

from ddcalc.boundary.output import Output
from ddcalc.errors import OutputFailed
from ddcalc.numbers.display import counted, number_text

PATIENCE = 1.0  # seconds before anything is shown
PAUSE = 0.2  # seconds between updates
BAR, ROOM = 20, 60  # signs of a bar, and columns that it and its words take at most


class Progress:
    """Counts problems, or what *noun* says; shows the count and the pace on one line.

    The line is wiped at the end, and before anything else is written to *err* or to *rows*, where
    results go in between, to come back below them; so they never mix on a screen. Where *rows* is
    a pipe, which may lead to the same screen at a time of its own, nothing is shown.
    """

    def __init__(self, err: Output, noun: str = "problem", rows: Output | None = None) -> None:
        self.err, self.noun, self.rows = err, noun, rows
        self.count = 0
        self.started = monotonic()
        watched = err.interactive and not (rows is not None and rows.piped)
        self.next = self.started + PATIENCE if watched else float("inf")
        self.shown = False
        self.line = ""  # what was told last

    def step(self, more: int = 1) -> None:
        """One more is done, or so many."""
        self.count += more
        now = monotonic()
        if now >= self.next:
            self.next = now + PAUSE
            self.line = self._told(now - self.started)
            self._show()
        elif self.line and not self.shown:
            self._show()

    def __enter__(self) -> Progress:
        self._clear_for(self._wipe)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._wipe()
        self._clear_for(None)

    def _clear_for(self, wipe: Callable[[], None] | None) -> None:
        for output in (self.err, self.rows):
            if output is not None and output.interactive:
                output.before = wipe

    def _told(self, passed: float) -> str:
        """The line after so many seconds."""
        pace = _pace(self.count / passed) if passed else ""
        return f"{counted(self.count, self.noun)}{pace}"

    def _show(self) -> None:
        self.shown = False  # it is written over
        self._write(f"\r{self.line[: get_terminal_size().columns - 1]}\033[K")
        self.shown = True

    def _wipe(self) -> None:
        """Take the line away."""
        if self.shown:
            self.shown = False
            self._write("\r\033[K")

    def _write(self, text: str) -> None:
        try:
            self.err.write(text)
        except OutputFailed:
            self.next, self.line = float("inf"), ""


class Bar(Progress):
    """A bar of *total* long things, some of which are under way: how much is done, how many are
    finished, and how long the others will take if they are like them."""

    def __init__(self, err: Output, total: int, noun: str) -> None:
        super().__init__(err, noun)
        self.total = total
        self._begun: dict[object, float] = {}

    def under_way(self, which: object, share: float) -> None:
        """So much of one of them is done, from 0 to 1."""
        self._begun[which] = share
        self.step(0)

    def finished(self, which: object) -> None:
        """One of them is done."""
        self._begun.pop(which, None)
        self.step()

    def _told(self, passed: float) -> str:
        done = min((self.count + sum(self._begun.values())) / self.total, 1)
        full = int(BAR * done)
        wide = get_terminal_size().columns >= ROOM
        bar = f"[{'#' * full}{'-' * (BAR - full)}] " if wide else ""
        left = f", {_time(passed / done - passed)} left" if done else ""
        return f"{bar}{100 * done:.0f} %, {self.count} of {counted(self.total, self.noun)}{left}"


def _pace(often: float) -> str:
    """How many come in a second, a minute or an hour, whichever tells at least one."""
    for period, each in (("second", often), ("minute", 60 * often), ("hour", 3600 * often)):
        if each >= 1:
            return f", {number_text(round(each))[0]} per {period}"
    return ""


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
