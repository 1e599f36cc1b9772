"""Views of a sweep: its columns in memory, exact on request; its curves, a quantity along the
longest axis, a line for each place on the others; and of two goals what one costs in the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.account import Note, best_words, equal, notes
from ddcalc.ask.sweep.axes import Axis, Named, Numeric, Values
from ddcalc.ask.sweep.best import Sweep, goals
from ddcalc.ask.sweep.column import Floats, nearest
from ddcalc.ask.sweep.grid import Position, place, question
from ddcalc.ask.sweep.points import BlockResults
from ddcalc.errors import BadValue, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.sentences import capital
from ddcalc.problem.stated import Texts
from ddcalc.problem.steps import Chart, Curve, Dot, Scale, Value

IN_MEMORY = 10_000_000  # points
DRAWN = 1_000_000  # points of which curves are drawn
LINES = 6  # at most
BENDS = 150  # stretches of a line of which the lowest and the highest point are drawn
WIDE = 100  # times the lowest value that the highest one is, from which on factors count upwards

Log = Collection[str] | None  # which of the scales x and y are logarithmic; None decides itself
At = Mapping[str, Value | str]


class Columns:
    """All points of *sweep*, worked out, in order: the last axis varies fastest."""

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.question = sweep, sweep.question
        self._values = {one.name: np.full(len(self), np.nan) for one in self.question.quantities}
        self.curves = Curves(sweep) if Curves.possible(sweep) else None
        for results in sweep.blocks():
            if self.curves is not None:
                self.curves.see(results)
            for name, values in self._values.items():
                put(values, results, name)

    def __len__(self) -> int:
        return self.question.size

    @cached_property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name, numbers in the units of the axes and quantities.

        What has no value is nan; what is varied by name is text.
        """
        shape = self.question.shape
        numbers = np.indices(shape).reshape(len(shape), -1)
        axes = zip(self.question.axes, numbers, strict=True)
        return {axis.name: _along(axis)[at] for axis, at in axes} | self._values

    def exact(self, name: str) -> Iterator[Value]:
        """The values of quantity *name*, point by point: exact, in base units, None for none."""
        if name not in self._values:
            raise UnknownName("quantity", name, self._values)
        for number in range(len(self)):
            yield self.sweep.points.at(self.question.place(number)).get(name)

    @property
    def best(self) -> Mapping[str, tuple[Number, At]]:
        """The best value of each quantity that is optimised (base units), and the first place
        where it is taken."""
        pairs = zip(self.sweep.goals, self.sweep.optima, strict=True)
        return {g.name: (best.value, self._at(best.number)) for g, best in pairs if best}

    @property
    def front(self) -> list[tuple[tuple[Number, Number], At]] | None:
        """The Pareto front of two goals, by the first one: values (base units) and places.

        None where fewer goals were stated, or its points are too many.
        """
        if self.sweep.front is None:
            return None
        return [(point.values, self._at(point.number)) for point in self.sweep.front]

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


def put(values: Floats, results: BlockResults, name: str) -> None:
    """Put what quantity *name* is worth in a block into the *values* of all points."""
    block = results.block
    values[block.start : block.start + block.size].reshape(block.shape)[:] = results.values[name]


def _along(axis: Axis) -> NDArray[Any]:
    """The values of an axis, whole ones as such."""
    if isinstance(axis, Named):
        return np.array(axis.texts)
    column = axis.column(range(axis.size))
    if column.is_exact and axis.given.whole:
        return column.top.astype(np.int64)
    return np.atleast_1d(column.values()) / nearest(axis.unit.worth)


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
    return Columns(Sweep(made, goals(made, minimize, maximize), most=IN_MEMORY))


