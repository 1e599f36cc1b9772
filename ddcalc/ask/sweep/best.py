"""A sweep: a question at very many points; the best of them by one quantity, and the Pareto front
of two. Every point is compared: floats sort out what is worse for sure, and fractions decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.column import NEAR, Floats, nearest
from ddcalc.ask.sweep.grid import SweepQuestion
from ddcalc.ask.sweep.points import BlockResults, Points
from ddcalc.errors import BadValue, OverLimit, Repeated
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import MONEY, TIME

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

    @property
    def words(self) -> str:
        """``smallest total``."""
        return f"{'smallest' if self.smallest else 'largest'} {self.name}"


@dataclass(frozen=True, slots=True)
class Best:
    """The best *value*, the *number* of the first point that has it, and how many *points* do."""

    value: Number
    number: int
    points: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """A point of the front: its number, and its two values."""

    number: int
    values: tuple[Number, Number]


class Sweep:
    """The points of *question*, of which the best for each of the *goals* are found: *optima* (None
    while no point has a value), and the *front* of two: the points of which no other is better in
    one and not worse in the other, by the first one; None where they are too many.

    Raises OverLimit for more points than *most*.
    """

    def __init__(
        self, question: SweepQuestion, goals: Sequence[Goal], *, most: int | None = None
    ) -> None:
        self.question, self.goals = question, goals
        self.points = Points(question)
        self.optima: list[Best | None] = [None for _ in goals]
        self.front: list[Chosen] | None = [] if len(goals) == 2 else None
        if most is not None and question.size > most:
            much = f"{question.extent}; at most {count_text(most)} are possible"
            raise OverLimit(f"{much} here, any number in .csv and .ndjson").about("vary")

    def blocks(self) -> Iterator[BlockResults]:
        """All points in order, block by block, as they are worked out and compared."""
        most = self.points.most
        for start in range(0, self.question.size, most):
            results = self.points.results(range(start, min(start + most, self.question.size)))
            pairs = zip(self.goals, self.optima, strict=True)
            self.optima = [self._improve(goal, best, results) for goal, best in pairs]
            if self.front is not None:
                self.front = self._extend_front(self.front, results)
            yield results

    def _exact(self, goal: Goal, number: int) -> Number:
        """The value of the *goal*'s quantity at point *number*."""
        value = self.points.at(self.question.place(number))[goal.name]
        assert isinstance(value, Number)
        return value

    def _improve(self, goal: Goal, best: Best | None, results: BlockResults) -> Best | None:
        """The best of the points of a block and the *best* so far."""
        numbers, values = results.numbers, results.floats(goal.name)
        for local, exact in results.alone.items():
            value = exact.get(goal.name)
            if isinstance(value, Number):
                best = _better(goal, best, Best(value, numbers[local], 1))
        values = values if goal.smallest else -values
        least = float(np.fmin.reduce(values))
        worth = self.question.quantity(goal.name).unit.worth
        beaten = inf if best is None else goal.sign * nearest(in_units(best.value, worth))
        if np.isnan(least) or least > beaten + abs(beaten) * NEAR:
            return best
        is_sharp = goal.name in results.sharp
        near = np.flatnonzero(values <= least + (0.0 if is_sharp else abs(least) * NEAR))
        tied = [numbers[local] for local in near]
        groups = [(tied[0], len(tied))] if is_sharp else self.points.alike(goal.name, tied)
        for number, count in groups:
            best = _better(goal, best, Best(self._exact(goal, number), number, count))
        return best

    def _extend_front(self, front: list[Chosen], results: BlockResults) -> list[Chosen] | None:
        """The *front* with the points of a block, and without those that are dominated now."""
        first, second = self.goals
        a, b = (results.floats(goal.name) * goal.sign for goal in self.goals)
        known = np.flatnonzero(~(np.isnan(a) | np.isnan(b)))
        slack = [0.0 if goal.name in results.sharp else NEAR for goal in self.goals]
        at = known[_undominated(a[known], b[known], slack)]
        if not any(slack):  # of equal ones the first is enough
            _, of_each = np.unique(np.stack([a[at], b[at]]), axis=1, return_index=True)
            at = at[of_each]
        alone = [
            local for local, exact in results.alone.items()
            if all(isinstance(exact.get(goal.name), Number) for goal in self.goals)
        ]  # fmt: skip
        if len(at) + len(alone) > FRONT:
            return None
        points = [*front]
        for number in (results.numbers[local] for local in (*at.tolist(), *alone)):
            values = self._exact(first, number), self._exact(second, number)
            points.append(Chosen(number, values))

        def order(point: Chosen) -> tuple[Number, Number, int]:
            return first.sign * point.values[0], second.sign * point.values[1], point.number

        kept: list[Chosen] = []
        for point in sorted(points, key=order):
            if not kept or second.sign * point.values[1] < second.sign * kept[-1].values[1]:
                kept.append(point)
        return kept if len(kept) <= FRONT else None


def _better(goal: Goal, best: Best | None, other: Best) -> Best:
    """The better one for *goal*, or both as one."""
    if best is None or goal.sign * other.value < goal.sign * best.value:
        return other
    if other.value == best.value:
        return Best(best.value, min(best.number, other.number), best.points + other.points)
    return best


def _undominated(first: Floats, second: Floats, slack: Sequence[float]) -> NDArray[np.bool_]:
    """Which points are not dominated for sure, the smaller the better in both; a difference counts
    from *slack* on, relative."""
    if not len(first):
        return np.zeros(0, dtype=bool)
    order = np.argsort(first, kind="stable")
    least = np.concatenate([[np.inf], np.minimum.accumulate(second[order])])
    edge, limit = (x - np.abs(x) * by for x, by in zip((first, second), slack, strict=True))
    below = np.searchsorted(first[order], edge, side="left")
    upto = np.searchsorted(first[order], edge, side="right")
    return ~((least[below] <= limit) | (least[upto] < limit))


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
