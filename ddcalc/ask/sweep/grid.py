"""The grid of all points of a sweep, the last axis varying fastest; what is known of patches of it;
and what is asked: a type, what stands still, what is varied, and which quantities are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import ceil, prod
from typing import Final, Generic, Literal, TypeVar

import numpy as np

from ddcalc.ask.sweep.axes import Axis, Named, Numeric, Values, axis
from ddcalc.ask.sweep.column import ACCURATE, Column, Floats, Mask, fineness, nearest
from ddcalc.ask.working import equations, working
from ddcalc.errors import (
    UNANSWERED,
    BadUnit,
    BadValue,
    DdcalcError,
    Missing,
    Repeated,
    UnknownName,
    raise_all,
)
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text, in_unit
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.stated import Stated, Texts, read, restated
from ddcalc.problem.steps import Value

# Two floats of one value are each off by ACCURATE at most, relative: twice what they may differ by
NEAR: Final = 4 * ACCURATE

Position = tuple[int, ...]
"""The positions of a point on its axes."""

TRIED = 1000  # names of which one must make a question

Names = tuple[int, ...]
"""The positions on the axes that are varied by name, in their order."""


@dataclass(frozen=True, slots=True)
class Block:
    """Points that follow each other from number *start* on.

    The first axes stand still at the positions *fixed*; the next goes from *first* on, and the
    others through all their values, as many as *shape* says.
    """

    start: int
    fixed: Position
    first: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)


class Grid:
    """All points of some *axes*."""

    def __init__(self, axes: Sequence[Axis]) -> None:
        self.axes = axes
        self.shape = tuple(axis.size for axis in axes)
        self.size = prod(self.shape)

    def place(self, number: int) -> Position:
        """Where point *number*, counted from 0, lies."""
        positions = []
        for length in reversed(self.shape):
            number, position = divmod(number, length)
            positions.append(position)
        return tuple(reversed(positions))

    def blocks(self, most: int) -> Blocks:
        """All points in blocks of at most *most*, in order."""
        moving = next(i for i in range(len(self.shape)) if prod(self.shape[i + 1 :]) <= most)
        return Blocks(self, moving, max(1, most // prod(self.shape[moving + 1 :])))


@dataclass(frozen=True, slots=True)
class Blocks:
    """All points of *grid* in blocks: in each the first axes stand still, of axis *moving* there
    are *long* positions, fewer in the last block before it begins anew, and the others go through
    all their values."""

    grid: Grid
    moving: int
    long: int

    @property
    def count(self) -> int:
        return prod(self.grid.shape[: self.moving]) * self._in_a_row

    @property
    def _in_a_row(self) -> int:
        """How many blocks it takes until the moving axis begins anew."""
        return -(-self.grid.shape[self.moving] // self.long)

    def __getitem__(self, number: int) -> Block:
        row, at = divmod(number, self._in_a_row)
        first, size = at * self.long, self.grid.shape[self.moving]
        inner = self.grid.shape[self.moving + 1 :]
        start = (row * size + first) * prod(inner)
        fixed = self.grid.place(start)[: self.moving]
        return Block(start, fixed, first, (min(self.long, size - first), *inner))

    def __iter__(self) -> Iterator[Block]:
        return map(self.__getitem__, range(self.count))


@dataclass(frozen=True, slots=True)
class PatchValues:
    """One quantity at the points of a piece.

    *column* has no meaning where a value is *missing*, and for points that were worked out by
    themselves, whose values are in *single* by their number within the piece. Where it is *sharp*
    equal floats stand for equal values, and no others.
    """

    column: Column
    missing: Mask
    single: Mapping[int, Value]
    sharp: bool

    @property
    def near(self) -> float:
        """The difference, relative, up to which floats may stand for the same value."""
        if self.sharp:
            return 0.0
        column = self.column
        known = 2.1 * (column.relative + column.absolute / column.low) if column.low > 0 else NEAR
        return min(known, NEAR)

    @property
    def alike(self) -> bool:
        """Whether floats that are so near stand for the same value for certain."""
        column = self.column
        common = fineness(column.parts, column.divisors) * fineness(1, column.divisors)
        return self.sharp or self.near * column.size * common < 0.5


@dataclass(frozen=True, slots=True)
class Patch:
    """A patch of the points of *block*: from *offset* on, *shape* in each direction.

    *cells* has no entry for a quantity that this reading does not derive; *singly* works out all
    quantities at a place exactly.
    """

    block: Block
    offset: Position
    shape: tuple[int, ...]
    cells: Mapping[str, PatchValues]
    singly: Callable[[Position], Mapping[str, Value]]

    @property
    def size(self) -> int:
        return prod(self.shape)

    def where(self) -> tuple[slice, ...]:
        """Where in an array of the block's shape it lies."""
        return tuple(slice(at, at + size) for at, size in zip(self.offset, self.shape, strict=True))

    def number(self, local: int) -> int:
        """The number among all points of the one that is number *local* within the piece."""
        if self.shape == self.block.shape:
            return self.block.start + local
        inside = np.unravel_index(local, self.shape)
        moved = [int(at) + by for at, by in zip(inside, self.offset, strict=True)]
        return self.block.start + int(np.ravel_multi_index(moved, self.block.shape))

    def place(self, local: int) -> Position:
        """Where the point that is number *local* within the piece lies on the axes."""
        inside = np.unravel_index(local, self.shape)
        first, *others = (int(at) + by for at, by in zip(inside, self.offset, strict=True))
        return (*self.block.fixed, self.block.first + first, *others)

    def exact(self, name: str, local: int) -> Value:
        """The exact value of quantity *name* at the point that is number *local*."""
        single = self.cells[name].single
        return single[local] if local in single else self.singly(self.place(local))[name]

    def floats(self, name: str) -> Floats:
        """The values of quantity *name* in the piece's shape, nan where there is none."""
        cells = self.cells.get(name)
        if cells is None:
            return np.full(self.shape, np.nan)
        values = np.broadcast_to(cells.column.values, self.shape)
        if cells.missing is not False or cells.single:
            values = np.where(cells.missing, np.nan, values)
        for local, value in cells.single.items():
            values.flat[local] = nearest(value) if isinstance(value, Number) else np.nan
        return values


