"""Zeros of formulas with a root, an exponential or a logarithm of the unknown: SymPy finds them."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import sympy

from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.cas import number_of
from ddcalc.numbers.number import Number

LONG = 10**9  # from which on a number in a formula is no longer tidied
DIGITS = 40  # of a limit
LARGEST = 40  # operations in a formula whose zeros are looked for


def zeros(form: Any, low: Number | None, high: Number | None) -> list[Edge] | None:
    """The numbers from *low* to *high* (None: without end) at which *form*, SymPy's, in one letter,
    is 0 or divides by 0; None where SymPy does not find them all."""
    (letter,) = form.free_symbols
    if form.count_ops() > LARGEST or _bends(form) > 1:
        return None
    start = -sympy.oo if low is None else sympy.Rational(low)
    within = sympy.Interval(start, sympy.oo if high is None else sympy.Rational(high))
    x = sympy.Symbol("x", real=True)
    tidied: set[Any] = set()
    for part in sympy.fraction(sympy.together(form.subs(letter, x))):
        places = sympy.solveset(part, x, within)
        if not isinstance(places, sympy.FiniteSet) and places is not sympy.S.EmptySet:
            return None
        tidied |= {_tidied(place) for place in places}
    if any(place.free_symbols for place in tidied):
        return None
    sharp = {place for place in tidied if place.is_Rational and place.q < LONG**4}  # not rounded
    return [number_of(place) if place in sharp else _root(place) for place in sorted(tidied)]


def sign(form: Any, at: Edge) -> int:
    """The sign of SymPy's *form* where its letter is *at*: a number, or a zero found here."""
    (letter,) = form.free_symbols
    worth = form.subs(letter, at.zero_of if isinstance(at, Root) else sympy.Rational(at))
    return 0 if worth.equals(0) else 1 if worth.evalf(30) > 0 else -1


def limit(form: Any, at: Edge | None, side: int) -> Fraction | float:
    """What SymPy's *form*, in one letter at most, comes near to at *at* (None: without end), from
    above where *side* is 1, else from below."""
    end = -side * sympy.oo if at is None else sympy.Rational(close_to(at, DIGITS))
    letters = form.free_symbols
    near = sympy.limit(form, letters.pop(), end, "+" if side > 0 else "-") if letters else form
    if near in (sympy.oo, -sympy.oo):
        return inf if near > 0 else -inf
    return Fraction(number_of(sympy.Rational(near.evalf(DIGITS))))


def _root(x: Any) -> Root:
    """SymPy's irrational number *x*."""
    near = Fraction(number_of(sympy.Rational(x.evalf(70))))
    reach = max(abs(near) / 10**60, Fraction(1, 10**80))
    return Root(x, lambda at: 1 if sympy.Rational(at) > x else -1, near - reach, near + reach)


def _tidied(x: Any) -> Any:
    """A number without logarithms of powers, if it is short: log(2)/log(16) is 1/4."""
    is_short = all(abs(one.p) < LONG and one.q < LONG for one in x.atoms(sympy.Rational))
    return sympy.cancel(sympy.expand_log(x, factor=True)) if is_short else x


def _bends(form: Any) -> int:
    """In how many roots, exponentials and the like the letter stands: of several, one within the
    other too, SymPy may look for zeros without end."""
    parts: Any = sympy.preorder_traversal(form)
    curved = (one for one in parts if one.is_Function or (one.is_Pow and not one.exp.is_Integer))
    return sum(1 for one in curved if one.free_symbols)
