"""Bounds of numbers, and arithmetic with them (Moore, Interval Analysis, 1966).

Bounds are never too narrow. Their ends are exact, and known to be reached or not, so that what is
rounded at an open end is rounded as it should be.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import TypeAlias

from ddcalc.formula.expression import Number, Operator
from ddcalc.numbers.approximate import Approximate

Limit: TypeAlias = Number | float  # a float is infinite
End: TypeAlias = tuple[Limit, bool]  # a limit, and whether it is reached

_MARGIN = Fraction(1, 10**40)  # of a rounded value, far more than its error


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a formula is worth at least and at most, and whether it reaches that.

    It may have no value somewhere (*none*), or divide by zero (*fails*); *never* if nowhere else.
    """

    low: Limit
    high: Limit
    low_in: bool = True
    high_in: bool = True
    none: bool = False
    fails: bool = False

    @property
    def sure(self) -> bool:
        """Whether there is a number everywhere."""
        return not self.none and not self.fails

    @property
    def has_zero(self) -> bool:
        """Whether 0 may be reached."""
        above = self.high > 0 or (self.high == 0 and self.high_in)
        return above and (self.low < 0 or (self.low == 0 and self.low_in))


ANYTHING = Bounds(-inf, inf, False, False)
NOWHERE = replace(ANYTHING, fails=True)
NO_VALUE = replace(ANYTHING, none=True)


def compared(op: Operator, left: Bounds, right: Bounds) -> tuple[bool, bool]:
    """Whether a relation surely holds everywhere, and whether it may hold anywhere."""
    if op in (">", ">="):
        return compared("<" if op == ">" else "<=", right, left)
    if op == "==":
        same = left.low == left.high == right.low == right.high
        return same, compared("<=", left, right)[1] and compared("<=", right, left)[1]
    meet = left.low_in and right.high_in
    if op == "<=":
        return left.high <= right.low, left.low < right.high or (left.low == right.high and meet)
    apart = not (left.high_in and right.low_in)
    return left.high < right.low or (left.high == right.low and apart), left.low < right.high


def of_number(value: Number) -> Bounds:
    """The bounds of a number: a point, a little around one that is rounded."""
    if isinstance(value, Approximate):
        exact = Fraction(value)
        margin = abs(exact) * _MARGIN
        return Bounds(exact - margin, exact + margin)
    return Bounds(value, value)


def limit_sum(a: Limit, b: Limit) -> Limit:
    """The sum of two limits, both finite or infinite alike."""
    if isinstance(a, float) or isinstance(b, float):
        return a if isinstance(a, float) else b
    return a + b


def _product(a: End, b: End) -> End:
    """The product of two ends; 0 times anything is 0, as all numbers between are finite."""
    (x, x_in), (y, y_in) = a, b
    if x == 0 or y == 0:
        return 0, (x == 0 and x_in) or (y == 0 and y_in)
    if isinstance(x, float) or isinstance(y, float):
        return (inf if (x > 0) == (y > 0) else -inf), False
    return x * y, x_in and y_in


def plus(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a sum."""
    return Bounds(
        limit_sum(a.low, b.low),
        limit_sum(a.high, b.high),
        a.low_in and b.low_in,
        a.high_in and b.high_in,
        fails=not (a.sure and b.sure),
    )


def negative(a: Bounds) -> Bounds:
    """The bounds of the opposite."""
    return Bounds(-a.high, -a.low, a.high_in, a.low_in, fails=not a.sure)


def times(a: Bounds, b: Bounds) -> Bounds:
    """The bounds of a product."""
    ends = [_product(x, y) for x in ends_of(a) for y in ends_of(b)]
    return hull(ends, fails=not (a.sure and b.sure))


def ends_of(a: Bounds) -> tuple[End, End]:
    """Both ends of *a*."""
    return (a.low, a.low_in), (a.high, a.high_in)


def hull(ends: Iterable[End], *, fails: bool) -> Bounds:
    """The bounds that just hold all *ends*."""
    told = list(ends)
    low, high = min(x for x, _ in told), max(x for x, _ in told)
    return Bounds(
        low,
        high,
        any(x_in for x, x_in in told if x == low),
        any(x_in for x, x_in in told if x == high),
        fails=fails,
    )


def joined(found: Sequence[Bounds]) -> Bounds:
    """The bounds of something that is one of those *found*."""
    numbers = [bounds for bounds in found if bounds is not NO_VALUE]
    if not numbers:
        return NO_VALUE
    return replace(
        hull((end for bounds in numbers for end in ends_of(bounds)), fails=False),
        none=any(bounds.none for bounds in found),
        fails=any(bounds.fails for bounds in found),
    )


def inverse(a: Bounds) -> Bounds:
    """One over *a*; where *a* is 0 it fails."""
    if a.low == a.high == 0:
        return NOWHERE
    fails = a.has_zero or not a.sure
    if a.low < 0 < a.high:
        return replace(ANYTHING, fails=fails)
    low, high = (_turned(end, a) for end in ends_of(a))
    return Bounds(high[0], low[0], high[1], low[1], fails=fails)


def _turned(end: End, a: Bounds) -> End:
    x, x_in = end
    if x == 0:
        return (inf if a.high > 0 else -inf), False
    return (0, False) if isinstance(x, float) else (1 / Fraction(x), x_in)
