"""Polynomials in the unknown with exact coefficients: SymPy's, over the rational numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from sympy.polys.domains import QQ
from sympy.polys.rings import PolyElement, ring

from ddcalc.formula.algebraic import Edge, Root
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number, quotient

Polynomial = PolyElement

_made: Any = ring("x", QQ)
RING: Final = _made[0]
LETTER: Final[Polynomial] = _made[1]
ONE: Final[Polynomial] = RING.one


def constant(value: Number) -> Polynomial:
    """A number as a polynomial."""
    found: Polynomial = RING.ground_new(rational(value))
    return found


def coefficient(p: Polynomial, power: int) -> Number:
    """What *power* of the unknown is multiplied by in *p*."""
    found = p.coeff(LETTER**power) if power else p.coeff(1)
    return number(found)


def value(p: Polynomial, x: Number) -> Number:
    """What *p* is worth at *x*."""
    found = p.evaluate(LETTER, rational(x))
    return number(found)


def sign(p: Polynomial, x: Number) -> int:
    """The sign of *p* at the rational number *x*: 1, 0 or -1."""
    worth = p.evaluate(LETTER, rational(x))
    return int(worth > 0) - int(worth < 0)


def sign_at(p: Polynomial, x: Edge) -> int:
    """The sign of *p* at *x*: 1, 0 or -1."""
    if not isinstance(x, Root):
        return sign(p, x)
    if not p or (isinstance(x.zero_of, PolyElement) and not p.rem(x.zero_of)):
        return 0
    while RING.dup_count_real_roots(p, rational(x.low), rational(x.high)):
        x.refine()
    return sign(p, x.high)


@remembered
def roots(p: Polynomial) -> tuple[Edge, ...]:
    """The real roots of *p*, which is not 0, in order, each of them once."""
    found: list[Edge] = []
    for factor, _ in p.factor_list()[1]:
        if factor.degree() == 1:
            found.append(-Fraction(coefficient(factor, 0)) / coefficient(factor, 1))
        else:
            found += [_root(factor, *ends) for ends in RING.dup_isolate_real_roots_sqf(factor)]
    return tuple(sorted(found))


def _root(factor: Polynomial, low: Any, high: Any) -> Root:
    start, end = (Fraction(number(x)) for x in (low, high))
    return Root(factor, lambda x: sign(factor, x), start, end)


def rational(value: Number) -> Any:
    """A number of ours as SymPy's polynomials hold it."""
    return QQ(value.numerator, value.denominator)


def number(value: Any) -> Number:
    """A number of SymPy's polynomials as ours."""
    return quotient(int(value.numerator), int(value.denominator))
