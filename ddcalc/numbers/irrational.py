"""Roots, exponentials, logarithms: exact where they are rational, else to a hundred digits."""

from __future__ import annotations

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isqrt, log2

from ddcalc.numbers.approximate import UNSURE, Approximate, OutOfReach, carried, error_of
from ddcalc.numbers.number import Number, quotient

DIGITS = 100  # significant ones of a rounded value
BITS = 100_000  # of a number that goes into a function, and of a power of e
STEEPEST = 69_314  # the exponent with which a power of e has so many
TERMS = 10_000  # of a sum
NEAREST = 1000  # digits in which a number may agree with 1 for its logarithm to be found

_STEP = 10.0 ** (1 - DIGITS)  # of the last digit, relative to the value: twice the rounding error
_GUARD = 20  # digits more than DIGITS of what goes into a function
_PER_BIT = 0.30103  # decimal digits
_NOT_REAL = "a root of a negative number"


def power(base: Number, exponent: Number) -> Number:
    """The power; ArithmeticError where it is not real, or too large to hold.

    >>> power(Fraction(4, 9), Fraction(-3, 2))
    Fraction(27, 8)
    """
    if exponent.denominator != 1 or type(exponent) is Approximate:
        root = None if type(exponent) is Approximate else _root(base, exponent.denominator)
        if root is None:
            return exp(log(base) * exponent)
        base, exponent = root, exponent.numerator
    times = int(exponent)
    if abs(times) * _bits(base) > BITS:
        raise OutOfReach(f"a power of more than {BITS} bits")
    value = Fraction(base) ** times
    if not times or type(base) is not Approximate:
        return value
    return Approximate(value, 2 * abs(times) * base.error)


def sqrt(x: Number) -> Number:
    """The square root of *x*; ArithmeticError below 0."""
    exact = _root(x, 2)
    if exact is not None:
        return exact
    return Approximate(Fraction(_ROUND.sqrt(_decimal(x))), _STEP + error_of(x))


def exp(x: Number) -> Number:
    """e to the power of *x*; ArithmeticError where that is too large or too small to hold."""
    if x == 0:
        return 1
    size = abs(Fraction(x))
    if size > STEEPEST:
        raise OutOfReach(f"a power of e of more than {BITS} bits")
    return Approximate(Fraction(_ROUND.exp(_decimal(x))), _STEP + float(size) * error_of(x))


def log(x: Number) -> Number:
    """The natural logarithm of *x*; ArithmeticError unless that is positive."""
    if x <= 0:
        raise ArithmeticError("a logarithm of a number that is not positive")
    gap = x - 1
    if gap == 0:
        return 0
    alike = int(_PER_BIT * (x.denominator.bit_length() - abs(gap.numerator).bit_length()))
    if alike > NEAREST:
        raise OutOfReach(UNSURE)
    value = Fraction(_ROUND.ln(_decimal(x, max(alike, 0))))
    return Approximate(value, _STEP + carried(error_of(x), Fraction(1), value))


def lambert(x: Number) -> Number:
    """Lambert's W, the number w from −1 on with w·e^w = *x*; ArithmeticError below −1/e.

    How sure the value is falls as *x* comes near −1/e.

    >>> round(float(lambert(1)), 6)
    0.567143
    """
    if x == 0:
        return 0
    if _bits(x) > BITS:
        raise OutOfReach(f"a number of more than {BITS} bits")
    import mpmath  # takes a tenth of a second, and few questions need it

    with mpmath.workdps(2 * DIGITS + _GUARD):
        w = mpmath.lambertw(mpmath.mpf(x.numerator) / x.denominator)
        if isinstance(w, mpmath.mpc):
            raise ArithmeticError("a Lambert function below −1/e")
        digits, power = w.man_exp  # of its size
        found = Fraction(digits if w > 0 else -digits) * Fraction(2) ** power
    steep = abs(1 / float(1 + found))
    return Approximate(found, _STEP + steep * error_of(x))


