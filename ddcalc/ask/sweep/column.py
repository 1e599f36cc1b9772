"""Arithmetic on columns: exact as long as 64 bits hold it, in bounded floats beyond."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from ddcalc.ask.sweep import exact, real
from ddcalc.ask.sweep.exact import UNSURE, Exact, State, constant, of_whole, used
from ddcalc.ask.sweep.real import Real
from ddcalc.ask.sweep.whole import Array, Mask, TooWide, array, single
from ddcalc.expression import Number, Operator

Column = Exact | Real

STEEPEST = 64  # the exponent up to which a power is multiplied out


def _either(
    of_exacts: Callable[[Exact, Exact], Exact], of_reals: Callable[[Real, Real], Real]
) -> Callable[[Column, Column], Column]:
    """An operation on two columns, exact if it can be."""

    def operation(a: Column, b: Column) -> Column:
        if isinstance(a, Exact) and isinstance(b, Exact):
            try:
                return of_exacts(a, b)
            except TooWide:
                pass
        return of_reals(as_real(a), as_real(b))

    return operation


plus = _either(exact.added, real.added)
times = _either(exact.multiplied, real.multiplied)
over = _either(exact.divided, real.divided)
larger = _either(exact.largest, real.largest)


def as_real(a: Column) -> Real:
    """*a* in floats."""
    return real.of_exact(a) if isinstance(a, Exact) else a


def minus(a: Column) -> Column:
    """The opposites."""
    return exact.opposite(a) if isinstance(a, Exact) else real.opposite(a)


def smaller(a: Column, b: Column) -> Column:
    """The smaller ones."""
    return minus(larger(minus(a), minus(b)))


def floor(a: Column) -> Column:
    """The largest whole numbers that are not larger."""
    if isinstance(a, Exact):
        try:
            return exact.floored(a)
        except TooWide:
            pass
    return real.rounded_down(as_real(a))


def ceiling(a: Column) -> Column:
    """The smallest whole numbers that are not smaller."""
    if isinstance(a, Exact):
        try:
            return exact.ceiled(a)
        except TooWide:
            pass
    return minus(real.rounded_down(real.opposite(as_real(a))))


def select(mask: Mask, a: Column, b: Column) -> Column:
    """*a* where *mask* holds, else *b*; what is wrong with the other one does not matter."""
    if isinstance(mask, bool):
        return a if mask else b
    if isinstance(a, Exact) and isinstance(b, Exact):
        try:
            return exact.selected(mask, a, b)
        except TooWide:
            pass
    return real.selected(mask, as_real(a), as_real(b))


def holds(op: Operator, a: Column, b: Column) -> tuple[Mask, State]:
    """Where *a* compares to *b* as *op* says, and what is wrong with that."""
    state = used(a.state) | used(b.state)
    if isinstance(a, Exact) and isinstance(b, Exact):
        try:
            return exact.holds(op, a, b), state
        except TooWide:
            pass
    mask, unsure = real.holds(op, as_real(a), as_real(b))
    return mask, state | unsure


def position_of_largest(columns: Sequence[Column]) -> Column:
    """The number, from 1, of the first of the largest."""
    best, at = columns[0], constant(1)
    state: State = used(best.state)
    for i, column in enumerate(columns[1:], 2):
        mask, wrong = holds(">", column, best)
        state = state | wrong
        at = exact.selected(mask, constant(i), at)
        best = select(mask, column, best)
    return Exact(at.top, at.bottom, at.unit, state)


def power(base: Column, exponent: Column, known: Number | None) -> Column:
    """The powers; *known* is the exponent where it is one number."""
    if known is not None and known.denominator == 1 and abs(known.numerator) <= STEEPEST:
        one: Column = constant(1)
        whole = reduce(times, [base] * abs(known.numerator), one)
        return whole if known >= 0 else over(constant(1), whole)
    return exponential(times(logarithm(base), exponent))


def root(a: Column) -> Column:
    """The square roots."""
    return real.root(as_real(a))


def exponential(a: Column) -> Column:
    """The powers of e."""
    return real.exponential(as_real(a))


def logarithm(a: Column) -> Column:
    """The natural logarithms."""
    return real.logarithm(as_real(a))


def floor_root(a: Column) -> Column:
    """The largest whole numbers that are not larger than the square root."""
    square = floor(a)
    if not isinstance(square, Exact) or square.top.low < 0 or square.top.high >= 2**52:
        return unsure()
    values = np.asarray(square.top.values)
    roots = np.sqrt(values).astype(np.int64)  # floats have all these squares
    return of_whole(array(roots), square.state)


def ceiling_root(a: Column) -> Column:
    """The smallest whole numbers that are not smaller than the square root."""
    below = floor_root(a)
    matches, state = holds("==", times(below, below), a)
    found = select(matches, below, plus(below, constant(1)))
    return (
        Exact(found.top, found.bottom, found.unit, found.state | state)
        if isinstance(found, Exact)
        else unsure()
    )


def floor_log2(a: Column) -> Column:
    """How often 1 can be doubled without exceeding them."""
    return _of_bits(a, floor(a), lambda whole: _bits(whole) - 1)


def ceiling_log2(a: Column) -> Column:
    """How often 1 must be doubled to reach them."""
    return _of_bits(a, ceiling(a), lambda whole: _bits(whole - 1))


def floor_power2(a: Column) -> Column:
    """The largest powers of two that are not larger."""
    return _of_bits(a, floor(a), lambda whole: np.left_shift(1, _bits(whole) - 1))


def _of_bits(a: Column, rounded: Column, function: Callable[[Array], Array]) -> Column:
    """A *function* of the whole numbers to which *a* is *rounded*; unsure below 1."""
    if not isinstance(rounded, Exact) or rounded.top.high >= 2**52:
        return unsure()
    enough, state = holds(">=", a, constant(1))
    whole = np.where(enough, np.asarray(rounded.top.values), 1)
    marks = np.where(enough, 0, UNSURE).astype(np.uint8)
    return of_whole(array(function(whole)), rounded.state | state | marks)


def _bits(whole: Array) -> Array:
    """How many binary digits *whole* numbers below 2^52 have; floats hold all of these."""
    return np.frexp(whole.astype(np.float64))[1].astype(np.int64)


def unsure() -> Column:
    """A column of which every point is to be worked out by itself."""
    return of_whole(single(0), UNSURE)
