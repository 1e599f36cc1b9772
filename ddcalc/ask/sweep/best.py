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

RANKS = 2  # the best and the next best


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
    """The points of *question*, of which for each of the *goals* the best and the next best value
    are *found*.

    Raises OverLimit for more points than *most*.
    """

    def __init__(
        self, question: SweepQuestion, goals: Sequence[Goal], *, most: int | None = None
    ) -> None:
        self.question, self.goals = question, goals
        self.points = Points(question)
        self.found: list[list[Best]] = [[] for _ in goals]
        if most is not None and question.size > most:
            much = f"{question.extent}; at most {count_text(most)} are possible"
            raise OverLimit(f"{much} here, any number in .csv and .ndjson").about("vary")

    def blocks(self) -> Iterator[BlockResults]:
        """All points in order, block by block, as they are worked out and compared."""
        most = self.points.most
        for start in range(0, self.question.size, most):
            results = self.points.results(range(start, min(start + most, self.question.size)))
            pairs = zip(self.goals, self.found, strict=True)
            self.found = [self._improved(goal, found, results) for goal, found in pairs]
            yield results

    @property
    def optima(self) -> list[Best | None]:
        """The best of each goal; None where no point has a value."""
        return [found[0] if found else None for found in self.found]

    def _improved(self, goal: Goal, found: list[Best], results: BlockResults) -> list[Best]:
        """The best values of the points of a block and those *found* so far."""
        numbers, values = results.numbers, results.floats(goal.name)
        left = values = values if goal.smallest else -values
        worth = self.question.quantity(goal.name).unit.worth
        for local, exact in results.alone.items():
            if isinstance(value := exact.get(goal.name), Number):
                found = _ranked(goal, [*found, Best(value, numbers[local], 1)])
        slack = 0.0 if goal.name in results.sharp else NEAR
        for _ in range(RANKS):
            least = float(np.fmin.reduce(left, initial=inf))
            worst = in_units(found[-1].value, worth) if len(found) == RANKS else None
            beaten = inf if worst is None else goal.sign * nearest(worst)
            if least == inf or least > beaten + abs(beaten) * NEAR:
                break
            top = least + abs(least) * slack
            tied = [numbers[x] for x in np.flatnonzero((values >= least) & (values <= top))]
            groups = [(tied[0], len(tied))] if not slack else self.points.alike(goal.name, tied)
            for number, count in groups:
                value = self.points.at(self.question.place(number))[goal.name]
                assert isinstance(value, Number)
                found = _ranked(goal, [*found, Best(value, number, count)])
            left = values[values > top]
        return found


def _ranked(goal: Goal, found: list[Best]) -> list[Best]:
    """The best values for *goal*, each once, with the first of its points."""
    alike = ([x for x in found if x.value == one.value] for one in found)
    made = {Best(x[0].value, min(y.number for y in x), sum(y.points for y in x)) for x in alike}
    return sorted(made, key=lambda one: goal.sign * one.value)[:RANKS]


def goals(question: SweepQuestion, minimize: Sequence[str], maximize: Sequence[str]) -> list[Goal]:
    """What is sought, each quantity once; else the least time or money."""
    names = [name.replace("-", "_") for name in (*minimize, *maximize)]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise Repeated(name).about("minimize" if i < len(minimize) else "maximize")
    chosen = [Goal(name, i < len(minimize)) for i, name in enumerate(names)]
    first = question.quantities[0]
    return chosen or ([Goal(first.name, True)] if first.unit.dimension in (TIME, MONEY) else [])
