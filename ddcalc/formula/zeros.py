"""Zeros of formulas with a root, an exponential or a logarithm of the unknown: SymPy finds them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy

from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.cas import number_of, to_sympy
from ddcalc.formula.expression import Expr, Fun, Num, Pow, nodes, symbols
from ddcalc.numbers.number import Number

SHORT = 20  # characters of a number that is shown as SymPy spells it
LONG = 10**9  # from which on a number in a formula is no longer shown
LARGEST = 40  # letters and numbers in a formula whose zeros are looked for


def zeros(expr: Expr, letter: str, low: Number | None, high: Number | None) -> list[Edge] | None:
    """The numbers from *low* to *high* (None: without end) at which *expr*, a formula in one
    letter, is 0 or divides by 0; None where SymPy does not find them all."""
    if sum(1 for _ in nodes(expr)) > LARGEST or _bent(expr, letter) > 1:
        return None
    symbol = sympy.Symbol(letter, real=True)
    start = -sympy.oo if low is None else _rational(low)
    within = sympy.Interval(start, sympy.oo if high is None else _rational(high))
    zeros: set[Any] = set()
    for part in sympy.fraction(sympy.together(to_sympy(expr, {letter: symbol}))):
        places = sympy.solveset(part, symbol, within)
        if not isinstance(places, sympy.FiniteSet) and places is not sympy.S.EmptySet:
            return None
        zeros |= {_tidied(place) for place in places}
    if any(place.free_symbols for place in zeros):
        return None
    return [number_of(x) if x.is_Rational else _root(x) for x in sorted(zeros)]


def sign(expr: Expr, letter: str, at: Edge) -> int:
    """The sign of *expr* where the letter is *at*: a rational number, or a zero found here."""
    worth = to_sympy(expr, {letter: at.zero_of if isinstance(at, Root) else _rational(at)})
    return 0 if worth.equals(0) else 1 if worth.evalf(30) > 0 else -1


def _root(x: Any) -> Root:
    """SymPy's irrational number *x*."""
    near = Fraction(number_of(sympy.Rational(x.evalf(30))))
    reach = max(abs(near) / 10**20, Fraction(1, 10**40))
    form = str(x) if _is_short(x) and len(str(x)) <= SHORT else ""
    return Root(x, lambda at: 1 if _rational(at) > x else -1, near - reach, near + reach, form)


def _tidied(x: Any) -> Any:
    """A number without logarithms of powers, if it is short: log(2)/log(16) is 1/4."""
    return sympy.cancel(sympy.expand_log(x, factor=True)) if _is_short(x) else x


def _is_short(x: Any) -> bool:
    return all(abs(number.p) < LONG and number.q < LONG for number in x.atoms(sympy.Rational))


def _rational(value: Number) -> Any:
    return sympy.Rational(value.numerator, value.denominator)


def _bent(expr: Expr, letter: str) -> int:
    """In how many roots, exponentials and the like the letter stands: of several, one within the
    other too, SymPy may look for zeros without end."""
    inner = sum(_bent(part, letter) for part in expr.parts())
    bends = isinstance(expr, Fun) or (isinstance(expr, Pow) and not _is_whole(expr.exponent))
    return inner + (bends and letter in {*symbols(expr)})


def _is_whole(exponent: Expr) -> bool:
    return isinstance(exponent, Num) and exponent.value.denominator == 1
