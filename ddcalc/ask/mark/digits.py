"""Slips of the pen: two digits swapped, or one typed twice."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ddcalc.ask.mark.slip import Slip
from ddcalc.ask.mark.written import Written
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import plain, product
from ddcalc.numbers.units import Unit


def slips(stated: Written, value: Number, unit: Unit) -> Iterator[Slip]:
    """What turns *stated*, told in *unit*, into the right *value*."""
    if stated.place is None or not stated.number:
        return
    one = Fraction(10) ** stated.place
    size = stated.number / one
    text, sign = str(max(size, -size)), 1 if size > 0 else -1
    shown = quantity_text(product(stated.number, unit.worth), unit)
    for deed, meant in _meant(text):
        number = sign * int(meant) * one
        again = Written(stated.text, plain(number), stated.unit, stated.place, stated.digits)
        if again.fits(value, unit.worth):
            told = quantity_text(product(plain(number), unit.worth), unit)
            yield Slip(
                "digits",
                (deed,),
                product(stated.number, unit.worth),
                shown=(f"{shown} for {told}",),
            )
            return


def _meant(text: str) -> Iterator[tuple[str, str]]:
    """The digits that may have been meant by *text*, and what happened to them."""
    for i in range(len(text) - 1):
        before, one, other, behind = text[:i], text[i], text[i + 1], text[i + 2 :]
        if one != other:
            yield "swapping two digits", f"{before}{other}{one}{behind}"
        else:
            yield "typing a digit twice", f"{before}{one}{behind}"