class Curves:
    """Collects what is to be drawn of *sweep*: its first quantity, along the longest axis.

    Raises BadValue where no axis of numbers has two.
    """

    def __init__(self, sweep: Sweep) -> None:
        self.sweep, self.question = sweep, sweep.question
        long = _long(self.question.axes)
        if not long:
            reason = "makes no curve: vary a number that has two values or more"
            raise BadValue(self.question.axes[0].name, reason).about("vary")
        self.along = max(long, key=lambda i: self.question.axes[i].size)
        self.axis = self.question.numeric[self.along]
        self.quantity = self.question.quantities[0]
        self.values: Floats = np.full(self.question.size, np.nan)

    @classmethod
    def possible(cls, sweep: Sweep) -> bool:
        """Whether the points of *sweep* make curves, and are not too many."""
        return sweep.question.size <= DRAWN and bool(_long(sweep.question.axes))

    def see(self, results: BlockResults) -> None:
        """Keep the values of a block."""
        put(self.values, results, self.quantity.name)

    @property
    def known(self) -> bool:
        """Whether any point has a value to draw."""
        return not np.isnan(self.values).all()

    def chart(self, log: Log = None) -> Chart:
        """The curves, thinned where they have more points than can be seen.

        Raises BadValue where no point has a value, or where a scale of *log* has numbers that are
        not above 0.
        """
        if not self.known:
            raise BadValue(self.quantity.name, "has no value that could be drawn").about("chart")
        lines = np.moveaxis(self.values.reshape(self.question.shape), self.along, -1)
        flat = lines.reshape(-1, self.axis.size)
        others = [axis for axis in self.question.axes if axis is not self.axis]
        shown = spread(len(flat), LINES)
        curves = []
        for i in shown:
            at = place(i, [axis.size for axis in others])
            pairs = zip(others, at, strict=True)
            label = ", ".join(f"{axis.name} = {axis.text(position)}" for axis, position in pairs)
            curves.append(Curve(label, tuple(self._dots(at, flat[i]))))
        problem = self.question.problem
        title = f"{problem.question()} {capital(self.quantity.name)} by {self.axis.name}"
        x = Scale(self.axis.name, self.axis.unit.name, self.axis.factors)
        y = Scale(self.quantity.name, self.quantity.unit.name)
        chart = Chart(title, x, y, tuple(curves), self._best(), len(flat) - len(shown))
        return _scaled(chart, log)

    def _dots(self, at: Position, values: Floats) -> Iterator[Dot | None]:
        """The points of the line *at* a place on the other axes."""
        before = -1
        for i in _bends(values):
            if np.isnan(values[before + 1 : i]).any():
                yield None
            yield self._dot((*at[: self.along], i, *at[self.along :]))
            before = i

    def _dot(self, at: Position) -> Dot | None:
        value = self.sweep.points.at(at).get(self.quantity.name)
        if not isinstance(value, Number):
            return None
        number = int(np.ravel_multi_index(at, self.question.shape))
        amount = self.question.amount_text(value, self.quantity.name)
        x = in_units(self.axis.numbers[at[self.along]], self.axis.unit.worth)
        y = in_units(value, self.quantity.unit.worth)
        return Dot(x, y, f"{self.question.spot(number)}: {amount}")

    def _best(self) -> Dot | None:
        """The best point by the quantity that is drawn."""
        pairs = zip(self.sweep.goals, self.sweep.optima, best_words(self.sweep), strict=True)
        for goal, best, words in pairs:
            if goal.name == self.quantity.name and best is not None:
                dot = self._dot(self.question.place(best.number))
                return dot and replace(dot, words=words)
        return None


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
    known = np.flatnonzero(~np.isnan(values))
    if len(values) <= 2 * BENDS:
        return known.tolist()
    kept = {0, len(values) - 1} & {*known.tolist()}
    for stretch in np.array_split(known, BENDS):
        if stretch.size:
            kept |= {int(stretch[values[stretch].argmin()]), int(stretch[values[stretch].argmax()])}
    return sorted(kept)


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


def trade(sweep: Sweep, log: Log = None) -> Chart | None:
    """The front of the finished *sweep*, the second goal over the first, thinned where it is long.

    None where there is no front of two points or more; scales as for :meth:`Curves.chart`.
    """
    if sweep.front is None or len(sweep.front) < 2:
        return None
    question = sweep.question
    scales = [question.quantity(goal.name) for goal in sweep.goals]
    dots = []
    for i in spread(len(sweep.front), 2 * BENDS):
        point = sweep.front[i]
        pairs = [*zip(sweep.goals, point.values, strict=True)]
        amounts = ", ".join(f"{goal.name} {equal(sweep, goal, value)}" for goal, value in pairs)
        x, y = (in_units(v, q.unit.worth) for v, q in zip(point.values, scales, strict=True))
        dots.append(Dot(x, y, f"{question.spot(point.number)}: {amounts}"))
    first, second = (Scale(quantity.name, quantity.unit.name) for quantity in scales)
    title = f"{question.problem.question()} {capital(second.name)} by {first.name}"
    ends = " to ".join(question.spot(sweep.front[i].number) for i in (0, -1))
    curve = Curve(f"the Pareto front, from {ends}", tuple(dots))
    return _scaled(Chart(title, first, second, (curve,), None, 0), log)


def drawings(sweep: Sweep, curves: Curves | None, log: Log = None) -> list[Chart]:
    """What can be drawn of the finished *sweep*: the *curves*, if they were kept, and the front."""
    chart = curves.chart(log) if curves is not None and curves.known else None
    return [one for one in (chart, trade(sweep, log)) if one is not None]
