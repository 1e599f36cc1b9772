"""The standard normal distribution to sixty digits: its chances, and its order statistics.

The expected i-th smallest of n values is n·∫ x·φ(x)·b(x) dx, b being the chance that i − 1 of the
n − 1 others are below x. The trapezoidal rule with step h finds it: for a function that is analytic
in the strip |Im x| <= d its error is at most 2M/(exp(2πd/h) − 1), where M bounds the integral of
|f(x + id)| (Trefethen and Weideman, The Exponentially Convergent Trapezoidal Rule, SIAM Review
56(3), 2014, Theorem 5.1).

Here |Φ(x + id) − Φ(x)| <= φ(x)·d·exp(d²/2), so that |Φ| + |1 − Φ| <= 1 + 0.8·d·exp(d²/2) = c; as
b is a binomial probability on the line, it is at most c^(n−1) beside it, and M <= n·c^(n−1)·
exp(d²/2)·(0.8 + d).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, getcontext, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, log, log1p, pi
from math import exp as rough_exp

from ddcalc.numbers.irrational import Approximate, OutOfReach, error_of
from ddcalc.numbers.number import Number

VALUES = 256  # of which the smallest ones are found, to stay quick
FARTHEST = 40  # standard deviations from the mean
ERROR = 1e-57  # of what is found, relative to it
_DIGITS = 84  # in which is calculated: twenty more than the rule is good for
_SURE = 64 * log(10)  # the error of the rule is below 10^-64
_END = 18  # beyond, n·|x|·φ(x) adds less than 10^-66
_STRIPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5)  # half the widths that are tried


def chances(z: Number) -> tuple[Number, Number]:
    """The chance of a value up to *z*, and that of one above; OutOfReach far from 0.

    >>> chances(0)
    (Fraction(1, 2), Fraction(1, 2))
    """
    if z == 0:
        return Fraction(1, 2), Fraction(1, 2)
    size = abs(Fraction(z))
    if size > FARTHEST:
        raise OutOfReach(f"a normal value more than {FARTHEST} standard deviations from the mean")
    # the tail is a difference of numbers that are so many digits longer
    with localcontext(_context(_DIGITS + ceil(0.5 * size * size))):
        above = _above(Decimal(size.numerator) / size.denominator)
        sides = Fraction(above), Fraction(1 - above)
    # a relative error e of z changes the tail by up to z·(z + 1)·e of it
    error = ERROR + 2000 * error_of(z)
    tail, rest = (Approximate(side, error) for side in sides)
    return (rest, tail) if z > 0 else (tail, rest)


@lru_cache(maxsize=8)
def smallest(n: int) -> tuple[Number, ...]:
    """The expected first, second, … smallest of *n* values, up to VALUES of them."""
    if n == 1:
        return (0,)
    half, steps = n // 2, _steps(n)
    sums = [Decimal(0)] * half
    with localcontext(_context(_DIGITS)):
        falling = [Decimal(i) / (n - i) for i in range(n - 1, 0, -1)]
        for j in range(1, _END * steps + 1):
            x = Decimal(j) / steps
            others, weight = _binomial(1 - _above(x), falling), x * _density(x)
            for i in range(half):
                sums[i] += weight * (others[i] - others[n - 1 - i])
        scale = Decimal(n) / steps
        largest = [Approximate(Fraction(scale * part), ERROR) for part in sums]
    middle: list[Number] = [0] if n % 2 else []
    return (*(-value for value in largest), *middle, *largest[::-1])


def _context(digits: int) -> Context:
    return Context(prec=digits, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _steps(n: int) -> int:
    """How many steps of the rule to a standard deviation keep its error down."""

    def needed(d: float) -> float:
        beside = (n - 1) * log1p(0.8 * d * rough_exp(d * d / 2))
        return (_SURE + log(2 * n * (0.8 + d)) + beside + d * d / 2) / (2 * pi * d)

    return ceil(min(map(needed, _STRIPS))) + 1


def _binomial(p: Decimal, falling: Sequence[Decimal]) -> list[Decimal]:
    """The chances of all, all but one, … and no success of chance *p* >= 1/2 each.

    *falling* are the ratios of each binomial coefficient to the one before.
    """
    ratio = (1 - p) / p
    chances = [p ** len(falling)]
    for part in falling:
        chances.append(chances[-1] * part * ratio)
    return chances


def _density(x: Decimal) -> Decimal:
    """φ(x) = exp(−x²/2)/√(2π)."""
    return (x * x / -2).exp() / _root(getcontext().prec)


def _above(x: Decimal) -> Decimal:
    """1 − Φ(x) for x > 0: 1/2 − φ(x)·(x + x³/3 + x⁵/(3·5) + …), a sum of positive terms."""
    term, series, odd = x, x, 1
    least = Decimal((0, (1,), -getcontext().prec))
    while term > series * least:
        odd += 2
        term = term * (x * x) / odd
        series += term
    return Decimal("0.5") - _density(x) * series


@lru_cache(maxsize=8)
def _root(digits: int) -> Decimal:
    """√(2π), with π by Machin's formula, 16·arctan(1/5) − 4·arctan(1/239)."""
    scale = 10 ** (digits + 10)
    whole = 16 * _arctan(5, scale) - 4 * _arctan(239, scale)
    double: Decimal = Decimal(2 * whole) / scale
    return double.sqrt()


def _arctan(n: int, scale: int) -> int:
    """arctan(1/n) in parts of one over *scale*."""
    term = arctan = scale // n
    odd = 1
    while term:
        term //= -n * n
        odd += 2
        arctan += term // odd
    return arctan
