"""The real roots of a polynomial, counted and enclosed exactly by Sturm's theorem.

Polynomials are lists of exact coefficients, the highest power first (C. Sturm, Mémoire sur la
résolution des équations numériques, 1829).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm

from ddcalc.approximate import Approximate
from ddcalc.number import Number, quotient

_BITS = 160
_SHORT = 10**12  # largest denominator of a root that is recognised as rational

Whole = list[int]


def roots_within(coefficients: Sequence[Number], low: Number, high: Number) -> int:
    """How many different roots lie above *low* and up to *high*.

    >>> roots_within([1, 0, -2], 0, 2), roots_within([1, -2, 1], 0, 1), roots_within([1, 1], 0, 9)
    (1, 1, 0)
    """
    chain = _chain(coefficients)
    return _changes(chain, Fraction(low)) - _changes(chain, Fraction(high))


def first_root(coefficients: Sequence[Number]) -> Number | None:
    """The smallest positive root, exact where it is a short fraction; None where there is none."""
    chain = _chain(coefficients)
    low = Fraction(0)
    high = Fraction(1 + max(abs(each) for each in chain[0]), abs(chain[0][0]))
    at_low, at_high = _changes(chain, low), _changes(chain, high)
    if at_low == at_high:
        return None
    while at_low - at_high > 1:
        middle = (low + high) / 2
        changes = _changes(chain, middle)
        if changes == at_low:
            low = middle
        else:
            high, at_high = middle, changes
    side = _sign(chain[0], high)
    while high - low > high / 2**_BITS and side:  # one simple root is left, up to high
        middle = (low + high) / 2
        here = _sign(chain[0], middle)
        if here * side > 0:
            high = middle
        elif here:
            low = middle
        else:
            high, side = middle, 0
    short = high.limit_denominator(_SHORT)
    if value_at(chain[0], short) == 0:
        return quotient(short.numerator, short.denominator)
    return Approximate(high, 2.0 ** (1 - _BITS))


def value_at(coefficients: Sequence[Number], z: Number) -> Fraction:
    """The polynomial's value at *z*."""
    found = Fraction(0)
    for each in coefficients:
        found = found * z + each
    return found


def _changes(chain: Sequence[Whole], x: Fraction) -> int:
    """How often the sign changes along the values of the *chain* at *x*."""
    values = [_sign(polynomial, x) for polynomial in chain]
    return sum(a * b < 0 for a, b in pairwise(value for value in values if value))


def _sign(polynomial: Whole, x: Fraction) -> int:
    """A whole number with the sign of the value at *x*."""
    found, power = 0, 1
    for each in polynomial:
        found = found * x.numerator + each * power
        power *= x.denominator
    return found


def _chain(coefficients: Sequence[Number]) -> list[Whole]:
    """Sturm's chain of the polynomial without its repeated roots."""
    first = primitive([Fraction(each) for each in coefficients])
    chain = _remainders(first)
    if len(chain[-1]) > 1:
        chain = _remainders(primitive(_divided(first, chain[-1])[0]))
    return chain


def _remainders(first: Whole) -> list[Whole]:
    degree = len(first) - 1
    chain = [first, [each * (degree - i) for i, each in enumerate(first[:-1])]]
    while len(chain[-1]) > 1:
        _, rest = _divided(chain[-2], chain[-1])
        if not rest:
            break
        chain.append([-each for each in primitive(rest)])
    return chain


def _divided(top: Whole, bottom: Whole) -> tuple[list[Fraction], list[Fraction]]:
    """The quotient, and the rest without leading zeros."""
    rest, found = [Fraction(each) for each in top], []
    while len(rest) >= len(bottom):
        times = rest[0] / bottom[0]
        found.append(times)
        rest = [
            each - times * (bottom[i] if i < len(bottom) else 0) for i, each in enumerate(rest)
        ][1:]
    first = next((i for i, each in enumerate(rest) if each), len(rest))
    return found, rest[first:]


def primitive(coefficients: Sequence[Number]) -> Whole:
    """Whole coefficients without a common divisor, of the same signs."""
    scale = lcm(*(each.denominator for each in coefficients))
    whole = [each.numerator * (scale // each.denominator) for each in coefficients]
    divisor = gcd(*whole)
    return [each // divisor for each in whole]
