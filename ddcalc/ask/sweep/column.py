"""Columns of floats that know what they may lack: how far they may be off, and of which fraction
their true values are whole multiples.

Two true values that differ do so by a multiple of that fraction. So where the error is smaller than
a quarter of it a decision (a floor, a comparison, a divisor that may be zero) is certain for all
points, ties included. Elsewhere points near a decision are marked UNSURE, to be worked out as
fractions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from math import gcd, lcm
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Operator, Rel
from ddcalc.numbers.irrational import ratio

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_] | bool
State = NDArray[np.integer[Any]] | int
"""What is wrong with a point; 0: nothing."""
NOTHING: Final = 1  # its equation has no solution, which is an answer
UNDEFINED: Final = 2  # it divides by zero
UNSURE: Final = 4  # it is to be worked out by itself

ROUNDING: Final = 2.0**-53  # of one operation, relative
FUNCTION: Final = 2.0**-48  # of NumPy's exponential and logarithm: their tests allow 4 units
SLACK: Final = 1.01  # for what is lost in bounds themselves
WHOLE: Final = 2.0**53  # up to which floats have all whole numbers
HUGE: Final = 1e300  # beyond it, and below TINY, floats have fewer digits or none
TINY: Final = 1e-290
LOST: Final = 1e-300  # more than what is lost below the smallest float with all its digits
FINEST: Final = 2**100  # parts of 1 from which on nothing is certain at a tie
ACCURATE: Final = 1e-13  # the error, relative, up to which a value is shown
STEEPEST: Final = 64  # the exponent up to which a power is multiplied out
EXPONENT: Final = 650.0  # up to which a power of e is well within floats
KEPT: Final = 4096  # constants that are kept


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """*values* from *low* to *high*, off by ``relative·|value| + absolute`` at most.

    True values are whole multiples of 1/parts, divided by the numerators of the *divisors*; *parts*
    is 0 where they are irrational or too fine. *number* is the exact value of a constant.
    """

    values: Floats
    low: float
    high: float
    relative: float = 0.0
    absolute: float = 0.0
    parts: int = 1
    divisors: Counter[Column] = field(default_factory=Counter)
    state: State = 0
    number: Number | None = None

    @property
    def size(self) -> float:
        """The largest absolute value that is possible."""
        return max(-self.low, self.high)

    @property
    def is_exact(self) -> bool:
        return self.relative == self.absolute == 0

    @property
    def error(self) -> float:
        """How far any value may be off."""
        return (self.relative * self.size + self.absolute) * SLACK

    def errors(self) -> Floats:
        """How far each value may be off."""
        return np.asarray((self.relative * np.abs(self.values) + self.absolute) * SLACK)

    def numerator(self) -> float:
        """The largest numerator that is possible."""
        return (self.size * SLACK + self.error) * fineness(self.parts, self.divisors)

    def is_certain(self) -> bool:
        """Whether floats tell for certain which true values are whole."""
        return self.error * 4 * fineness(self.parts, self.divisors) < 1


def fineness(parts: int, divisors: Counter[Column]) -> float:
    """The common denominator of true values, at most."""
    product = float(parts) if parts else np.inf
    for divisor, times in divisors.items():
        product *= divisor.numerator() ** times
    return product


def nearest(value: Number) -> np.float64:
    """The float nearest to *value*."""
    try:
        return np.float64(value.numerator / value.denominator)
    except OverflowError:
        return np.float64(np.inf if value > 0 else -np.inf)


@lru_cache(maxsize=KEPT)
def constant(value: Number) -> Column:
    """One number for all points; of equal numbers the same column."""
    number = nearest(value)
    if value and not TINY < abs(number) < HUGE:
        return replace(unsure(), number=value)
    whole = value.denominator == 1 and abs(number) < WHOLE
    parts = value.denominator if value.denominator < FINEST else 0
    relative = 0.0 if whole else ROUNDING
    at = float(number)
    return Column(np.asarray(number), at, at, relative, parts=parts, number=value)


def of_numbers(tops: NDArray[np.int64], parts: int) -> Column:
    """The quotients of whole numbers below 2^53 by *parts*, which is one of them, too."""
    values = tops / parts
    relative = ROUNDING if parts > 1 else 0.0
    return Column(values, float(values.min()), float(values.max()), relative, parts=parts)


def of_floats(numbers: Sequence[Number]) -> Column:
    """The floats nearest to *numbers*."""
    values = np.array([*map(nearest, numbers)])
    if not np.isfinite(values).all() or np.abs(values).max() > HUGE:
        return unsure()
    return Column(values, float(values.min()), float(values.max()), ROUNDING, LOST, 0)


def nothing() -> Column:
    """No value at any point."""
    return Column(np.asarray(0.0), 0.0, 0.0, state=NOTHING)


def unsure() -> Column:
    """A column of which every point is to be worked out by itself."""
    return Column(np.asarray(0.0), 0.0, 0.0, state=UNSURE)


def plus(left: Column, right: Column) -> Column:
    """The sums."""
    if left.number is not None and right.number is not None:
        return constant(left.number + right.number)
    relative, absolute = max(left.relative, right.relative), left.absolute + right.absolute
    if relative and not _of_one_sign(left, right):
        left, right = tightened(left), tightened(right)
    if relative and not _of_one_sign(left, right):
        absolute += left.relative * left.size + right.relative * right.size  # digits may cancel
        relative = 0.0
    return _rounded(
        left,
        right,
        left.values + right.values,
        (left.low + right.low, left.high + right.high),
        (relative, absolute),
        lcm(left.parts, right.parts),
        _united(left.divisors, right.divisors),
    )


def _united(a: Counter[Column], b: Counter[Column]) -> Counter[Column]:
    """Each divisor as often as in the one that has it most often."""
    return a | b if a and b else a or b


def _multiplied(a: Counter[Column], b: Counter[Column]) -> Counter[Column]:
    """All divisors of both."""
    return a + b if a and b else a or b


def _of_one_sign(a: Column, b: Column) -> bool:
    return min(a.low, b.low) >= 0 or max(a.high, b.high) <= 0


def tightened(a: Column) -> Column:
    """*a* with its closest bounds, where it might have numbers of both signs."""
    if not a.low < 0 < a.high:
        return a
    return replace(a, low=float(a.values.min()), high=float(a.values.max()))


def minus(x: Column) -> Column:
    """The opposites."""
    number = None if x.number is None else -x.number
    state = used(x.state)
    return replace(x, values=-x.values, low=-x.high, high=-x.low, state=state, number=number)


def times(left: Column, right: Column) -> Column:
    """The products."""
    if left.number is not None and right.number is not None:
        return constant(left.number * right.number)
    if left.number is not None:
        left, right = right, left
    if right.number == 1 and left.is_exact and left.size < WHOLE:
        return replace(left, state=used(left.state))
    parts = left.parts * right.parts
    if right.number and parts:  # which cancels a part of the other's denominator
        parts //= gcd(left.parts, right.number.numerator)
    ends = [x * y for x in (left.low, left.high) for y in (right.low, right.high)]
    lost = 0.0 if left.is_exact and right.is_exact else LOST
    absolute = (
        left.size * right.absolute + right.size * left.absolute + left.absolute * right.absolute
    ) * SLACK
    return _rounded(
        left,
        right,
        left.values if right.number == 1 else left.values * right.values,
        (min(ends), max(ends)),
        (left.relative + right.relative, absolute + lost),
        parts,
        _multiplied(left.divisors, right.divisors),
    )


def over(top: Column, bottom: Column) -> Column:
    """The quotients; undefined where *bottom* is zero."""
    if top.number is not None and bottom.number:
        return constant(ratio(top.number, bottom.number))
    bottom, zero = _without_zeros(bottom)
    least = min(abs(bottom.low), abs(bottom.high))
    if bottom.low < 0 < bottom.high:
        least = float(np.abs(bottom.values).min())
    room = least - bottom.absolute * SLACK
    if not room > 0:
        return unsure()
    size = top.size / room
    low = 0.0 if min(top.low, bottom.low) >= 0 else -size
    absolute = (top.absolute + size * bottom.absolute) / room * SLACK
    parts = top.parts // gcd(top.parts, bottom.parts) if top.parts and bottom.parts else 0
    divisors = top.divisors - bottom.divisors
    if bottom.number is None:
        divisors = _multiplied(divisors, Counter([bottom]))
    else:
        parts *= abs(bottom.number.numerator)
    made = _rounded(
        top,
        bottom,
        top.values / bottom.values,
        (low, size),
        (top.relative + bottom.relative, absolute + LOST),
        parts,
        divisors,
        is_quotient=True,
    )
    return replace(made, state=made.state | zero)


def _without_zeros(b: Column) -> tuple[Column, State]:
    """*b* with 1 in place of what is zero, or may be, and what is wrong there."""
    if b.low > b.error or b.high < -b.error:
        return b, 0
    certain = b.is_exact or b.is_certain()
    zero = np.abs(b.values) <= (b.error if certain else b.errors())
    values = np.where(zero, 1.0, b.values)
    made = replace(b, values=values, low=float(values.min()), high=float(values.max()), number=None)
    return made, _marked(zero, UNDEFINED if certain else UNSURE)


def _rounded(
    a: Column,
    b: Column,
    values: Floats,
    bounds: tuple[float, float],
    errors: tuple[float, float],
    parts: int,
    divisors: Counter[Column],
    *,
    is_quotient: bool = False,
) -> Column:
    """What an operation on *a* and *b* gives, with the rounding of its result."""
    low, high = bounds
    size = max(-low, high)
    if not size < HUGE:
        return replace(unsure(), state=used(a.state) | used(b.state) | UNSURE)
    relative, absolute = errors
    if is_quotient or relative or absolute or size >= WHOLE:
        relative += ROUNDING
    parts = parts if parts < FINEST else 0
    state = used(a.state) | used(b.state)
    return Column(np.asarray(values), low, high, relative, absolute, parts, divisors, state)


def larger(a: Column, b: Column) -> Column:
    """The larger ones."""
    if a.number is not None and b.number is not None:
        return constant(max(a.number, b.number))
    return Column(
        np.maximum(a.values, b.values),
        max(a.low, b.low),
        max(a.high, b.high),
        max(a.relative, b.relative),
        max(a.absolute, b.absolute),
        lcm(a.parts, b.parts),
        _united(a.divisors, b.divisors),
        used(a.state) | used(b.state),
    )


def select(mask: Mask, a: Column, b: Column) -> Column:
    """*a* where *mask* holds, else *b*; what is wrong with the other one does not matter."""
    if not isinstance(mask, np.ndarray) or mask.ndim == 0:
        return a if mask else b
    values, state = _chosen(mask, a, b)
    return Column(
        values,
        min(a.low, b.low),
        max(a.high, b.high),
        max(a.relative, b.relative),
        max(a.absolute, b.absolute),
        lcm(a.parts, b.parts),
        _united(a.divisors, b.divisors),
        state,
    )


def _chosen(mask: NDArray[np.bool_], a: Column, b: Column) -> tuple[Floats, State]:
    """The values and states of *a* where *mask* holds, else those of *b*."""
    for column, is_alone in ((b, not mask.any()), (a, mask.all())):
        if is_alone:
            return column.values, column.state
    values = np.where(mask, a.values, b.values)
    if isinstance(a.state, int) and isinstance(b.state, int) and a.state == b.state:
        return values, a.state
    return values, np.where(mask, np.uint8(a.state), np.uint8(b.state))


_COMPARED: Final[Mapping[Operator, Callable[[Floats, Floats], Mask]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
}


def holds(op: Operator, a: Column, b: Column) -> tuple[Mask, State]:
    """Where *a* compares to *b* as *op* says, and what is wrong with that."""
    state = used(a.state) | used(b.state)
    if a.is_exact and b.is_exact:
        return _COMPARED[op](a.values, b.values), state
    gap = a.values - b.values
    error = a.error + b.error
    if error * 4 * fineness(lcm(a.parts, b.parts), _united(a.divisors, b.divisors)) >= 1:
        near = ~(np.abs(gap) > a.errors() + b.errors())
        state = state | _marked(near, UNSURE)
        error = 0.0
    match op:
        case "<":
            return gap < -error, state
        case "<=":
            return gap <= error, state
        case ">":
            return gap > error, state
        case ">=":
            return gap >= -error, state
        case "==":
            return np.abs(gap) <= error, state


def floor(a: Column) -> Column:
    """The largest whole numbers that are not larger."""
    state = used(a.state)
    if a.is_exact:
        return replace(a, state=state)
    error = a.error
    if a.is_certain():
        moved = np.asarray(a.values + error)
        values = np.floor(moved, out=moved)
    else:
        values, errors = np.floor(a.values), a.errors() * 2  # as sums with it are rounded, too
        sure = (np.floor(a.values - errors) == values) & (np.floor(a.values + errors) == values)
        state = state | _marked(~sure, UNSURE)
    if a.size >= WHOLE:
        large = np.abs(values) >= WHOLE
        values, state = np.where(large, 0.0, values), state | _marked(large, UNSURE)
    low, high = (float(np.floor(end)) for end in (a.low - error, a.high + error))
    low, high = max(low, -WHOLE), min(high, WHOLE)
    return Column(values, low, high, state=state)


def ceiling(a: Column) -> Column:
    """The smallest whole numbers that are not smaller."""
    if a.is_exact or not a.is_certain() or a.size >= WHOLE:
        return minus(floor(minus(a)))
    moved = np.asarray(a.values - a.error)
    low, high = float(np.ceil(a.low - a.error)), float(np.ceil(a.high + a.error))
    return Column(np.ceil(moved, out=moved), low, high, state=used(a.state))


def position_of_largest(columns: Sequence[Column]) -> Column:
    """The number, from 1, of the first of the largest."""
    best, at = columns[0], constant(1)
    state: State = used(best.state)
    for i, column in enumerate(columns[1:], 2):
        mask, wrong = holds(">", column, best)
        state = state | wrong
        at = select(mask, constant(i), at)
        best = select(mask, column, best)
    return replace(at, state=state)


def power(base: Column, exponent: Column) -> Column:
    """The powers."""
    known = exponent.number
    if known is not None and known.denominator == 1 and abs(known.numerator) <= STEEPEST:
        product = reduce(times, [base] * abs(known.numerator), constant(1))
        return product if known >= 0 else over(constant(1), product)
    return exponential(times(logarithm(base), exponent))


def root(a: Column) -> Column:
    """The square roots; unsure where there may be none."""
    positive = a.values > a.errors()
    values = np.sqrt(np.where(positive, a.values, 1.0))
    absolute = a.absolute / float(values.min())
    return _irrational(a, values, a.relative + ROUNDING, absolute, ~positive)


def exponential(a: Column) -> Column:
    """The powers of e; unsure beyond what floats hold."""
    fits = (np.abs(a.values) < EXPONENT) & (a.errors() < 0.25)
    values = np.exp(np.where(fits, a.values, 0.0))
    error = a.relative * min(a.size, EXPONENT) + a.absolute
    return _irrational(a, values, 2 * min(error, 0.5) + FUNCTION, LOST, ~fits)


def logarithm(a: Column) -> Column:
    """The natural logarithms; unsure where there may be none."""
    positive = a.values > a.errors() * 2
    inside = np.where(positive, a.values, 1.0)
    absolute = 2 * (a.relative + a.absolute / float(inside.min()))
    return _irrational(a, np.log(inside), FUNCTION, absolute, ~positive)


def _irrational(
    a: Column, values: Floats, relative: float, absolute: float, wrong: NDArray[np.bool_]
) -> Column:
    """A function of *a*, unsure where something is *wrong*."""
    low, high = float(values.min()), float(values.max())
    state = used(a.state) | _marked(wrong, UNSURE)
    return Column(values, low, high, relative, absolute * SLACK, 0, state=state)


def _root(whole: Floats) -> Floats:
    return np.floor(np.sqrt(whole))


def _doublings(whole: Floats) -> Floats:
    """How often 1 can be doubled without exceeding them."""
    return np.frexp(whole)[1] - 1.0


def ceiling_root(a: Column) -> Column:
    """The smallest whole numbers that are not smaller than the square root."""
    below = _of_whole(floor(a), 0, _root)
    matches, state = holds("==", times(below, below), a)
    roots = select(matches, below, plus(below, constant(1)))
    return replace(roots, state=roots.state | state)


def ceiling_log2(a: Column) -> Column:
    """How often 1 must be doubled to reach them."""
    doublings = _of_whole(ceiling(a), 1, lambda whole: np.frexp(whole - 1)[1] + 0.0)
    enough, state = holds(">=", a, constant(1))
    wrong = state | _marked(~np.asarray(enough), UNSURE)
    return replace(doublings, state=doublings.state | wrong)


def _of_whole(whole: Column, least: int, function: Callable[[Floats], Floats]) -> Column:
    """A *function* of whole numbers; unsure below the *least*, and where floats lack some."""
    fits = (whole.values >= least) & (whole.values < WHOLE / 2)
    values = function(np.where(fits, whole.values, 1.0))
    low, high = float(values.min()), float(values.max())
    return Column(values, low, high, state=whole.state | _marked(~fits, UNSURE))


def used(state: State) -> State:
    """The state of what is worked out from a point: from nothing, it is to be looked at."""
    if isinstance(state, int):
        return UNSURE if state & NOTHING else state
    if not (state & NOTHING).any():
        return state
    return np.where(state & NOTHING, np.uint8(UNSURE), state)


def _marked(mask: NDArray[np.bool_], state: int) -> State:
    return np.where(mask, np.uint8(state), np.uint8(0)) if mask.any() else 0


def settled(a: Column) -> tuple[Column, bool]:
    """*a* as it is shown, and whether equal floats stand for equal values and no others.

    Where decimals are known the floats are the nearest ones; a value that is not accurate enough is
    marked unsure.
    """
    if a.is_exact or a.number is not None:
        return a, True
    if a.parts and not a.divisors and a.error * a.parts < 0.25 and a.size * a.parts < WHOLE / 2:
        tops = np.asarray(a.values * a.parts)
        np.rint(tops, out=tops)
        return replace(a, values=np.divide(tops, a.parts, out=tops)), True
    if a.absolute <= a.low * ACCURATE / 2 and a.relative <= ACCURATE / 2 and a.low > TINY:
        return a, False
    sizes = np.abs(a.values)
    values, wrong = a.values, ~((a.errors() <= sizes * ACCURATE) & (sizes > TINY))
    if a.is_certain():
        zero = sizes <= a.error
        values, wrong = np.where(zero, 0.0, values), wrong & ~zero
    return replace(a, values=values, state=a.state | _marked(wrong, UNSURE)), False


# Formulas

Known = Mapping[str, Column]


class _Pointwise(Domain[Column]):
    """The values of formulas at all points.

    What happens in a branch that a point does not take has no effect on it. What has no rule here
    is worked out point by point.
    """

    functions: Mapping[str, Callable[..., Column]] = {
        "floor": floor,
        "ceiling": ceiling,
        "max": lambda *columns: reduce(larger, columns),
        "argmax": lambda *columns: position_of_largest(columns),
        "sqrt": root,
        "exp": exponential,
        "log": logarithm,
        "floor_sqrt": lambda x: _of_whole(floor(x), 0, _root),
        "ceiling_sqrt": ceiling_root,
        "floor_log2": lambda x: _of_whole(floor(x), 1, _doublings),
        "ceiling_log2": ceiling_log2,
        "floor_power2": lambda x: _of_whole(floor(x), 1, lambda k: np.exp2(_doublings(k))),
    }

    def __init__(self, known: Known) -> None:
        self.known = known

    def number(self, expr: Num) -> Column:
        return constant(expr.value)

    def letter(self, name: str) -> Column:
        return self.known[name]

    plus = staticmethod(plus)
    times = staticmethod(times)
    opposite = staticmethod(minus)
    quotient = staticmethod(over)
    power = staticmethod(power)
    nothing = staticmethod(nothing)

    def unruled(self, expr: Fun) -> Column:
        return unsure()

    def cases(self, expr: Cases) -> Column:
        column = self.of(expr.otherwise)
        for case in expr.cases[::-1]:
            mask, state = self.satisfied(case.test)
            column = select(mask, self.of(case.value), column)
            if not isinstance(state, int) or state:
                column = replace(column, state=column.state | state)
        return column

    def satisfied(self, relation: Rel) -> tuple[Mask, State]:
        return holds(relation.op, self.of(relation.left), self.of(relation.right))


def worked_out(expr: Expr, known: Known) -> Column:
    """The values of *expr* at all points."""
    return _Pointwise(known).of(expr)


def satisfied(relation: Rel, known: Known) -> tuple[Mask, State]:
    """Where *relation* holds, and what is wrong with that."""
    return _Pointwise(known).satisfied(relation)
