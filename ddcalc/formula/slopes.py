"""Derivatives of formulas at a point, by the rules of differentiation, in exact numbers.

Forward differentiation (dual numbers): every letter carries its derivative in each of some
directions, and so does every formula of letters.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.domain import Domain
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Known, Num, Number
from ddcalc.numbers.irrational import Approximate, log, power, ratio

Slopes = dict[str, Number]  # the derivative in each direction in which it is not 0


class Dual(NamedTuple):
    """The *value* of a formula, and its derivatives."""

    value: Number
    slopes: Slopes


class Differential(Domain[Dual]):
    """Derivatives where the letters are worth what is *known* and have these *slopes*.

    Of equal members of a maximum the first counts; what is rounded to a whole number does not
    change. Rounded values count as exact. All this can be overridden.
    """

    def __init__(self, known: Known, slopes: Mapping[str, Slopes]) -> None:
        self.known, self.slopes = known, slopes

    def number(self, expr: Num) -> Dual:
        return Dual(expr.value, {})

    def letter(self, name: str) -> Dual:
        value = self.known[name]
        return Dual(0 if value is None else value, self.slopes.get(name, {}))

    def nothing(self) -> Dual:
        return Dual(0, {})

    def sum(self, terms: Sequence[Dual]) -> Dual:
        value = sum(term.value for term in terms)
        return Dual(value, _combined(*((1, term.slopes) for term in terms)))

    def opposite(self, x: Dual) -> Dual:
        return Dual(-x.value, _combined((-1, x.slopes)))

    def times(self, left: Dual, right: Dual) -> Dual:
        slopes = _combined((right.value, left.slopes), (left.value, right.slopes))
        return Dual(left.value * right.value, slopes)

    def quotient(self, top: Dual, bottom: Dual) -> Dual:
        value = ratio(top.value, bottom.value)
        if not top.slopes and not bottom.slopes:
            return Dual(value, {})
        steep = 1 / Fraction(bottom.value)
        return Dual(value, _combined((steep, top.slopes), (-steep * value, bottom.slopes)))

    def power(self, base: Dual, exponent: Dual) -> Dual:
        value = power(base.value, exponent.value)
        slopes: Slopes = {}
        if base.slopes and base.value:
            steep = exponent.value * power(base.value, exponent.value - 1)
            slopes = _combined((steep, base.slopes))
        if exponent.slopes:
            slopes = _combined((1, slopes), (value * log(base.value), exponent.slopes))
        return Dual(value, slopes)

    def cases(self, expr: Cases) -> Dual:
        return self.of(self.branch(expr))

    def function(self, expr: Fun) -> Dual:
        function = FUNCTIONS.get(expr.name)
        if expr.name == "max":
            return self.of(self.largest(expr))
        if function and function.slope:
            (x,) = map(self.of, expr.args)
            value = function.value(x.value)
            return Dual(value, _combined((function.slope(Fraction(value), x.value), x.slopes)))
        if function and function.kind == "whole" and not function.meaning:
            return Dual(evaluate(expr, self.known), self.rounded(expr))
        return super().function(expr)

    def largest(self, expr: Fun) -> Expr:
        """The argument of a maximum that counts."""
        return max(expr.args, key=lambda arg: evaluate(arg, self.known))

    def branch(self, expr: Cases) -> Expr:
        """The branch of a distinction that counts."""
        return applying(expr, self.known)[0]

    def rounded(self, expr: Fun) -> Slopes:
        """The derivatives of a function whose values are whole numbers."""
        return {}


def _combined(*parts: tuple[Number, Slopes]) -> Slopes:
    """The sum of slopes, each times a factor; a rounded factor counts as exact."""
    added: Slopes = {}
    for factor, slopes in parts:
        exact = Fraction(factor) if type(factor) is Approximate else factor
        for direction, slope in slopes.items():
            more = slope if exact == 1 else exact * slope
            added[direction] = added[direction] + more if direction in added else more
    return added
