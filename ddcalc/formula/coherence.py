"""Whether formulas are sound: only like things are added. Asked of a formula are its dimension, and
what its unit is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Num,
    Number,
    Pow,
    Rel,
    Sized,
)
from ddcalc.numbers.irrational import Approximate, power
from ddcalc.numbers.units import ONE, Dimension


def dimension_of(expr: Expr, known: Mapping[str, Dimension]) -> Dimension:
    """What *expr* measures, given what its letters measure.

    Raises BadEquation where unlike things are added or compared, or a letter is not *known* yet.
    """
    return _Measures(known, ONE, _raised_dimension).of(expr) or ONE


def worth_of(expr: Expr, known: Mapping[str, Number]) -> Number | None:
    """What one of *expr*'s own unit is worth in base units, given that of its letters.

    None where units of different worth are added (seconds to hours), so that numbers in those
    units cannot be put into the formula as they are.
    """
    try:
        return _Measures(known, 1, _raised_worth).of(expr) or 1
    except BadEquation:
        return None


def check(rules: Iterable[tuple[str, Expr, Dimension]], known: Mapping[str, Dimension]) -> None:
    """Raise BadEquation unless every rule uses known letters only and measures what it should."""
    letters = dict(known)
    for letter, formula, dimension in rules:
        try:
            measured = _Measures(letters, ONE, _raised_dimension).of(formula)
        except BadEquation as error:
            raise error.about(letter) from None
        if measured not in (None, dimension):
            raise BadEquation(letter, f"measures {measured}, not {dimension}").about(letter)
        letters[letter] = dimension


class _Unsound(Exception):
    """Why the formula that is looked at has no unit."""


class _Measures(Domain[Any]):
    """What formulas measure, or what their units are worth; None for what fits everywhere (a zero,
    nothing)."""

    def __init__(
        self, known: Mapping[str, Any], one: Any, raised: Callable[[Any, Number], Any]
    ) -> None:
        self.known, self.one, self.raise_to = known, one, raised
        self.functions = {"sqrt": lambda x: self._raised(x, Fraction(1, 2))}

    def of(self, expr: Expr) -> Any:
        """What *expr* measures; BadEquation about the innermost part that measures nothing."""
        try:
            match expr:
                case Pow(base, Num(exponent)):
                    return self._raised(self.of(base), exponent)
                case Rel(_, left, right):
                    self.sum([self.of(left), self.of(right)])
                    return self.one
            return super().of(expr)
        except _Unsound as error:
            raise BadEquation(repr(expr), str(error)) from None

    def number(self, expr: Num) -> Any:
        if isinstance(expr, Sized) and isinstance(self.one, Dimension):
            return expr.dimension
        return self.one if expr.value else None

    def letter(self, name: str) -> Any:
        if name not in self.known:
            raise BadEquation(name, "is used before it is derived")
        return self.known[name]

    def nothing(self) -> Any:
        return None

    def sum(self, terms: Iterable[Any]) -> Any:
        """What all *terms* are, which are alike."""
        alike = list(dict.fromkeys(term for term in terms if term is not None))
        if len(alike) > 1:
            raise _Unsound("mixes " + " and ".join(map(str, alike)))
        return alike[0] if alike else None

    def opposite(self, x: Any) -> Any:
        return x

    def product(self, factors: Iterable[Any]) -> Any:
        return reduce(mul, (factor for factor in factors if factor is not None), self.one)

    def quotient(self, top: Any, bottom: Any) -> Any:
        return self.product([top, self._raised(bottom, -1)])

    def power(self, base: Any, exponent: Any) -> Any:
        return self.sum([self.one, base, exponent])

    def cases(self, expr: Cases) -> Any:
        scales = [self.of(part) for part in expr.parts()]
        return self.sum([*scales[:-1:2], scales[-1]])

    def function(self, expr: Fun) -> Any:
        measures = FUNCTIONS[expr.name].measures if expr.name in FUNCTIONS else ""
        if not measures:
            return super().function(expr)
        scales = [self.of(arg) for arg in expr.args]
        common = self.sum([self.one, *scales] if measures == "plain" else scales)
        return common if measures == "alike" else self.one

    def unruled(self, expr: Expr) -> Any:
        raise _Unsound("has no rule for units")

    def _raised(self, base: Any, exponent: Number) -> Any:
        return None if base is None else self.raise_to(base, exponent)


def _raised_dimension(base: Dimension, exponent: Number) -> Dimension:
    dimension = base**exponent
    if any(power.denominator != 1 for power in dimension.powers):
        raise _Unsound(f"measures {dimension}, which is no unit")
    return dimension


def _raised_worth(base: Number, exponent: Number) -> Number:
    worth = power(base, exponent)
    if type(worth) is Approximate:
        raise _Unsound("has a root of a unit")
    return worth