Key = TypeVar("Key")
Kind = Literal["not read", "refused", "condition", "no answer", "not derived", "nothing"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why points have no value; *about* is the axis, condition or quantity.

    The names varied make no question; a given does not admit its value; a condition fails; a
    formula has no value; this reading does not derive the quantity; its equation has no solution.
    """

    kind: Kind
    about: str


@dataclass(slots=True)
class Counts(Generic[Key]):
    """How many points there are for each key (a reason, a way), and the number of the first."""

    counts: dict[Key, int] = field(default_factory=dict)
    first: dict[Key, int] = field(default_factory=dict)

    def add(self, key: Key, count: int, first: int) -> None:
        """*count* more points, the first of them point *first*."""
        if count:
            self.counts[key] = self.counts.get(key, 0) + count
            self.first[key] = min(first, self.first.get(key, first))


# The question


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

    def quantity(self, name: str) -> Quantity:
        """The shown quantity called *name*."""
        return next(quantity for quantity in self.quantities if quantity.name == name)

    def keeps_unit(self, quantity: Quantity) -> bool:
        """Whether values of *quantity* stay in its unit, whatever their size."""
        return quantity.unit == self.unit

    def amount_text(self, value: Number, name: str) -> str:
        """*value* of the shown quantity called *name*, in the unit wanted, else the one that
        fits."""
        quantity = self.quantity(name)
        if self.keeps_unit(quantity):
            return in_unit(value, quantity.unit).marked
        return amount_text(value, quantity.unit)

    @property
    def columns(self) -> list[str]:
        """What a point has, by name: its place on the axes, then its quantities."""
        return [one.name for one in (*self.axes, *self.quantities)]

    @cached_property
    def grid(self) -> Grid:
        """All points."""
        return Grid(self.axes)

    @cached_property
    def named(self) -> Mapping[int, Named]:
        """The axes that are varied by name, by their position."""
        return {i: axis for i, axis in enumerate(self.axes) if isinstance(axis, Named)}

    @cached_property
    def numeric(self) -> Mapping[int, Numeric]:
        """The axes that are numbers, by their position."""
        return {i: axis for i, axis in enumerate(self.axes) if isinstance(axis, Numeric)}

    @cached_property
    def equations(self) -> EquationPlan | None:
        """The equations of its first readable point; None where points are played."""
        return equations(self.stated(self.readable))

    def names(self, place: Position) -> Names:
        """Where *place* lies on the axes that are varied by name."""
        return tuple(place[i] for i in self.named)

    @cached_property
    def _read(self) -> dict[Names, Stated | DdcalcError]:
        """What was read so far."""
        return {}

    def stated(self, names: Names) -> Stated:
        """The question at *names*, with some admitted value for each number that is varied.

        Raises the DdcalcError that reading it leads to.
        """
        if names not in self._read:
            try:
                self._read[names] = self._stated(names)
            except DdcalcError as error:
                self._read[names] = error
        stated = self._read[names]
        if isinstance(stated, DdcalcError):
            raise stated
        return stated

    @cached_property
    def readable(self) -> Names:
        """The first names that make a question; raises the first DdcalcError if none does."""
        first: DdcalcError | None = None
        for names in islice(self._all_names(), TRIED):
            try:
                self.stated(names)
            except DdcalcError as error:
                first = first or error
            else:
                return names
        assert first is not None
        raise first

    def _all_names(self) -> Iterator[Names]:
        """All positions on the axes that are varied by name."""
        return product(*(range(axis.size) for axis in self.named.values()))

    def _stated(self, names: Names) -> Stated:
        texts = dict(self.texts)
        for named, at in zip(self.named.values(), names, strict=True):
            texts[named.name] = named.texts[at]
        varied: dict[str, Measured] = {}
        for numeric in self.numeric.values():
            texts[numeric.name] = _stand_in(numeric.given)
            varied[numeric.name] = numeric.measured(numeric.admitted)
        stated = read(self.problem, texts)
        measured = {name: varied.get(name, old) for name, old in stated.measured.items()}
        return replace(stated, measured=measured)

    def point(self, place: Position) -> Stated:
        """The question at *place*; BadValue where a given does not admit its value."""
        stated = self.stated(self.names(place))
        numeric = self.numeric.items()
        return restated(stated, {axis.name: axis.measured(place[i]).value for i, axis in numeric})


def _usual(stated: Stated) -> str:
    """The quantity that the question asks for."""
    with suppress(*UNANSWERED):
        return working(stated).answer
    return stated.problem.answer_in(stated.shape)


def _stand_in(given: Given) -> str:
    """The text of some number that *given* admits."""
    limits = [limit for limit in (given.least, given.above) if limit is not None]
    value = Fraction(max(limits, default=0)) + given.unit.worth
    if given.most is not None and value > given.most:
        value = Fraction(max(limits, default=given.most) + given.most) / 2
    return f"{ceil(value) if given.whole else value / given.unit.worth} {given.unit.name}".strip()


def refuse_list(name: str) -> DdcalcError:
    """What is wrong with a quantity that is a list."""
    return BadValue(name, "is a list; a sweep shows quantities of one value").about("quantity")


def question(
    problem: type[Problem],
    texts: Texts,
    vary: Sequence[tuple[str, Values]],
    quantities: Sequence[str],
    sought: Sequence[str],
    unit: Unit | None = None,
) -> SweepQuestion:
    """The sweep along what is to *vary*, which shows *quantities* and what is *sought*, those that
    the *unit* measures in it.

    Where no quantity is named the answer is shown. Raises a DdcalcError, Several where more than
    one thing is wrong; where the names that are varied make no question at all, the first error
    that they lead to.
    """
    axes: list[Axis] = []
    errors: list[DdcalcError] = []
    for name, values in vary:
        try:
            axes.append(axis(problem, name, values))
        except DdcalcError as error:
            errors += error.singles()
    raise_all(errors)
    errors += _contradictions(texts, [axis.name for axis in axes])
    derived = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
    shown = dict.fromkeys(name.replace("-", "_") for name in (*quantities, *sought))
    unknown = [
        UnknownName("quantity", n, derived).about("quantity") for n in shown if n not in derived
    ]
    raise_all([*errors, *unknown] if quantities else errors)
    question = SweepQuestion(problem, texts, tuple(axes), ())
    stated = question.stated(question.readable)
    raise_all(unknown)
    if not quantities:
        shown = {_usual(stated): None} | shown
    named = tuple(derived[name] for name in shown)
    return replace(question, quantities=named if unit is None else _in_unit(named, unit), unit=unit)


def _in_unit(quantities: Sequence[Quantity], unit: Unit) -> tuple[Quantity, ...]:
    """The *quantities*, in *unit* where it measures them; BadUnit where it measures none."""
    fitting = {
        quantity.name for quantity in quantities if quantity.unit.dimension == unit.dimension
    }
    if not fitting:
        names = ", ".join(f"{one.name} is {one.unit.dimension}" for one in quantities)
        raise BadUnit(unit.name, f"measures {unit.dimension}; {names}").about("unit")
    made = [copy(quantity) for quantity in quantities]
    for quantity in made:
        if quantity.name in fitting:
            quantity.unit = unit
    return tuple(made)


def _contradictions(texts: Texts, names: Sequence[str]) -> Iterator[DdcalcError]:
    """What is wrong with what is stated and the *names* of what is varied, taken together."""
    stated = {name.replace("-", "_") for name in texts}
    yield from (Repeated(name).about("vary") for i, name in enumerate(names) if name in names[:i])
    for name in names:
        if name in stated:
            yield BadValue(name, "is varied; do not state it as well").about(name)
    if not names:
        yield Missing(["vary"])
