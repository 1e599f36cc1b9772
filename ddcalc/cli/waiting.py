"""What a long call says while it is at work: how much there may be to do, before it has taken long
where nobody watches, and as progress where somebody does."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Token
from time import process_time
from types import TracebackType
from typing import Final

from ddcalc.boundary.output import Output
from ddcalc.cli.session import Session
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.render.terminal.progress import Progress
from ddcalc.schedule.watching import Watch, watch

PATIENCE: Final = 1.0  # seconds of the processor before it is said that there may be more


class Waiting(Progress):
    """Counts what *noun* says, at *most* so many; what is played or searched for one of them is a
    sign of life. Of a *total* all of them are known to come, of others perhaps the *share* that is
    done. What is *written* one by one says itself that it goes on: then a note is for one that
    takes long."""

    def __init__(
        self,
        session: Session,
        noun: str,
        most: int = 0,
        *,
        rows: Output | None = None,
        total: int | None = None,
        share: Callable[[], float | None] = lambda: None,
        written: bool = False,
    ) -> None:
        super().__init__(session.err, noun, rows, total, share)
        self.session, self.most, self.written = session, total or most, written
        self._is_said = session.err.interactive  # what is to be said, or nothing is
        self._until: float | None = process_time() + PATIENCE
        self._token: Token[Watch | None] | None = None

    def step(self, more: int = 1) -> None:
        super().step(more)
        if self._is_said:
            return
        if self.written and more:
            self._until = None  # the next one has time of its own, from its first sign of life
        elif self._until is None:
            self._until = process_time() + PATIENCE
        elif process_time() > self._until:
            self._is_said = True
            self.session.say(f"note: this takes a while: {self._amount}\n")

    def expect(self, more: int) -> None:
        """Nothing: computations are not what is counted."""

    def played(self, more: int) -> None:
        """A sign of life."""
        self.step(0)

    def seek(self, noun: str, most: int) -> None:
        """Nothing: what is tried is not what is counted."""

    def tried(self) -> None:
        """A sign of life."""
        self.step(0)

    def __enter__(self) -> Waiting:
        self._token = watch.set(self)
        super().__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._token is not None:
            watch.reset(self._token)

    @property
    def _amount(self) -> str:
        """How many are worked out, and of how many."""
        is_known = self.most and self.most >= self.count
        at_most = "" if self.total else "at most "
        most = f", of {at_most}{count_text(self.most)}" if is_known else " so far"
        return f"{counted(self.count, self.noun)} worked out{most}"


class PlayProgress(Waiting):
    """How many computations are played, and of how many that are *foreseen*; of a search, how many
    numbers or the like are tried."""

    def __init__(self, session: Session, rows: Output | None = None) -> None:
        super().__init__(session, "computation", rows=rows, share=self._played)
        self.foreseen, self.is_search = 0, False

    def expect(self, more: int) -> None:
        self.foreseen += more

    def played(self, more: int) -> None:
        self.step(0 if self.is_search else more)

    def seek(self, noun: str, most: int) -> None:
        self.count = self.count if self.is_search else 0
        self.is_search, self.noun, self.most = True, noun, self.count + most

    def tried(self) -> None:
        self.step()

    @property
    def _amount(self) -> str:
        if self.is_search or self.foreseen <= self.count:
            return super()._amount
        return f"{counted(self.count, self.noun)} played, of about {count_text(self.foreseen)}"

    def _played(self) -> float | None:
        if self.is_search or not self.foreseen:
            return None
        return min(self.count / self.foreseen, 1.0)
