"""The grid of a sweep: a type, what stands still, what is varied along axes, which quantities are
shown; its points have numbers, in order, the last axis varying fastest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from math import prod

import numpy as np

from ddcalc.ask.find.inverse import Relation, relations_of
from ddcalc.ask.sweep.axes import Axis, Positions, Values, axis
from ddcalc.ask.working import equations, working
from ddcalc.errors import (
    UNANSWERED,
    BadUnit,
    BadValue,
    DdcalcError,
    Missing,
    Repeated,
    UnknownName,
    blaming,
    raise_all,
)
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text, count_text, in_unit, together
from ddcalc.numbers.units import Unit, unit_named
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Quantity, named
from ddcalc.problem.stated import Stated, Texts, read

Position = tuple[int, ...]
"""The positions of a point on its axes."""

TRIED = 1000  # names of which one must make a question
LISTED = "is a list; a sweep shows quantities of one value"


@dataclass(frozen=True)
class SweepQuestion:
    """A sweep of *problem*: *texts* state what is not varied along the *axes*.

    Quantities that the *unit* measures, if one is wanted, have it as theirs.
    """

    problem: type[Problem]
    texts: Texts
    axes: tuple[Axis, ...]
    quantities: tuple[Quantity, ...]
    unit: Unit | None = None
    where: tuple[Relation, ...] = ()  # what holds at the points that count
    _read: dict[Position, Stated | DdcalcError] = field(default_factory=dict)  # so far

    @cached_property
    def shape(self) -> Position:
        """How many values each axis has."""
        return tuple(axis.size for axis in self.axes)

    @cached_property
    def size(self) -> int:
        """How many points there are."""
        return prod(self.shape)

    @property
    def extent(self) -> str:
        """How many points there are, in words: of how many values of what."""
        axes = (f"{count_text(axis.size)} {axis.name}" for axis in self.axes)
        return f"{count_text(self.size)} points ({' × '.join(axes)})"

    @property
    def columns(self) -> list[str]:
        """What a point has, by name: its place on the axes, then its quantities."""
        return [axis.name for axis in self.axes] + [one.name for one in self.quantities]

    @property
    def by_name(self) -> bool:
        """Whether anything is varied by name."""
        return any(axis.names for axis in self.axes)

    def quantity(self, name: str) -> Quantity:
        """The shown quantity of that *name*, or letter."""
        shown = {quantity.name: quantity for quantity in self.quantities}
        return shown[named(name, shown)]

    def amounts(self, values: Sequence[Number], quantity: Quantity) -> list[str]:
        """*values* of a *quantity* in the unit wanted, else in one that is readable for all."""
        if quantity.unit == self.unit:
            return [in_unit(value, quantity.unit).marked for value in values]
        if len(values) > 1:
            return [one.marked for one in together(values, quantity.unit)]
        return [amount_text(value, quantity.unit) for value in values]

    def blocks(self, most: int) -> Iterator[tuple[Positions, ...]]:
        """All points in their order, so many at *most* at once, on the axes as numpy.ix_ has it."""
        shape = self.shape
        cut = next(i for i in range(len(shape)) if prod(shape[i + 1 :]) <= most)
        rows = most // prod(shape[cut + 1 :])
        for outer in np.ndindex(shape[:cut]):
            for start in range(0, shape[cut], rows):
                along = range(start, min(start + rows, shape[cut]))
                yield np.ix_(*([i] for i in outer), along, *map(range, shape[cut + 1 :]))

    def place(self, number: int) -> Position:
        """Where one point lies."""
        return tuple(int(at) for at in np.unravel_index(number, self.shape))

    def at(self, place: Position) -> list[str]:
        """The values of the axes at *place*, for people."""
        return [axis.text(i) for axis, i in zip(self.axes, place, strict=True)]

    def spot(self, number: int) -> str:
        """Where point *number* lies, in words: ``workers = 12, batch = 1 024``."""
        names = (axis.name for axis in self.axes)
        return ", ".join(map(" = ".join, zip(names, self.at(self.place(number)), strict=True)))

    @cached_property
    def equations(self) -> EquationPlan | None:
        """The equations of its first question; None where points are played, or what is stated
        rests on what is varied."""
        moved = self.first.problem.following([axis.name for axis in self.axes])
        return None if moved else equations(self.first)

    def corner(self, place: Position) -> Position:
        """The first place with the names of *place*, and any numbers."""
        return tuple(i if axis.names else 0 for axis, i in zip(self.axes, place, strict=True))

    @cached_property
    def first(self) -> Stated:
        """The question with the first names that make one; raises a DdcalcError if none do."""
        corners = product(*(range(axis.size if axis.names else 1) for axis in self.axes))
        for corner in islice(corners, TRIED):
            with suppress(DdcalcError):
                return self.stated(corner)
        return self.stated((0,) * len(self.axes))

    def stated(self, corner: Position) -> Stated:
        """The question at a *corner*; raises the DdcalcError that reading it leads to."""
        if corner not in self._read:
            axes = zip(self.axes, corner, strict=True)
            texts = {**self.texts, **{axis.name: axis.stated(i) for axis, i in axes}}
            try:
                self._read[corner] = read(self.problem, texts)
            except DdcalcError as error:
                self._read[corner] = error
        if isinstance(stated := self._read[corner], DdcalcError):
            raise stated
        return stated

    @property
    def readings(self) -> list[Stated]:
        """The questions that were read so far, each with other names."""
        return [one for one in self._read.values() if isinstance(one, Stated)]

    def point(self, number: int) -> Stated:
        """The question at point *number*; raises the DdcalcError that reading it leads to."""
        place = self.place(number)
        axes = zip(self.axes, place, strict=True)
        numbers = {axis.name: axis.numbers[i] for axis, i in axes if not axis.names}
        return with_moved(self.stated(self.corner(place)), numbers)


def question(
    problem: type[Problem],
    texts: Texts,
    vary: Sequence[tuple[str, Values]],
    wanted: Mapping[str, Sequence[str]],
    unit: str | None = None,
    where: Sequence[str] = (),
) -> SweepQuestion:
    """The sweep along what is to *vary*, which shows each ``quantity`` (none: the answer) and those
    *wanted* as ``best``, in the *unit* what it measures, where all holds that *where* says.
    Raises a DdcalcError: Several for more than one, the first where no names make a question.
    """
    axes, errors = list[Axis](), list[DdcalcError]()
    for name, values in vary:
        try:
            axes.append(axis(problem, name, values, texts))
        except DdcalcError as error:
            errors += error.singles()
    raise_all(errors)
    errors += _contradictions(texts, [axis.name for axis in axes])
    derived = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
    flags = {named(name, derived): flag for flag, names in wanted.items() for name in names}
    unknown = ((name, flag) for name, flag in flags.items() if name not in derived)
    errors += [UnknownName("quantity", name, derived).about(flag) for name, flag in unknown]
    raise_all(errors)
    made = SweepQuestion(problem, texts, tuple(axes), ())
    usual = () if wanted.get("quantity") else (made.first.problem.answer_in(made.first.shape),)
    with suppress(*UNANSWERED):
        usual = usual and (working(made.first).answer,)
    shown = [derived[name] for name in dict.fromkeys([*usual, *flags])]
    _check_derived(made, shown, flags)
    made = replace(made, where=relations_of(where, problem.quantities))
    with blaming("unit"):
        measured = None if unit is None else unit_named(unit)
    return replace(made, unit=measured, quantities=_in_unit(shown, measured))


def _check_derived(
    question: SweepQuestion, quantities: Sequence[Quantity], flags: Mapping[str, str]
) -> None:
    """BadValue where equations say nothing of one of the *quantities*, or make a list of it."""
    rules = question.equations.rules if question.equations else {}
    for name in (quantity.name for quantity in quantities if rules):
        is_list = name in rules and rules[name][0].index is not None
        if is_list or not (name in rules or question.by_name):  # another reading may derive it
            reason = LISTED if is_list else "does not follow from what is stated"
            raise BadValue(name, reason).about(flags.get(name, "quantity"))


def _contradictions(texts: Texts, names: Sequence[str]) -> Iterator[DdcalcError]:
    """What is wrong with what is stated and the *names* of what is varied, taken together."""
    stated = {name.replace("-", "_") for name in texts}
    yield from (Repeated(name).about("vary") for i, name in enumerate(names) if name in names[:i])
    for name in names:
        if name in stated:
            yield BadValue(name, "is varied; do not state it as well").about(name)
    if not names:
        yield Missing(["vary"])


def _in_unit(quantities: Sequence[Quantity], unit: Unit | None) -> tuple[Quantity, ...]:
    """The *quantities*, in *unit* where it measures them; BadUnit where it measures none."""
    made = tuple(map(copy, quantities))
    fitting = [one for one in made if unit and one.unit.dimension == unit.dimension]
    if unit and not fitting:
        names = ", ".join(f"{one.name} is {one.unit.dimension}" for one in quantities)
        raise BadUnit(unit.name, f"measures {unit.dimension}; {names}").about("unit")
    for one in fitting:
        one.unit = unit or one.unit
    return made
