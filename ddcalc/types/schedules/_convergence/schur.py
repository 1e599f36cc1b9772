"""Whether all roots of a polynomial lie inside a circle: exact tests, no root is computed.

Polynomials are lists of exact coefficients, the highest power first.

* For one polynomial, Schur's and Cohn's reduction: the polynomial is stable if its last coefficient
  is smaller than its first, and the one that the reduction leaves, a degree lower, is stable.
* For a *family* F + x·M, Jury's critical constraints: where x moves and a root reaches the circle,
  the polynomial is 0 at 1 or at −1, or the product of all 1 − z_i·z_j is 0 (a pair of roots on the
  circle is conjugate). That product is a determinant whose entries are linear in x.

Sources: E. I. Jury, Theory and Application of the z-Transform Method, Wiley 1964 (the table and the
determinants); I. Schur, J. reine angew. Math. 147 and 148, 1917–18 (the reduction).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

from ddcalc.numbers.number import Number, quotient

if TYPE_CHECKING:
    from ddcalc.formula.polynomial import Polynomial

Coefficients = list[Fraction]
LARGE = 10**6  # a size that is told with fewer parts


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
    """The size of the largest root, rounded up to one of so many *parts* of 1.

    A very large one is rounded up to a part of itself.
    """
    low, high = 0, parts
    while not is_stable(scaled(coefficients, Fraction(high, parts))):
        low, high = high, 2 * high
    while high - low > max(1, high // (parts * LARGE)):
        middle = (low + high) // 2
        stable = is_stable(scaled(coefficients, Fraction(middle, parts)))
        low, high = (low, middle) if stable else (middle, high)
    at_low = scaled(coefficients, Fraction(low, parts))
    ends = (sum(each * end**i for i, each in enumerate(at_low)) for end in (1, -1))
    touches = low and (0 in ends or not _pairs(at_low, [0] * len(at_low)))
    none = not any(coefficients[1:])
    return quotient(low if touches or none else high, parts)


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
        ends = [sum((each * end**i for i, each in enumerate(lines)), 0) for end in (1, -1)]
        pairs = _pairs(self.fixed, self.moving)
        return [found for found in (*ends, pairs) if not found.is_ground]


def _lines(fixed: Sequence[Number], moving: Sequence[Number]) -> list[Polynomial]:
    """The coefficients fixed + x·moving as polynomials in x."""
    from ddcalc.formula.polynomial import LETTER, constant

    return [constant(f) + constant(m) * LETTER for f, m in zip(fixed, moving, strict=True)]


def _pairs(fixed: Sequence[Number], moving: Sequence[Number]) -> Polynomial:
    """The product of 1 − z_i·z_j over all pairs of roots, times a power of the first coefficient:
    the determinant of a triangle of the first coefficients less one of the last."""
    from ddcalc.formula.polynomial import determinant

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
    scale = lcm(*(each.denominator for each in coefficients))
    whole = [each.numerator * (scale // each.denominator) for each in coefficients]
    divisor = gcd(*whole)
    return [each // divisor for each in whole]
