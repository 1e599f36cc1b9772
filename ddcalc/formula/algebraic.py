"""Places on the number line where something changes: rational numbers, and irrational zeros.

Everything is exact. An irrational zero is known by what it is a zero of, the sign of that, and two
rational numbers between which there is no other one; it is bracketed more closely as far as a
question needs.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import total_ordering
from math import ceil, floor
from typing import Any, TypeAlias

from ddcalc.numbers.number import Number

SAME = 10**50  # of a number: what is nearer to it, and no zero of the same, is taken for it


@total_ordering
class Root:
    """An irrational number: the only zero of something between *low* and *high*.

    *zero_of* is what makes it equal to another one: an irreducible polynomial, a sum of powers, or
    the number as SymPy has it. *sign* tells at a rational number on which side of the zero that is.
    """

    __slots__ = ("high", "low", "sign", "zero_of")

    def __init__(
        self, zero_of: Any, sign: Callable[[Number], int], low: Number, high: Number
    ) -> None:
        self.zero_of, self.sign, self.low, self.high = zero_of, sign, low, high

    @property
    def is_narrow(self) -> bool:
        """Whether its bracket is so narrow that another number in it is taken for the same."""
        return (self.high - self.low) * SAME < abs(Fraction(self.low + self.high))

    def refine(self) -> None:
        """Halve the bracket."""
        middle = Fraction(self.low + self.high) / 2
        if self.sign(self.low) == self.sign(middle):
            self.low = middle
        else:
            self.high = middle

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Root):
            return False
        if self.zero_of != other.zero_of:
            while other.low < self.high and self.low < other.high:
                if self.is_narrow and other.is_narrow:
                    return True
                self.refine()
                other.refine()
            return False
        low, high = max(self.low, other.low), min(self.high, other.high)
        return low < high and self.sign(low) != self.sign(high)

    def __gt__(self, other: Edge) -> bool:
        if isinstance(other, Root):
            if self == other:
                return False
            while other.low < self.high and self.low < other.high:
                self.refine()
                other.refine()
            return self.low >= other.high
        while self.low < other < self.high:
            self.refine()
        return self.low >= other

    __hash__ = None  # type: ignore[assignment]


Edge: TypeAlias = Number | Root


def at_most(x: Edge) -> Number:
    """A rational number that *x* is not below: *x* itself if it is rational."""
    return x.low if isinstance(x, Root) else x


def at_least(x: Edge) -> Number:
    """A rational number that *x* is not above: *x* itself if it is rational."""
    return x.high if isinstance(x, Root) else x


def floor_of(x: Edge) -> int:
    """The largest whole number that is at most *x*."""
    while isinstance(x, Root) and floor(x.low) != ceil(x.high) - 1:
        x.refine()
    return floor(at_most(x))


def close_to(x: Edge, digits: int = 40) -> Number:
    """A rational number that agrees with *x* in about so many significant *digits*."""
    if not isinstance(x, Root):
        return x
    while x.low < 0 < x.high or (x.high - x.low) * 10**digits > abs(x.low + x.high):
        x.refine()
    return Fraction(x.low + x.high) / 2


def between(low: Edge, high: Edge) -> Number:
    """A rational number more than *low* and less than *high*."""
    while at_least(low) >= at_most(high):
        for end in (low, high):
            if isinstance(end, Root):
                end.refine()
    return Fraction(at_least(low) + at_most(high)) / 2
