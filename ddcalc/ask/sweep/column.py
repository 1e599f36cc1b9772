"""Columns: what a formula is worth at many points at once, through NumPy.

A column holds quotients of whole numbers for as long as floats hold both exactly: then floors,
comparisons and ties are exact. Beyond 2^53, and for roots and the like, it holds floats. Where they
cannot decide, being nearer than 1e-9, a point is *unsure*: it is to be worked out as fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from math import inf, lcm
from operator import mul
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.formula.domain import Domain
from ddcalc.formula.evaluation import COMPARE
from ddcalc.formula.expression import Cases, Expr, Num, Number, Operator, Rel
from ddcalc.numbers.irrational import pi

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_] | bool

NEAR: Final = 1e-9  # relative: what is nearer is decided by fractions
CANCELLED: Final = 1e-3  # of the larger term: a smaller sum has lost digits
WHOLE: Final = 2.0**53  # below it floats have all whole numbers
TINY: Final = 1e-290  # below it they have fewer digits
STEEPEST: Final = 64  # the exponent up to which a power is multiplied out
KEPT: Final = 4096  # constants that are kept


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """*top* over *bottom* at each point, nan where there is no value; arrays broadcast.

    While their bounds *most* and *deep* are below 2^53 both are whole numbers, *bottom* above 0;
    else *top* is a float and *bottom* 1.
    """

    top: Floats
    bottom: Floats | int = 1
    most: float = inf
    deep: float = 1
    unsure: Mask = False

    @property
    def is_exact(self) -> bool:
        """Whether top and bottom are whole numbers."""
        return self.most < WHOLE

    @property
    def is_sharp(self) -> bool:
        """Whether equal floats stand for equal values, and no others."""
        return self.most * self.deep < WHOLE / 2

    def values(self) -> Floats:
        """The floats nearest to the quotients."""
        is_whole = isinstance(self.bottom, int) and self.bottom == 1
        return self.top if is_whole else np.asarray(self.top / self.bottom)

    def __neg__(self) -> Column:
        return replace(self, top=-self.top)

    def __add__(self, other: Column) -> Column:
        unsure = self.unsure | other.unsure
        if pair := _alike(self, other):
            a, b = pair
            return _quotient(a.top + b.top, a.bottom, a.most + b.most, a.deep, unsure)
        x, y = self.values(), other.values()
        lost = np.abs(x + y) < CANCELLED * np.maximum(np.abs(x), np.abs(y))
        return Column(x + y, unsure=unsure | lost)

    def __mul__(self, other: Column) -> Column:
        if self is ONE or other is ONE:
            return other if self is ONE else self
        unsure, deep = self.unsure | other.unsure, self.deep * other.deep
        if self.is_exact and other.is_exact:
            top, bottom = self.top * other.top, _by(self.bottom, other.bottom)
            return _quotient(top, bottom, self.most * other.most, deep, unsure)
        return Column(self.values() * other.values(), unsure=unsure)

    def __truediv__(self, other: Column) -> Column:
        """The quotients; unsure where the *other* is zero."""
        unsure, pair = self.unsure | other.unsure, _alike(self, other)
        x, y = (pair[0].top, pair[1].top) if pair else (self.values(), other.values())
        zero = y == 0
        if np.any(zero):
            unsure, y = unsure | zero, np.where(zero, 1.0, y)
        if not pair:
            return Column(np.asarray(x / y), unsure=unsure)
        if np.any(y < 0):
            x, y = x * np.sign(y), np.abs(y)
        single = y if np.ndim(y) or np.isnan(y) else int(y)
        return _quotient(x, single, pair[0].most, pair[1].most, unsure)

    def __pow__(self, other: Column) -> Column:
        steep = other.values()
        if np.ndim(steep) == 0 and abs(steep) <= STEEPEST and steep == np.rint(steep):
            product = reduce(mul, [self] * abs(int(steep)), ONE)
            return product if steep >= 0 else ONE / product
        return _smooth(np.float_power, self, other)


def of_whole(tops: NDArray[Any], bottom: int = 1) -> Column:
    """Quotients of whole numbers, all below 2^53, by *bottom*."""
    return Column(tops.astype(np.float64), bottom, float(np.abs(tops).max()), bottom)


def of_numbers(values: Sequence[Number]) -> Column:
    """*values*, one a point, or the nearest floats; FloatingPointError where these lack digits."""
    parts = lcm(*(value.denominator for value in values))
    tops = [value.numerator * (parts // value.denominator) for value in values]
    if max(parts, *map(abs, tops)) < WHOLE:
        return of_whole(np.array(tops), parts)
    floats = np.array([nearest(value) for value in values])
    if np.any((np.abs(floats) > 1 / TINY) | ((np.abs(floats) < TINY) & (floats != 0))):
        raise FloatingPointError
    return Column(floats)


@lru_cache(KEPT)
def constant(value: Number) -> Column:
    """One number for all points; FloatingPointError where no float is near it."""
    made = of_numbers([value])
    return replace(made, top=made.top[0])


ONE: Final = constant(1)


def nearest(value: Number) -> float:
    """The float nearest to *value*."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return inf if value > 0 else -inf


def _quotient(top: Floats, bottom: Floats | int, most: float, deep: float, unsure: Mask) -> Column:
    """*top* over *bottom*, below *most* and *deep*, which are looked up where they seem large."""
    if most >= WHOLE:
        most = _largest(top)
    if deep >= WHOLE:
        deep = _largest(bottom)
    if max(most, deep) < WHOLE:
        return Column(top, bottom, most, deep, unsure)
    return Column(np.asarray(top / bottom), unsure=unsure)


