"""A sweep: a question at very many points; the best of them by one quantity, and the Pareto front
of two. Every point is compared.

Floats sort out what is worse for sure; what is left is compared exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.column import Floats
from ddcalc.ask.sweep.engines import Arrays, Census, EquationReading, PointEngine, Points, Turns
from ddcalc.ask.sweep.grid import (
    Block,
    Counts,
    Patch,
    PatchValues,
    Reason,
    SweepQuestion,
)
from ddcalc.errors import BadValue, OverLimit, Repeated
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.units import MONEY, TIME

# Floats that differ by less, relative, are compared exactly: ten times what one may be off by
NEAR: Final = Fraction(1, 10**12)
FRONT: Final = 10_000  # points of a front that is shown


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

    def see(self, piece: Patch) -> None:
        """Compare the points of *piece*."""
        cells = piece.cells.get(self.goal.name)
        if cells is None:
            return
        for local, value in cells.single.items():
            if isinstance(value, Number):
                self._offer(Best(value, piece.number(local), 1))
        values = _comparable(cells, piece.shape)
        for local, points in self._candidates(values, cells, piece.shape):
            value = piece.exact(self.goal.name, local)
            assert isinstance(value, Number)
            self._offer(Best(value, piece.number(local), points * (piece.size // values.size)))

    def _candidates(
        self, values: Floats, cells: PatchValues, shape: tuple[int, ...]
    ) -> Iterator[tuple[int, int]]:
        """The numbers within a piece of *shape* of what may be the best of *values*, and how many
        points have the same value."""
        best = float((np.fmin if self.goal.smallest else np.fmax).reduce(values, axis=None))
        if np.isnan(best) or (self.best is not None and self._is_beaten(best)):
            return
        if self.goal.smallest:
            near = values <= best + abs(best) * cells.near
        else:
            near = values >= best - abs(best) * cells.near
        places = [int(near.argmax())] if cells.alike else np.flatnonzero(near).tolist()
        count = int(np.count_nonzero(near)) if cells.alike else 1
        for at in places:
            yield int(np.ravel_multi_index(np.unravel_index(at, values.shape), shape)), count

    def _is_beaten(self, value: float) -> bool:
        """Whether the best so far is better than all points of which *value* is the best float."""
        assert self.best is not None
        best = Fraction(self.goal.sign * self.best.value)
        return Fraction(self.goal.sign * value) > best + abs(best) * NEAR

    def _offer(self, other: Best) -> None:
        mine = self.best
        if mine is None or self.goal.sign * (other.value - mine.value) < 0:
            self.best = other
        elif other.value == mine.value:
            points = mine.points + other.points
            self.best = Best(mine.value, min(mine.number, other.number), points)


def _comparable(cells: PatchValues, shape: tuple[int, ...]) -> Floats:
    """The values of *cells*, nan where there is none or it was worked out by itself.

    Directions in which all values are the same have a length of 1.
    """
    values = cells.column.values
    if not cells.single and not np.any(cells.missing):
        return values.reshape(np.shape(values) or (1,) * len(shape))
    missing = np.broadcast_to(cells.missing, shape).copy()
    missing.flat[[*cells.single]] = True
    return np.where(missing, np.nan, np.broadcast_to(values, shape))


@dataclass(frozen=True, slots=True)
class Chosen:
    """A point of the front: its number, its two values, and how many points have the same."""

    number: int
    values: tuple[Number, Number]
    points: int


class Front:
    """Finds the points of which no other is better in one of two *goals* and not worse in the
    other; *points* by the first one, None where they are more than ``FRONT``."""

    def __init__(self, goals: tuple[Goal, Goal]) -> None:
        self.goals = goals
        self.points: list[Chosen] | None = []

    def see(self, piece: Patch) -> None:
        """Compare the points of *piece*."""
        cells = [piece.cells[goal.name] for goal in self.goals if goal.name in piece.cells]
        if self.points is None or len(cells) < 2:
            return
        singles = _numbers(cells[0]) & _numbers(cells[1])
        chosen = [*self._candidates(cells, piece), *((local, 1) for local in singles)]
        if len(chosen) > FRONT:
            self.points = None
            return
        self._merge(
            Chosen(piece.number(local), self._values(piece, local), count)
            for local, count in chosen
        )

    def _values(self, piece: Patch, local: int) -> tuple[Number, Number]:
        first, second = (piece.exact(goal.name, local) for goal in self.goals)
        assert isinstance(first, Number)
        assert isinstance(second, Number)
        return first, second

    def _candidates(self, cells: list[PatchValues], piece: Patch) -> Iterator[tuple[int, int]]:
        """The points that are not dominated for sure by others of the piece, and how many have
        the same values."""
        keys, slack = [], []
        for goal, one in zip(self.goals, cells, strict=True):
            values = np.broadcast_to(_comparable(one, piece.shape), piece.shape).ravel()
            keys.append(_with_equals_equal(values, one) * goal.sign)
            slack.append(0.0 if one.sharp or one.alike else one.near)
        at = np.flatnonzero(~(np.isnan(keys[0]) | np.isnan(keys[1])))
        at = at[_kept(keys[0][at], keys[1][at], slack)]
        if any(slack):
            yield from ((local, 1) for local in at.tolist())
            return
        pairs = np.stack([keys[0][at], keys[1][at]])
        _, first, counts = np.unique(pairs, axis=1, return_index=True, return_counts=True)
        yield from zip(at[first].tolist(), counts.tolist(), strict=True)

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


def _numbers(cells: PatchValues) -> set[int]:
    """The points that were worked out by themselves and have a number."""
    return {local for local, value in cells.single.items() if isinstance(value, Number)}


def _with_equals_equal(values: Floats, cells: PatchValues) -> Floats:
    """*values* of which those that stand for equal ones are equal, where that is known."""
    if cells.sharp or not cells.alike:
        return values
    distinct, which = np.unique(values, return_inverse=True)
    gaps = np.diff(distinct) > np.abs(distinct[1:]) * cells.near
    starts = np.concatenate([[True], gaps | np.isnan(distinct[1:])])
    return np.asarray(distinct[starts][np.cumsum(starts) - 1][which.ravel()])


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


# The sweep


class Sweep:
    """The points of *question*, of which the best for each of the *goals* are found: the *optima*,
    and the front where there are two.

    With *turns* it is counted too where the equations turn. Raises OverLimit for more points than
    *most*.
    """

    def __init__(
        self,
        question: SweepQuestion,
        goals: Sequence[Goal],
        *,
        most: int | None = None,
        turns: bool = False,
    ) -> None:
        self.question, self.goals = question, goals
        self.engine: PointEngine = (
            Points(question) if question.equations is None else Arrays(question)
        )
        self.census = Census(Counts(), Counts() if turns else None)
        self.optima = [Optimum(goal) for goal in goals]
        self.fronts = [Front((goals[0], goals[1]))] if len(goals) == 2 else []
        self.size = question.grid.size
        _check(self, most)

    @property
    def tally(self) -> Counts[Reason]:
        """Why points have no value."""
        return self.census.reasons

    @property
    def turns(self) -> Turns:
        """Where the equations turn."""
        return self.census.turns or Counts()

    @cached_property
    def reading(self) -> EquationReading | None:
        """The equations of the first point that makes a question; None where points are played."""
        return self.engine.reading(self.question.readable)

    @property
    def extent(self) -> str:
        """How many points there are, in words: of how many values of what."""
        axes = (f"{count_text(axis.size)} {axis.name}" for axis in self.question.axes)
        return f"{count_text(self.size)} points ({' × '.join(axes)})"

    def blocks(self) -> Iterator[tuple[Block, list[Patch]]]:
        """All points in order, block by block, as they are worked out and compared."""
        for block in self.question.grid.blocks(self.engine.most):
            yield block, self.worked_out(block)

    def worked_out(self, block: Block) -> list[Patch]:
        """The points of *block*, compared."""
        patches = list(self.engine.pieces(block, self.census))
        for patch in patches:
            for optimum in self.optima:
                optimum.see(patch)
            for front in self.fronts:
                front.see(patch)
        return patches


def goals(question: SweepQuestion, minimize: Sequence[str], maximize: Sequence[str]) -> list[Goal]:
    """What is sought: each quantity once, two at most; else the least time or money."""
    names = [*minimize, *maximize]
    chosen = [Goal(name.replace("-", "_"), i < len(minimize)) for i, name in enumerate(names)]
    if len(chosen) > 2:
        raise OverLimit("at most two quantities can be optimised at once").about("minimize")
    if len(chosen) == 2 and chosen[0].name == chosen[1].name:
        if chosen[0].smallest == chosen[1].smallest:
            raise Repeated(names[1]).about("minimize" if chosen[0].smallest else "maximize")
        raise BadValue(names[1], "is to be smallest and largest").about("maximize")
    first = question.quantities[0]
    return chosen or ([Goal(first.name, True)] if first.unit.dimension in (TIME, MONEY) else [])


def _check(sweep: Sweep, most: int | None) -> None:
    """OverLimit where there are more points than *most*."""
    if most is not None and sweep.size > most:
        much = f"{sweep.extent}; at most {count_text(most)} are possible"
        raise OverLimit(f"{much} here, any number in .csv and .ndjson").about("vary")
