"""The best of all points by one quantity: every point is compared, and compared exactly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.piece import Cells, Piece, as_floats
from ddcalc.ask.sweep.real import Floats
from ddcalc.expression import Number

NEAR: Final = Fraction(1, 10**12)  # floats that differ by less, relative, are compared exactly


@dataclass(frozen=True, slots=True)
class Goal:
    """The quantity called *name* is to be as small as possible, or as large."""

    name: str
    smallest: bool

    @property
    def sign(self) -> int:
        """What makes the better value the smaller one."""
        return 1 if self.smallest else -1


@dataclass(frozen=True, slots=True)
class Best:
    """The best *value*, the *number* of the first point that has it, and how many *points* do."""

    value: Number
    number: int
    points: int


class Optimum:
    """Finds the best point for *goal*; *best* is None while no point has a value."""

    def __init__(self, goal: Goal) -> None:
        self.goal = goal
        self.best: Best | None = None

    def see(self, piece: Piece) -> None:
        """Compare the points of *piece*."""
        cells = piece.cells.get(self.goal.name)
        if cells is None:
            return
        for local, value in cells.single.items():
            if isinstance(value, Number):
                self._offer(Best(value, piece.number(local), 1))
        values = comparable(cells, piece.shape)
        near = self._near(values * self.goal.sign)
        for local, points in _distinct(cells, piece.shape, near) if near.any() else ():
            found = piece.exact(self.goal.name, local)
            assert isinstance(found, Number)
            self._offer(Best(found, piece.number(local), points * (piece.size // values.size)))

    def _near(self, values: Floats) -> NDArray[np.bool_]:
        """Where the smallest value may be."""
        least = np.nanmin(values, initial=np.inf)
        if not np.isfinite(least):
            return np.zeros(1, dtype=bool)
        if self.best is not None:
            best = Fraction(self.goal.sign * self.best.value)
            if Fraction(float(least)) > best + abs(best) * NEAR:
                return np.zeros(1, dtype=bool)
        return values <= least + abs(least) * float(NEAR)

    def _offer(self, other: Best) -> None:
        mine = self.best
        if mine is None or self.goal.sign * (other.value - mine.value) < 0:
            self.best = other
        elif other.value == mine.value:
            points = mine.points + other.points
            self.best = Best(mine.value, min(mine.number, other.number), points)


def comparable(cells: Cells, shape: tuple[int, ...]) -> Floats:
    """The values of *cells* as floats, nan where there is none or it was worked out singly.

    Directions in which all values are the same have a length of 1.
    """
    values = as_floats(cells.column)
    if not cells.single and not np.any(cells.missing):
        return values.reshape(values.shape or (1,) * len(shape))
    missing = np.broadcast_to(cells.missing, shape).copy()
    for local in cells.single:
        missing.flat[local] = True
    return np.where(missing, np.nan, np.broadcast_to(values, shape))


def _distinct(
    cells: Cells, shape: tuple[int, ...], near: NDArray[np.bool_]
) -> Iterator[tuple[int, int]]:
    """The number within a piece of *shape* of the first of equal values, and how many they are,
    of those that are *near*."""
    at = np.flatnonzero(near)
    column = cells.column
    if isinstance(column, Exact):
        parts = [np.broadcast_to(part.values, near.shape) for part in (column.top, column.bottom)]
        pairs = np.stack([part.ravel()[at] for part in parts])
        _, first, count = np.unique(pairs, axis=1, return_index=True, return_counts=True)
    else:
        first, count = np.arange(len(at)), np.ones(len(at), dtype=int)
    for i, points in zip(at[first].tolist(), count.tolist(), strict=True):
        yield int(np.ravel_multi_index(np.unravel_index(i, near.shape), shape)), points
