"""How like a question another one is: its results end as soon, and are about as large.

Digits behind the point are counted in the unit in which a quantity is shown. A result that never
ends, or has no exact value, has no such number, and then none is asked of a variant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Rational

from ddcalc.ask.variants.draw import decimals
from ddcalc.ask.working import Working
from ddcalc.formula.expression import Expr, Num
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.plan import Values
from ddcalc.problem.problem import Problem
from ddcalc.problem.steps import Value

FURTHER = 10  # times that an answer may be larger or smaller than that of the base
PLAYED = 4  # times that any result may be, where working it out is dear
COUNTED = 2  # times that it may be if it counts what happens: that makes a schedule long


def places(value: Value, unit: Unit) -> int | None:
    """The digits behind the point of *value* in *unit*, or of the numbers in a formula.

    None where they do not end, are too many to be shown, or there is no exact value.
    """
    if value is None or isinstance(value, Approximate):
        return None
    if isinstance(value, Num):
        return decimals(value.value)
    if isinstance(value, Expr):
        return _most([places(part, COUNT) for part in value.parts()], 0)
    number = in_units(value, unit.worth)
    return decimals(number) if number_text(number)[1] else None


def _most(counts: list[int | None], least: int) -> int | None:
    ends = [count for count in counts if count is not None]
    return max(ends, default=least) if len(ends) == len(counts) else None


def _places(values: Value | tuple[Value, ...], unit: Unit) -> int | None:
    """The most digits behind the point of *values*; None where one has no such number."""
    listed = values if isinstance(values, tuple) else (values,)
    return _most([places(value, unit) for value in listed], -1)


@dataclass(frozen=True)
class Cleanness:
    """The digits behind the point that each result may have at most, by name; *answer* is the name
    of the answer, which is worth *about* so much (None: any size will do)."""

    problem: type[Problem]
    most: Mapping[str, int]
    answer: str
    about: Value

    def of_answer(self, values: Values) -> bool:
        """Whether the answer is clean, and of a sensible size."""
        return self._ends(self.answer, values) and is_near(self.about, values[self.answer], FURTHER)

    def of_all(self, values: Values) -> bool:
        """Whether every result is clean."""
        return all(self._ends(name, values) for name in self.most if name in values)

    def _ends(self, name: str, values: Values) -> bool:
        if name not in self.most:
            return True
        ends = _places(values[name], self.problem.quantities[name].unit)
        return ends is not None and ends <= self.most[name]


def cleanness(problem: type[Problem], working: Working, digits: int | None) -> Cleanness:
    """What is wanted of variants of the question worked out: as few digits as it has itself; of the
    answer at most *digits* if that is said, and of other results no fewer than that."""
    most: dict[str, int] = {}
    for name, value in working.values.items():
        ends = _places(value, problem.quantities[name].unit)
        if ends is not None and ends >= 0:
            most[name] = max(ends, digits or 0)
    about = working.values[working.answer]
    assert not isinstance(about, tuple)
    if digits is not None and about is not None and not isinstance(about, Approximate):
        most[working.answer] = digits
    return Cleanness(problem, most, working.answer, about)


def is_near(
    base: Value | tuple[Value, ...] | None, value: Value | tuple[Value, ...] | None, times: int
) -> bool:
    """Whether *value* is at most so many *times* larger or smaller than *base*, if both are
    numbers other than 0."""
    if not (isinstance(base, Rational) and isinstance(value, Rational) and base and value):
        return True
    return bool(abs(base) <= abs(value) * times and abs(value) <= abs(base) * times)


def as_large(base: Working, other: Working, strict: bool) -> bool:
    """Whether all results are about as large as those of *base*; counts are closer if it is
    *strict*."""
    counted = COUNTED if strict else PLAYED
    pairs = ((value, other.values.get(name)) for name, value in base.values.items())
    return all(is_near(v, its, counted if isinstance(v, int) else PLAYED) for v, its in pairs)
