"""Polynomials in one letter with exact coefficients: a tuple, the constant first, no zero last."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from itertools import pairwise, zip_longest
from math import gcd as common_divisor
from math import lcm

from ddcalc.number import Number

Polynomial = tuple[Number, ...]

ZERO: Polynomial = ()
ONE: Polynomial = (1,)
LETTER: Polynomial = (0, 1)


def polynomial(coefficients: Iterable[Number]) -> Polynomial:
    """The polynomial with these *coefficients*, the constant first."""
    found = list(coefficients)
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def plus(left: Polynomial, right: Polynomial) -> Polynomial:
    """The sum."""
    return polynomial(a + b for a, b in zip_longest(left, right, fillvalue=0))


def times(left: Polynomial, right: Polynomial) -> Polynomial:
    """The product."""
    if not left or not right:
        return ZERO
    found: list[Number] = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] += a * b
    return tuple(found)


def scaled(p: Polynomial, by: Number) -> Polynomial:
    """*p* times a number."""
    return tuple(by * a for a in p) if by else ZERO


def minus(left: Polynomial, right: Polynomial) -> Polynomial:
    """The difference."""
    return plus(left, scaled(right, -1))


def value(p: Polynomial, x: Number) -> Number:
    """What *p* is worth at *x*."""
    start: Number = 0
    return reduce(lambda sum_, a: sum_ * x + a, reversed(p), start)


def derivative(p: Polynomial) -> Polynomial:
    """The slope of *p*."""
    return tuple(i * a for i, a in enumerate(p))[1:]


def divided(top: Polynomial, bottom: Polynomial) -> tuple[Polynomial, Polynomial]:
    """The quotient and the remainder of a division by *bottom*, which is not 0."""
    rest, lead = list(top), Fraction(bottom[-1])
    found: list[Number] = [0] * max(len(top) - len(bottom) + 1, 0)
    for i in reversed(range(len(found))):
        found[i] = rest[i + len(bottom) - 1] / lead
        for j, b in enumerate(bottom):
            rest[i + j] -= found[i] * b
    return polynomial(found), polynomial(rest[: len(bottom) - 1])


def greatest_common_divisor(left: Polynomial, right: Polynomial) -> Polynomial:
    """The polynomial of highest degree that divides both, its coefficients whole and small."""
    while right:
        left, right = right, whole(divided(left, right)[1])
    return whole(left)


def whole(p: Polynomial) -> Polynomial:
    """*p* times a positive number, so that its coefficients are whole and have no common factor."""
    if not p:
        return p
    parts = lcm(*(a.denominator for a in p))
    told = [a.numerator * (parts // a.denominator) for a in p]
    factor = common_divisor(*told)
    return tuple(a // factor for a in told)


def square_free(p: Polynomial) -> Polynomial:
    """The polynomial with the same roots, each of them once."""
    repeated = greatest_common_divisor(p, derivative(p))
    return p if len(repeated) < 2 else divided(p, repeated)[0]


def sturm_chain(p: Polynomial) -> list[Polynomial]:
    """The chain of Sturm's theorem for *p*, which is square-free."""
    chain = [p, derivative(p)]
    while chain[-1]:
        chain.append(scaled(whole(divided(chain[-2], chain[-1])[1]), -1))
    return chain[:-1]


def roots_within(chain: list[Polynomial], low: Number, high: Number) -> int:
    """How many roots there are more than *low* and at most *high* (Sturm's theorem)."""
    return _changes(chain, low) - _changes(chain, high)


def _changes(chain: list[Polynomial], x: Number) -> int:
    """How often the sign changes along the *chain* at *x*, zeros left out."""
    signs = [worth > 0 for p in chain if (worth := value(p, x))]
    return sum(a != b for a, b in pairwise(signs))
