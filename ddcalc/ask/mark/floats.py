"""Formulas in floats, for searching only: what is found with them is worked out exactly.

Nothing raises: what has no finite value is nan. Numbers that differ in the last few bits are equal,
so that a sum of decimals does not decide a distinction or what is rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from operator import itemgetter, mul

from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Num,
    Number,
    Pow,
    Rel,
    Sym,
)
from ddcalc.numbers.approximate import ceiling_log2, floor_log2, floor_power2, lambert

SAME = 1e-11  # a difference, relative to the numbers, that is none

Values = list[float]
Function = Callable[[Values], float]


def near(value: Number) -> float:
    """*value* as a float; infinite where it is too large."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf


class Functions:
    """Formulas as functions of a list of values, in which each letter stands at its *index*; parts
    that formulas have in common are made once."""

    def __init__(self, index: Mapping[str, int]) -> None:
        self._index = index
        self._made: dict[Expr, Function] = {}

    def of(self, expr: Expr) -> Function:
        """The function that *expr* is."""
        made = self._made.get(expr)
        if made is None:
            made = self._made[expr] = self._of(expr)
        return made

    def _of(self, expr: Expr) -> Function:
        match expr:
            case Num(value):
                number = near(value)
                return lambda _: number
            case Sym(name):
                return itemgetter(self._index[name])
            case Add(args):
                return _sum(list(map(self.of, args)))
            case Neg(arg):
                inner = self.of(arg)
                return lambda values: -inner(values)
            case Mul((one, other)):
                left, right = self.of(one), self.of(other)
                return lambda values: left(values) * right(values)
            case Mul(args):
                factors = list(map(self.of, args))
                return lambda values: reduce(mul, [factor(values) for factor in factors])
            case Div(top, bottom):
                return _quotient(self.of(top), self.of(bottom))
            case Pow(base, exponent):
                return _power(self.of(base), self.of(exponent))
            case Fun(name, args):
                return _function(name, list(map(self.of, args)))
            case Cases():
                return self._cases(expr)
        return lambda _: math.nan

    def _cases(self, expr: Cases) -> Function:
        told = [(self._test(case.test), self.of(case.value)) for case in expr.cases]
        otherwise = self.of(expr.otherwise)

        def cases(values: Values) -> float:
            for test, value in told:
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


def _sum(terms: list[Function]) -> Function:
    def total(values: Values) -> float:
        told = [term(values) for term in terms]
        found = sum(told)
        return found if abs(found) > SAME * max(map(abs, told)) else 0.0  # they cancel

    return total


def _quotient(top: Function, bottom: Function) -> Function:
    def quotient(values: Values) -> float:
        over, under = top(values), bottom(values)
        return over / under if under else math.nan

    return quotient


def _power(base: Function, exponent: Function) -> Function:
    def power(values: Values) -> float:
        try:
            told = base(values) ** exponent(values)
        except (ArithmeticError, ValueError):
            return math.nan
        return told if isinstance(told, float) else math.nan

    return power


def _function(name: str, args: list[Function]) -> Function:
    rule = _FUNCTIONS.get(name)

    def function(values: Values) -> float:
        if rule is None:
            return math.nan
        try:
            return rule(*(arg(values) for arg in args))
        except (ArithmeticError, ValueError):
            return math.nan

    return function


def _floor(x: float) -> float:
    nearest = round(x)
    return nearest if abs(x - nearest) <= SAME * abs(x) else math.floor(x)


def _position_of_largest(*xs: float) -> float:
    most = max(xs)
    return 1.0 + next(i for i, x in enumerate(xs) if most - x <= SAME * abs(most))


_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "floor": _floor,
    "ceiling": lambda x: -_floor(-x),
    "max": lambda *xs: max(xs),
    "min": lambda *xs: min(xs),
    "argmax": _position_of_largest,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "lambert": lambda x: near(lambert(Fraction(x))),
    "floor_log2": lambda x: floor_log2(Fraction(x)),
    "ceiling_log2": lambda x: ceiling_log2(Fraction(x)),
    "floor_power2": lambda x: near(floor_power2(Fraction(x))),
}
