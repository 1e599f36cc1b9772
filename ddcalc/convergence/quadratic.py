"""Stale gradients on a quadratic: the recursion of each eigenvalue, decided exactly.

In the direction of an eigenvalue h the error obeys e_{t+1} = e_t − h·Σ α_τ·e_{t−τ}, a linear
recursion whose polynomial is z^k − z^{k−1} + h·Σ α_τ·z^{k−1−τ}. It dies out if and only if all
roots are inside the unit circle.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.convergence.schur import PARTS, Family, is_stable, radius
from ddcalc.convergence.sturm import first_root, roots_within
from ddcalc.memory import remembered
from ddcalc.number import Number, quotient

MOST = 8  # ages for which roots are looked at


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
    def radii(self) -> tuple[Number, Number]:
        """The sizes of the largest root at the two ends, rounded up to a millionth."""
        return radius(self.family.at(self.low)), radius(self.family.at(self.high))

    @cached_property
    def rate(self) -> Number:
        """The size of the largest root of all eigenvalues, rounded up to a millionth.

        It is the larger one of the two at the ends if no root in between is larger.
        """
        ends = Fraction(max(self.radii))
        low = int(ends * PARTS)
        if self._stays_below(low + 1):
            return max(self.radii)
        step = 1
        while not self._stays_below(low + 2 * step):
            step *= 2
        low, high = low + step, low + 2 * step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._stays_below(middle) else (middle, high)
        return quotient(high, PARTS)

    @property
    def is_worst_at_an_end(self) -> bool:
        """Whether no eigenvalue in between has a larger root, to a millionth."""
        return self.rate == max(self.radii)

    def _stays_below(self, parts: int) -> bool:
        return _is_stable_within(self.family.scaled(Fraction(parts, PARTS)), self.low, self.high)

    @cached_property
    def curvature_limit(self) -> Number:
        """The eigenvalue up to which all are stable: where, from 0 on, a root first gets out."""
        return _first(self.family)

    @cached_property
    def stale_limit(self) -> Number | None:
        """The stale sum up to which both ends are stable, the shares of the ages as they are.

        None where nothing is stale, where not even the fresh gradients alone are stable, or where
        an eigenvalue in between is unstable sooner.
        """
        fresh, *stale = self.coefficients
        if not stale or Fraction(fresh) * self.high >= 2:
            return None
        ends = [self._more_stale(end) for end in (self.low, self.high)]
        times = min(map(_first, ends))
        less = Fraction(times) * (1 - Fraction(1, 10**6))
        shrunk = Family(self.family.fixed, (0, fresh, *(less * each for each in stale)))
        return times * sum(stale) if _is_stable_within(shrunk, self.low, self.high) else None

    def _more_stale(self, h: Number) -> Family:
        """The polynomials at eigenvalue *h* for all multiples of the stale coefficients."""
        fresh, *stale = self.coefficients
        fixed = (1, h * fresh - 1, *[0] * len(stale))
        return Family(fixed, (0, 0, *(h * each for each in stale)))


@remembered
def quadratic(coefficients: tuple[Number, ...], low: Number, high: Number) -> Quadratic:
    """The quadratic, its roots looked at once."""
    return Quadratic(coefficients, low, high)


def _is_stable_within(family: Family, low: Number, high: Number) -> bool:
    """Whether *family* is stable from *low* to *high*: at the lower end, and no root reaches the
    circle from there on."""
    if not is_stable(family.at(low)):
        return False
    return not any(roots_within(each, low, high) for each in family.boundaries())


def _first(family: Family) -> Number:
    """Where from 0 on a root first reaches the circle; every family here reaches it."""
    found = map(first_root, family.boundaries())
    return min(root for root in found if root is not None)
