"""A sweep: a question at very many points; the best of them by one quantity or more.

Points of equations are worked out many at once, in floats, and as fractions where floats do not
decide; played ones, and those that floats do not reach, one after the other. Every point is
compared: floats sort out what is worse for sure, and fractions decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from math import inf, prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.axes import Positions
from ddcalc.ask.sweep.column import NEAR, Column, Floats, Mask, Pointwise, constant, nearest
from ddcalc.ask.sweep.grid import LISTED, Position, SweepQuestion
from ddcalc.ask.working import working
from ddcalc.errors import BadValue, DdcalcError, OverLimit, Repeated
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, Rel, symbols
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import in_units, plain
from ddcalc.numbers.units import DATA, ENERGY, MASS, MONEY, ONE, TIME, UNITS, WORK
from ddcalc.problem.plan import Values, plan
from ddcalc.problem.said.steps import Value
from ddcalc.problem.stated import Stated
from ddcalc.problem.stated_formulas import is_side, renamed

BLOCK: Final = 1 << 16  # points worked out at once: their numbers stay in the processor's cache
PLAYED: Final = 16  # played ones
RANKS: Final = 2  # the best and the next best
COSTS: Final = (TIME, DATA, MONEY, UNITS["EUR"].dimension, ENERGY, MASS, WORK, MONEY / TIME)
RATES: Final = (ONE / TIME, DATA / TIME, WORK / TIME)
ENDS: Final = {"best": "", "minimize": "least", "maximize": "greatest"}
UNKNOWN: Final = "may be best small or large; say --minimize or --maximize instead of --best"


@dataclass(frozen=True, slots=True)
class Best:
    """The best *value*, the *number* of the first point that has it, and how many *points* do."""

    value: Number
    number: int
    points: int


@dataclass(slots=True)
class Goal:
    """The quantity called *name* is to be as small as possible, or as large; *found* are the best
    value so far and the next best one."""

    name: str
    smallest: bool
    found: list[Best] = field(default_factory=list)

    @property
    def best(self) -> Best | None:
        """None where no point has a value."""
        return self.found[0] if self.found else None

    @property
    def sign(self) -> int:
        """What makes the better value the smaller one."""
        return 1 if self.smallest else -1

    @property
    def words(self) -> str:
        """``smallest total``."""
        return f"{'smallest' if self.smallest else 'largest'} {self.name}"

    def find(self, value: Number, number: int, points: int) -> None:
        """Keep a *value* that so many *points* have, the first of this *number*, if it is good."""
        for one in [one for one in self.found if one.value == value]:
            number, points = min(number, one.number), points + one.points
        others = [one for one in self.found if one.value != value]
        every = [*others, Best(value, number, points)]
        self.found = sorted(every, key=lambda one: self.sign * one.value)[:RANKS]


@dataclass(frozen=True, slots=True)
class BlockResults:
    """The points of these *numbers*, which lie *at* on the axes as :func:`numpy.ix_` says it: their
    *values* by quantity, in its unit, nan for none.

    Of those that are *sharp* equal floats stand for equal values. Points that were worked out
    *alone* have their exact values, by their place here, and are not meant by that.
    """

    numbers: range
    at: Sequence[Positions]
    values: dict[str, Floats]
    sharp: set[str]
    alone: dict[int, Mapping[str, Value]] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, ...]:
        """How many points there are along each axis."""
        return tuple(one.size for one in self.at)


class EquationReading:
    """The equations of a *question* at a *corner*."""

    def __init__(self, question: SweepQuestion, corner: Position) -> None:
        stated = question.stated(corner)
        self.plan = made = plan(question.problem, stated.shape)
        letters = {name: quantity.letter for name, quantity in question.problem.quantities.items()}
        axes = ((i, axis) for i, axis in enumerate(question.axes) if not axis.names)
        self.axes = {letters[axis.name]: (i, axis) for i, axis in axes}
        compared = [name for relation in question.where for name in relation.names]
        shown = [quantity.name for quantity in question.quantities]
        self.letters = {name: letters[name] for name in [*shown, *compared]}
        self.conditions: list[Rel] = [condition.relation for condition in made.conditions]
        tested = (letter for one in self.conditions[made.early :] for letter in symbols(one))
        self.lines = made.needed(*self.letters.values(), *tested)
        self.conditions += [relation.formula for relation in question.where]
        derived = {line.symbol for line in self.lines}
        self.shown = {q.name: q for q in question.quantities if q.letter in derived}
        numbers = zip(made.givens, stated.numbers(), strict=True)
        self.still: dict[str, Number] = {
            letter: value for letter, value in numbers if letter not in self.axes
        }

    @cached_property
    def constants(self) -> Mapping[str, Column]:
        """What does not vary: givens, and what follows from them alone."""
        known = dict(self.still)
        for line in self.lines:
            if known.keys() >= {*symbols(line.formula)}:
                with suppress(ArithmeticError):  # it has no value at any point
                    value = evaluate(line.formula, known)
                    known |= {} if value is None else {line.symbol: value}
        return {letter: constant(value) for letter, value in known.items()}

    def columns(self, at: Sequence[Positions]) -> tuple[dict[str, Column], Mask, Mask]:
        """The columns of what is shown where points lie *at* on the axes, where a condition fails,
        and where either is unsure; FloatingPointError where floats do not reach."""
        known, unsure, failing = dict(self.constants), np.asarray(False), np.asarray(False)
        known |= {letter: axis.column(at[i]) for letter, (i, axis) in self.axes.items()}
        points = Pointwise(known)
        for line in self.lines:
            if line.symbol not in known:
                known[line.symbol] = points.of(line.formula)
                unsure = unsure | known[line.symbol].unsure
        for relation in self.conditions:
            holds, doubt = points.satisfied(relation)
            failing = failing | (~np.asarray(holds) & ~np.asarray(doubt))
            unsure = unsure | doubt
        shown = {n: known[one.letter] / constant(one.unit.worth) for n, one in self.shown.items()}
        return shown, failing, unsure & ~failing

    def rests_on(self, name: str) -> set[int]:
        """The axes on which the shown quantity called *name* rests, by position."""
        needed = self.plan.rests_on(self.shown[name].letter)
        return {i for letter, (i, _) in self.axes.items() if letter in needed}

    def values(self, point: Stated) -> Mapping[str, Value]:
        """What is asked of a *point*, exactly, by name; raises a DdcalcError where it has none."""
        known = self.plan.worked(point, point.numbers(), self.lines)
        return {name: known.get(letter) for name, letter in self.letters.items()}


class Sweep:
    """The points of *question*, among which each of the *goals* is found; those *without* a value
    of what is shown are counted, the *first* has that number.

    Raises OverLimit for more points than *most*.
    """

    def __init__(
        self, question: SweepQuestion, goals: Sequence[Goal], *, most: int | None = None
    ) -> None:
        self.question, self.goals = question, goals
        self.is_played = question.equations is None
        self.block = PLAYED if self.is_played else BLOCK
        self.without, self.first = 0, 0
        self._readings: dict[Position, EquationReading] = {}
        if most is not None and question.size > most:
            much = f"{question.extent}; at most {count_text(most)} are possible"
            raise OverLimit(f"{much} here, any number in .csv and .ndjson").about("vary")

    def blocks(self) -> Iterator[BlockResults]:
        """All points in order, block by block, as they are worked out and compared."""
        end = 0
        for at in self.question.blocks(self.block):
            begin, end = end, end + prod(axis.size for axis in at)
            results = self._results(range(begin, end), at)
            for goal in self.goals:
                self._find(goal, results)
            yield results

    def _reading(self, corner: Position) -> EquationReading:
        """The equations at a *corner*."""
        if corner not in self._readings:
            self._readings[corner] = EquationReading(self.question, corner)
        return self._readings[corner]

    def at(self, number: int) -> Mapping[str, Value]:
        """The exact quantities at point *number*; empty where it has none."""
        try:
            values = self.values(number)
        except DdcalcError:
            return {}
        exact = dict[str, Value]()
        for name in (one.name for one in self.question.quantities if one.name in values):
            if isinstance(value := values[name], tuple):
                raise BadValue(name, LISTED).about("quantity")
            exact[name] = value if isinstance(value, Approximate | Expr | None) else plain(value)
        return exact

    def values(self, number: int) -> Values:
        """What point *number* comes to, by name; raises a DdcalcError that says why to nothing."""
        point = self.question.point(number)
        if point.is_played:
            values = working(point).values
        else:
            corner = self.question.corner(self.question.place(number))
            values = self._reading(corner).values(point)
        for relation in self.question.where:
            if not relation.holds_among(values):  # type: ignore[arg-type]
                sides = {name: words for name, words, _ in point.problem.own_steps if is_side(name)}
                raise DdcalcError(f"{renamed(relation.written, sides)} does not hold")
        return values

    def _results(self, numbers: range, at: Sequence[Positions]) -> BlockResults:
        """The points of these *numbers*, *at* on the axes; those without a value are counted."""
        shown = [quantity.name for quantity in self.question.quantities]
        values = {name: np.full(len(numbers), np.nan) for name in shown}
        made = BlockResults(numbers, at, values, {*shown})
        alone: list[int] = []
        with np.errstate(divide="ignore", invalid="ignore", over="raise", under="raise"):
            axes = zip(self.question.axes, at, strict=True)
            for corner in product(*(x.ravel().tolist() if axis.names else [0] for axis, x in axes)):
                alone += self._fill(made, corner)
        for local in alone:
            made.alone[local] = exact = self.at(numbers[local])
            for one in self.question.quantities:
                value = exact.get(one.name)
                worth = in_units(value, one.unit.worth) if isinstance(value, Number) else None
                values[one.name][local] = np.nan if worth is None else nearest(worth)
        lacking = reduce(np.logical_or, map(np.isnan, values.values()))
        for local, exact in made.alone.items():  # formulas are values, too
            lacking[local] = any(exact.get(name) is None for name in shown)
        if (count := int(np.count_nonzero(lacking))) and not self.without:
            self.first = numbers[int(lacking.argmax())]
        self.without += count
        return made

    def _fill(self, made: BlockResults, corner: Position) -> list[int]:
        """Put in the points with the names of *corner*; those that are to be worked out alone."""
        here = [slice(None)] * len(made.at)
        for i, axis in enumerate(self.question.axes):
            first = corner[i] - made.at[i].item(0)
            here[i] = slice(first, first + 1) if axis.names else slice(None)
        inside = np.arange(len(made.numbers)).reshape(made.shape)[(*here,)]
        try:
            is_played = self.question.stated(corner).is_played
        except DdcalcError:  # no question, so no values
            return []
        if not is_played:
            with suppress(FloatingPointError):
                columns, failing, unsure = self._reading(corner).columns(made.at)
                for name, column in columns.items():
                    values = made.values[name].reshape(made.shape)
                    values[(*here,)] = np.where(failing, np.nan, column.values())
                    made.sharp.difference_update(() if column.is_sharp else (name,))
                inside = inside[np.broadcast_to(unsure, inside.shape)]
        return [*inside.flat]

    def _find(self, goal: Goal, results: BlockResults) -> None:
        """Find the points of a block that are best for the *goal*."""
        numbers, values = results.numbers, goal.sign * results.values[goal.name]
        values[[*results.alone]] = np.nan
        for local, exact in results.alone.items():
            if isinstance(value := exact.get(goal.name), Number):
                goal.find(value, numbers[local], 1)
        worth = self.question.quantity(goal.name).unit.worth
        slack = 0.0 if goal.name in results.sharp else NEAR
        for _ in range(RANKS):
            least, beaten = float(np.fmin.reduce(values, initial=inf)), inf
            if len(goal.found) == RANKS:
                beaten = goal.sign * nearest(in_units(goal.found[-1].value, worth))
            if least == inf or least > beaten + abs(beaten) * NEAR:
                break
            is_tied = values <= least + abs(least) * slack
            values[is_tied], tied = np.nan, numbers.start + np.flatnonzero(is_tied)
            groups = [(int(tied[0]), len(tied))] if not slack else self._alike(goal.name, tied)
            for number, count in groups:
                value = self.at(number)[goal.name]
                assert isinstance(value, Number)
                goal.find(value, number, count)

    def _alike(self, name: str, numbers: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
        """Of the points of these *numbers* the first of those at which the quantity called *name*
        is made of the same numbers, and how many of these there are."""
        axes = {*range(len(self.question.axes))}
        if not (self.is_played or self.question.by_name):
            axes = self._reading(self.question.place(0)).rests_on(name)
        places = np.array(np.unravel_index(numbers, self.question.shape))
        made = places[[*axes]] if axes else np.zeros((1, len(numbers)), dtype=int)
        _, first, counts = np.unique(made, axis=1, return_index=True, return_counts=True)
        for i, count in zip(first.tolist(), counts.tolist(), strict=True):
            yield int(numbers[i]), count


def goals(question: SweepQuestion, wanted: Mapping[str, Sequence[str]]) -> list[Goal]:
    """What is *wanted*, each once, else the least time or money; BadValue where no end is best."""
    chosen = list[Goal]()
    for flag, name in [(end, name) for end in ENDS for name in wanted.get(end, ())]:
        quantity = question.quantity(name)
        if quantity.name in (goal.name for goal in chosen):
            raise Repeated(quantity.name).about(flag)
        of = quantity.unit.dimension
        usual = "least" if of in COSTS else "greatest" if of in RATES else ""
        if not (best := ENDS[flag] or getattr(quantity, "best", "") or usual):
            raise BadValue(quantity.name, UNKNOWN).about(flag)
        chosen.append(Goal(quantity.name, best == "least"))
    first = question.quantities[0]
    return chosen or ([Goal(first.name, True)] if first.unit.dimension in (TIME, MONEY) else [])
