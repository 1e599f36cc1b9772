"""Views of a sweep: its columns in memory, exact on request; its curves, a quantity along the
longest axis, a line for each place on the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.account import Note, best_words, notes
from ddcalc.ask.sweep.axes import Axis, Named
from ddcalc.ask.sweep.best import Goal, Sweep
from ddcalc.ask.sweep.column import nearest
from ddcalc.ask.sweep.grid import Position, SweepQuestion
from ddcalc.errors import BadValue, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import in_units
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import Chart, Curve, Dot, Scale, Value

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
                values[results.numbers] = results.values[name]

    def __len__(self) -> int:
        return self.question.size

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name, numbers in the units of the axes and quantities.

        What has no value is nan; what is varied by name is text.
        """
        positions = self.question.positions(range(len(self)))
        axes = zip(self.question.axes, positions, strict=True)
        return {axis.name: _along(axis)[at] for axis, at in axes} | self._values

    def exact(self, name: str) -> Iterator[Value]:
        """The values of quantity *name*, point by point: exact, in base units, None for none."""
        if name not in self._values:
            raise UnknownName("quantity", name, self._values)
        for number in range(len(self)):
            yield self.sweep.points.at(self.question.place(number)).get(name)

    @property
    def best(self) -> Mapping[str, tuple[Number, At]]:
        """The best value of what is optimised (base units), and the first place that has it."""
        pairs = zip(self.sweep.goals, self.sweep.optima, strict=True)
        return {g.name: (best.value, self._at(best.number)) for g, best in pairs if best}

    @property
    def notes(self) -> list[Note]:
        """Why points have no value."""
        return list(notes(self.sweep))

    def __repr__(self) -> str:
        varied = ", ".join(axis.name for axis in self.question.axes)
        words = "; ".join([f"{len(self)} points of {varied}", *best_words(self.sweep)])
        return f"<{self.question.problem.slug}: {words}>"

    def _at(self, number: int) -> At:
        axes = zip(self.question.axes, self.question.place(number), strict=True)
        return {
            axis.name: axis.texts[i] if isinstance(axis, Named) else axis.numbers[i]
            for axis, i in axes
        }


def _along(axis: Axis) -> NDArray[Any]:
    """The values of an axis, whole ones as such."""
    if isinstance(axis, Named):
        return np.array(axis.texts)
    column = axis.column(np.arange(axis.size))
    if column.is_exact and axis.given.whole:
        return column.top.astype(np.int64)
    return np.atleast_1d(column.values()) / nearest(axis.unit.worth)


def spread(count: int, most: int) -> list[int]:
    """At most *most* of *count* numbers, with the first and the last."""
    if count <= most:
        return list(range(count))
    return sorted({i * (count - 1) // (most - 1) for i in range(most)})


def curves(sweep: Sweep) -> Chart | None:
    """The first quantity of the finished *sweep* along the longest axis, a line for each place on
    the others, thinned where there are more points than can be seen; None where none has a value.

    Along a range by a factor it goes by factors, and upwards too if its values span some. Raises
    BadValue where no axis of numbers has two.
    """
    question, quantity = sweep.question, sweep.question.quantities[0]
    long = [i for i, axis in question.numeric.items() if axis.size > 1]
    if not long:
        reason = "makes no curve: vary a number that has two values or more"
        raise BadValue(question.axes[0].name, reason).about("vary")
    along = max(long, key=lambda i: question.shape[i])
    axis, best = question.numeric[along], _best(sweep, along)
    across = (*question.shape[:along], 1, *question.shape[along + 1 :])
    positions = {*spread(axis.size, POINTS)} | ({question.place(best[0])[along]} if best else set())
    shown = spread(prod(across), LINES)
    made = []
    for at in np.transpose(np.unravel_index(shown, across)).tolist():
        line = [(*at[:along], i, *at[along + 1 :]) for i in sorted(positions)]
        dots = tuple(_dot(sweep, along, one) for one in line)
        pairs = [*zip(question.axes, question.at(at), strict=True)]
        label = ", ".join(f"{one.name} = {text}" for one, text in pairs if one is not axis)
        made.append(Curve(label, dots if any(dots) else ()))
    if not any(curve.dots for curve in made):
        return None
    title = f"{question.problem.question()} {capital(quantity.name)} by {axis.name}"
    values = [dot.y for curve in made for dot in curve.dots if dot is not None]
    spans = axis.factors and 0 < WIDE * min(values) < max(values)
    x = Scale(axis.name, axis.unit.name, axis.factors)
    y = Scale(quantity.name, quantity.unit.name, spans)
    return Chart(title, x, y, tuple(made), best and best[1], prod(across) - len(shown))


def _best(sweep: Sweep, along: int) -> tuple[int, Dot | None] | None:
    """The number of the best point by the quantity that is drawn, and its dot."""
    for goal, best, words in zip(sweep.goals, sweep.optima, best_words(sweep), strict=True):
        if goal.name == sweep.question.quantities[0].name and best is not None:
            return best.number, _dot(sweep, along, sweep.question.place(best.number), words)
    return None


def _dot(sweep: Sweep, along: int, at: Position, words: str = "") -> Dot | None:
    axis, quantity = sweep.question.numeric[along], sweep.question.quantities[0]
    value = sweep.points.at(at).get(quantity.name)
    if not isinstance(value, Number):
        return None
    x = in_units(axis.numbers[at[along]], axis.unit.worth)
    return Dot(x, in_units(value, quantity.unit.worth), words)


def drawings(sweep: Sweep) -> list[Chart]:
    """The curves of the finished *sweep*, which may be *wanted*; none where there are none."""
    has_curves = any(axis.size > 1 for axis in sweep.question.numeric.values())
    chart = curves(sweep) if has_curves else None
    return [] if chart is None else [chart]
