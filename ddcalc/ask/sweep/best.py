"""A sweep: a question at very many points; the best of them by one quantity or more. Every point
is compared: floats sort out what is worse for sure, and fractions decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from ddcalc.ask.sweep.column import NEAR, nearest
from ddcalc.ask.sweep.grid import SweepQuestion
from ddcalc.ask.sweep.points import BlockResults, Points
from ddcalc.errors import OverLimit, Repeated
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import MONEY, TIME


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


class Sweep:
    """The points of *question*, of which the best for each of the *goals* are found: *optima* (None
    while no point has a value)).

    Raises OverLimit for more points than *most*.
    """

    def __init__(
        self, question: SweepQuestion, goals: Sequence[Goal], *, most: int | None = None
    ) -> None:
        self.question, self.goals = question, goals
        self.points = Points(question)
        self.optima: list[Best | None] = [None for _ in goals]
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


def _better(goal: Goal, best: Best | None, other: Best) -> Best:
    """The better one for *goal*, or both as one."""
    if best is None or goal.sign * other.value < goal.sign * best.value:
        return other
    if other.value == best.value:
        return Best(best.value, min(best.number, other.number), best.points + other.points)
    return best


def goals(question: SweepQuestion, minimize: Sequence[str], maximize: Sequence[str]) -> list[Goal]:
    """What is sought, each quantity once; else the least time or money."""
    names = [name.replace("-", "_") for name in (*minimize, *maximize)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise Repeated(name).about("minimize" if i < len(minimize) else "maximize")
    chosen = [Goal(name, i < len(minimize)) for i, name in enumerate(names)]
    first = question.quantities[0]
    return chosen or ([Goal(first.name, True)] if first.unit.dimension in (TIME, MONEY) else [])
