"""Views of a sweep: its columns in memory, exact on request; its curves, a quantity along the
longest axis, a line for each place on the others; and of two goals what one costs in the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.account import Note, best_of, notes, spot
from ddcalc.ask.sweep.axes import Axis, Listed, Named, Numeric, Values
from ddcalc.ask.sweep.best import Chosen, Sweep, goals
from ddcalc.ask.sweep.column import Floats, nearest
from ddcalc.ask.sweep.grid import Block, Grid, Patch, Position, question
from ddcalc.errors import BadValue, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Quantity
from ddcalc.problem.sentences import capital
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Chart, Curve, Dot, Scale, Value

IN_MEMORY = 10_000_000  # points
DRAWN = 1_000_000  # points of which curves are drawn
LINES = 6  # at most
BENDS = 150  # stretches of a line of which the lowest and the highest point are drawn
STEEP = 30  # times the first number that the last one is, from which on factors count
WIDE = 100  # times the lowest value that the highest one is, from which on they do upwards

Log = Collection[str] | None  # which of the scales x and y are logarithmic; None decides itself


class Columns:
    """All points of *sweep*, worked out, in order: the last axis varies fastest."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        quantities = sweep.question.quantities
        self._values = {quantity.name: np.full(sweep.size, np.nan) for quantity in quantities}
        worth = {quantity.name: nearest(quantity.unit.worth) for quantity in quantities}
        self.curves = Curves(sweep) if Curves.possible(sweep) else None
        for block, pieces in sweep.blocks():
            if self.curves is not None:
                self.curves.see(block, pieces)
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

    def _place(self, number: int) -> Position:
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
    unit: Unit | None = None,
) -> Columns:
    """All points in memory; OverLimit for more than are possible there."""
    sought = [*minimize, *maximize]
    made = question(problem, texts, [*vary.items()], quantities, sought, unit)
    return Columns(Sweep(made, goals(made, minimize, maximize), most=IN_MEMORY, turns=True))


# Curves


