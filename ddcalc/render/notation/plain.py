"""Formulas as plain text: in Unicode, ``t_full = t_down + m·t_agg``, and in ASCII as SymPy spells
them, ``2*Delta*eta/5``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Number
from ddcalc.formula.letters import LOW, SIGNS
from ddcalc.numbers.display import MINUS
from ddcalc.numbers.number import product as times
from ddcalc.numbers.number import quotient
from ddcalc.render.notation import (
    ATOM,
    BREAK,
    QUOTIENT,
    RELATION,
    Notation,
    Numbers,
    Part,
    level_of,
    unbroken,
    written,
)

_ASCII: Final = {op: op for op in SIGNS}


class PlainText(Notation):
    """Formulas in Unicode. Lines break inside of brackets too, at the outermost that suffice."""

    column = "text"
    sums = ""
    minus = MINUS
    times = f"{BREAK}·"
    apart = f"{BREAK} · "
    fraction = QUOTIENT

    def inside(self, part: Part) -> str:
        return self.at_least(part, ATOM)

    def root(self, inner: Part) -> str:
        return super().root(inner._replace(level=RELATION) if " " in inner.text else inner)

    def index(self, shown: str) -> str:
        if shown.replace(",", "").isdecimal():
            return shown.translate(LOW)
        return f"_{shown}" if shown.isalpha() else f"_{{{shown}}}"

    def tight(self, text: str) -> str:
        return unbroken(text).replace(" ", "")


class Sympy(Notation):
    """Formulas in ASCII, as SymPy spells them."""

    column = "code"
    longest = 10**9
    nothing = "None"
    beside = "*"
    between = ", "
    fraction = QUOTIENT
    raised = "{}**{}"
    rooted = "sqrt({})"
    signs = _ASCII

    def number(self, value: Number) -> Part:
        shown = str(value)
        return Part(shown, level_of(value, shown))

    def letter(self, name: str) -> str:
        return name

    def power(self, base: str, exponent: Part) -> str:
        return self.raised.format(base, self.at_least(exponent, ATOM))

    def exponential(self, exponent: Part) -> str:
        return f"exp({exponent.text})"

    def cases(self, pairs: Sequence[tuple[str, str]], otherwise: str) -> str:
        cases = [f"({value}, {test})" for value, test in pairs]
        return f"Piecewise({', '.join(cases)}, ({otherwise}, True))"


_TEXT: Final = PlainText()
_CODE: Final = Sympy()


def text(expr: Expr, numbers: Numbers | None = None) -> str:
    """*expr* in Unicode, with the letters in *numbers* replaced by them.

    BREAK marks the spaces at which a line may break; ``unbroken`` removes the marks.
    """
    return written(expr, _TEXT, numbers)


def code(expr: Expr) -> str:
    """*expr* as SymPy spells it, with every product sorted: numbers, then letters alphabetically,
    sums and functions, and what it is over."""
    return unbroken(written(_ordered(expr), _CODE))


def _ordered(expr: Expr) -> Expr:
    if not isinstance(expr, Mul | Div | Neg):
        return expr.rebuilt(tuple(map(_ordered, expr.parts())))
    number: Number = 1
    factors: dict[bool, list[Expr]] = {True: [], False: []}
    for factor, above in _factors(expr, True):
        if isinstance(factor, Num) and (above or factor.value):
            over, under = factor.value.numerator, factor.value.denominator
            number = times(number, factor.value if above else quotient(under, over))
        else:
            factors[above].append(factor)
    size: Number = -number if number < 0 else number
    made = _product(size.numerator, factors[True])
    if size.denominator > 1 or factors[False]:
        made = Div(made, _product(size.denominator, factors[False]))
    return Neg(made) if number < 0 else made


def _product(number: int, factors: Sequence[Expr]) -> Expr:
    members = sorted(factors, key=lambda factor: (isinstance(factor, Add | Fun), code(factor)))
    if number != 1 or not members:
        members.insert(0, Num(number))
    return Mul(tuple(members)) if len(members) > 1 else members[0]


def _factors(expr: Expr, above: bool) -> Iterator[tuple[Expr, bool]]:
    """What *expr* is the product of, each with whether it stands above the line."""
    match expr:
        case Neg(arg):
            yield Num(-1), True
            yield from _factors(arg, above)
        case Mul(args):
            for arg in args:
                yield from _factors(arg, above)
        case Div(top, bottom):
            yield from _factors(top, above)
            yield from _factors(bottom, not above)
        case _:
            yield _ordered(expr), above
