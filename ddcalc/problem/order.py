"""What stands on what: the order in which things are made, or the circle in which they go round."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


class Circle(Exception):
    """These *names* need each other: the last one is the first."""

    def __init__(self, *names: str) -> None:
        super().__init__(names)
        self.names = names


def in_order(names: Iterable[str], needs: Callable[[str], Iterable[str]]) -> Iterator[str]:
    """*names*, each behind what it *needs* but itself; Circle where there is no order."""
    made: set[str] = set()

    def walk(name: str, behind: tuple[str, ...]) -> Iterator[str]:
        if name in behind:
            raise Circle(*behind[behind.index(name) :], name)
        if name not in made:
            for other in needs(name):
                if other != name:
                    yield from walk(other, (*behind, name))
            made.add(name)
            yield name

    for name in names:
        yield from walk(name, ())
