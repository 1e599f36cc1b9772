"""How far a long batch has come, on standard error and only where somebody watches."""

from __future__ import annotations

from shutil import get_terminal_size
from time import monotonic
from types import TracebackType

from ddcalc.boundary.output import Output
from ddcalc.errors import OutputFailed

PATIENCE = 1.0  # seconds before anything is shown
PAUSE = 0.2  # seconds between updates
BAR, ROOM = 20, 60  # signs of a bar, and columns that it and its words take at most


class Progress:
    """Counts problems, or what *noun* says; shows the count and the pace, on one line that is wiped
    at the end."""

    def __init__(self, err: Output, noun: str = "problems") -> None:
        self.err, self.noun = err, noun
        self.count = 0
        self.started = monotonic()
        self.next = self.started + PATIENCE if err.interactive else float("inf")
        self.shown = False

    def step(self, more: int = 1) -> None:
        """One more is done, or so many."""
        self.count += more
        now = monotonic()
        if now >= self.next:
            self.next = now + PAUSE
            self._show(self._told(now - self.started))

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.shown:
            self._show("\r\033[K")

    def _told(self, passed: float) -> str:
        """The line after so many seconds."""
        pace = self.count / passed
        count, often = (f"{number:,.0f}".replace(",", " ") for number in (self.count, pace))
        return f"\r{count} {self.noun}, {often} a second"

    def _show(self, text: str) -> None:
        self.shown = True
        try:
            self.err.write(text)
        except OutputFailed:
            self.next = float("inf")


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
        return f"\r{bar}{100 * done:.0f} %, {self.count} of {self.total} {self.noun}{left}\033[K"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
