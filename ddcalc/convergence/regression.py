"""Ridge regression, exactly: f(w) = ‖Xw − y‖² + η‖w‖², its minimum and the ends of its curvature.

The gradient is 2(X'X + ηI)(w − w*), the Hessian 2(X'X + ηI), and w* = (X'X + ηI)^-1·X'y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from ddcalc.memory import remembered
from ddcalc.number import Number, quotient

Vector = tuple[Number, ...]
Matrix = list[list[Fraction]]
DIGITS = 7  # of an eigenvalue


@dataclass(frozen=True)
class Ridge:
    """*rows* of inputs with their *targets*, and *eta*, which is positive."""

    rows: tuple[Vector, ...]
    targets: Vector
    eta: Number

    @cached_property
    def lengths(self) -> Vector:
        """‖x‖² of each row."""
        return tuple(sum(Fraction(x) ** 2 for x in row) for row in self.rows)

    @cached_property
    def hessian(self) -> Matrix:
        """2(X'X + ηI)."""
        columns = list(zip(*self.rows, strict=True))
        found = [[2 * _dot(a, b) for b in columns] for a in columns]
        for i in range(len(found)):
            found[i][i] += 2 * Fraction(self.eta)
        return found

    @cached_property
    def minimum(self) -> Vector:
        """w*."""
        sides = [2 * _dot(column, self.targets) for column in zip(*self.rows, strict=True)]
        return tuple(quotient(w.numerator, w.denominator) for w in _solved(self.hessian, sides))

    @cached_property
    def smallest(self) -> Number:
        """The smallest eigenvalue of the Hessian, exact or rounded down to so many DIGITS."""
        return _edge(lambda x: _is_definite(self.hessian, x, 1), self.hessian, up=False)

    @cached_property
    def largest(self) -> Number:
        """The largest one, exact or rounded up."""
        return _edge(lambda x: not _is_definite(self.hessian, x, -1), self.hessian, up=True)


@remembered
def ridge(rows: tuple[Vector, ...], targets: Vector, eta: Number) -> Ridge:
    """The regression, worked once."""
    return Ridge(rows, targets, eta)


def _dot(one: Sequence[Number], other: Sequence[Number]) -> Fraction:
    pairs = zip(one, other, strict=True)
    return sum((Fraction(a) * b for a, b in pairs), Fraction(0))


def _solved(matrix: Matrix, sides: Sequence[Fraction]) -> list[Fraction]:
    """The solution of a positive definite system, whose pivots are positive."""
    rows = [[*row, side] for row, side in zip(matrix, sides, strict=True)]
    for k, pivot in enumerate(rows):
        rows[k] = pivot = [each / pivot[k] for each in pivot]
        for i, row in enumerate(rows):
            if i != k and row[k]:
                rows[i] = [a - row[k] * b for a, b in zip(row, pivot, strict=True)]
    return [row[-1] for row in rows]


def _edge(is_below: Callable[[Fraction], bool], matrix: Matrix, up: bool) -> Number:
    """The number up to which *is_below* holds: exact where a short one is an eigenvalue, else
    rounded *up* or down."""
    low, high = Fraction(0), sum((row[i] for i, row in enumerate(matrix)), Fraction(1))
    while high - low > high / 10 ** (DIGITS + 1):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    unit = Fraction(1)
    while high >= unit * 10**DIGITS:
        unit *= 10
    while high < unit * 10 ** (DIGITS - 1):
        unit /= 10
    for near in (high // unit * unit, -(-low // unit) * unit):
        if _pivots(matrix, near, 1) is None:
            return quotient(near.numerator, near.denominator)
    told = -(-high // unit) * unit if up else low // unit * unit
    return quotient(told.numerator, told.denominator)


def _is_definite(matrix: Matrix, x: Fraction, sign: int) -> bool:
    """Whether *sign* times (matrix − x·I) is positive definite: all leading minors are positive."""
    return bool(_pivots(matrix, x, sign))


def _pivots(matrix: Matrix, x: Fraction, sign: int) -> bool | None:
    """Whether all leading minors of sign·(matrix − x·I) are positive; None where its determinant
    is 0. By Bareiss, on whole numbers."""
    scale = lcm(x.denominator, *(each.denominator for row in matrix for each in row))
    rows = [[int(sign * each * scale) for each in row] for row in matrix]
    for i, row in enumerate(rows):
        row[i] -= int(sign * x * scale)
    before, positive = 1, True
    for k in range(len(rows)):
        swap = next((i for i in range(k, len(rows)) if rows[i][k]), None)
        if swap is None:
            return None
        if swap != k:
            rows[k], rows[swap], positive = rows[swap], rows[k], False
        positive = positive and rows[k][k] > 0
        for i in range(k + 1, len(rows)):
            for j in range(k + 1, len(rows)):
                cross = rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]
                rows[i][j] = cross // before
        before = rows[k][k]
    return positive
