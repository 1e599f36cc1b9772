"""The points of a sweep worked out: those of equations many at once, in floats, and as fractions
where floats do not decide; played ones, and those that floats do not reach, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from typing import Final

import numpy as np

from ddcalc.ask.sweep.axes import Positions
from ddcalc.ask.sweep.column import Column, Floats, Mask, Pointwise, constant, nearest
from ddcalc.ask.sweep.grid import LISTED, Position, SweepQuestion
from ddcalc.ask.working import working
from ddcalc.errors import UNANSWERED, BadValue, DdcalcError
from ddcalc.formula.evaluation import evaluate, satisfying
from ddcalc.formula.expression import Number, Rel, symbols
from ddcalc.numbers.number import in_units, plain
from ddcalc.problem.plan import plan
from ddcalc.problem.steps import Value

BLOCK: Final = 1 << 16  # points worked out at once: their numbers stay in the processor's cache
PLAYED: Final = 16  # played ones


@dataclass(frozen=True, slots=True)
class BlockResults:
    """The points of these *numbers*: their *values* by quantity, in its unit, nan for none.

    Of those that are *sharp* equal floats stand for equal values. Points that were worked out
    *alone* have their exact values, by their place here, and are not meant by that.
    """

    numbers: range
    values: dict[str, Floats]
    sharp: set[str]
    alone: dict[int, Mapping[str, Value]] = field(default_factory=dict)

    def floats(self, name: str) -> Floats:
        """The values of a quantity, nan for points that were worked out alone."""
        values = self.values[name].copy()
        values[[*self.alone]] = np.nan
        return values


class EquationReading:
    """The equations of a *question* at *names*, the positions on its axes that have names."""

    def __init__(self, question: SweepQuestion, names: Position) -> None:
        stated = question.stated(names)
        self.plan = made = plan(question.problem, stated.shape)
        letters = {name: quantity.letter for name, quantity in question.problem.quantities.items()}
        self.axes = {letters[axis.name]: (i, axis) for i, axis in question.numeric.items()}
        self.conditions: list[Rel] = [condition.relation for condition in made.conditions]
        self.conditions += [relation.formula for relation in question.where]
        tests = self.conditions[made.early :]
        tested = (letter for relation in tests for letter in symbols(relation))
        self.lines = made.needed(*(quantity.letter for quantity in question.quantities), *tested)
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

    def at(self, place: Position) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        known: dict[str, Number | None] = {**self.still}
        for letter, (i, axis) in self.axes.items():
            known[letter] = axis.numbers[place[i]]
        rules = {line.symbol: line.formula for line in self.lines}
        values = None
        with suppress(ArithmeticError):
            values = satisfying(known, rules, self.conditions)
        exact = {name: values[one.letter] for name, one in self.shown.items()} if values else {}
        return {name: None if value is None else plain(value) for name, value in exact.items()}


class Points:
    """Works out the points of *question*, and counts those that are *without* a value of what is
    shown; the *first* of them has that number."""

    def __init__(self, question: SweepQuestion) -> None:
        self.question = question
        self.is_played = question.equations is None
        self.most = PLAYED if self.is_played else BLOCK
        self.without, self.first = 0, 0
        self._readings: dict[Position, EquationReading] = {}

    def alike(self, name: str, numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Of the points of these *numbers* the first of those at which the quantity called *name*
        is made of the same numbers, and how many of these there are."""
        axes = {*range(len(self.question.axes))}
        if not (self.is_played or self.question.named):
            axes = self._reading(()).rests_on(name)
        places = np.array(np.unravel_index(numbers, self.question.shape))
        made = places[[*axes]] if axes else np.zeros((1, len(numbers)), dtype=int)
        _, first, counts = np.unique(made, axis=1, return_index=True, return_counts=True)
        for i, count in zip(first.tolist(), counts.tolist(), strict=True):
            yield numbers[i], count

    def _reading(self, names: Position) -> EquationReading:
        """The equations at *names*."""
        if names not in self._readings:
            self._readings[names] = EquationReading(self.question, names)
        return self._readings[names]

    def at(self, place: Position) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        names = self.question.names(place)
        try:
            is_played = self.question.stated(names).is_played
        except DdcalcError:
            return {}
        if not is_played:
            return self._reading(names).at(place)
        try:
            values = working(self.question.point(place)).values
        except UNANSWERED:
            return {}
        if not all(one.holds_among(values) for one in self.question.where):  # type: ignore[arg-type]
            return {}
        exact: dict[str, Value] = {}
        for quantity in self.question.quantities:
            if quantity.name in values:
                value = values[quantity.name]
                if isinstance(value, tuple):
                    raise BadValue(quantity.name, LISTED).about("quantity")
                exact[quantity.name] = plain(value) if isinstance(value, Number) else value
        return exact

    def results(self, numbers: range) -> BlockResults:
        """The points of these *numbers*; those without a value are counted."""
        shown = [quantity.name for quantity in self.question.quantities]
        values = {name: np.full(len(numbers), np.nan) for name in shown}
        made, at = BlockResults(numbers, values, {*shown}), self.question.positions(numbers)
        named = [at[i] for i in self.question.named]
        alone: list[int] = []
        with np.errstate(divide="ignore", invalid="ignore", over="raise", under="raise"):
            for names in product(*(np.unique(one).tolist() for one in named)):
                alike = [one == name for one, name in zip(named, names, strict=True)]
                here = np.flatnonzero(np.logical_and.reduce([np.full(len(numbers), True), *alike]))
                if len(here):
                    alone += self._fill(made, names, here, [one[here] for one in at]).tolist()
        for local in alone:
            self._fill_alone(made, local)
        self._count(made)
        return made

    def _fill(
        self, made: BlockResults, names: Position, here: Positions, at: Sequence[Positions]
    ) -> Positions:
        """Put in the points of one reading, which are those *here* and lie *at* on the axes; those
        that are to be worked out alone."""
        try:
            is_played = self.question.stated(names).is_played
        except DdcalcError:  # no question, so no values
            return here[:0]
        if is_played:
            return here
        try:
            columns, failing, unsure = self._reading(names).columns(at)
        except FloatingPointError:
            return here
        for name, column in columns.items():
            made.values[name][here] = np.where(failing, np.nan, column.values())
            made.sharp.difference_update(() if column.is_sharp else (name,))
        left: Positions = here[np.broadcast_to(unsure, here.shape)]
        return left

    def _fill_alone(self, made: BlockResults, local: int) -> None:
        """Put in the point that is number *local* of the block, worked out exactly."""
        place = self.question.place(made.numbers[local])
        made.alone[local] = exact = self.at(place)
        for name, values in made.values.items():
            value = exact.get(name)
            values[local] = np.nan
            if isinstance(value, Number):
                worth = self.question.quantity(name).unit.worth
                values[local] = nearest(in_units(value, worth))

    def _count(self, made: BlockResults) -> None:
        """Count the points that lack a value of a quantity; formulas are values, too."""
        lacking = reduce(np.logical_or, map(np.isnan, made.values.values()))
        for local, exact in made.alone.items():
            lacking[local] = any(exact.get(name) is None for name in made.values)
        count = int(np.count_nonzero(lacking))
        if count and not self.without:
            self.first = made.numbers[int(lacking.argmax())]
        self.without += count
