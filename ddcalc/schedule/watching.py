"""Who watches long work, and who shares it out: told by those who call, asked by those who work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any, Protocol

Share = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class Watch(Protocol):
    """Who is told how many computations of long runs are counted, and how far a search is."""

    def expect(self, more: int) -> None:
        """About so many more computations are foreseen."""

    def played(self, more: int) -> None:
        """So many more are counted."""

    def seek(self, noun: str, most: int) -> None:
        """A search begins, which tries *most* of what *noun* says, at most."""

    def tried(self) -> None:
        """One more of these is tried."""


watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
"""Who watches, if anybody does."""

share: ContextVar[Share] = ContextVar("share", default=map)
"""What does work on many pieces, in their order: one after the other, or several at once."""
