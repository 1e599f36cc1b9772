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
def waiting(
    session: Session, noun: str, most: int, clock: Callable[[], float] = process_time
) -> Iterator[Callable[..., None]]:
    """What is to be called for each *noun* that is worked out, or with how many are, of which there
    are at *most* so many. The *clock* is that of the processor, where others work that of the
    wall."""
    done, until = 0, float("inf")

    def step(more: int = 1) -> None:
        nonlocal done, until
        progress.step(more)
        if not done and not session.err.interactive:
            until = clock() + PATIENCE
        done += more
        if clock() > until:
            until = float("inf")
            tried = f"{counted(done, noun)} worked out, of at most {count_text(most)}"
            session.say(f"note: this takes a while: {tried}\n")

    with Progress(session.err, noun, session.out) as progress:
        yield step
