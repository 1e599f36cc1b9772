"""Axes: what is varied, and the values it takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np

from ddcalc.ask.sweep.column import Column
from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.plain import spelt
from ddcalc.ask.sweep.real import READING, Real, nearest
from ddcalc.ask.sweep.whole import ONE, WIDEST, array
from ddcalc.display import quantity_text
from ddcalc.errors import BadValue
from ddcalc.expression import Number
from ddcalc.number import in_units, plain, product
from ddcalc.quantity import Choice, Given
from ddcalc.units import Measured, Unit

NEAR = 1000  # positions behind a limit that are tried for an admitted value


@dataclass(frozen=True)
class Steps:
    """*size* numbers (base units) from *first* on, in equal steps."""

    first: Number
    step: Number
    size: int

    def __getitem__(self, i: int) -> Number:
        value = self.first + product(self.step, i)
        return plain(value)

    def column(self, start: int, stop: int) -> Column:
        """The numbers from position *start* up to *stop*."""
        unit = _common([self.first, self.step])
        first, step = (int(value / unit) for value in (self[start], self.step))
        if max(abs(first), abs(first + step * (stop - start))) > WIDEST:
            return _in_floats([self[i] for i in range(start, stop)])
        values = first + step * np.arange(stop - start, dtype=np.int64)
        return Exact(array(values), ONE, unit)


@dataclass(frozen=True)
class Listed:
    """Some numbers (base units)."""

    values: Sequence[Number]

    @property
    def size(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> Number:
        return self.values[i]

    def column(self, start: int, stop: int) -> Column:
        """The numbers from position *start* up to *stop*."""
        values = self.values[start:stop]
        unit = _common(values)
        tops = [int(value / unit) for value in values]
        if max(map(abs, tops)) > WIDEST:
            return _in_floats(values)
        return Exact(array(np.array(tops, dtype=np.int64)), ONE, unit)


@dataclass(frozen=True)
class Numeric:
    """A given that takes *numbers*, which are told in *unit*."""

    given: Given
    numbers: Steps | Listed
    unit: Unit
    bare: bool

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def size(self) -> int:
        return self.numbers.size

    def measured(self, i: int) -> Measured:
        """The value at position *i* as a question would state it; BadValue if it is refused."""
        measured = self.stated(i)
        self.given.check(measured.text, measured.value)
        return measured

    def stated(self, i: int) -> Measured:
        """The value at position *i* as it would be stated, refused or not."""
        value = self.numbers[i]
        told = spelt(in_units(value, self.unit.worth))
        text = told if self.bare else f"{told} {self.unit.name}"
        return Measured(value, self.unit, self.bare, text)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        return quantity_text(self.numbers[i], self.unit)

    @cached_property
    def admitted(self) -> int:
        """The position of the first value that the given admits; BadValue if there is none."""
        refused: BadValue | None = None
        for i in _candidates(self.given, self.numbers):
            try:
                self.measured(i)
            except BadValue as error:
                refused = refused or error
            else:
                return i
        assert refused is not None
        raise refused.about(f"vary {self.name}")

    @cached_property
    def all_admitted(self) -> bool:
        """Whether the given admits every value."""
        steps = isinstance(self.numbers, Steps)
        ends = [0, self.size - 1, min(1, self.size - 1)] if steps else range(self.size)
        for i in ends:  # limits admit what lies between, and steps are whole if the first two are
            try:
                self.measured(i)
            except BadValue:
                return False
        return True


@dataclass(frozen=True)
class Named:
    """A choice, or a given that also takes words: what it takes is told apart by name."""

    declared: Given | Choice
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def size(self) -> int:
        return len(self.texts)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        return (
            self.texts[i].replace("_", "-") if isinstance(self.declared, Choice) else self.texts[i]
        )


Axis = Numeric | Named


def _candidates(given: Given, numbers: Steps | Listed) -> Iterable[int]:
    """Positions of which one holds an admitted value if any does: limits are intervals."""
    if isinstance(numbers, Listed):
        return range(numbers.size)
    period = min(numbers.step.denominator, NEAR)  # so often is one of them whole
    near = {*range(period)}
    for limit in (given.least, given.above):
        if limit is not None:
            beyond = int((limit - numbers.first) // numbers.step)
            near |= {*range(beyond, beyond + period + 2)}
    return sorted(i for i in near | {numbers.size - 1} if 0 <= i < numbers.size)


def _common(values: Sequence[Number]) -> Fraction:
    """The largest number of which all *values* are whole multiples; 1 if all are zero."""
    bottom = lcm(*(value.denominator for value in values))
    tops = (value.numerator * (bottom // value.denominator) for value in values)
    return Fraction(gcd(*tops), bottom) or Fraction(1)


def _in_floats(values: Sequence[Number]) -> Real:
    """Numbers of which 64 bits do not hold the multiples."""
    read = np.array([nearest(value) for value in values])
    return Real(read, np.abs(read) * READING)
