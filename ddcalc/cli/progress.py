"""How far a long batch has come, on standard error and only where somebody watches."""

from __future__ import annotations

from time import monotonic
from types import TracebackType

from ddcalc.boundary.output import Output
from ddcalc.errors import OutputFailed

PATIENCE = 1.0  # seconds before anything is shown
PAUSE = 0.2  # seconds between updates


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
            pace = self.count / (now - self.started)
            count, often = (f"{number:,.0f}".replace(",", " ") for number in (self.count, pace))
            self._show(f"\r{count} {self.noun}, {often} a second")

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

    def _show(self, text: str) -> None:
        self.shown = True
        try:
            self.err.write(text)
        except OutputFailed:
            self.next = float("inf")