class Curves:
    """Collects what is to be drawn of *sweep*: its first quantity."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep = sweep
        self.quantity: Quantity = sweep.question.quantities[0]
        self.along = _longest(sweep.question.axes)
        self.values: Floats = np.full(sweep.question.grid.size, np.nan)

    @classmethod
    def possible(cls, sweep: Sweep) -> bool:
        """Whether the points of *sweep* make curves, and are not too many."""
        return sweep.question.grid.size <= DRAWN and bool(_long(sweep.question.axes))

    @property
    def known(self) -> bool:
        """Whether any point has a value to draw."""
        return not np.isnan(self.values).all()

    def see(self, block: Block, pieces: Iterable[Patch]) -> None:
        """Keep the values of *block*."""
        values = self.values[block.start : block.start + block.size].reshape(block.shape)
        for patch in pieces:
            values[patch.where()] = patch.floats(self.quantity.name)

    def chart(self, log: Log = None) -> Chart:
        """The curves, thinned where they have more points than can be seen.

        Raises BadValue where no point has a value, or where a scale of *log* has numbers that are
        not above 0.
        """
        if not self.known:
            raise BadValue(self.quantity.name, "has no value that could be drawn").about("chart")
        question, along = self.sweep.question, self.along
        lines = np.moveaxis(self.values.reshape(question.grid.shape), along, -1)
        others = [axis for i, axis in enumerate(question.axes) if i != along]
        grid = Grid(others) if others else None
        flat = lines.reshape(-1, lines.shape[-1])
        shown = spread(len(flat), LINES)
        curves = []
        for i in shown:
            place = grid.place(i) if grid else ()
            label = ", ".join(
                f"{axis.name} = {axis.text(at)}" for axis, at in zip(others, place, strict=True)
            )
            curves.append(Curve(label, tuple(self._dots(place, flat[i]))))
        axis = question.numeric[along]
        title = f"{question.problem.question()} {capital(self.quantity.name)} by {axis.name}"
        x = Scale(axis.name, axis.unit.name, _goes_by_factors(axis))
        y = Scale(self.quantity.name, self.quantity.unit.name)
        left = len(flat) - len(shown)
        return _scaled(Chart(title, x, y, tuple(curves), self._best(), left), log)

    def _dots(self, place: Position, values: Floats) -> Iterable[Dot | None]:
        """The points of the line at *place* on the other axes."""
        if np.isnan(values).all():
            return
        before = -1
        for at in _bends(values):
            if np.isnan(values[before + 1 : at]).any():
                yield None
            yield self._dot((*place[: self.along], at, *place[self.along :]))
            before = at

    def _dot(self, place: Position) -> Dot | None:
        question = self.sweep.question
        value = self.sweep.engine.at(place).get(self.quantity.name)
        if not isinstance(value, Number):
            return None
        axis = question.numeric[self.along]
        words = f"{spot(self.sweep, place)}: {question.amount_text(value, self.quantity.name)}"
        x = axis.numbers[place[self.along]]
        return Dot(in_units(x, axis.unit.worth), in_units(value, self.quantity.unit.worth), words)

    def _best(self) -> Dot | None:
        """The best point by the quantity that is drawn."""
        for optimum in self.sweep.optima:
            if optimum.goal.name == self.quantity.name and optimum.best is not None:
                dot = self._dot(self.sweep.question.grid.place(optimum.best.number))
                return dot and replace(dot, words=best_of(self.sweep, optimum))
        return None


def _longest(axes: Sequence[Axis]) -> int:
    """The numeric axis with the most values; BadValue where none has two."""
    long = _long(axes)
    if not long:
        reason = "makes no curve: vary a number that has two values or more"
        raise BadValue(axes[0].name, reason).about("vary")
    return max(long, key=lambda i: axes[i].size)


def _long(axes: Sequence[Axis]) -> list[int]:
    """The numeric axes that have two values or more."""
    return [i for i, axis in enumerate(axes) if isinstance(axis, Numeric) and axis.size > 1]


def spread(count: int, most: int) -> list[int]:
    """At most *most* of *count* numbers, with the first and the last."""
    if count <= most:
        return list(range(count))
    return sorted({i * (count - 1) // (most - 1) for i in range(most)})


def _bends(values: Floats) -> list[int]:
    """The positions that show the course of *values*: all if they are few, else the lowest and
    the highest of each stretch."""
    if len(values) <= 2 * BENDS:
        return np.flatnonzero(~np.isnan(values)).tolist()
    kept = {0, len(values) - 1}
    for stretch in np.array_split(np.arange(len(values)), BENDS):
        known: NDArray[np.int64] = stretch[~np.isnan(values[stretch])]
        if known.size:
            kept |= {int(known[values[known].argmin()]), int(known[values[known].argmax()])}
    return sorted(at for at in kept if not np.isnan(values[at]))


def _goes_by_factors(axis: Numeric) -> bool:
    """Whether the axis was made by a factor, or might as well have been."""
    numbers = axis.numbers
    if not isinstance(numbers, Listed) or numbers.size < 4 or min(numbers.values) <= 0:
        return False
    ratios = {in_units(b, a) for a, b in pairwise(numbers.values)}
    return len(ratios) == 1 and numbers.values[-1] > STEEP * numbers.values[0]


def _scaled(chart: Chart, log: Log) -> Chart:
    """*chart* with logarithmic scales as *log* wants them; where nothing is said, upwards too if
    the axis goes by factors and the values span some."""
    dots = [dot for curve in chart.curves for dot in curve.dots if dot is not None]
    numbers = {"x": [dot.x for dot in dots], "y": [dot.y for dot in dots]}
    if log is None:
        low, high = min(numbers["y"]), max(numbers["y"])
        return replace(chart, y=replace(chart.y, factors=chart.x.factors and 0 < WIDE * low < high))
    for name in log:
        if min(numbers[name]) <= 0:
            reason = "has values that are not above 0, which no logarithmic scale shows"
            raise BadValue(name, reason).about("log")
    x, y = (replace(one, factors=name in log) for name, one in (("x", chart.x), ("y", chart.y)))
    return replace(chart, x=x, y=y)


# The front


def trade(sweep: Sweep, log: Log = None) -> Chart | None:
    """The front of the finished *sweep*, the second goal over the first, thinned where it is long.

    None where there is no front of two points or more; scales as for :meth:`Curves.chart`.
    """
    points = sweep.fronts[0].points if sweep.fronts else None
    if points is None or len(points) < 2:
        return None
    problem = sweep.question.problem
    first, second = (sweep.question.quantity(goal.name) for goal in sweep.goals)
    dots = [_front_dot(sweep, points[i], (first, second)) for i in spread(len(points), 2 * BENDS)]
    name = first.name
    title = f"{problem.question()} {capital(second.name)} by {name}"
    scales = Scale(name, first.unit.name), Scale(second.name, second.unit.name)
    ends = " to ".join(spot(sweep, sweep.question.grid.place(points[i].number)) for i in (0, -1))
    curve = Curve(f"the Pareto front, from {ends}", tuple(dots))
    return _scaled(Chart(title, *scales, (curve,), None, 0), log)


def drawings(sweep: Sweep, curves: Curves | None, log: Log = None) -> list[Chart]:
    """What can be drawn of the finished *sweep*: the *curves*, if they were kept, and the front."""
    chart = curves.chart(log) if curves is not None and curves.known else None
    return [one for one in (chart, trade(sweep, log)) if one is not None]


def _front_dot(sweep: Sweep, point: Chosen, quantities: tuple[Quantity, Quantity]) -> Dot:
    amounts = []
    for quantity, value in zip(quantities, point.values, strict=True):
        words = sweep.question.amount_text(value, quantity.name)
        amounts.append(f"{quantity.name} {'' if words.startswith(ABOUT) else '= '}{words}")
    x, y = (in_units(v, q.unit.worth) for v, q in zip(point.values, quantities, strict=True))
    place = sweep.question.grid.place(point.number)
    return Dot(x, y, f"{spot(sweep, place)}: {', '.join(amounts)}")
