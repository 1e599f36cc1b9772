"""A finished sweep in memory: a column of numbers for each axis and quantity, exact on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.account import Note, best_of, notes
from ddcalc.ask.sweep.axes import Axis, Named, Values
from ddcalc.ask.sweep.column import nearest
from ddcalc.ask.sweep.points import Place
from ddcalc.ask.sweep.question import question
from ddcalc.ask.sweep.sweep import Sweep, goals
from ddcalc.errors import UnknownName
from ddcalc.formula.expression import Number
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Value

MOST = 10_000_000  # points


class Columns:
    """All points of *sweep*, worked out, in order: the last axis varies fastest."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        quantities = sweep.question.quantities
        self._values = {quantity.name: np.full(sweep.size, np.nan) for quantity in quantities}
        worth = {quantity.name: nearest(quantity.unit.worth) for quantity in quantities}
        for block, pieces in sweep.blocks():
            for name, values in self._values.items():
                part = values[block.start : block.start + block.size].reshape(block.shape)
                for piece in pieces:
                    part[piece.where()] = piece.floats(name) / worth[name]

    def __len__(self) -> int:
        return self.sweep.size

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name, numbers in the units of the axes and quantities.

        What has no value is nan; what is varied by name is text.
        """
        grid = self.sweep.question.grid
        numbers = np.indices(grid.shape).reshape(len(grid.shape), -1)
        axes = zip(grid.axes, numbers, strict=True)
        return {axis.name: _along(axis)[at] for axis, at in axes} | self._values

    def exact(self, name: str) -> Iterator[Value]:
        """The values of quantity *name*, point by point: exact, in base units, None for none."""
        if name not in self._values:
            raise UnknownName("quantity", name, self._values)
        for number in range(len(self)):
            yield self.sweep.engine.at(self._place(number)).get(name)

    @property
    def best(self) -> Mapping[str, tuple[Number, Mapping[str, Value | str]]]:
        """The best value of each quantity that is optimised (base units), and the first place
        where it is taken."""
        return {
            optimum.goal.name: (optimum.best.value, self._at(optimum.best.number))
            for optimum in self.sweep.optima
            if optimum.best is not None
        }

    @property
    def front(self) -> list[tuple[tuple[Number, Number], Mapping[str, Value | str]]] | None:
        """The Pareto front of two goals, by the first one: values (base units) and places.

        None where fewer goals were stated, or its points are too many.
        """
        points = self.sweep.fronts[0].points if self.sweep.fronts else None
        if points is None:
            return None
        return [(point.values, self._at(point.number)) for point in points]

    @property
    def notes(self) -> list[Note]:
        """Why points have no value."""
        return list(notes(self.sweep))

    def __repr__(self) -> str:
        question = self.sweep.question
        varied = ", ".join(axis.name for axis in question.axes)
        words = [
            f"{len(self)} points of {varied}",
            *(best_of(self.sweep, o) for o in self.sweep.optima),
        ]
        return f"<{question.problem.slug}: {'; '.join(words)}>"

    def _place(self, number: int) -> Place:
        return self.sweep.question.grid.place(number)

    def _at(self, number: int) -> Mapping[str, Value | str]:
        axes = zip(self.sweep.question.axes, self._place(number), strict=True)
        return {
            axis.name: axis.texts[i] if isinstance(axis, Named) else axis.numbers[i]
            for axis, i in axes
        }


def _along(axis: Axis) -> NDArray[Any]:
    """The values of an axis, whole ones as such."""
    if isinstance(axis, Named):
        return np.array(axis.texts)
    column = axis.numbers.column(0, axis.size)
    if column.is_exact and axis.given.whole:
        return column.values.astype(np.int64)
    return np.broadcast_to(column.values, (axis.size,)) / nearest(axis.unit.worth)


def columns(
    problem: type[Problem],
    texts: Texts,
    vary: Mapping[str, Values],
    quantities: Sequence[str],
    minimize: Sequence[str],
    maximize: Sequence[str],
) -> Columns:
    """All points in memory; OverLimit for more than are possible there."""
    made = question(problem, texts, [*vary.items()], quantities, [*minimize, *maximize])
    return Columns(Sweep(made, goals(made, minimize, maximize), most=MOST, turns=True))
