"""How far a stated answer may be off, and whether a number is right within that."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.mark.credit import AS_USUAL, Credit
from ddcalc.ask.mark.written import Written, half_up
from ddcalc.dimension import ONE, Dimension
from ddcalc.display import rounded
from ddcalc.expression import Number
from ddcalc.number import in_units
from ddcalc.units import Unit

FEWEST = 2  # digits of a rounded answer, where nothing is said
OPEN = 3  # digits that must be right where zeros at the end may be none


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
    return allowed.unit or (None if needs_unit(unit.dimension) else unit)


def right(stated: Written, value: Number, unit: Unit, allowed: Allowed) -> str | None:
    """In what sense *stated*, told in *unit*, is *value*: "" where it is exactly; None if not."""
    worth = unit.worth
    if stated.number == in_units(value, worth):
        return ""
    if allowed.within is not None:
        most = allowed.within * max(value, -value) if allowed.relative else allowed.within
        return allowed.says if -most <= stated.number * worth - value <= most else None
    if stated.digits >= allowed.fewest and stated.fits(value, worth):
        return f"to {stated.digits} significant digits"
    if allowed.digits is not None or _without_zeros(stated):
        told = rounded(Fraction(in_units(value, worth)), allowed.fewest)
        if rounded(Fraction(stated.number), allowed.fewest) == told:
            return f"to {allowed.fewest} significant digits"
    return None


def _without_zeros(stated: Written) -> bool:
    """Whether zeros behind the point may have been left out: 8 for 8.0."""
    return stated.place is not None and stated.place <= 0 and stated.digits < FEWEST


def right_but_for_zeros(stated: Written, value: Number, unit: Unit) -> int | None:
    """To how many digits *stated* is *value* if the zeros at its end are none; None if it is not.

    Things that are counted have no such zeros.
    """
    told = in_units(value, unit.worth)
    if isinstance(told, int) and unit.dimension == ONE:
        return None
    for place in range(1, stated.zeros() + 1):
        if stated.digits - place >= OPEN and half_up(told, place) == stated.number:
            return stated.digits - place
    return None
