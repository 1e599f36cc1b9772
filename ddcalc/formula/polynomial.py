"""Polynomials in the unknown with exact coefficients, and matrices: SymPy's, over the rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

from sympy.polys.domains import QQ
from sympy.polys.matrices import DomainMatrix
from sympy.polys.rings import PolyElement, ring

from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.cas import number_of
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number

Polynomial = PolyElement
Rows = Sequence[Sequence[Number]]

_made: Any = ring("x", QQ)
RING: Final = _made[0]
LETTER: Final[Polynomial] = _made[1]


def sign(p: Polynomial, x: Number) -> int:
    """The sign of *p* at the rational number *x*: 1, 0 or -1."""
    worth = p(QQ(x))
    return int(worth > 0) - int(worth < 0)


def sign_at(p: Polynomial, x: Edge) -> int:
    """The sign of *p* at *x*: 1, 0 or -1."""
    if not isinstance(x, Root):
        return sign(p, x)
    if not p or (isinstance(x.zero_of, PolyElement) and not p.rem(x.zero_of)):
        return 0
    while RING.dup_count_real_roots(p, QQ(x.low), QQ(x.high)):
        x.refine()
    return sign(p, x.high)


@remembered
def roots(p: Polynomial) -> tuple[Edge, ...]:
    """The real roots of *p*, which is not 0, in order, each of them once."""
    places: list[Edge] = []
    for factor, _ in p.factor_list()[1]:
        if factor.degree() == 1:
            slope, rest = factor.to_dense()
            places.append(Fraction(number_of(-rest / slope)))
        else:
            places += [_root(factor, *ends) for ends in RING.dup_isolate_real_roots_sqf(factor)]
    return tuple(sorted(places))


def _root(factor: Polynomial, low: Any, high: Any) -> Root:
    start, end = (Fraction(number_of(x)) for x in (low, high))
    return Root(factor, lambda x: sign(factor, x), start, end)


# Matrices


def determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """The determinant of a square matrix of polynomials; 1 of none."""
    value: Polynomial = DomainMatrix.from_list(rows, RING.to_domain()).det()
    return value


def solution(rows: Rows, sides: Sequence[Number]) -> tuple[Number, ...]:
    """The solution of a system with exactly one."""
    column = DomainMatrix.from_list([[side] for side in sides], QQ)
    return tuple(map(number_of, DomainMatrix.from_list(rows, QQ).lu_solve(column).to_list_flat()))


def eigenvalues(rows: Rows) -> tuple[Edge, ...]:
    """The real eigenvalues of a square matrix in order, each of them once."""
    return roots(RING.from_list(DomainMatrix.from_list(rows, QQ).charpoly()))
