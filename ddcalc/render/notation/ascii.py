"""Formulas in ASCII as SymPy spells them: ``2*Delta*eta/5``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Number, Operator
from ddcalc.numbers.number import product, quotient
from ddcalc.render.notation import (
    ATOM,
    POWER,
    PRODUCT,
    QUOTIENT,
    Notation,
    Part,
    level_of,
    unbroken,
    written,
)

_SYMPY_NAMES: Final = {"max": "Max", "min": "Min"}


def code(expr: Expr) -> str:
    """*expr* with every product sorted: numbers, then letters alphabetically."""
    return unbroken(written(ordered(expr), _CODE))


class Code(Notation):
    """Formulas in ASCII, as SymPy spells them."""

    longest = 10**9
    nothing = "None"

    def number(self, value: Number) -> Part:
        shown = str(value)
        return Part(shown, level_of(value, shown))

    def letter(self, name: str) -> str:
        return name

    def bracket(self, inner: str) -> str:
        return f"({inner})"

    def sign(self, negative: bool, term: str) -> str:
        return f"{'-' if negative else '+'} {term}"

    def negative(self, term: str) -> str:
        return f"-{term}"

    def product(self, factors: Sequence[Part]) -> str:
        return "*".join(factor.text for factor in factors)

    def quotient(self, top: Part, bottom: Part) -> Part:
        over = self.at_least(top, PRODUCT)
        return Part(f"{over}/{self.at_least(bottom, POWER)}", QUOTIENT)

    def power(self, base: str, exponent: Part) -> str:
        return f"{base}**{self.at_least(exponent, ATOM)}"

    def root(self, inner: Part) -> str:
        return f"sqrt({inner.text})"

    def exponential(self, exponent: Part) -> str:
        return f"exp({exponent.text})"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        match name:
            case "indexed":
                base, *indices = arguments
                return f"{base}({', '.join(indices)})"
            case "log2":
                return f"log({arguments[0]}, 2)"
            case "sum":
                body, *limits = arguments
                return f"Sum({body}, ({', '.join(limits)}))"
            case "sum_over":
                return f"SumOver({arguments[0]}, {arguments[1]})"
        return f"{_SYMPY_NAMES.get(name, name)}({', '.join(arguments)})"

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left} {op} {right}"

    def cases(self, told: Sequence[tuple[str, str]], otherwise: str) -> str:
        pairs = [f"({value}, {test})" for value, test in told]
        return f"Piecewise({', '.join(pairs)}, ({otherwise}, True))"


_CODE = Code()


def ordered(expr: Expr) -> Expr:
    """*expr* with every product as number, letters in alphabetical order, sums and functions, and
    what it is over."""
    if not isinstance(expr, Mul | Div | Neg):
        return expr.rebuilt(tuple(map(ordered, expr.parts())))
    number, tops, bottoms = _factors(expr)
    size = -number if number < 0 else number
    over = _product(size.numerator, tops)
    if size.denominator > 1 or bottoms:
        over = Div(over, _product(size.denominator, bottoms))
    return Neg(over) if number < 0 else over


def _product(number: int, factors: Sequence[Expr]) -> Expr:
    members = sorted(factors, key=lambda factor: (isinstance(factor, Add | Fun), code(factor)))
    if number != 1 or not members:
        members.insert(0, Num(number))
    return Mul(tuple(members)) if len(members) > 1 else members[0]


def _factors(expr: Expr) -> tuple[Number, list[Expr], list[Expr]]:
    """The number, the factors and the divisors that *expr* is the product of."""
    number: Number = 1
    tops: list[Expr] = []
    bottoms: list[Expr] = []
    if isinstance(expr, Num):
        number = expr.value
    elif isinstance(expr, Neg):
        number, tops, bottoms = _factors(expr.arg)
        number = -number
    elif isinstance(expr, Mul):
        for arg in expr.args:
            more, ups, downs = _factors(arg)
            number, tops, bottoms = product(number, more), tops + ups, bottoms + downs
    elif isinstance(expr, Div) and expr.bottom != Num(0):
        number, tops, bottoms = _factors(expr.top)
        under, ups, downs = _factors(expr.bottom)
        number = product(number, quotient(under.denominator, under.numerator))
        tops, bottoms = tops + downs, bottoms + ups
    else:
        tops = [expr.rebuilt(tuple(map(ordered, expr.parts())))]
    return number, tops, bottoms
