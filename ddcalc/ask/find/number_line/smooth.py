"""Formulas with a root, an exponential or a logarithm of the unknown: SymPy finds their zeros."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ddcalc.algebraic import Edge, Root, at_least, at_most
from ddcalc.ask.find.number_line.piece import Piece
from ddcalc.cas import number_of, sign_of, zeros
from ddcalc.expression import Expr
from ddcalc.number import Number

SHORT = 20  # characters of a number that is told as SymPy spells it
LARGEST = 40  # letters and numbers in a formula whose zeros are looked for


def places(expr: Expr, letter: str, piece: Piece) -> list[Edge] | None:
    """Where in *piece* the sign of *expr* may change; None where SymPy does not find that out."""
    if _size(expr) > LARGEST:
        return None
    low = None if piece.low is None else at_most(piece.low)
    high = None if piece.high is None else at_least(piece.high)
    found = zeros(expr, letter, low, high)
    if found is None:
        return None
    edges = [number_of(x) if x.is_Rational else _root(x) for x in found]
    return [edge for edge in edges if edge in piece]


def sign(expr: Expr, letter: str, at: Edge) -> int:
    """The sign of *expr* where the letter is *at*, a zero that SymPy found or a rational number."""
    import sympy

    if isinstance(at, Root):
        return sign_of(expr, letter, at.zero_of)
    return sign_of(expr, letter, sympy.Rational(at.numerator, at.denominator))


def _root(x: Any) -> Root:
    """SymPy's irrational number *x*."""
    import sympy

    def side(at: Number) -> int:
        return 1 if sympy.Rational(at.numerator, at.denominator) > x else -1

    near = Fraction(number_of(sympy.Rational(x.evalf(30))))
    reach = max(abs(near) / 10**20, Fraction(1, 10**40))
    return Root(x, side, near - reach, near + reach, str(x) if len(str(x)) <= SHORT else "")


def _size(expr: Expr) -> int:
    return 1 + sum(map(_size, expr.parts()))
