"""Stale gradients on a quadratic: the recursion of part eigenvalue, decided exactly.

In the direction of an eigenvalue h the error obeys e_{t+1} = e_t − h·Σ α_τ·e_{t−τ}, a linear
recursion whose polynomial is z^k − z^{k−1} + h·Σ α_τ·z^{k−1−τ}. It dies out if and only if all
roots are inside the unit circle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm
from typing import TYPE_CHECKING

from ddcalc.formula.algebraic import Root, close_to
from ddcalc.memory import remembered
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import Number, quotient

if TYPE_CHECKING:
    from ddcalc.formula.zeros import Polynomial


Coefficients = list[Fraction]


def is_stable(coefficients: Sequence[Number]) -> bool:
    """Whether every root is inside the unit circle.

    >>> is_stable([1, Fraction(-1, 2)]), is_stable([1, -1]), is_stable([1, 0, 2])
    (True, False, False)
    """
    left = _primitive(coefficients)
    while len(left) > 1:
        first, last = left[0], left[-1]
        if abs(last) >= abs(first):
            return False
        pairs = zip(left, reversed(left), strict=True)
        left = _primitive([first * a - last * b for a, b in pairs][:-1])
    return True


def scaled(coefficients: Sequence[Number], radius: Number) -> Coefficients:
    """The polynomial whose roots are those of *coefficients* divided by *radius*."""
    degree = len(coefficients) - 1
    return [Fraction(c) * Fraction(radius) ** (degree - i) for i, c in enumerate(coefficients)]


def radius(coefficients: Sequence[Number], parts: int) -> Number:
    """The size of the largest root, rounded up to one of the *parts* of 1."""
    high = _least(lambda size: is_stable(scaled(coefficients, Fraction(size, parts))), parts)
    at_low = scaled(coefficients, Fraction(high - 1, parts))
    ends = (sum(part * end**i for i, part in enumerate(at_low)) for end in (1, -1))
    touches = high > 1 and (0 in ends or not _pairs(at_low, [0] * len(at_low)))
    none = not any(coefficients[1:])
    return quotient(high - 1 if touches or none else high, parts)


def _least(holds: Callable[[int], bool], first: int) -> int:
    """The least size from 1 on for which it *holds*, as it then does for all larger ones; *first*
    is tried first."""
    low, high = 0, first
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class Family:
    """The polynomials *fixed* + x·*moving* of one degree, which *moving* does not reach."""

    fixed: tuple[Number, ...]
    moving: tuple[Number, ...]

    def at(self, x: Number) -> Coefficients:
        """The polynomial for *x*."""
        pairs = zip(self.fixed, self.moving, strict=True)
        return [Fraction(f) + Fraction(x) * m for f, m in pairs]

    def scaled(self, radius: Number) -> Family:
        """The family whose roots are those of this one divided by *radius*."""
        return Family(tuple(scaled(self.fixed, radius)), tuple(scaled(self.moving, radius)))

    def boundaries(self) -> list[Polynomial]:
        """Polynomials in x, one of which is 0 wherever a root reaches the unit circle.

        Where one of them is 0, some root is on the circle or outside of it.
        """
        lines = _lines(self.fixed, self.moving)
        ends = [sum((part * end**i for i, part in enumerate(lines)), 0) for end in (1, -1)]
        pairs = _pairs(self.fixed, self.moving)
        return [boundary for boundary in (*ends, pairs) if not boundary.is_ground]


def _lines(fixed: Sequence[Number], moving: Sequence[Number]) -> list[Polynomial]:
    """The coefficients fixed + x·moving as polynomials in x."""
    from ddcalc.formula.zeros import LETTER, RING

    return [RING(f) + RING(m) * LETTER for f, m in zip(fixed, moving, strict=True)]


def _pairs(fixed: Sequence[Number], moving: Sequence[Number]) -> Polynomial:
    """The product of 1 − z_i·z_j over all pairs of roots, times a power of the first coefficient:
    the determinant of a triangle of the first coefficients less one of the last."""
    from ddcalc.formula.zeros import determinant

    coefficients = _lines(fixed, moving)
    size = len(coefficients) - 2
    rows = []
    for i in range(size):
        row = [0 * coefficients[0]] * size
        for j in range(i, size):
            row[j] += coefficients[j - i]
        for j in range(size - 1 - i, size):
            row[j] -= coefficients[-1 - (j - (size - 1 - i))]
        rows.append(row)
    return determinant(rows)


def _primitive(coefficients: Sequence[Number]) -> list[int]:
    """Whole coefficients without a common divisor, of the same signs."""
    scale = lcm(*(part.denominator for part in coefficients))
    whole = [part.numerator * (scale // part.denominator) for part in coefficients]
    divisor = gcd(*whole)
    return [part // divisor for part in whole]


MOST = 8  # ages for which roots are looked at
PARTS = 10**6  # of 1, in which sizes of roots are given
FINEST = 10**15  # where that leaves little of the distance to 1
_CLEAR = 100  # parts that the largest root stays below 1
_DIGITS = 48  # of an irrational limit
_LOOKS = 8  # stale sums at which eigenvalues in between are looked at


@dataclass(frozen=True)
class Quadratic:
    """Coefficients by age, and the eigenvalues *low* to *high* of the Hessian."""

    coefficients: tuple[Number, ...]
    low: Number
    high: Number

    @property
    def family(self) -> Family:
        """The polynomials of all eigenvalues."""
        ages = len(self.coefficients)
        return Family((1, -1, *[0] * (ages - 1)), (0, *self.coefficients))

    @cached_property
    def converges(self) -> bool:
        """Whether all roots of all eigenvalues from *low* to *high* are inside the unit circle."""
        return _is_stable_within(self.family, self.low, self.high)

    @cached_property
    def parts(self) -> int:
        """The parts of 1 in which sizes are given: finer ones where it converges slowly."""
        parts = PARTS
        while self.converges and parts < FINEST and not self._stays_below(parts - _CLEAR, parts):
            parts *= 1000
        return parts

    @cached_property
    def radii(self) -> tuple[Number, Number]:
        """The sizes of the largest root at the two ends, rounded up to a part."""
        low, high = (radius(self.family.at(end), self.parts) for end in (self.low, self.high))
        return low, high

    @cached_property
    def rate(self) -> Number:
        """The size of the largest root of all eigenvalues, rounded up to a part.

        It is the larger one of the two at the ends if no root in between is larger.
        """
        parts = self.parts
        low = int(max(self.radii) * Fraction(parts))
        if self._stays_below(low + 1, parts):
            return max(self.radii)
        more = _least(lambda size: self._stays_below(low + size, parts), 2)
        return quotient(low + more, parts)

    @property
    def is_worst_at_an_end(self) -> bool:
        """Whether no eigenvalue in between has a larger root, to a part."""
        return self.rate == max(self.radii)

    def _stays_below(self, size: int, parts: int) -> bool:
        return _is_stable_within(self.family.scaled(Fraction(size, parts)), self.low, self.high)

    @cached_property
    def curvature_limit(self) -> Number:
        """The eigenvalue up to which all are stable: where, from 0 on, a root first gets out."""
        return _first(self.family)

    @property
    def converges_again(self) -> bool:
        """Whether smaller coefficients in the same ratio do not converge, but these do."""
        return self.converges and self.curvature_limit <= self.high

    @cached_property
    def stale_limit(self) -> Number | None:
        """The stale sum up to which it converges, the shares of the ages as they are.

        From none on, or from the present one on where the fresh gradients alone do not converge.
        None where nothing is stale, or where it converges with neither.
        """
        fresh, *stale = self.coefficients
        alone = Fraction(fresh) * self.high < 2
        if not stale or not (alone or self.converges):
            return None
        start = 0 if alone else 1
        ends = [self._more_stale(end, start) for end in (self.low, self.high)]
        more = min(map(_first, ends))
        sooner = self._sooner(start, Fraction(more))
        total = sum(map(Fraction, stale))
        return (start + more) * total if sooner is None else rounded((start + sooner) * total, 6)

    def _sooner(self, start: int, more: Fraction) -> Fraction | None:
        """How much more than *start* times the stale sum an eigenvalue in between bears, to a
        millionth; None if both ends get unstable before, at *more*."""
        looks = [more * i / _LOOKS for i in range(1, _LOOKS)]
        low = Fraction(0)
        for high in [*looks, more * (1 - Fraction(1, PARTS))]:
            if not self._bears(start + high):
                break
            low = high
        else:
            return None
        while high - low > more / PARTS:
            middle = (low + high) / 2
            low, high = (middle, high) if self._bears(start + middle) else (low, middle)
        return low

    def _bears(self, times: Fraction) -> bool:
        """Whether it converges with that many *times* the stale sum."""
        fresh, *stale = self.coefficients
        family = Family(self.family.fixed, (0, fresh, *(times * part for part in stale)))
        return _is_stable_within(family, self.low, self.high)

    def _more_stale(self, h: Number, start: int) -> Family:
        """The polynomials at eigenvalue *h* for *start* and more times the stale coefficients."""
        fresh, *stale = self.coefficients
        moving = (0, 0, *(h * part for part in stale))
        fixed = (1, h * fresh - 1, *(start * part for part in moving[2:]))
        return Family(fixed, moving)


@remembered
def quadratic(coefficients: tuple[Number, ...], low: Number, high: Number) -> Quadratic:
    """The quadratic, its roots looked at once."""
    return Quadratic(coefficients, low, high)


def _is_stable_within(family: Family, low: Number, high: Number) -> bool:
    """Whether *family* is stable from *low* to *high*: at the lower end, and no root reaches the
    circle from there on."""
    from ddcalc.formula.zeros import roots

    if not is_stable(family.at(low)):
        return False
    return not any(low < root <= high for line in family.boundaries() for root in roots(line))


def _first(family: Family) -> Number:
    """Where from 0 on a root first reaches the circle; every family here reaches it."""
    from ddcalc.formula.zeros import roots

    boundaries = family.boundaries()
    first = min(root for line in boundaries for root in roots(line) if root > 0)
    near = close_to(first, _DIGITS)
    return Approximate(near, 10.0**-_DIGITS) if isinstance(first, Root) else near
