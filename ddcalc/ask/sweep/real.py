"""Columns of floats that know how far off they may be: for what is too wide or irrational.

Bounds are absolute and include the rounding of every operation. A point where a decision lies
within them is marked unsure, to be worked out exactly by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.exact import UNSURE, Exact, State, of_whole, state_of, used
from ddcalc.ask.sweep.whole import Mask, array
from ddcalc.expression import Number, Operator

Floats = NDArray[np.float64]

ROUNDING: Final = 2.0**-51  # of one operation, relative: four times what it is
READING: Final = 2.0**-49  # of an exact column that becomes floats: five operations
FUNCTION: Final = 2.0**-48  # of NumPy's exponential and logarithm: their tests allow 4 units
ACCURATE: Final = 1e-13  # the error, relative, up to which a value is told
LARGEST: Final = 2.0**53  # whole numbers up to which floats have them all
TINY: Final = 1e-290  # below this floats have fewer digits
STEEPEST: Final = 650.0  # the exponent up to which a power of e is well within floats
NORMAL: Final = 2.3e-308  # the smallest float with all its digits


@dataclass(frozen=True, slots=True)
class Real:
    """A float at every point, and how far it may be from the true value."""

    values: Floats
    error: Floats
    state: State = 0


def of_exact(a: Exact) -> Real:
    """An exact column as floats."""
    values = floats(a)
    lost = NORMAL if a.unit < TINY else 0.0
    return Real(values, np.abs(values) * READING + lost, a.state)


def floats(a: Exact) -> Floats:
    """The values of an exact column: the nearest floats where whole numbers are not too large for
    that, else off by ``READING`` at most."""
    times, over = a.unit.numerator, a.unit.denominator
    top, bottom = a.top.tight(), a.bottom.tight()
    if max(-top.low, top.high, 1) * times < LARGEST and bottom.high * over < LARGEST:
        return np.asarray(np.true_divide(top.values * times, bottom.values * over))
    if top.is_single and bottom.is_single:
        return np.asarray(nearest(a.unit * top.low / bottom.low))
    return np.asarray(_wide(top.values) / _wide(bottom.values) * nearest(a.unit))


def _wide(values: int | NDArray[np.int64]) -> Floats | np.float64:
    return nearest(values) if isinstance(values, int) else values.astype(np.float64)


def nearest(value: Number) -> np.float64:
    """The float nearest to *value*."""
    try:
        return np.float64(value.numerator / value.denominator)
    except OverflowError:
        return np.float64(np.inf if value > 0 else -np.inf)


def added(a: Real, b: Real) -> Real:
    """The sums."""
    values = a.values + b.values
    return _rounded(values, a.error + b.error, a, b)


def opposite(a: Real) -> Real:
    """The opposites."""
    return Real(-a.values, a.error, used(a.state))


def multiplied(a: Real, b: Real) -> Real:
    """The products."""
    values = a.values * b.values
    error = np.abs(a.values) * b.error + np.abs(b.values) * a.error + a.error * b.error
    return _rounded(values, error, a, b)


def divided(a: Real, b: Real) -> Real:
    """The quotients; unsure where the divisor may be zero."""
    room = np.abs(b.values) - b.error
    unsure = ~(room > 0)
    room = np.where(unsure, 1.0, room)
    values = a.values / np.where(unsure, 1.0, b.values)
    quotients = _rounded(values, (a.error + np.abs(values) * b.error) / room, a, b)
    return _marked(quotients, unsure)


def rounded_down(a: Real) -> Exact:
    """The largest whole numbers that are not larger; unsure near whole numbers and beyond 2^53."""
    low, high = np.floor(a.values - a.error), np.floor(a.values + a.error)
    sure = (low == high) & (np.abs(low) < LARGEST)
    values = np.where(sure, low, 0.0).astype(np.int64)
    return of_whole(array(values), used(a.state) | _unsure(~sure))


def largest(a: Real, b: Real) -> Real:
    """The larger ones."""
    error = np.maximum(a.error, b.error)
    return Real(np.maximum(a.values, b.values), error, used(a.state) | used(b.state))


def selected(mask: Mask, a: Real, b: Real) -> Real:
    """*a* where *mask* holds, else *b*."""
    values = np.where(mask, a.values, b.values)
    return Real(values, np.where(mask, a.error, b.error), state_of(mask, a.state, b.state))


def holds(op: Operator, a: Real, b: Real) -> tuple[Mask, State]:
    """Where *a* compares to *b* as *op* says, and where that is unsure."""
    gap = a.values - b.values
    unsure = ~(np.abs(gap) > (a.error + b.error) * 2)
    if op == "==":
        return np.zeros_like(gap, dtype=bool), _unsure(unsure)
    return (gap < 0) if op in ("<", "<=") else (gap > 0), _unsure(unsure)


def root(a: Real) -> Real:
    """The square roots; unsure where there may be none."""
    unsure = ~(a.values > a.error)
    values = np.sqrt(np.where(unsure, 1.0, a.values))
    return _marked(_rounded(values, a.error / values, a, a), unsure)


def exponential(a: Real) -> Real:
    """The powers of e; unsure beyond what floats hold."""
    unsure = ~((np.abs(a.values) < STEEPEST) & (a.error < 0.5))
    values = np.exp(np.where(unsure, 0.0, a.values))
    error = values * (a.error * 2 + FUNCTION)
    return _marked(Real(values, error, used(a.state)), unsure)


def logarithm(a: Real) -> Real:
    """The natural logarithms; unsure where there may be none."""
    unsure = ~(a.values > a.error * 2)
    values = np.log(np.where(unsure, 1.0, a.values))
    error = a.error / np.where(unsure, 1.0, a.values) * 2 + np.abs(values) * FUNCTION
    return _marked(Real(values, error, used(a.state)), unsure)


def settled(a: Real) -> Real:
    """*a* with every value marked unsure that is not accurate enough to be told."""
    size = np.abs(a.values)
    exact_zero = (a.values == 0) & (a.error == 0)
    sure = np.isfinite(a.values) & (a.error <= size * ACCURATE) & (size > TINY)
    return _marked(a, ~(sure | exact_zero))


def _rounded(values: Floats, error: Floats, a: Real, b: Real) -> Real:
    """*values* whose last operation was rounded as well."""
    slack = 1 + 2 * ROUNDING  # bounds are rounded, too
    error = error * slack + np.abs(values) * ROUNDING + NORMAL
    return Real(values, error, used(a.state) | used(b.state))


def _marked(a: Real, unsure: NDArray[np.bool_]) -> Real:
    return Real(a.values, a.error, a.state | _unsure(unsure))


def _unsure(mask: NDArray[np.bool_]) -> State:
    return np.where(mask, UNSURE, 0).astype(np.uint8) if mask.any() else 0
