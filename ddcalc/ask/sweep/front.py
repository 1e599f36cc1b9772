"""The Pareto front of two goals: the points of which no other is better in one and not worse in
the other.

Floats sort out what is dominated for sure; what is left is compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.optimum import Goal, comparable
from ddcalc.ask.sweep.piece import Cells, Piece
from ddcalc.ask.sweep.real import Floats
from ddcalc.expression import Number

FRONT: Final = 10_000  # points of a front that is told
NEAR: Final = 4e-13  # floats that differ by less, relative, may be the same
SHARP: Final = 2.0**50  # whole numbers up to which floats of their multiples tell them apart
MANY: Final = 1000  # points from which on equal values are looked for


@dataclass(frozen=True, slots=True)
class Chosen:
    """A point of the front: its number, its two values, and how many points have the same."""

    number: int
    values: tuple[Number, Number]
    points: int


class Front:
    """Finds the front of two *goals*; *points* by the first one, None where they are too many."""

    def __init__(self, goals: tuple[Goal, Goal]) -> None:
        self.goals = goals
        self.points: list[Chosen] | None = []

    def see(self, piece: Piece) -> None:
        """Compare the points of *piece*."""
        cells = [piece.cells.get(goal.name) for goal in self.goals]
        if self.points is None or None in cells:
            return
        left, right = (each for each in cells if each is not None)
        singles = left.single.keys() & right.single.keys()
        found = [*self._candidates(left, right, piece), *singles]
        if len(found) > FRONT:
            self.points = None
            return
        self._merge(Chosen(piece.number(local), self._values(piece, local), 1) for local in found)

    def _values(self, piece: Piece, local: int) -> tuple[Number, Number]:
        first, second = (piece.exact(goal.name, local) for goal in self.goals)
        assert isinstance(first, Number)
        assert isinstance(second, Number)
        return first, second

    def _candidates(self, left: Cells, right: Cells, piece: Piece) -> list[int]:
        """The points that are not dominated for sure by others of the piece."""
        keys, slack = [], []
        for goal, cells in zip(self.goals, (left, right), strict=True):
            values = np.broadcast_to(comparable(cells, piece.shape), piece.shape).ravel()
            keys.append(values * goal.sign)
            slack.append(0.0 if _is_sharp(cells) else NEAR)
        at = np.flatnonzero(~(np.isnan(keys[0]) | np.isnan(keys[1])))
        at = at[_kept(keys[0][at], keys[1][at], slack)]
        for mine, other, cells in ((0, 1, left), (1, 0, right)):
            if len(at) > MANY and slack[mine]:
                same = _equals(cells, piece.shape, at)
                at = at[_least(same, keys[other][at], slack[other])]
        found: list[int] = at.tolist()
        return found

    def _merge(self, others: Iterable[Chosen]) -> None:
        """Put *others* into the front, and throw out of it what is dominated now."""
        assert self.points is not None
        first, second = (goal.sign for goal in self.goals)

        def order(point: Chosen) -> tuple[Number, Number, int]:
            return first * point.values[0], second * point.values[1], point.number

        kept: list[Chosen] = []
        for point in sorted([*self.points, *others], key=order):
            if kept and kept[-1].values == point.values:
                both = kept[-1].points + point.points
                kept[-1] = Chosen(kept[-1].number, point.values, both)
            elif not kept or second * point.values[1] < second * kept[-1].values[1]:
                kept.append(point)
        self.points = kept if len(kept) <= FRONT else None


def _is_sharp(cells: Cells) -> bool:
    """Whether floats tell its values exactly, but for a common factor."""
    column = cells.column
    if not isinstance(column, Exact) or not column.is_whole:
        return False
    top = column.top.tight()
    return max(-top.low, top.high) < SHARP


def _equals(cells: Cells, shape: tuple[int, ...], at: NDArray[np.int64]) -> NDArray[np.int64]:
    """A number for each of the points *at*, the same for the same exact value."""
    column = cells.column
    if not isinstance(column, Exact):
        return np.arange(len(at))
    parts = (
        np.broadcast_to(part.values, shape).ravel()[at] for part in (column.top, column.bottom)
    )
    top, bottom = parts
    common = np.gcd(top, bottom)
    pairs = np.stack([top // common, bottom // common])
    _, numbers = np.unique(pairs, axis=1, return_inverse=True)
    return numbers.ravel()


def _least(groups: NDArray[np.int64], values: Floats, slack: float) -> NDArray[np.bool_]:
    """Which of *values* may be the smallest ones of their group."""
    least = np.full(int(groups.max()) + 1, np.inf)
    np.minimum.at(least, groups, values)
    kept: NDArray[np.bool_] = values <= (least + np.abs(least) * slack)[groups]
    return kept


def _kept(first: Floats, second: Floats, slack: list[float]) -> NDArray[np.bool_]:
    """Which points are not dominated for sure; the smaller the better in both.

    A difference counts from *slack* on, relative.
    """
    if not len(first):
        return np.zeros(0, dtype=bool)
    order = np.argsort(first, kind="stable")
    least = np.minimum.accumulate(second[order])
    sorted_first = first[order]
    edge = first - np.abs(first) * slack[0]
    limit = second - np.abs(second) * slack[1]
    below = np.searchsorted(sorted_first, edge, side="left")
    upto = np.searchsorted(sorted_first, edge, side="right")
    padded = np.concatenate([[np.inf], least])
    return ~((padded[below] <= limit) | (padded[upto] < limit))
