"""Views of a sweep: its columns in memory, exact on request; its curves, a quantity along the
longest axis, a line for each place on the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.account import best_words
from ddcalc.ask.sweep.axes import Axis
from ddcalc.ask.sweep.grid import Position, SweepQuestion
from ddcalc.ask.sweep.points import Goal, Sweep
from ddcalc.errors import UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import in_units
from ddcalc.problem.said.sentences import capital
from ddcalc.problem.said.steps import Chart, Curve, Dot, Scale, Value

IN_MEMORY = 10_000_000  # points, at most
LINES = 6  # at most
POINTS = 600  # of a line that are drawn, and the best one
WIDE = 100  # times the lowest value that the highest one is, from which on factors count upwards

At = Mapping[str, Value | str]


class Columns:
    """All points of a sweep, worked out, in order: the last axis varies fastest."""

    def __init__(self, question: SweepQuestion, goals: Sequence[Goal]) -> None:
        self.sweep, self.question = Sweep(question, goals, most=IN_MEMORY), question
        self._values = {one.name: np.full(len(self), np.nan) for one in self.question.quantities}
        for results in self.sweep.blocks():
            for name, values in self._values.items():
                values[results.numbers.start : results.numbers.stop] = results.values[name]

    def __len__(self) -> int:
        return self.question.size

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name, numbers in the units of the axes and quantities.

        What has no value is nan; what is varied by name is text.
        """
        positions = np.unravel_index(np.arange(len(self)), self.question.shape)
        axes = zip(self.question.axes, positions, strict=True)
        return {axis.name: _along(axis)[at] for axis, at in axes} | self._values

    def exact(self, name: str) -> Iterator[Value]:
        """The values of quantity *name*, point by point: exact, in base units, None for none."""
        if name not in self._values:
            raise UnknownName("quantity", name, self._values)
        for number in range(len(self)):
            yield self.sweep.at(number).get(name)

    @property
    def best(self) -> Mapping[str, tuple[Number, At]]:
        """The best value of what is optimised (base units), and the first place that has it."""
        found = ((goal.name, goal.best) for goal in self.sweep.goals)
        return {name: (best.value, self._at(best.number)) for name, best in found if best}

    def __repr__(self) -> str:
        varied = ", ".join(axis.name for axis in self.question.axes)
        words = "; ".join([f"{len(self)} points of {varied}", *best_words(self.sweep)])
        return f"<{self.question.problem.slug}: {words}>"

    def _at(self, number: int) -> At:
        axes = zip(self.question.axes, self.question.place(number), strict=True)
        return {axis.name: axis.values[i] for axis, i in axes}


def _along(axis: Axis) -> NDArray[Any]:
    """The values of an axis, whole ones as such."""
    if axis.names:
        return np.array(axis.names)
    floats = axis.floats(np.arange(axis.size))
    return floats.astype(np.int64) if axis.declared.whole else floats


def spread(count: int, most: int) -> list[int]:
    """At most *most* of *count* numbers, with the first and the last."""
    if count <= most:
        return list(range(count))
    return sorted({i * (count - 1) // (most - 1) for i in range(most)})


def curves(sweep: Sweep) -> Chart | None:
    """The first quantity of the finished *sweep* along the longest axis, a line for each place on
    the others, thinned where there are more points than can be seen; None where none has a value,
    or no axis of numbers has two.

    Along a range by a factor it goes by factors, and upwards too if its values span some.
    """
    question, quantity = sweep.question, sweep.question.quantities[0]
    numeric = (i for i, axis in enumerate(question.axes) if not axis.names)
    along = max(numeric, key=lambda i: question.shape[i], default=0)
    if (axis := question.axes[along]).names or axis.size == 1:
        return None

    def dot(at: Position, words: str = "") -> Dot | None:
        value = sweep.at(int(np.ravel_multi_index(at, question.shape))).get(quantity.name)
        if not isinstance(value, Number):
            return None
        x = in_units(axis.numbers[at[along]], axis.unit.worth)
        return Dot(x, in_units(value, quantity.unit.worth), words)

    best = [(question.place(goal.best.number), words)
            for goal, words in zip(sweep.goals, best_words(sweep), strict=True)
            if goal.name == quantity.name and goal.best]  # fmt: skip
    positions = sorted({*spread(axis.size, POINTS), *(at[along] for at, _ in best)})
    across = (*question.shape[:along], 1, *question.shape[along + 1 :])
    shown, made = spread(prod(across), LINES), []
    for at in np.transpose(np.unravel_index(shown, across)).tolist():
        dots = tuple(dot((*at[:along], i, *at[along + 1 :])) for i in positions)
        pairs = [*zip(question.axes, question.at(at), strict=True)]
        label = ", ".join(f"{one.name} = {text}" for one, text in pairs if one is not axis)
        made.append(Curve(label, dots if any(dots) else ()))
    values = [one.y for curve in made for one in curve.dots if one is not None]
    if not values:
        return None
    title = f"{question.problem.question()} {capital(quantity.name)} by {axis.name}"
    spans = axis.factors and 0 < WIDE * min(values) < max(values)
    x = Scale(axis.name, axis.unit.name, axis.factors)
    y = Scale(quantity.name, quantity.unit.name, spans)
    marked = dot(*best[0]) if best else None
    return Chart(title, x, y, tuple(made), marked, prod(across) - len(shown))
