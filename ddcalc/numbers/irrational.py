"""Numbers beside a true value, and functions whose values are no quotients.

Roots, exponentials and logarithms are exact where they are rational, else mpmath finds a hundred
digits of them; such a number is marked, and so is what is worked out from it. How often a number
can be doubled is found in whole numbers, never by a logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, lru_cache
from math import ceil, floor, isqrt
from threading import Lock
from typing import Any, Final, final

from ddcalc.numbers.number import Number, bits, quotient

SURE = 1e-45  # the largest error of a value that is shown, relative to it
_LEAST = 1e-150  # an error that no float takes for 0
_LONG = 1536  # bits beyond which a value is shortened
_KEPT = 384  # significant bits that are left then
_CUT = 1e-115  # more than that is off by, relative to the value
_LARGE = 10**100  # times a result: parts so large leave no digit of it right
UNSURE = "a difference too small to be sure of"
MARGIN: Final = Fraction(1, 10**40)  # of a rounded value, far more than its error


class OutOfReach(ArithmeticError):
    """There is a value, but it is too large to be held, or its digits are not sure."""


def _operators(rule: Callable[[Number, Number], Number]) -> tuple[Any, Any]:
    """The methods for an operator, at its left and at its right. Their type is Any: Fraction's own
    take floats too, these do not."""

    def left(self: Approximate, other: object) -> Any:
        return rule(self, other) if isinstance(other, int | Fraction) else NotImplemented

    def right(self: Approximate, other: object) -> Any:
        return rule(other, self) if isinstance(other, int | Fraction) else NotImplemented

    return left, right


def _sum(left: Number, right: Number) -> Number:
    total = Fraction(left) + Fraction(right)
    errors = carried(error_of(left), left, total) + carried(error_of(right), right, total)
    return Approximate(total, errors)


def ratio(top: Number, bottom: Number) -> Number:
    """The quotient, approximate if one of the two is."""
    if type(top) is Approximate or type(bottom) is Approximate:
        return _scaled(Fraction(top) / Fraction(bottom), top, bottom)
    return quotient(top.numerator * bottom.denominator, top.denominator * bottom.numerator)


def _scaled(value: Fraction, *of: Number) -> Number:
    return Approximate(value, sum(map(error_of, of))) if value else 0


def error_of(value: Number) -> float:
    """How far *value* may be off, relative to it; 0 where it is exact."""
    return value.error if type(value) is Approximate else 0.0


def carried(error: float, part: Number, whole: Number) -> float:
    """An *error* relative to *part*, relative to *whole* instead."""
    if not error:
        return 0.0
    top = abs(part.numerator) * whole.denominator  # as integers, which are faster than fractions
    bottom = abs(whole.numerator) * part.denominator
    if top > _LARGE * bottom:
        raise OutOfReach(UNSURE)
    return error * (top / bottom)


@final
class Approximate(Fraction):
    """A rational number beside a true value; *error* bounds how far off, relative to the value.

    Arithmetic keeps the mark, and numbers short. ArithmeticError where it would leave the true
    value unsure. ``type(x) is Approximate`` asks for it: isinstance takes five times as long.
    """

    __slots__ = ("error",)
    error: float

    def __new__(cls, value: Number, error: float) -> Approximate:
        if error > SURE:
            raise OutOfReach(UNSURE)
        if value.numerator.bit_length() + value.denominator.bit_length() > _LONG:
            unit = Fraction(2) ** (floor_log2(abs(Fraction(value))) - _KEPT)
            value, error = Fraction(value) // unit * unit, error + _CUT
        made = super().__new__(cls, value)
        made.error = max(error, _LEAST)
        return made

    def __reduce__(self) -> tuple[type[Approximate], tuple[Fraction, float]]:
        return Approximate, (Fraction(self), self.error)

    __add__, __radd__ = _operators(_sum)
    __sub__, __rsub__ = _operators(lambda x, y: _sum(x, -y))
    __mul__, __rmul__ = _operators(lambda x, y: _scaled(Fraction(x) * Fraction(y), x, y))
    __truediv__, __rtruediv__ = _operators(ratio)
    __floordiv__, __rfloordiv__ = _operators(lambda x, y: surely(floor)(ratio(x, y)))

    def __neg__(self) -> Approximate:
        return Approximate(-Fraction(self), self.error)

    def __abs__(self) -> Approximate:
        return Approximate(abs(Fraction(self)), self.error)


# Functions

DIGITS = 100  # significant ones of a rounded value
BITS = 100_000  # of a power, and of a number whose root is taken
STEEPEST = 69_314  # the exponent with which a power of e has so many
TERMS, FACTORS = 10_000, 1_000  # of a sum, of a factorial

_STEP = 10.0 ** (1 - DIGITS)  # of the last digit, relative to the value: twice the rounding error
_NOT_REAL = "a root of a negative number"
_TURN: Final = Lock()  # mpmath keeps precisions, and constants, for a whole process


@cache
def _mpmath() -> Any:
    """What mpmath calculates with, at a precision that nobody else sets."""
    import mpmath  # takes a while, and few questions need it

    context = mpmath.MPContext()
    context.dps = 2 * DIGITS
    return context


@lru_cache(maxsize=1 << 15)  # sums and searches ask again and again
def from_mpmath(function: str, x: Number) -> Fraction:
    """What a *function* of mpmath comes to at *x*, to DIGITS digits; ArithmeticError where that is
    not real."""
    mp = _mpmath()
    with _TURN:
        value = getattr(mp, function)(mp.mpf(x.numerator) / x.denominator)
    if isinstance(value, mp.mpc):
        raise ArithmeticError("a value that is no real number")
    sign, digits, power, _ = mp.mpf(value, dps=DIGITS)._mpf_
    return Fraction((-digits if sign else digits) * Fraction(2) ** power)


def power(base: Number, exponent: Number) -> Number:
    """The power; ArithmeticError where it is not real, or too large to hold."""
    if exponent.denominator != 1 or type(exponent) is Approximate:
        root = None if type(exponent) is Approximate else _root(base, exponent.denominator)
        if root is None:
            return exp(log(base) * exponent)
        base, exponent = root, exponent.numerator
    times = int(exponent)
    if abs(times) * bits(base) > BITS:
        raise OutOfReach(f"a power of more than {BITS} bits")
    value = Fraction(base) ** times
    if not times or type(base) is not Approximate:
        return value
    return Approximate(value, 2 * abs(times) * base.error)


def sqrt(x: Number) -> Number:
    """The square root of *x*; ArithmeticError below 0."""
    exact = _root(x, 2)
    return exact if exact is not None else Approximate(from_mpmath("sqrt", x), _STEP + error_of(x))


def exp(x: Number) -> Number:
    """e to the power of *x*; ArithmeticError where that is too large or too small to hold."""
    if x == 0:
        return 1
    size = abs(Fraction(x))
    if size > STEEPEST:
        raise OutOfReach(f"a power of e of more than {BITS} bits")
    return Approximate(from_mpmath("exp", x), _STEP + float(size) * error_of(x))


def log(x: Number) -> Number:
    """The natural logarithm of *x*; ArithmeticError unless that is positive."""
    _check_positive(x)
    gap = x - 1
    if gap == 0:
        return 0
    value = from_mpmath("log", x) if x < Fraction(1, 2) else from_mpmath("log1p", gap)
    return Approximate(value, _STEP + carried(error_of(x), Fraction(1), value))


def logarithm(x: Number, base: Number) -> Number:
    """The logarithm of *x* to a *base*, exact where it is a simple quotient, as log₄ 8 = 3/2."""
    value = ratio(log(x), log(base))
    simple = Fraction(value).limit_denominator(DIGITS)
    sure = agree(value, simple) and Approximate not in (type(x), type(base))
    return simple if sure and power(base, simple) == x else value


def sin(x: Number) -> Number:
    """The sine of an angle of *x* radians."""
    value = from_mpmath("sin", x)
    return Approximate(value, _STEP + carried(error_of(x), x, value)) if x else 0


@cache
def pi() -> Number:
    """How often a circle's width goes round it."""
    return Approximate(4 * from_mpmath("atan", Fraction(1)), _STEP)


