"""A piece of a block: the points of one reading, with their quantities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from ddcalc.ask.sweep.column import Column
from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.grid import Block, Place
from ddcalc.ask.sweep.real import Floats, Real, floats, nearest
from ddcalc.ask.sweep.whole import Mask
from ddcalc.expression import Number
from ddcalc.steps import Value


@dataclass(frozen=True, slots=True)
class Cells:
    """One quantity at the points of a piece.

    *column* has no meaning where a value is *missing*, and for points that were worked out by
    themselves, whose values are in *single* by their number within the piece.
    """

    column: Column
    missing: Mask
    single: Mapping[int, Value]


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

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its block."""
        return self.shape == self.block.shape

    def where(self) -> tuple[slice, ...]:
        """Where in an array of the block's shape it lies."""
        return tuple(slice(at, at + size) for at, size in zip(self.offset, self.shape, strict=True))

    def number(self, local: int) -> int:
        """The number among all points of the one that is number *local* within the piece."""
        if self.is_whole:
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
        cells = self.cells[name]
        if local in cells.single:
            return cells.single[local]
        if isinstance(cells.column, Exact):
            return exact_at(cells.column, self.shape, local)
        return self.singly(self.place(local))[name]

    def floats(self, name: str) -> Floats:
        """The values of quantity *name* in the piece's shape, nan where there is none."""
        cells = self.cells.get(name)
        if cells is None:
            return np.full(self.shape, np.nan)
        values = np.broadcast_to(as_floats(cells.column), self.shape)
        if cells.missing is not False or cells.single:
            values = np.where(cells.missing, np.nan, values)
        for local, value in cells.single.items():
            values.flat[local] = nearest(value) if isinstance(value, Number) else np.nan
        return values


def as_floats(column: Column) -> Floats:
    """The values of *column* as floats."""
    return column.values if isinstance(column, Real) else floats(column)


def exact_at(column: Exact, shape: tuple[int, ...], local: int) -> Number:
    """The value of *column*, spread over *shape*, at number *local*."""
    at = np.unravel_index(local, shape)
    top, bottom = (
        int(np.broadcast_to(np.asarray(part.values), shape)[at]) if not part.is_single else part.low
        for part in (column.top, column.bottom)
    )
    value = column.unit * top / bottom
    return value.numerator if value.denominator == 1 else value
