"""Exact numbers as people read them, with integer arithmetic only.

A text is exact up to fifteen significant digits and rounded beyond; of a number that is rounded
already it never is exact. Thousands are grouped by a space, minus is U+2212, and what is very large
or very small is written ``1.5×10^21``.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal, Inexact
from fractions import Fraction
from math import floor

from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import Number, in_units, magnitude, product, quotient
from ddcalc.numbers.units import Unit

SIGNIFICANT = 6  # digits of a rounded number
EXACT = 15  # digits up to which an exact decimal is written out
SMALLEST = -6  # the power of ten below which numbers are written scientifically
LONGEST_PART = 10**30  # of a fraction that is written as one
PLACES = 16  # decimals of an exact number, at most; else it is a fraction
LONGEST = 40  # the same, of a number in a file

MINUS = "\u2212"
ABOUT = "≈ "


def equal(name: str, shown: str) -> str:
    """``x = 5``; ``x ≈ 5.1`` of a number that is *shown* rounded."""
    return f"{name} {shown}" if shown.startswith(ABOUT) else f"{name} = {shown}"


def number_text(value: Number) -> tuple[str, bool]:
    """The decimal text of *value*, and whether it is exact.

    What needs more than fifteen digits is rounded half up to six significant ones, but an integer
    part of up to fifteen digits is never cut.
    """
    near, exact = nearest(value, EXACT)
    exact = exact and type(value) is not Approximate
    if not exact:
        whole = near.adjusted() + 1  # digits before the point
        near, _ = nearest(value, max(SIGNIFICANT, whole) if whole <= EXACT else SIGNIFICANT)
    first = near.adjusted()
    if SMALLEST <= first < EXACT:
        return grouped(near), exact
    return f"{near.scaleb(-first):f}×10^{first}".replace("-", MINUS), exact


def fraction_text(value: Number) -> str:
    """*value* as a grouped fraction or integer; as a decimal where that is too long or rounded."""
    long = max(abs(value.numerator), value.denominator) >= LONGEST_PART
    if long or type(value) is Approximate:
        return quantity_text(value, None)
    over, under = map(grouped, map(Decimal, value.as_integer_ratio()))
    return over if value.denominator == 1 else f"{over}/{under}"


def quantity_text(value: Number, unit: Unit | None) -> str:
    """*value*, given in base units, as a number of *unit*: ``595.5 s``, ``≈ 66.6667 s``."""
    text, exact = number_text(value if unit is None else ratio(value, unit.worth))
    return f"{'' if exact else ABOUT}{text} {unit.name if unit else ''}".rstrip()


def exact_text(value: Number, unit: Unit) -> str:
    """*value*, in base units, as an exact number of *unit* that the number grammar reads.

    It does not read units such as ``s^2``, but takes bare numbers to be in them.
    """
    number = in_units(value, unit.worth)
    name = "" if "^" in unit.name else unit.name
    text = decimal(number, LONGEST) or ""
    return f"{text if 0 < sum(map(str.isdigit, text)) <= LONGEST else number} {name}".rstrip()


def counted(count: int, noun: str) -> str:
    """So many of a thing: "1 row", "2 rows"."""
    return f"{number_text(count)[0]} {noun}{'' if count == 1 else 's'}"


def rounded(value: Number, significant: int) -> Number:
    """*value* rounded to so many *significant* digits, ties away from zero."""
    return quotient(*nearest(value, significant)[0].as_integer_ratio())


def half_up(value: Number, place: int) -> Number:
    """*value* rounded to the power of ten *place*, ties away from zero."""
    return at_place(value, place, lambda size: floor(size + Fraction(1, 2)))


def nearest_two(value: Number, place: int) -> tuple[Number, Number]:
    """*value* rounded to the power of ten *place*, half up and half to even."""
    return half_up(value, place), at_place(value, place, round)


def first_place(value: Number) -> int:
    """The place of the first digit of *value*; 0 of 0."""
    return (Decimal(value.numerator) / value.denominator).adjusted()


def at_place(value: Number, place: int, whole: Callable[[Fraction], int]) -> Number:
    """*value* at the power of ten *place*, where its size is made *whole*."""
    unit = Fraction(10) ** place
    size = product(whole(Fraction(magnitude(value)) / unit), unit)
    return size if value > 0 else -size


def nearest(value: Number, significant: int) -> tuple[Decimal, bool]:
    """The decimal of up to *significant* digits nearest to *value*, half up; whether it is that."""
    context = Context(significant, ROUND_HALF_UP, MIN_EMIN, MAX_EMAX, traps=[])
    near = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return near.normalize(context), not context.flags[Inexact]


def decimals(value: Number) -> int | None:
    """The digits behind the point of *value*; None where they never end."""
    near, ends = nearest(value, value.numerator.bit_length() + value.denominator.bit_length())
    return max(0, -int(near.as_tuple().exponent)) if ends else None


def decimal(value: Number, most: int = PLACES) -> str | None:
    """*value* as a whole number or a decimal of *most* digits behind the point; None where it is
    neither.
    """
    places = decimals(value)
    if places is None or places > most:
        return None
    return f"{nearest(value, places + value.numerator.bit_length() + 1)[0]:f}"


def grouped(number: Decimal) -> str:
    """*number* in full, its digits in groups of three."""
    return f"{number:,f}".replace(",", " ").replace("-", MINUS)


def in_full(number: str, digits: int) -> str:
    """A rounded *number* with zeros at its end up to so many significant *digits*: 2.000."""
    known = number.replace(".", "").lstrip("0")
    if not known.isdecimal() or len(known) >= digits:
        return number
    return f"{number}{'.' * ('.' not in number)}{'0' * (digits - len(known))}"
