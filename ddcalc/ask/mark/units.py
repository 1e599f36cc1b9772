"""The right value in a wrong unit: bits for bytes, another prefix, minutes for seconds, none."""

from __future__ import annotations

from ddcalc.ask.mark.allowed import Allowed, right
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.question import Target
from ddcalc.ask.mark.written import Written
from ddcalc.memory import remembered
from ddcalc.numbers.units import COUNT, ONE, SECOND, UNITS, Dimension, Unit

SURE = 3  # digits from which a number is told by what it is worth in another unit
CLOSE = 0.2  # how far a number may be off, relative to the right one, to be looked at exactly


def right_unit(stated: Written, target: Target, allowed: Allowed) -> Unit | None:
    """The unit in which *stated* would be right, the quantity's own first; None if there is none.

    Few digits are right in some unit by chance, and tell nothing of any but the usual one.
    """
    value, number = near(target.value), near(stated.number)
    usual = [target.unit] if allowed.unit is None else [allowed.unit, target.unit]
    sure = stated.digits - stated.zeros() >= SURE
    others = _units(target.unit.dimension) if stated.digits >= SURE else ()
    for unit in (*usual, *others):
        close = abs(number * near(unit.worth) - value) <= CLOSE * abs(value)
        if not close or _same(unit, stated.unit):
            continue
        if right(stated, target.value, unit, allowed) is None:
            continue
        if sure or unit in usual or stated.fits(target.value, unit.worth):
            return unit
    return None


def complaint(stated: Written, unit: Unit) -> str:
    """What is wrong with the unit of *stated*, which is right in *unit*."""
    name = unit.name or "no unit"
    if stated.unit is None:
        return f"the unit is missing: {name}"
    return f"right in {name}, not in {stated.unit.name or 'a plain number'}"


def _same(one: Unit, other: Unit | None) -> bool:
    """Whether both measure the same and are worth the same: 5 and 5 tokens."""
    return other is not None and (one.worth, one.dimension) == (other.worth, other.dimension)


@remembered
def _units(dimension: Dimension) -> tuple[Unit, ...]:
    """The units of *dimension*, and quotients of two of them, those by seconds first."""
    named = dict.fromkeys(UNITS.values())  # 5 tokens are 5
    units = [COUNT, *(unit for unit in named if not _same(unit, COUNT))]
    found = [unit for unit in units if unit.dimension == dimension and unit.name]
    for under in sorted(units, key=lambda unit: unit != SECOND):
        for over in units:
            if over.dimension != dimension == over.dimension / under.dimension != ONE:
                found.append(over.per(under))
    return tuple(found)
