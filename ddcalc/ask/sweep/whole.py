"""Whole numbers in NumPy arrays, with bounds known beforehand: none overflows unseen.

A number that is the same at all points stays a Python integer. Arrays are of 64 bits and broadcast
against each other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int64]
Mask = NDArray[np.bool_] | bool
WIDEST: Final = 2**62


class TooWide(Exception):
    """A result that 64 bits may not hold."""


@dataclass(frozen=True, slots=True)
class Whole:
    """Whole numbers, none of them below *low* or above *high*."""

    values: int | Array
    low: int
    high: int

    @property
    def is_single(self) -> bool:
        """Whether it is one number for all points."""
        return isinstance(self.values, int)

    def tight(self) -> Whole:
        """The same numbers within their closest bounds."""
        if isinstance(self.values, int):
            return self
        return Whole(self.values, int(self.values.min()), int(self.values.max()))


def single(value: int) -> Whole:
    """One number for all points."""
    return Whole(value, value, value)


def array(values: Array) -> Whole:
    """The numbers of an array, within their closest bounds."""
    return Whole(values, int(values.min()), int(values.max()))


ZERO: Final = single(0)
ONE: Final = single(1)


def plus(a: Whole, b: Whole) -> Whole:
    """The sums; raises TooWide."""
    return _worked(a, b, _sum_bounds, lambda x, y: x + y)


def times(a: Whole, b: Whole) -> Whole:
    """The products; raises TooWide."""
    if _is_one(a):
        return b
    return a if _is_one(b) else _worked(a, b, _product_bounds, lambda x, y: x * y)


def over(a: Whole, b: Whole) -> Whole:
    """The quotients rounded down, *b* being positive; raises TooWide."""
    return a if _is_one(b) else _worked(a, b, _quotient_bounds, lambda x, y: x // y)


def larger(a: Whole, b: Whole) -> Whole:
    """The larger ones; raises TooWide."""
    if isinstance(a.values, int) and isinstance(b.values, int):
        return a if a.values >= b.values else b
    _check(a, b)
    return Whole(np.maximum(a.values, b.values), max(a.low, b.low), max(a.high, b.high))


def chosen(mask: Mask, a: Whole, b: Whole) -> Whole:
    """*a* where *mask* holds, else *b*; raises TooWide."""
    if isinstance(mask, bool):
        return a if mask else b
    if a is b or (a.values == b.values if a.is_single and b.is_single else False):
        return a
    _check(a, b)
    values = np.where(mask, a.values, b.values)
    return Whole(values, min(a.low, b.low), max(a.high, b.high))


def negated(a: Whole) -> Whole:
    """The opposites."""
    return Whole(-a.values, -a.high, -a.low)


def _is_one(a: Whole) -> bool:
    return isinstance(a.values, int) and a.values == 1


Bounds = tuple[int, int]


def _worked(
    a: Whole,
    b: Whole,
    bounds: Callable[[Whole, Whole], Bounds],
    work: Callable[..., int | Array],
) -> Whole:
    """What *work* makes of both, where their closest bounds do not tell that it may overflow."""
    if not (a.is_single and b.is_single):
        if not _fits(*bounds(a, b)):
            a, b = a.tight(), b.tight()
        _check(a, b)
    low, high = bounds(a, b)
    if not _fits(low, high) and not (a.is_single and b.is_single):
        raise TooWide
    return Whole(work(a.values, b.values), low, high)


def _sum_bounds(a: Whole, b: Whole) -> Bounds:
    return a.low + b.low, a.high + b.high


def _product_bounds(a: Whole, b: Whole) -> Bounds:
    ends = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return min(ends), max(ends)


def _quotient_bounds(a: Whole, b: Whole) -> Bounds:
    ends = (a.low // b.low, a.low // b.high, a.high // b.low, a.high // b.high)
    return min(ends), max(ends)


def _check(a: Whole, b: Whole) -> None:
    if not (_fits(a.low, a.high) and _fits(b.low, b.high)):
        raise TooWide


def _fits(low: int, high: int) -> bool:
    return low >= -WIDEST and high <= WIDEST
