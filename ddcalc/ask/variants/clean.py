"""How clean the results of a question are: with how many digits behind the point they end.

Digits are counted in the unit in which a quantity is told. A result that never ends, or has no
exact value, has no such number, and then none is wanted of a variant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Rational

from ddcalc.ask.variants.grid import decimals
from ddcalc.formula.expression import Expr, Num
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import number_text
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.plan import Values
from ddcalc.problem.problem import Problem
from ddcalc.problem.steps import Value

FURTHER = 10  # times that an answer may be larger or smaller than that of the base


def places(value: Value, unit: Unit) -> int | None:
    """The digits behind the point of *value*, told in *unit*, or of the numbers in a formula.

    None where they do not end, are too many to be told, or there is no exact value.
    """
    if value is None or isinstance(value, Approximate):
        return None
    if isinstance(value, Num):
        return decimals(value.value)
    if isinstance(value, Expr):
        told = [places(part, COUNT) for part in value.parts()]
        ends = [each for each in told if each is not None]
        return max(ends, default=0) if len(ends) == len(told) else None
    number = in_units(value, unit.worth)
    return decimals(number) if number_text(number)[1] else None


@dataclass(frozen=True)
class Cleanness:
    """The digits behind the point that each result may have at most, by name; *asked* is the
    answer, which is worth *about* so much (None: any size will do)."""

    problem: type[Problem]
    most: Mapping[str, int]
    asked: str
    about: Value

    def answer(self, values: Values) -> bool:
        """Whether the answer is clean, and of a sensible size."""
        return self._ends(self.asked, values) and self._is_near(values[self.asked])

    def all(self, values: Values) -> bool:
        """Whether every result is."""
        return all(self._ends(name, values) for name in self.most if name in values)

    def _ends(self, name: str, values: Values) -> bool:
        if name not in self.most:
            return True
        value, unit = values[name], self.problem.quantities[name].unit
        told = [places(each, unit) for each in (value if isinstance(value, tuple) else (value,))]
        return all(own is not None and own <= self.most[name] for own in told)

    def _is_near(self, value: Value | tuple[Value, ...]) -> bool:
        return is_near(self.about, value, FURTHER)


def is_near(
    base: Value | tuple[Value, ...] | None, value: Value | tuple[Value, ...] | None, times: int
) -> bool:
    """Whether *value* is at most so many *times* larger or smaller than *base*, if both are
    numbers other than 0."""
    if not (isinstance(base, Rational) and isinstance(value, Rational) and base and value):
        return True
    return bool(abs(base) <= abs(value) * times and abs(value) <= abs(base) * times)


def cleanness(problem: type[Problem], values: Values, asked: str, digits: int | None) -> Cleanness:
    """What is wanted of variants of a question that came to *values*: as few digits as its own;
    of the answer, *asked*, at most *digits* if that is said, and of others no fewer than that."""
    most: dict[str, int] = {}
    for name, value in values.items():
        unit = problem.quantities[name].unit
        told = [places(each, unit) for each in (value if isinstance(value, tuple) else (value,))]
        own = [each for each in told if each is not None]
        if len(own) == len(told) and own:
            most[name] = max(*own, digits or 0)
    about = values[asked]
    assert not isinstance(about, tuple)
    if digits is not None and about is not None and not isinstance(about, Approximate):
        most[asked] = digits
    return Cleanness(problem, most, asked, about)
