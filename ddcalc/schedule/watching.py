"""Who watches long work: told by those who call, asked by those who work."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class Watch(Protocol):
    """Who is told how far long work has come."""

    def done(self, noun: str, more: int = 1) -> None:
        """So many *more* of what *noun* says are done, such as computations that are played."""


watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
"""Who watches, if anybody does."""


def tell(noun: str, more: int = 1) -> None:
    """Tell who watches, if anybody does, that so many *more* of what *noun* says are done."""
    if watching := watch.get():
        watching.done(noun, more)