def lambert(x: Number) -> Number:
    """Lambert's W, the number w from −1 on with w·e^w = *x*; ArithmeticError below −1/e.

    How sure the value is falls as *x* comes near −1/e.
    """
    if x == 0:
        return 0
    value = from_mpmath("lambertw", x)
    return Approximate(value, _STEP + abs(1 / float(1 + value)) * error_of(x))


def floor_sqrt(x: Number) -> int:
    """The largest whole number that is at most the root of *x*, for sure."""
    if x < 0:
        raise ArithmeticError(_NOT_REAL)
    return isqrt(x.numerator // x.denominator)


def ceiling_sqrt(x: Number) -> int:
    """The smallest whole number that is at least the root of *x*, for sure."""
    root = floor_sqrt(x)
    return root if root * root == x else root + 1


def summed(term: Callable[[Number], Number], first: Number, last: Number) -> Number:
    """The sum of a *term* for *first*, and what is 1, 2, … more, up to *last*.

    OutOfReach for more than TERMS, or for long numbers; ArithmeticError where it ends too early.
    """
    if last < first - 1:
        raise ArithmeticError("a sum that ends before it begins")
    if last - first >= TERMS:
        raise OutOfReach(f"a sum of more than {TERMS} terms")
    terms = list[Number]()
    for i in range(floor(last - first) + 1):
        terms.append(term(first + i))
        if bits(terms[-1]) * len(terms) > 10 * BITS:
            raise OutOfReach(f"a sum of more than {10 * BITS} bits")
    while len(terms) > 1:  # of two each, as long fractions take long
        terms = [sum(terms[i : i + 2]) for i in range(0, len(terms), 2)]
    return sum(terms)


def factorial(x: Number) -> int:
    """The product of all whole numbers up to *x*; ArithmeticError unless that is a whole one."""
    if x < 0 or x.denominator != 1:
        raise ArithmeticError("a factorial of what is no whole number from 0 on")
    if x > FACTORS:
        raise OutOfReach(f"a factorial of more than {FACTORS}")
    return math.factorial(int(x))


def binomial(n: Number, k: Number) -> int:
    """In how many ways *k* of *n* can be chosen; ArithmeticError where that is no such number."""
    return factorial(n) // (factorial(k) * factorial(n - k))


def _root(x: Number, degree: int) -> Number | None:
    """The root of that *degree* if it is rational for sure; ArithmeticError below 0."""
    if x < 0:
        raise ArithmeticError(_NOT_REAL)
    if type(x) is Approximate:
        return None
    if bits(x) > BITS:
        raise OutOfReach(f"a root of a number of more than {BITS} bits")
    parts = x.numerator, x.denominator
    top, bottom = (_whole_root(part, degree) for part in parts)
    return quotient(top, bottom) if (top**degree, bottom**degree) == parts else None


def _whole_root(n: int, degree: int) -> int:
    """The largest whole number whose power is at most *n*."""
    if degree == 2 or degree >= n.bit_length():
        return isqrt(n) if degree == 2 else min(n, 1)
    root = 1 << -(-n.bit_length() // degree)  # is not below it, as no step of Newton's is
    while (nearer := (root * (degree - 1) + n // root ** (degree - 1)) // degree) < root:
        root = nearer
    return root


# Powers of two

DOUBLING: Final = ("floor_log2", "ceiling_log2")
"""The functions of one plain number that formulas may use; they change at powers of two only."""


def floor_log2(x: Number) -> int:
    """The largest k with 2^k at most *x*; ArithmeticError unless *x* is positive."""
    _check_positive(x)
    return floor(x).bit_length() - 1 if x >= 1 else -ceiling_log2(1 / Fraction(x))


def ceiling_log2(x: Number) -> int:
    """The smallest k with 2^k at least *x*; ArithmeticError unless *x* is positive."""
    _check_positive(x)
    return (ceil(x) - 1).bit_length() if x >= 1 else -floor_log2(1 / Fraction(x))


def _check_positive(x: Number) -> None:
    if x <= 0:
        raise ArithmeticError("a logarithm of a number that is not positive")


# What rounded numbers decide


def agree(one: Number, other: Number) -> bool:
    """Whether two values are equal, to forty digits where they are not rational."""
    if Approximate not in (type(one), type(other)):
        return one == other
    x, y = Fraction(one), Fraction(other)
    return abs(x - y) <= max(abs(x), abs(y)) * MARGIN


def apart(one: Number, other: Number) -> None:
    """OutOfReach where two values agree of which one is rounded: nobody knows which is larger."""
    if Approximate in (type(one), type(other)) and agree(one, other):
        raise OutOfReach(UNSURE)


def surely(rounding: Callable[[Number], Number]) -> Callable[[Number], Number]:
    """*rounding*, but OutOfReach of a rounded number that is too near to where it jumps."""

    def value(x: Number) -> Number:
        if type(x) is not Approximate:
            return rounding(x)
        below, above = (rounding(Fraction(x) * (1 + side)) for side in (-MARGIN, MARGIN))
        if below != above:
            raise OutOfReach(UNSURE)
        return below

    return value


def place_of_largest(*xs: Number) -> int:
    """The number, counted from 1, of the largest of all, the first of equal ones."""
    place = max(range(len(xs)), key=xs.__getitem__)
    for x in (*xs[:place], *xs[place + 1 :]):
        apart(x, xs[place])
    return place + 1
