"""How far a stated answer may be off, and whether a number is right within that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.mark.credit import AS_USUAL, Credit
from ddcalc.ask.mark.written import Written, half_up
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import in_units
from ddcalc.numbers.units import ONE, Dimension, Unit

FEWEST = 2  # digits of a rounded answer, where nothing is said
COUNTED = 10**6  # up to which a count is told in full, so that its zeros are digits,
ROUGH = 3  # unless it has so many others, and no slip leads to it


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the sheet asks of an answer: *digits* at least, or an amount or part *within* which it
    may be off (which *says* tells in words); the *unit* of a number without one. *credit* is what
    an answer is worth."""

    digits: int | None = None
    within: Number | None = None
    relative: bool = False
    unit: Unit | None = None
    says: str = ""
    credit: Credit = AS_USUAL

    @property
    def fewest(self) -> int:
        """The digits that a rounded answer has at least."""
        return self.digits or FEWEST


def needs_unit(dimension: Dimension) -> bool:
    """Whether a number without a unit says nothing: data, money and operations, not counts or
    times."""
    return bool(dimension.data or dimension.money or dimension.work)


def unit_of(stated: Written, unit: Unit, allowed: Allowed) -> Unit | None:
    """The unit in which *stated* tells a quantity of *unit*; None where it is no such unit."""
    if stated.unit is not None:
        return stated.unit if stated.unit.dimension == unit.dimension else None
    bare = not stated.number or not needs_unit(unit.dimension)  # 0 is 0 in every unit
    return allowed.unit or (unit if bare else None)


def right(stated: Written, value: Number, unit: Unit, allowed: Allowed) -> str | None:
    """In what sense *stated*, told in *unit*, is *value*: "" where it is exactly; None if not."""
    worth = unit.worth
    if stated.number == in_units(value, worth):
        return ""
    if allowed.within is not None:
        most = allowed.within * max(value, -value) if allowed.relative else allowed.within
        return allowed.says if -most <= stated.number * worth - value <= most else None
    told = in_units(value, worth)
    for digits, place in roundings(stated, told, unit, allowed):
        if digits >= allowed.fewest and stated.number == half_up(told, place):
            return f"to {digits} significant digits"
    if allowed.digits is not None or _without_zeros(stated):
        wanted = rounded(Fraction(told), allowed.fewest)
        if rounded(Fraction(stated.number), allowed.fewest) == wanted:
            return f"to {allowed.fewest} significant digits"
    return None


def _without_zeros(stated: Written) -> bool:
    """Whether zeros behind the point may have been left out: 8 for 8.0."""
    return stated.place is not None and stated.place <= 0 and stated.digits < FEWEST


def roundings(
    stated: Written, told: Number, unit: Unit, allowed: Allowed
) -> Iterator[tuple[int, int]]:
    """To how many digits the right number *told* may have been rounded, and the place of the last.

    Zeros that end a whole number may be digits or not, unless the sheet says how many digits there
    are, or things are counted. Nothing was rounded where arithmetic is stated.
    """
    if stated.place is None:
        return
    zeros = 0 if _is_counted(told, unit) or allowed.digits is not None else stated.zeros()
    for more in range(zeros + 1):
        yield stated.digits - more, stated.place + more


def rough(stated: Written, value: Number, unit: Unit, allowed: Allowed) -> int | None:
    """To how many digits *stated* may be *value*, which is counted, if its zeros are none."""
    told = in_units(value, unit.worth)
    if stated.place is None or allowed.digits is not None or not _is_counted(told, unit):
        return None
    for more in range(1, stated.zeros() + 1):
        digits = stated.digits - more
        if digits >= ROUGH and stated.number == half_up(told, stated.place + more):
            return digits
    return None


def _is_counted(told: Number, unit: Unit) -> bool:
    """Whether *told* is a number of things, and not so large that it would be rounded."""
    plain = unit.dimension == ONE and unit.worth == 1
    return plain and isinstance(told, int) and abs(told) < COUNTED
