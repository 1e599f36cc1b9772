"""Ridge regression, exactly: f(w) = ‖Xw − y‖² + η‖w‖², its minimum and the ends of its curvature.

The gradient is 2(X'X + ηI)(w − w*), the Hessian 2(X'X + ηI), and w* = (X'X + ηI)^-1·X'y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt, lcm
from operator import mul

from ddcalc.errors import OverLimit
from ddcalc.formula.algebraic import Edge, close_to
from ddcalc.memory import remembered
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.plan import Values
from ddcalc.types.schedules.ridge.question import RidgeQuestion, Vector

Matrix = list[list[Fraction]]
DIGITS = 7  # of an eigenvalue


@dataclass(frozen=True)
class Regression:
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
        hessian = [[2 * _dot(a, b) for b in columns] for a in columns]
        for i, row in enumerate(hessian):
            row[i] += 2 * Fraction(self.eta)
        return hessian

    @cached_property
    def normal(self) -> Matrix:
        """X'X + ηI."""
        return [[cell / 2 for cell in row] for row in self.hessian]

    @cached_property
    def sides(self) -> list[Fraction]:
        """X'y."""
        return [_dot(column, self.targets) for column in zip(*self.rows, strict=True)]

    @cached_property
    def minimum(self) -> Vector:
        """w*."""
        from ddcalc.formula.polynomial import solution

        return solution(self.normal, self.sides)

    @cached_property
    def eigenvalues(self) -> tuple[Edge, ...]:
        """Those of the Hessian, which is symmetric, so that they are real."""
        from ddcalc.formula.polynomial import eigenvalues

        return eigenvalues(self.hessian)

    @cached_property
    def smallest(self) -> Number:
        """The smallest eigenvalue of the Hessian, exact or rounded down to DIGITS digits."""
        if len(self.hessian) == 1:
            return plain(self.hessian[0][0])
        return max(_rounded(self.eigenvalues[0], up=False), plain(2 * Fraction(self.eta)))

    @cached_property
    def largest(self) -> Number:
        """The largest one, exact or rounded up, but not beyond the bound by the trace of X'X."""
        most = 2 * sum(map(Fraction, self.lengths)) + 2 * Fraction(self.eta)
        return min(_rounded(self.eigenvalues[-1], up=True), plain(most))


@remembered
def regression(rows: tuple[Vector, ...], targets: Vector, eta: Number) -> Regression:
    """The regression, worked once."""
    return Regression(rows, targets, eta)


def _dot(one: Sequence[Number], other: Sequence[Number]) -> Fraction:
    pairs = zip(one, other, strict=True)
    return sum((Fraction(a) * b for a, b in pairs), Fraction(0))


def _rounded(x: Edge, up: bool) -> Number:
    """*x* itself if it has at most DIGITS digits, else rounded *up* or down to them."""
    near = close_to(x, 3 * DIGITS)
    unit = Fraction(1)
    while near >= unit * 10**DIGITS:
        unit *= 10
    while near < unit * 10 ** (DIGITS - 1):
        unit /= 10
    return plain(-(-near // unit) * unit if up else near // unit * unit)


LONG = 1_000_000  # bits of the unit, times updates, times weights
BITS = 100  # of a distance


class Descent:
    """Gradient descent on the regression of *question*, with the stale sum that is allowed.

    The largest eigenvalue is bounded *by_trace*, or by theorem 3 where that applies. OverLimit
    where the exact numbers of the run would get too long.
    """

    def __init__(self, question: RidgeQuestion, by_trace: bool) -> None:
        self.updates = updates = question.updates
        self.ridge = ridge = regression(question.rows, question.targets, question.eta)
        self.count = len(ridge.rows)
        self.longest = plain(max(ridge.lengths))
        self.applies = self.longest <= 1
        self.by_theorem = self.applies and not by_trace
        self.low = plain(2 * Fraction(ridge.eta))
        self.lengths = plain(sum(map(Fraction, ridge.lengths), Fraction(0)))
        most = self.count if self.by_theorem else self.lengths
        self.high = plain(2 * Fraction(most) + 2 * Fraction(ridge.eta))
        self.step = plain(1 / Fraction(self.high))
        self.share = plain(Fraction(self.low) / (2 * Fraction(self.high)))
        self.stale = plain(Fraction(self.share) * self.step)
        parts = (Fraction(h) * times for row in ridge.hessian for h in row for times in self._times)
        self.unit = lcm(*(part.denominator for part in parts))
        if self.unit.bit_length() * updates * len(ridge.hessian) > LONG:
            reason = "is too many; the numbers of the run get too long"
            raise OverLimit(f"{updates} {reason}").about("updates")

    @property
    def _times(self) -> tuple[Number, Number]:
        """The coefficients of the fresh gradient and of the one before."""
        return self.step, self.stale

    def values(self) -> Values:
        """All derived quantities by name."""
        return {
            "instances": self.count,
            "longest": self.longest,
            "lengths": self.lengths,
            "weights": self.ridge.minimum,
            "low": self.low,
            "high": self.high,
            "smallest": self.ridge.smallest,
            "largest": self.ridge.largest,
            "step": self.step,
            "share": self.share,
            "stale_allowed": self.stale,
        }

    @cached_property
    def run(self) -> list[Number]:
        """‖w_t − w*‖ from w = 0 on, with a fresh gradient times the step and the one before times
        the stale sum.

        All errors are whole numbers over a power of one unit, so that what is 0 is exactly 0.
        """
        unit = self.unit
        fresh, stale = (
            [[int(unit * times * h) for h in row] for row in self.ridge.hessian]
            for times in self._times
        )
        bottom = lcm(*(w.denominator for w in self.ridge.minimum))
        errors = [-int(w * bottom) for w in self.ridge.minimum]
        before, lengths = [0] * len(errors), [_length(errors, bottom)]
        for _ in range(self.updates):
            rows = zip(errors, fresh, stale, strict=True)
            moved = [unit * (e - _whole_dot(s, before)) - _whole_dot(f, errors) for e, f, s in rows]
            errors, before, bottom = moved, errors, bottom * unit
            lengths.append(_length(errors, bottom))
        return lengths


def _whole_dot(row: Sequence[int], vector: Sequence[int]) -> int:
    return sum(map(mul, row, vector))


def _length(tops: Sequence[int], bottom: int) -> Number:
    """The length of *tops*, each divided by *bottom*: exactly 0, else to BITS bits."""
    if not any(tops):
        return 0
    above = max(map(int.bit_length, tops)) - 2 * BITS
    below = bottom.bit_length() - 2 * BITS
    short = [_shifted(top, above) for top in tops]
    length = Fraction(isqrt(_whole_dot(short, short)), _shifted(bottom, below))
    return length * Fraction(2) ** (above - below)


def _shifted(number: int, bits: int) -> int:
    return number >> bits if bits >= 0 else number << -bits
