"""Rational numbers beside a true value: they say so, and so does what is worked out from them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from ddcalc.numbers.number import Number, quotient

SURE = 1e-45  # the largest error of a value that is told, relative to it

_LEAST = 1e-150  # an error that no float takes for 0
_LONG = 1536  # bits beyond which a value is shortened
_KEPT = 384  # significant bits that are left then
_CUT = 1e-115  # more than that is off by, relative to the value
_LARGE = 10**100  # times a result: parts so large leave no digit of it right
UNSURE = "a difference too small to be sure of"


class OutOfReach(ArithmeticError):
    """There is a value, but it is too large to be held, or its digits are not sure."""


def _operation(rule: Callable[[Number, Number], Number], *, swapped: bool = False) -> Any:
    """A method for an operator. Its type is Any: Fraction's own take floats too, these do not."""

    def operate(self: Approximate, other: object) -> Any:
        if not isinstance(other, int | Fraction):
            return NotImplemented
        return rule(other, self) if swapped else rule(self, other)

    return operate


def _sum(left: Number, right: Number) -> Number:
    total = Fraction(left) + Fraction(right)
    errors = (carried(error_of(part), Fraction(part), total) for part in (left, right))
    return Approximate(total, sum(errors))


def _difference(left: Number, right: Number) -> Number:
    return _sum(left, -right)


def _product(left: Number, right: Number) -> Number:
    value = Fraction(left) * Fraction(right)
    return Approximate(value, error_of(left) + error_of(right)) if value else 0


def _quotient(top: Number, bottom: Number) -> Number:
    value = Fraction(top) / Fraction(bottom)
    return Approximate(value, error_of(top) + error_of(bottom)) if value else 0


def error_of(value: Number) -> float:
    """How far *value* may be off, relative to it; 0 where it is exact."""
    return value.error if type(value) is Approximate else 0.0


def carried(error: float, part: Fraction, whole: Fraction) -> float:
    """An *error* relative to *part*, relative to *whole* instead."""
    if not error:
        return 0.0
    if abs(part) > _LARGE * abs(whole):
        raise OutOfReach(UNSURE)
    return error * float(abs(part / whole))


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
            value, error = _shortened(value), error + _CUT
        made = super().__new__(cls, value)
        made.error = max(error, _LEAST)
        return made

    def __reduce__(self) -> tuple[type[Approximate], tuple[Fraction, float]]:
        return Approximate, (Fraction(self), self.error)

    __add__ = _operation(_sum)
    __radd__ = _operation(_sum, swapped=True)
    __sub__ = _operation(_difference)
    __rsub__ = _operation(_difference, swapped=True)
    __mul__ = _operation(_product)
    __rmul__ = _operation(_product, swapped=True)
    __truediv__ = _operation(_quotient)
    __rtruediv__ = _operation(_quotient, swapped=True)

    def __neg__(self) -> Approximate:
        return Approximate(-Fraction(self), self.error)

    def __abs__(self) -> Approximate:
        return Approximate(abs(Fraction(self)), self.error)


def _shortened(value: Number) -> Fraction:
    """*value* to _KEPT significant bits: sums of such numbers do not get longer and longer."""
    size = abs(value.numerator).bit_length() - value.denominator.bit_length()
    shift = _KEPT - size
    if shift < 0:
        return Fraction(value.numerator // (value.denominator << -shift) << -shift)
    return Fraction((value.numerator << shift) // value.denominator, 1 << shift)


def ratio(top: Number, bottom: Number) -> Number:
    """The quotient, approximate if one of the two is."""
    if type(top) is Approximate or type(bottom) is Approximate:
        return _quotient(top, bottom)
    return quotient(top.numerator * bottom.denominator, top.denominator * bottom.numerator)
