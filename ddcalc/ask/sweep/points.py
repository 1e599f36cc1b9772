"""The grid of all points, the last axis varying fastest, and what is known of pieces of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Final, Generic, Literal, TypeVar

import numpy as np

from ddcalc.ask.sweep.axes import Axis
from ddcalc.ask.sweep.column import Column, Floats, Mask, fineness, nearest
from ddcalc.formula.expression import Number
from ddcalc.problem.steps import Value

NEAR: Final = 4e-13  # floats that differ by less, relative, may stand for the same value

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
        positions = []
        for length in reversed(self.shape):
            number, position = divmod(number, length)
            positions.append(position)
        return tuple(reversed(positions))

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


@dataclass(frozen=True, slots=True)
class Cells:
    """One quantity at the points of a piece.

    *column* has no meaning where a value is *missing*, and for points that were worked out by
    themselves, whose values are in *single* by their number within the piece. Where it is *sharp*
    equal floats stand for equal values, and no others.
    """

    column: Column
    missing: Mask
    single: Mapping[int, Value]
    sharp: bool

    @property
    def near(self) -> float:
        """The difference, relative, up to which floats may stand for the same value."""
        if self.sharp:
            return 0.0
        column = self.column
        known = 2.1 * (column.relative + column.absolute / column.low) if column.low > 0 else NEAR
        return min(known, NEAR)

    @property
    def alike(self) -> bool:
        """Whether floats that are so near stand for the same value for certain."""
        column = self.column
        common = fineness(column.parts, column.divisors) * fineness(1, column.divisors)
        return self.sharp or self.near * column.size * common < 0.5


@dataclass(frozen=True, slots=True)
class Piece:
    """Points of *block*: from *offset* on, *shape* in each direction.

    *cells* has no entry for a quantity that this reading does not derive; *singly* works out all
    quantities at a place exactly.
    """

    block: Block
    offset: Place
    shape: tuple[int, ...]
    cells: Mapping[str, Cells]
    singly: Callable[[Place], Mapping[str, Value]]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def where(self) -> tuple[slice, ...]:
        """Where in an array of the block's shape it lies."""
        return tuple(slice(at, at + size) for at, size in zip(self.offset, self.shape, strict=True))

    def number(self, local: int) -> int:
        """The number among all points of the one that is number *local* within the piece."""
        if self.shape == self.block.shape:
            return self.block.start + local
        inside = np.unravel_index(local, self.shape)
        moved = [int(at) + by for at, by in zip(inside, self.offset, strict=True)]
        return self.block.start + int(np.ravel_multi_index(moved, self.block.shape))

    def place(self, local: int) -> Place:
        """Where the point that is number *local* within the piece lies on the axes."""
        inside = np.unravel_index(local, self.shape)
        first, *others = (int(at) + by for at, by in zip(inside, self.offset, strict=True))
        return (*self.block.fixed, self.block.first + first, *others)

    def exact(self, name: str, local: int) -> Value:
        """The exact value of quantity *name* at the point that is number *local*."""
        single = self.cells[name].single
        return single[local] if local in single else self.singly(self.place(local))[name]

    def floats(self, name: str) -> Floats:
        """The values of quantity *name* in the piece's shape, nan where there is none."""
        cells = self.cells.get(name)
        if cells is None:
            return np.full(self.shape, np.nan)
        values = np.broadcast_to(cells.column.values, self.shape)
        if cells.missing is not False or cells.single:
            values = np.where(cells.missing, np.nan, values)
        for local, value in cells.single.items():
            values.flat[local] = nearest(value) if isinstance(value, Number) else np.nan
        return values


Key = TypeVar("Key")
Kind = Literal["not read", "refused", "condition", "no answer", "not derived", "nothing"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why points have no value; *about* is the axis, condition or quantity.

    The names varied make no question; a given does not admit its value; a condition fails; a
    formula has no value; this reading does not derive the quantity; its equation has no solution.
    """

    kind: Kind
    about: str


@dataclass(slots=True)
class Tally(Generic[Key]):
    """How many points there are for each key (a reason, a way), and the number of the first."""

    counts: dict[Key, int] = field(default_factory=dict)
    first: dict[Key, int] = field(default_factory=dict)

    def add(self, key: Key, count: int, first: int) -> None:
        """*count* more points, the first of them point *first*."""
        if count:
            self.counts[key] = self.counts.get(key, 0) + count
            self.first[key] = min(first, self.first.get(key, first))
