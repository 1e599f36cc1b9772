"""The grid of all points: the product of the axes, of which the last varies fastest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from ddcalc.ask.sweep.axes import Axis

Place = tuple[int, ...]
"""The positions of a point on its axes."""


@dataclass(frozen=True, slots=True)
class Block:
    """Points that follow each other from number *start* on.

    The first axes stand still at the positions *fixed*; the next goes from *first* on, and the
    others through all their values: so many as *shape* says.
    """

    start: int
    fixed: Place
    first: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)


class Grid:
    """All points of some *axes*."""

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = axes
        self.shape = tuple(axis.size for axis in axes)
        self.size = prod(self.shape)

    def place(self, number: int) -> Place:
        """Where point *number*, counted from 0, lies."""
        found = []
        for length in reversed(self.shape):
            number, position = divmod(number, length)
            found.append(position)
        return tuple(reversed(found))

    def blocks(self, most: int) -> Iterator[Block]:
        """All points in blocks of at most *most*, in order."""
        moving = next(i for i in range(len(self.shape)) if prod(self.shape[i + 1 :]) <= most)
        inner = self.shape[moving + 1 :]
        long = max(1, most // prod(inner))
        start = 0
        for fixed in product(*map(range, self.shape[:moving])):
            for first in range(0, self.shape[moving], long):
                block = Block(start, fixed, first, (min(long, self.shape[moving] - first), *inner))
                yield block
                start += block.size
