"""Matrices of exact numbers, or of polynomials: SymPy's determinants, solutions, eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy.polys.domains import QQ
from sympy.polys.matrices import DomainMatrix

from ddcalc.formula.algebraic import Edge
from ddcalc.formula.polynomial import (
    LETTER,
    RING,
    Polynomial,
    constant,
    number,
    rational,
    roots,
)
from ddcalc.numbers.number import Number

Rows = Sequence[Sequence[Number]]


def determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """The determinant of a square matrix of polynomials; 1 of none."""
    found: Polynomial = _matrix(rows, RING.to_domain()).det() if rows else RING.one
    return found


def solution(rows: Rows, sides: Sequence[Number]) -> tuple[Number, ...]:
    """The solution of a system with exactly one."""
    column = _matrix([[rational(side)] for side in sides], QQ)
    found = _matrix(_rationals(rows), QQ).lu_solve(column).to_list_flat()
    return tuple(number(each) for each in found)


def eigenvalues(rows: Rows) -> tuple[Edge, ...]:
    """The real eigenvalues of a square matrix in order, each of them once."""
    powers = reversed(_matrix(_rationals(rows), QQ).charpoly())
    return roots(sum((LETTER**i * each for i, each in enumerate(powers)), constant(0)))


def _matrix(rows: Sequence[Sequence[Any]], domain: Any) -> Any:
    return DomainMatrix([list(row) for row in rows], (len(rows), len(rows[0])), domain)


def _rationals(rows: Rows) -> list[list[Any]]:
    return [[rational(each) for each in row] for row in rows]
