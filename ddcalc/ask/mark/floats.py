"""Formulas in floats, for searching only: what is found with them is worked out exactly.

Nothing raises: what has no finite value is nan. Numbers that differ in the last few bits are equal,
so that a sum of decimals does not decide a distinction or what is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import itemgetter, mul

from ddcalc.formula.algebra import FUNCTIONS, meaning_of
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Operator, Rel

SAME = 1e-11  # a difference, relative to the numbers, that is none

Values = list[float]
Function = Callable[[Values], float]


def near(value: Number) -> float:
    """*value* as a float; infinite where it is too large."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf


class Functions(Domain[Function]):
    """Formulas as functions of a list of values, in which each letter stands at its *index*; parts
    that formulas have in common are made once."""

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = index
        self._made: dict[Expr, Function] = {}

    def of(self, expr: Expr) -> Function:
        """The function that *expr* is."""
        made = self._made.get(expr)
        if made is None:
            made = self._made[expr] = super().of(expr)
        return made

    def number(self, expr: Num) -> Function:
        number = near(expr.value)
        return lambda _: number

    def letter(self, name: str) -> Function:
        return itemgetter(self._index[name])

    def nothing(self) -> Function:
        return lambda _: math.nan

    def relation(self, op: Operator, left: Function, right: Function) -> Function:
        return self.nothing()

    def sum(self, terms: Sequence[Function]) -> Function:
        def total(values: Values) -> float:
            numbers = [term(values) for term in terms]
            value = sum(numbers)
            return value if abs(value) > SAME * max(map(abs, numbers)) else 0.0  # they cancel

        return total

    def opposite(self, x: Function) -> Function:
        return lambda values: -x(values)

    def product(self, factors: Sequence[Function]) -> Function:
        if len(factors) == 2:
            left, right = factors
            return lambda values: left(values) * right(values)
        return lambda values: reduce(mul, [factor(values) for factor in factors])

    def quotient(self, top: Function, bottom: Function) -> Function:
        def quotient(values: Values) -> float:
            over, under = top(values), bottom(values)
            return over / under if under else math.nan

        return quotient

    def power(self, base: Function, exponent: Function) -> Function:
        return _guarded(lambda x, y: float(x**y), [base, exponent])

    def function(self, expr: Fun) -> Function:
        rule = _RULES.get(expr.name)
        if rule is None and (meaning := meaning_of(expr)) is not None:
            return self.of(meaning)
        return self.unruled(expr) if rule is None else _guarded(rule, [*map(self.of, expr.args)])

    def unruled(self, expr: Fun) -> Function:
        if expr.name not in FUNCTIONS:
            return self.nothing()
        value = FUNCTIONS[expr.name].value
        return _guarded(lambda *xs: near(value(*map(Fraction, xs))), [*map(self.of, expr.args)])

    def cases(self, expr: Cases) -> Function:
        branches = [(self._test(case.test), self.of(case.value)) for case in expr.cases]
        otherwise = self.of(expr.otherwise)

        def cases(values: Values) -> float:
            for test, value in branches:
                if test(values):
                    return value(values)
            return otherwise(values)

        return cases

    def _test(self, test: Rel) -> Callable[[Values], bool]:
        left, right, op = self.of(test.left), self.of(test.right), test.op

        def holds(values: Values) -> bool:
            one, other = left(values), right(values)
            if abs(one - other) <= SAME * max(abs(one), abs(other)):
                return "=" in op
            return one < other if op in ("<", "<=") else one > other if op in (">", ">=") else False

        return holds


def _guarded(rule: Callable[..., float], args: Sequence[Function]) -> Function:
    """A function of *args*; nan where there is no value."""

    def function(values: Values) -> float:
        try:
            return rule(*(arg(values) for arg in args))
        except (ArithmeticError, ValueError, TypeError):  # a power may be a complex number
            return math.nan

    return function


def _floor(x: float) -> float:
    nearest = round(x)
    return nearest if abs(x - nearest) <= SAME * abs(x) else math.floor(x)


def _position_of_largest(*xs: float) -> float:
    most = max(xs)
    return 1.0 + next(i for i, x in enumerate(xs) if most - x <= SAME * abs(most))


_RULES: Mapping[str, Callable[..., float]] = {
    "floor": _floor,
    "max": lambda *xs: max(xs),
    "argmax": _position_of_largest,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
}
