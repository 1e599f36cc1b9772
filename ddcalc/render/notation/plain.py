"""Formulas as plain text: in Unicode, ``t_full = t_down + m·t_agg``, and in ASCII as SymPy spells
them, ``2*Delta*eta/5``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Number, Operator
from ddcalc.formula.letters import LOW, SIGNS, letter
from ddcalc.numbers.amounts import Amount
from ddcalc.numbers.display import MINUS, fraction_text, number_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import product, quotient
from ddcalc.render.notation import (
    ATOM,
    BREAK,
    INNER,
    Notation,
    Part,
    amount_level,
    level_of,
    unbroken,
    written,
)

FENCES: Final = {"floor": ("⌊", "⌋"), "ceiling": ("⌈", "⌉"), "norm": ("‖", "‖")}
_MARKS = re.compile(f"{BREAK}|{INNER}+")
_NAMES: Final = {"log": "ln", "lambert": "W", "argmax": "position of max"}


class PlainText(Notation):
    """Formulas in Unicode. Lines break inside of brackets too, at the outermost that suffice."""

    sums = ""
    minus = MINUS
    times = f"{BREAK}·"
    apart = f"{BREAK} · "

    def inner(self, text: str) -> str:
        return _MARKS.sub(lambda mark: INNER + mark.group().replace(BREAK, ""), text)

    def number(self, value: Number) -> Part:
        shown, exact = number_text(value)
        if not exact and type(value) is not Approximate:  # else the side says "about"
            shown = fraction_text(value)
        return Part(shown, level_of(value, shown))

    def amount(self, amount: Amount) -> Part:
        return Part(str(amount), level := amount_level(amount), "amount" if level < ATOM else "")

    def letter(self, name: str) -> str:
        return letter(name)

    def power(self, base: str, exponent: Part) -> str:
        return f"{base}^{self.at_least(exponent, ATOM)}"

    def root(self, inner: Part) -> str:
        bare = inner.level >= ATOM and " " not in inner.text
        return f"√{inner.text if bare else self.bracket(inner.text)}"

    def call(self, name: str, arguments: Sequence[str]) -> str:
        inner = f",{BREAK} ".join(arguments)
        if name in FENCES:
            return inner.join(FENCES[name])
        match name:
            case "log2":
                return f"log₂{'' if inner.startswith('(') else ' '}{inner}"
            case "grad":
                index, at = arguments
                low = index.translate(LOW) if index.isdecimal() else f"_{index}"
                return f"∇f{low}({at})"
            case "indexed":
                return _indexed(*map(_tight, arguments))
            case "sum":
                body, index, first, last = arguments
                return f"∑_{{{index}={_tight(first)}}}^{{{_tight(last)}}}{BREAK} {body}"
            case "sum_over":
                body, group, *members = arguments
                names = ",".join(members) if len(members) == 1 else f"({','.join(members)})"
                return f"∑_{{{names} ∈ {group}}}{BREAK} {body}"
        return f"{_NAMES.get(name, name)}({inner})"

    def relation(self, op: Operator, left: str, right: str) -> str:
        return f"{left}{BREAK} {SIGNS[op]} {right}"

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        return "".join(f"{value} if {test},{BREAK} " for value, test in pairs) + f"else {otherwise}"


def _tight(text: str) -> str:
    """*text* for an index or a bound: without blanks."""
    return unbroken(text).replace(" ", "")


def _indexed(base: str, *indices: str) -> str:
    """A letter with indices: G₂,₃ or G_{j,k}."""
    if all(map(str.isdecimal, indices)):
        return base + ",".join(index.translate(LOW) for index in indices)
    if len(indices) == 1 and indices[0].isalpha():
        return f"{base}_{indices[0]}"
    return f"{base}_{{{','.join(indices)}}}"


# As SymPy spells it

_SYMPY_NAMES: Final = {"max": "Max", "min": "Min"}


class Sympy(Notation):
    """Formulas in ASCII, as SymPy spells them."""

    longest = 10**9
    nothing = "None"
    beside = "*"

    def number(self, value: Number) -> Part:
        shown = str(value)
        return Part(shown, level_of(value, shown))

    def letter(self, name: str) -> str:
        return name

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

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        cases = [f"({value}, {test})" for value, test in pairs]
        return f"Piecewise({', '.join(cases)}, ({otherwise}, True))"


def code(expr: Expr) -> str:
    """*expr* with every product sorted: numbers, then letters alphabetically."""
    return unbroken(written(ordered(expr), _CODE))


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


_TEXT: Final = PlainText()
_CODE: Final = Sympy()


def text(expr: Expr, numbers: Mapping[str, Amount | Number] | None = None) -> str:
    """*expr* in Unicode, with the letters in *numbers* replaced by them.

    BREAK marks the spaces at which a line may break; ``unbroken`` removes the marks.
    """
    return written(expr, _TEXT, numbers)
