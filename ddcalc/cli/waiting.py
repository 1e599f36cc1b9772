"""What a long call says while it is at work: how much there may be to do, before it has taken long
where nobody watches, and as progress where somebody does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time
from typing import Final

from ddcalc.cli.session import Session
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.display import counted
from ddcalc.render.terminal.progress import Progress

PATIENCE: Final = 1.0  # seconds of the processor before it is said that there may be more


class PlayProgress(Progress):
    """How many computations are played, and of how many that are *foreseen*; of a search nobody
    knows how many these will be."""

    def __init__(self, session: Session, *, is_search: bool) -> None:
        super().__init__(session.err, "computation", share=self._played)
        self.foreseen, self.is_search = 0, is_search

    def expect(self, more: int) -> None:
        """About so many more are foreseen."""
        self.foreseen += more

    def _played(self) -> float | None:
        if self.is_search or not self.foreseen:
            return None
        return min(self.count / self.foreseen, 1.0)


@contextmanager
def waiting(session: Session, noun: str, most: int) -> Iterator[Callable[[], None]]:
    """What is to be called for each *noun* that is worked out, of which there are at *most* so
    many."""
    done, until = 0, float("inf")

    def step() -> None:
        nonlocal done, until
        done += 1
        progress.step()
        if done == 1 and not session.err.interactive:
            until = process_time() + PATIENCE
        if process_time() > until:
            until = float("inf")
            tried = f"{counted(done, noun)} worked out, of at most {count_text(most)}"
            session.say(f"note: this takes a while: {tried}\n")

    with Progress(session.err, noun, session.out) as progress:
        yield step
