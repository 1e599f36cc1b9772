"""A quotient of two polynomials in the unknown, and its whole parts along a piece."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt
from typing import NamedTuple

from ddcalc.ask.find.number_line.piece import Piece
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.polynomial import (
    LETTER,
    ONE,
    Polynomial,
    coefficient,
    constant,
    sign_at,
    value,
)
from ddcalc.numbers.number import Number


@dataclass(frozen=True, slots=True)
class Quotient:
    """*top* over *bottom*, which is positive everywhere in the piece that is looked at."""

    top: Polynomial
    bottom: Polynomial = ONE

    @property
    def is_number(self) -> bool:
        """Whether it is the same whatever the unknown is."""
        return bool(self.top.is_ground and self.bottom.is_ground)

    def opposite(self) -> Quotient:
        """Minus this quotient."""
        return Quotient(-self.top, self.bottom)

    def slope(self) -> Polynomial:
        """A polynomial that has the sign of the slope."""
        rising, falling = self.top.diff(LETTER) * self.bottom, self.top * self.bottom.diff(LETTER)
        found: Polynomial = rising - falling
        return found

    def above(self, level: int) -> Polynomial:
        """A polynomial that has the sign of what the quotient is more than *level*."""
        found: Polynomial = self.top - self.bottom * level
        return found

    def floor_at(self, x: Edge) -> tuple[int, bool]:
        """The whole part at *x*, and whether nothing is left over."""
        found = self._about(x)
        if isinstance(x, Root):  # the guess may be off by one
            while sign_at(self.above(found), x) < 0:
                found -= 1
            while sign_at(self.above(found + 1), x) >= 0:
                found += 1
        return found, sign_at(self.above(found), x) == 0

    def _about(self, x: Edge) -> int:
        """The whole part at *x*; only nearly so where *x* is irrational."""
        if not isinstance(x, Root):
            return floor(Fraction(value(self.top, x)) / value(self.bottom, x))
        while True:
            if value(self.bottom, x.low) and value(self.bottom, x.high):
                low, high = self._about(x.low), self._about(x.high)
                if abs(low - high) <= 1:
                    return low
            x.refine()

    def limit(self, x: Edge | None) -> tuple[int, bool] | None:
        """The whole part of what it tends to towards *x* (None: without end), and whether nothing
        is left over; None where it has no limit."""
        if x is not None:
            return None if sign_at(self.bottom, x) == 0 else self.floor_at(x)
        degree = self.bottom.degree()
        if self.top.degree() > degree:
            return None
        last = Fraction(coefficient(self.top, degree)) / coefficient(self.bottom, degree)
        return floor(last), last.denominator == 1

    def whole_parts(self, piece: Piece, rising: bool) -> tuple[int | None, int | None]:
        """The smallest and the largest whole part in a *piece* where it rises (or falls) all along.

        None is no limit.
        """
        ends = [(piece.low, piece.low_in), (piece.high, piece.high_in)]
        (start, _), (end, reached) = ends if rising else ends[::-1]
        low, high = self.limit(start), self.limit(end)
        if high is not None and high[1] and not (reached and end is not None):
            high = high[0] - 1, False
        return None if low is None else low[0], None if high is None else high[0]


def level_within(low: int | None, high: int | None) -> int:
    """A level more than *low* and at most *high*, in the middle; None is no limit."""
    if low is not None and high is not None:
        return (low + high + 1) // 2
    if low is not None:
        return 2 * low if low > 0 else 1
    if high is not None:
        return 2 * high if high < 0 else 0
    return 0


def _next(low: int | None, high: int | None) -> int:
    """As :func:`level_within`, but without an end the nearest one: powers grow fast enough."""
    if low is None:
        return 0 if high is None else high
    return low + 1 if high is None else level_within(low, high)


class Rounding(NamedTuple):
    """A way to round down what rises: *part* tells it from the whole part, *level* where it becomes
    a number, and *within* a number to look at between a lower and an upper one."""

    part: Callable[[int], int]
    level: Callable[[int], int]
    within: Callable[[int | None, int | None], int] = level_within


PLAIN = Rounding(lambda part: part, lambda k: k)
ROOT = Rounding(isqrt, lambda k: k * k)  # of a square, its root
OPPOSITE_ROOT = Rounding(  # of a square's opposite, the opposite of its root
    lambda part: -(isqrt(-part - 1) + 1) if part < 0 else 0, lambda k: -k * k
)

DOUBLINGS = Rounding(  # of what is at least 1
    lambda part: part.bit_length() - 1, lambda k: 1 << k, lambda low, high: _next(low, high)
)
OPPOSITE_DOUBLINGS = Rounding(  # of the opposite of what is at least 1, rounded up
    lambda part: -(-part - 1).bit_length(), lambda k: -(1 << -k), lambda low, high: _next(low, high)
)


def number(value: Number) -> Quotient:
    """A number as a quotient."""
    return Quotient(constant(value))