def _largest(numbers: Floats | int) -> float:
    if isinstance(numbers, int):
        return float(numbers)
    return float(np.max(np.abs(numbers), initial=0.0, where=~np.isnan(numbers)))


def _alike(a: Column, b: Column) -> tuple[Column, Column] | None:
    """*a* and *b* with one bottom; None where floats do not hold that exactly."""
    if not (a.is_exact and b.is_exact):
        return None
    if a.bottom is b.bottom:
        return a, b
    to_a, to_b, more_a, more_b = b.bottom, a.bottom, b.deep, a.deep
    if isinstance(to_a, int) and isinstance(to_b, int):
        common = lcm(to_a, to_b)
        to_a, to_b = common // to_b, common // to_a
        more_a, more_b = float(to_a), float(to_b)
    bottom, deep = _by(a.bottom, to_a), a.deep * more_a
    left = _quotient(_by(a.top, to_a), bottom, a.most * more_a, deep, a.unsure)
    right = _quotient(_by(b.top, to_b), bottom, b.most * more_b, deep, b.unsure)
    return (left, right) if left.is_exact and right.is_exact else None


def _by(numbers: Any, factor: Floats | int) -> Any:
    return numbers if isinstance(factor, int) and factor == 1 else numbers * factor


def _chosen(pick: Callable[[Floats, Floats], Floats], a: Column, b: Column, unsure: Mask) -> Column:
    """A column of values of *a* and *b*, as *pick* takes them."""
    if pair := _alike(a, b):
        left, right = pair
        most = max(left.most, right.most)
        return Column(pick(left.top, right.top), left.bottom, most, left.deep, unsure)
    return Column(pick(a.values(), b.values()), unsure=unsure)


def larger(a: Column, b: Column) -> Column:
    """The larger ones."""
    return _chosen(np.maximum, a, b, a.unsure | b.unsure)


def select(mask: Mask, a: Column, b: Column) -> Column:
    """*a* where *mask* holds, else *b*; what is unsure of the other one does not matter."""
    if np.ndim(mask) == 0:
        return a if mask else b
    unsure = a.unsure if a.unsure is b.unsure else np.where(mask, a.unsure, b.unsure)
    return _chosen(lambda x, y: np.where(mask, x, y), a, b, unsure)


def holds(op: Operator, a: Column, b: Column) -> tuple[Mask, Mask]:
    """Where *a* compares to *b* as *op* says, and where that is unsure."""
    unsure = a.unsure | b.unsure
    if pair := _alike(a, b):
        return COMPARE[op](pair[0].top, pair[1].top), unsure
    x, y = a.values(), b.values()
    near = np.abs(x - y) <= NEAR * np.maximum(np.abs(x), np.abs(y))
    return COMPARE[op](x, y), unsure | near


def floor(a: Column) -> Column:
    """The largest whole numbers that are not larger."""
    values = a.values()
    if a.is_exact:  # so far below 2^53 no quotient is rounded onto a whole number
        return a if values is a.top else Column(np.floor(values), 1, a.most, 1, a.unsure)
    near = np.abs(values - np.rint(values)) <= NEAR * np.maximum(np.abs(values), 1)
    return _quotient(np.floor(values), 1, inf, 1, a.unsure | near)


def _smooth(function: Callable[..., Floats], *of: Column) -> Column:
    """A *function* that has no whole values; unsure where it may have none, or digits are lost."""
    made = function(*(column.values() for column in of))
    has_none = ~np.isfinite(made)
    lost = has_none | (function in (np.log, np.sin) and np.abs(made) < CANCELLED)
    unsure = reduce(np.logical_or, (column.unsure for column in of), lost)
    return Column(np.where(has_none, 1.0, made), unsure=unsure)


def _doublings(a: Column) -> Column:
    """How often 1 can be doubled without exceeding them."""
    values = a.values()
    parts, doubled = np.frexp(np.where(values > 0, values, 1.0))
    near = not a.is_exact and (np.abs(parts - 0.5) <= NEAR) | (np.abs(parts - 1) <= NEAR)
    return replace(of_whole(doubled - 1), unsure=a.unsure | (values <= 0) | near)


class Pointwise(Domain[Column]):
    """The values of formulas at all points, of letters *known* so; what has no rule here is unsure.

    FloatingPointError where floats do not reach.
    """

    functions: Mapping[str, Callable[..., Any]] = {
        "floor": floor,
        "max": lambda *columns: reduce(larger, columns),
        "exp": lambda x: _smooth(np.exp, x),
        "log": lambda x: _smooth(np.log, x),
        "floor_log2": _doublings,
        "pi": lambda: constant(pi()),
        "sin": lambda x: _smooth(np.sin, x),
    }

    def __init__(self, known: Mapping[str, Column]) -> None:
        self.known = known

    def number(self, expr: Num) -> Column:
        return constant(expr.value)

    def letter(self, name: str) -> Column:
        return self.known[name]

    def nothing(self) -> Column:
        return Column(np.asarray(np.nan), most=0)

    def unruled(self, expr: Expr) -> Column:
        return Column(np.asarray(1.0), unsure=True)

    def cases(self, expr: Cases) -> Column:
        column = self.of(expr.otherwise)
        for case in expr.cases[::-1]:
            mask, unsure = self.satisfied(case.test)
            column = select(mask, self.of(case.value), column)
            column = replace(column, unsure=column.unsure | unsure)
        return column

    def satisfied(self, relation: Rel) -> tuple[Mask, Mask]:
        """Where *relation* holds, and where that is unsure."""
        return holds(relation.op, self.of(relation.left), self.of(relation.right))
