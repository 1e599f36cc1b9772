"""Columns of exact numbers: quotients of whole numbers, times one unit for all points.

The unit takes what all points have in common (thousandths of a second, a price), so that most
columns are plain whole numbers. Whatever 64 bits may not hold raises TooWide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.whole import (
    ONE,
    ZERO,
    Mask,
    Whole,
    chosen,
    larger,
    negated,
    over,
    plus,
    single,
    times,
)
from ddcalc.expression import Number, Operator

State = NDArray[np.integer[Any]] | int
"""What is wrong with a point; 0: nothing."""
NOTHING: Final = 1  # its equation has no solution, which is an answer
UNDEFINED: Final = 2  # it divides by zero
UNSURE: Final = 4  # it is to be worked out by itself


@dataclass(frozen=True, slots=True)
class Exact:
    """``unit · top/bottom`` at every point; *bottom* and *unit* are positive."""

    top: Whole
    bottom: Whole
    unit: Fraction
    state: State = 0

    @property
    def is_single(self) -> bool:
        """Whether it is one number for all points."""
        return self.top.is_single and self.bottom.is_single

    @property
    def is_whole(self) -> bool:
        """Whether the unit alone has a denominator."""
        return self.bottom.is_single


_UNIT: Final = Fraction(1)


def constant(value: Number) -> Exact:
    """One number for all points."""
    if value == 0:
        return Exact(ZERO, ONE, _UNIT)
    return Exact(single(1 if value > 0 else -1), ONE, abs(Fraction(value)))


def of_whole(top: Whole, state: State = 0) -> Exact:
    """A column of whole numbers."""
    return Exact(top, ONE, _UNIT, state)


def nothing() -> Exact:
    """No value at any point."""
    return Exact(ZERO, ONE, _UNIT, NOTHING)


def added(a: Exact, b: Exact) -> Exact:
    """The sums."""
    unit, left, right, bottom = _alike(a, b)
    return Exact(plus(left, right), bottom, unit, used(a.state) | used(b.state))


def opposite(a: Exact) -> Exact:
    """The opposites."""
    return replace(a, top=negated(a.top), state=used(a.state))


def multiplied(a: Exact, b: Exact) -> Exact:
    """The products."""
    bottom = times(a.bottom, b.bottom)
    state = used(a.state) | used(b.state)
    return Exact(times(a.top, b.top), bottom, a.unit * b.unit, state)


def divided(a: Exact, b: Exact) -> Exact:
    """The quotients; where *b* is zero they are undefined."""
    sign, size, state = _signed(b.top)
    top = times(times(a.top, b.bottom), sign)
    state = state | used(a.state) | used(b.state)
    return Exact(top, times(a.bottom, size), a.unit / b.unit, state)


def _signed(divisor: Whole) -> tuple[Whole, Whole, State]:
    """The signs and sizes of *divisor*, 1 in place of 0, and where that is."""
    if divisor.low <= 0:
        divisor = divisor.tight()
    if divisor.low > 0:
        return ONE, divisor, 0
    if isinstance(divisor.values, int):
        return single(-1), single(-divisor.values or 1), 0 if divisor.values else UNDEFINED
    zero = divisor.values == 0
    sign = np.where(divisor.values < 0, -1, 1)
    size = np.where(zero, 1, np.abs(divisor.values))
    state = np.where(zero, UNDEFINED, 0).astype(np.uint8)
    return Whole(sign, -1, 1), Whole(size, 1, max(-divisor.low, divisor.high, 1)), state


def floored(a: Exact) -> Exact:
    """The largest whole numbers that are not larger."""
    top, bottom = _quotient(a)
    return of_whole(over(top, bottom), used(a.state))


def ceiled(a: Exact) -> Exact:
    """The smallest whole numbers that are not smaller."""
    top, bottom = _quotient(a)
    return of_whole(negated(over(negated(top), bottom)), used(a.state))


def _quotient(a: Exact) -> tuple[Whole, Whole]:
    """*a* as whole numbers over positive whole numbers."""
    top = times(a.top, single(a.unit.numerator))
    return top, times(a.bottom, single(a.unit.denominator))


def largest(a: Exact, b: Exact) -> Exact:
    """The larger ones."""
    unit, left, right, bottom = _alike(a, b)
    return Exact(larger(left, right), bottom, unit, used(a.state) | used(b.state))


def selected(mask: Mask, a: Exact, b: Exact) -> Exact:
    """*a* where *mask* holds, else *b*, whatever is wrong with the other one."""
    unit, left, right = _in_one_unit(a, b)
    bottom = chosen(mask, a.bottom, b.bottom)
    return Exact(chosen(mask, left, right), bottom, unit, state_of(mask, a.state, b.state))


def holds(op: Operator, a: Exact, b: Exact) -> Mask:
    """Where *a* compares to *b* as *op* says."""
    _, left, right, _ = _alike(a, b)
    x, y = left.values, right.values
    match op:
        case "<":
            return x < y
        case "<=":
            return x <= y
        case ">":
            return x > y
        case ">=":
            return x >= y
        case "==":
            return x == y


def used(state: State) -> State:
    """The state of what is worked out of a point: nothing comes of nothing, or it is unclear."""
    if isinstance(state, int):
        return UNSURE if state & NOTHING else state
    if not (state & NOTHING).any():
        return state
    return np.where(state & NOTHING, UNSURE, state).astype(np.uint8)


def state_of(mask: Mask, a: State, b: State) -> State:
    """The state *a* where *mask* holds, else *b*."""
    if isinstance(mask, bool):
        return a if mask else b
    if isinstance(a, int) and isinstance(b, int) and a == b:
        return a
    return np.where(mask, a, b).astype(np.uint8)


def _in_one_unit(a: Exact, b: Exact) -> tuple[Fraction, Whole, Whole]:
    """A unit of which both are multiples, and their tops in it."""
    if a.unit == b.unit:
        return a.unit, a.top, b.top
    n = a.unit.numerator * b.unit.denominator
    m = b.unit.numerator * a.unit.denominator
    common = gcd(n, m)
    unit = Fraction(common, a.unit.denominator * b.unit.denominator)
    return unit, times(a.top, single(n // common)), times(b.top, single(m // common))


def _alike(a: Exact, b: Exact) -> tuple[Fraction, Whole, Whole, Whole]:
    """A unit, both tops in it over one bottom, and that bottom."""
    unit, left, right = _in_one_unit(a, b)
    if a.bottom is b.bottom:
        return unit, left, right, a.bottom
    bottom = times(a.bottom, b.bottom)
    return unit, times(left, b.bottom), times(right, a.bottom), bottom
