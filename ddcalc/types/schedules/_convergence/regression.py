"""Ridge regression, exactly: f(w) = ‖Xw − y‖² + η‖w‖², its minimum and the ends of its curvature.

The gradient is 2(X'X + ηI)(w − w*), the Hessian 2(X'X + ηI), and w* = (X'X + ηI)^-1·X'y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number, quotient

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
        from ddcalc.formula.polynomial import solution

        sides = [2 * _dot(column, self.targets) for column in zip(*self.rows, strict=True)]
        return solution(self.hessian, sides)

    @cached_property
    def eigenvalues(self) -> tuple[Edge, ...]:
        """Those of the Hessian, which is symmetric, so that they are real."""
        from ddcalc.formula.polynomial import eigenvalues

        return eigenvalues(self.hessian)

    @cached_property
    def smallest(self) -> Number:
        """The smallest eigenvalue of the Hessian, exact or rounded down to so many DIGITS."""
        return _rounded(self.eigenvalues[0], up=False)

    @cached_property
    def largest(self) -> Number:
        """The largest one, exact or rounded up."""
        return _rounded(self.eigenvalues[-1], up=True)


@remembered
def ridge(rows: tuple[Vector, ...], targets: Vector, eta: Number) -> Ridge:
    """The regression, worked once."""
    return Ridge(rows, targets, eta)


def _dot(one: Sequence[Number], other: Sequence[Number]) -> Fraction:
    pairs = zip(one, other, strict=True)
    return sum((Fraction(a) * b for a, b in pairs), Fraction(0))


def _rounded(x: Edge, up: bool) -> Number:
    """*x* itself if it is a number of so many DIGITS, else rounded *up* or down to them."""
    near = close_to(x, 3 * DIGITS)
    unit = Fraction(1)
    while near >= unit * 10**DIGITS:
        unit *= 10
    while near < unit * 10 ** (DIGITS - 1):
        unit /= 10
    told = -(-near // unit) * unit if up else near // unit * unit
    return quotient(told.numerator, told.denominator)
