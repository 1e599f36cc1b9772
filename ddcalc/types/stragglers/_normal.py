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

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, log, log1p, pi

from ddcalc.numbers.irrational import DIGITS, Approximate, OutOfReach, error_of, from_mpmath
from ddcalc.numbers.number import Number

VALUES = 256  # of which the smallest ones are found, to stay quick
FARTHEST = 40  # standard deviations from the mean
ERROR = 1e-57  # of what is found, relative to it
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
    above = from_mpmath("ncdf", -size)
    # a relative error e of z changes the tail by up to z·(z + 1)·e of it
    error = ERROR + 2000 * error_of(z)
    tail, rest = Approximate(above, error), Approximate(1 - above, error)
    return (rest, tail) if z > 0 else (tail, rest)


@lru_cache(maxsize=8)
def smallest(n: int) -> tuple[Number, ...]:
    """The expected first, second, … smallest of *n* values, up to VALUES of them."""
    half, steps = n // 2, _steps(n)
    sums = [Decimal(0)] * half
    with localcontext(Context(prec=DIGITS)):
        falling = [Decimal(i) / (n - i) for i in range(n - 1, 0, -1)]
        for j in range(1, _END * steps + 1):
            at = Fraction(j, steps)
            parts = from_mpmath("ncdf", -at), from_mpmath("npdf", at)
            above, density = (Decimal(part.numerator) / part.denominator for part in parts)
            ratio, weight = above / (1 - above), density * j / steps
            others = [(1 - above) ** (n - 1)]  # the chances that all, all but one, … are below
            for part in falling:
                others.append(others[-1] * part * ratio)
            for i in range(half):
                sums[i] += weight * (others[i] - others[n - 1 - i])
        largest = [Approximate(Fraction(n * part / steps), ERROR) for part in sums]
    return (*(-value for value in largest), *[0] * (n % 2), *largest[::-1])


def _steps(n: int) -> int:
    """How many steps of the rule to a standard deviation keep its error down."""

    def needed(d: float) -> float:
        beside = (n - 1) * log1p(0.8 * d * exp(d * d / 2))
        return (_SURE + log(2 * n * (0.8 + d)) + beside + d * d / 2) / (2 * pi * d)

    return ceil(min(map(needed, _STRIPS))) + 1
