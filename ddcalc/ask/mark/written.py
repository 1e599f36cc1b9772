"""A number as a student wrote it: its digits, and whether another one rounds to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from ddcalc.errors import BadNumber, BadUnit
from ddcalc.numbers.number import Number, in_units, split
from ddcalc.numbers.units import COUNT, ONE, Measured, Unit, measure, told_in, unit_named

ALL = 40  # digits of what is exact: a number has no more in a text

_GROUPED = re.compile(r"(?<![0-9.])[0-9]{1,3}(?: [0-9]{3})+(?![0-9])")
_POWER = re.compile(r"([0-9])×10\^(-?[0-9]+)")
_PLAIN = re.compile(r"[+-]?([0-9_]+)(?:\.([0-9_]+))?(?:[eE]([+-]?[0-9]+))?")


@dataclass(frozen=True, slots=True)
class Written:
    """*number* stands before the *unit*; None where there is none.

    *place* is the power of ten of its last digit, None where arithmetic says it exactly; *digits*
    counts the significant ones, zeros at the end of a whole number among them.
    """

    text: str
    number: Number
    unit: Unit | None
    place: int | None
    digits: int

    def fits(self, value: Number, worth: Number) -> bool:
        """Whether *value* (base units), told in units of that *worth*, rounds to what is written,
        half up."""
        told = in_units(value, worth)
        return self.number == (told if self.place is None else half_up(told, self.place))

    def zeros(self) -> int:
        """How many zeros end a whole number, which may be digits or not."""
        if self.place != 0 or not self.number:
            return 0
        digits = str(abs(self.number))
        return len(digits) - len(digits.rstrip("0"))


def as_typed(text: str) -> str:
    """*text* as it is typed, if it is a number as ddcalc shows it: ``≈ −1.5×10^9``, ``68 759 s``.

    >>> as_typed("≈ 1 302 047 us"), as_typed("−6.3×10^24"), as_typed("3 4")
    ('1302047 us', '-6.3e24', '3 4')
    """
    told = text.removeprefix("≈").lstrip(" ").replace("\u2212", "-")
    told = _GROUPED.sub(lambda found: found[0].replace(" ", ""), told)
    return _POWER.sub(r"\1e\2", told)


def written(text: str, unit: Unit) -> Written:
    """What *text* says as a quantity told in *unit*, though its own unit may be any or none.

    Raises BadNumber for what is no number, BadUnit for an unknown unit.
    """
    try:
        return _written(text, unit)
    except BadNumber:
        if (typed := as_typed(text)) == text:
            raise
        return replace(_written(typed, unit), text=text)


def _written(text: str, unit: Unit) -> Written:
    measured = _measured(text, unit)
    own = None if measured.bare else measured.unit
    number = in_units(measured.value, measured.unit.worth)
    if own is None and unit.dimension == ONE:
        own = COUNT
    digits, place = _digits(split(_without(text, unit))[0], number)
    return Written(text, number, own, place, digits)


def half_up(value: Number, place: int) -> Number:
    """*value* rounded to the power of ten *place*, ties away from zero.

    >>> half_up(Fraction(1191, 2), 0), half_up(-15, 1)
    (596, -20)
    """
    return _at(value, place, Fraction(1, 2))


def cut(value: Number, place: int) -> Number:
    """*value* without the digits behind the power of ten *place*."""
    return _at(value, place, Fraction(0))


def raised(value: Number, place: int) -> Number:
    """*value* rounded away from zero at the power of ten *place*, whatever the next digit."""
    down = cut(value, place)
    if down == value:
        return down
    return down + (1 if value > 0 else -1) * _ten(place)


def _measured(text: str, unit: Unit) -> Measured:
    if _without(text, unit) != text:
        return told_in(unit, text)
    try:
        return measure(text, unit.dimension, bare_unit=unit)
    except BadUnit:
        return _otherwise(text, unit)


def _without(text: str, unit: Unit) -> str:
    """*text* without a unit that :func:`split` does not know: ``2.5 s^2``."""
    return text.removesuffix(unit.name).rstrip(" ") if "^" in unit.name else text


def _otherwise(text: str, unit: Unit) -> Measured:
    """A count with a multiplier (``8k``), or a number in a unit that measures something else."""
    if unit.dimension == ONE:
        try:
            return measure(text, ONE, bare_unit=COUNT, suffixes=True)
        except BadUnit:
            pass
    found = unit_named(split(text)[1], text)
    return measure(text, found.dimension, bare_unit=None)


def _digits(text: str, number: Number) -> tuple[int, int | None]:
    """How many significant digits *text*, which says *number*, has, and the place of the last."""
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return ALL, None
    whole, fraction, exponent = ((part or "").replace("_", "") for part in plain.groups())
    place = int(exponent or 0) - len(fraction)
    said = int(whole + fraction) * _ten(place)
    if said and number not in (said, -said):  # a multiplier follows
        place += len(str(max(number, -number) // said)) - 1
    return len((whole + fraction).lstrip("0")), place


def _at(value: Number, place: int, more: Fraction) -> Number:
    scale = Fraction(_ten(place))
    size = Fraction(max(value, -value)) / scale + more
    told = (size.numerator // size.denominator) * scale
    told = told if value > 0 else -told
    return told.numerator if told.denominator == 1 else told


def _ten(place: int) -> Number:
    return int(10**place) if place >= 0 else Fraction(1, int(10**-place))