def floor_sqrt(x: Number) -> int:
    """The largest whole number that is at most the root of *x*, for sure."""
    if x < 0:
        raise ArithmeticError(_NOT_REAL)
    return isqrt(x.numerator // x.denominator)


def ceiling_sqrt(x: Number) -> int:
    """The smallest whole number that is at least the root of *x*, for sure."""
    root = floor_sqrt(x)
    return root if root * root == x else root + 1


def harmonic(n: Number, exponent: Number) -> Number:
    """The sum of k to the power of -*exponent* for k = 1, …, *n* (a generalised harmonic number).

    ArithmeticError unless *n* is a whole number up to TERMS.

    >>> harmonic(3, 1), harmonic(2, 2)
    (Fraction(11, 6), Fraction(5, 4))
    """
    if n < 0 or n.denominator != 1:
        raise ArithmeticError("a sum whose last term is no whole number")
    if n > TERMS:
        raise OutOfReach(f"a sum of more than {TERMS} terms")
    last, steep = int(n), abs(Fraction(exponent))
    if last < 2:
        return last
    if last * last.bit_length() * steep > 10 * BITS:
        raise OutOfReach(f"a sum of more than {10 * BITS} bits")
    if exponent.denominator == 1 and type(exponent) is not Approximate:
        return quotient(*_whole_sum(1, last, int(exponent)))
    value, slope = Decimal(1), _decimal(-exponent)
    for k in range(2, last + 1):
        value = _FINE.add(value, _FINE.exp(_FINE.multiply(slope, _FINE.ln(k))))
    error = last * float(steep) * error_of(exponent)
    return Approximate(Fraction(_ROUND.plus(value)), _STEP + error)


_ROUND = Context(prec=DIGITS, Emin=MIN_EMIN, Emax=MAX_EMAX)
_FINE = Context(prec=DIGITS + _GUARD, Emin=MIN_EMIN, Emax=MAX_EMAX)


def _decimal(x: Number, more: int = 0) -> Decimal:
    """*x* to some digits more than a value is told to."""
    if _bits(x) > BITS:
        raise OutOfReach(f"a number of more than {BITS} bits")
    context = Context(prec=DIGITS + _GUARD + more, Emin=MIN_EMIN, Emax=MAX_EMAX)
    return context.divide(Decimal(x.numerator), Decimal(x.denominator))


def _bits(x: Number) -> int:
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def _root(x: Number, degree: int) -> Number | None:
    """The root of that *degree* if it is rational for sure; ArithmeticError below 0."""
    if x < 0:
        raise ArithmeticError(_NOT_REAL)
    if type(x) is Approximate or _bits(x) > BITS:
        return None
    top, bottom = _whole_root(x.numerator, degree), _whole_root(x.denominator, degree)
    if top**degree != x.numerator or bottom**degree != x.denominator:
        return None
    return quotient(top, bottom)


def _whole_sum(first: int, last: int, exponent: int) -> tuple[int, int]:
    """The sum of k to the power of -*exponent* from *first* to *last*, as a quotient."""
    if first == last:
        power = first ** abs(exponent)
        return (1, power) if exponent > 0 else (power, 1)
    middle = (first + last) // 2  # halves keep the numbers short for as long as possible
    (top, bottom), (more, under) = (
        _whole_sum(first, middle, exponent),
        _whole_sum(middle + 1, last, exponent),
    )
    return top * under + more * bottom, bottom * under


def _whole_root(n: int, degree: int) -> int:
    """The largest whole number whose power is at most *n*, by Newton's method from above."""
    if degree == 2:
        return isqrt(n)
    if degree >= n.bit_length():
        return min(n, 1)
    bits = log2(n) / degree
    shift = max(int(bits) - 60, 0)
    below = int(2 ** (bits - shift) * 1.0000001 + 1) << shift  # more than the root, by little
    found = below + 1
    while below < found:
        found = below
        below = ((degree - 1) * found + n // found ** (degree - 1)) // degree
    return found
