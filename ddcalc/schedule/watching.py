"""Who watches long work: told by those who call, asked by those who work."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol


class Watch(Protocol):
    """Who is told how many computations of long runs are counted, and how far a search is."""

    def expect(self, more: int) -> None:
        """About so many more computations are foreseen."""

    def played(self, more: int) -> None:
        """So many more are counted."""

    def seek(self, noun: str) -> None:
        """A search begins, which tries what *noun* says."""

    def tried(self) -> None:
        """One more of these is tried."""


watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
"""Who watches, if anybody does."""
