"""One number judged: right, rounded, in a wrong unit, following from an earlier slip, or wrong."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.ask.mark import digits, pairs, readings, search, units
from ddcalc.ask.mark.allowed import Allowed, right, rough, roundings, unit_of
from ddcalc.ask.mark.credit import Verdict
from ddcalc.ask.mark.mark import NAMED, PERHAPS, TWO
from ddcalc.ask.mark.own import Own
from ddcalc.ask.mark.question import Question, Target, Two
from ddcalc.ask.mark.slip import SIMPLE, Amount, Pieces, Slip
from ddcalc.ask.mark.written import Written, cut, half_up, raised
from ddcalc.numbers.number import in_units, product
from ddcalc.numbers.units import Unit


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be said of a number."""

    verdict: Verdict
    brief: Pieces = ()
    slips: tuple[Slip, ...] = ()
    sure: bool = True
    two: Two | None = None


def judged(
    question: Question, target: Target, stated: Written, allowed: Allowed, own: Own
) -> Judged:
    """The verdict on *stated* for *target*; *own* are the student's other results."""
    unit = unit_of(stated, target.unit, allowed)
    if unit is not None:
        sense = right(stated, target.value, unit, allowed)
        if sense is not None:
            otherwise = own.would_be(target) or _unrounded(question, target, stated, unit, sense)
            return _right(sense, allowed, otherwise)
    if (meant := units.right_unit(stated, target, allowed)) is not None:
        return Judged("unit", (f"right value, wrong unit: {units.complaint(stated, meant)}",))
    if unit is not None and (earlier := own.leads_to(target, stated, unit, allowed)):
        return Judged("follows", ("right method: follows from your ", *earlier))
    return _wrong(question, target, stated, unit or target.unit, allowed, own)


def _unrounded(
    question: Question, target: Target, stated: Written, unit: Unit, sense: str
) -> Pieces:
    """Which slip leads exactly to a number that is right if the zeros at its end are none."""
    if not sense or not stated.zeros() or stated.fits(target.value, unit.worth):
        return ()
    told = product(stated.number, unit.worth)
    found = [s for s in _slips(question, target, stated, unit) if s.value == told]
    if not found or SIMPLE[found[0].kind] > SIMPLE["reading"]:
        return ()
    return ("if rounded; unrounded, you get it by ", *found[0].deed)


def _right(sense: str, allowed: Allowed, otherwise: Pieces) -> Judged:
    if not sense:
        return Judged("right", otherwise)
    declared = allowed.digits is not None or allowed.within is not None
    told = f"right {sense}, as the sheet allows" if declared else f"right {sense}"
    return Judged("rounded", (f"{told}, ", *otherwise) if otherwise else (told,))


def _wrong(
    question: Question, target: Target, stated: Written, unit: Unit, allowed: Allowed, own: Own
) -> Judged:
    """The verdict where nothing makes *stated* right: with the slip that leads to it."""
    forms = _forms(target, stated, unit, allowed)
    if forms and (read := _as_read(question, target, stated, unit)):
        return Judged("wrong", (), read, stated.digits >= NAMED)
    if forms and stated.place == forms[0].place:
        return forms[0].judged
    found = _slips(question, target, stated, unit)
    if forms and not found:
        return forms[0].judged
    if not found and (left := rough(stated, target.value, unit, allowed)):
        return Judged("rounded", (f"right to {left} significant digits",))
    brief: Pieces = ()
    if not found and (base := own.base(target)) and stated.digits >= NAMED:
        found = search.hits(search.in_equations(question, target, base), stated, unit)
        brief = ("from your ", *own.told(target)) if found else brief
    if not found and stated.digits < PERHAPS:
        found = list(_as_read(question, target, stated, unit))
    if found or stated.digits < TWO:
        return Judged("wrong", brief, tuple(found), stated.digits >= NAMED)
    return Judged("wrong", brief, two=pairs.only(question, target, stated, unit))


def _slips(question: Question, target: Target, stated: Written, unit: Unit) -> list[Slip]:
    """The single slips that lead to *stated*, if it has digits enough; the simplest first."""
    if stated.digits < PERHAPS:
        return []
    found = search.hits(search.suspects(question, target), stated, unit)
    found += digits.slips(stated, target.value, unit)
    return search.merged(sorted(found, key=lambda slip: SIMPLE[slip.kind]))


def _as_read(question: Question, target: Target, stated: Written, unit: Unit) -> tuple[Slip, ...]:
    """The other readings of which what is *stated* is exactly the answer."""
    told = product(stated.number, unit.worth)
    slips = (suspect.slip() for suspect in readings.suspects(question, target))
    return tuple(slip for slip in slips if slip is not None and slip.value == told)


@dataclass(frozen=True, slots=True)
class _Form:
    """What is wrong with the form of the right number, if its last digit is at *place*."""

    place: int
    judged: Judged


def _forms(target: Target, stated: Written, unit: Unit, allowed: Allowed) -> list[_Form]:
    """Each way in which the right number is written, but rounded too far, wrongly or cut off."""
    told, number = in_units(target.value, unit.worth), stated.number
    found = []
    for digits_, place in roundings(stated, told, unit, allowed) if number else ():
        rounded = half_up(told, place)
        if rounded == number:
            fewest = f"at least {allowed.fewest} significant digits are wanted"
            slip = Slip("coarse", ("rounding too far",), product(number, unit.worth))
            judged = Judged("wrong", (f"rounded too far: {fewest}",), (slip,))
            found.append(_Form(place, judged))
        elif digits_ >= PERHAPS and number in (cut(told, place), raised(told, place)):
            how = "truncated" if cut(told, place) == number else "rounded up"
            brief = f"{how}; rounded to {digits_} digits it is "
            right_one = Amount(product(rounded, unit.worth), unit)
            deed = "truncating" if how == "truncated" else "rounding up"
            slip = Slip("cut", (deed,), right_one.value)
            found.append(_Form(place, Judged("wrong", (brief, right_one), (slip,))))
    return found
