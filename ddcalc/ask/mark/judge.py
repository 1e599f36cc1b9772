"""One number judged: right, rounded, in a wrong unit, following from an earlier slip, or wrong."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.ask.mark import digits, pairs, search, units
from ddcalc.ask.mark.allowed import Allowed, right, right_but_for_zeros, unit_of
from ddcalc.ask.mark.credit import Verdict
from ddcalc.ask.mark.mark import NAMED, PERHAPS, TWO
from ddcalc.ask.mark.own import Own
from ddcalc.ask.mark.question import Question, Target, Two
from ddcalc.ask.mark.slip import SIMPLE, Amount, Pieces, Slip
from ddcalc.ask.mark.written import Written, cut, half_up, raised
from ddcalc.number import in_units, product
from ddcalc.units import Unit


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
            return _right(sense, allowed, own.would_be(target))
    if (meant := units.right_unit(stated, target, allowed)) is not None:
        return Judged("unit", (f"right value, wrong unit: {units.complaint(stated, meant)}",))
    if unit is not None and (earlier := own.leads_to(target, stated, unit, allowed)):
        return Judged("follows", ("right method: follows from your ", *earlier))
    return _wrong(question, target, stated, unit or target.unit, allowed, own)


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
    if form := _form(target, stated, unit, allowed):
        return form
    brief: Pieces = ()
    found = list(_slips(question, target, stated, unit))
    digits_left = right_but_for_zeros(stated, target.value, unit)
    if digits_left and not found:
        return Judged("rounded", (f"right to {digits_left} significant digits",))
    if digits_left:
        brief = (f"if you rounded, write the {digits_left} digits with a power of ten",)
    if not found and (base := own.base(target)) and stated.digits >= NAMED:
        found = search.hits(search.in_equations(question, target, base), stated, unit)
        brief = ("from your ", *own.told(target)) if found else brief
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


def _form(target: Target, stated: Written, unit: Unit, allowed: Allowed) -> Judged | None:
    """The verdict where the right value is written, but cut off or rounded wrongly."""
    if stated.place is None or not stated.number:
        return None
    told, place, number = in_units(target.value, unit.worth), stated.place, stated.number
    rounded = half_up(told, place)
    if rounded == number:
        fewest = f"at least {allowed.fewest} significant digits are wanted"
        slip = Slip("coarse", ("rounding too far",), product(number, unit.worth))
        return Judged("wrong", (f"rounded too far: {fewest}",), (slip,))
    if stated.digits < PERHAPS or number not in (cut(told, place), raised(told, place)):
        return None
    how = "truncated" if cut(told, place) == number else "rounded up"
    brief = f"{how}; rounded to {stated.digits} digits it is "
    right_one = Amount(product(rounded, unit.worth), unit)
    slip = Slip("cut", ("truncating" if how == "truncated" else "rounding up",), right_one.value)
    return Judged("wrong", (brief, right_one), (slip,))
