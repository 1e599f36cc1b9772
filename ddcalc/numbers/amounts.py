"""stub until room A's lands"""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.numbers.display import number_text, quantity_text, rounded
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import Unit


@dataclass(frozen=True, slots=True)
class Text:
    text: str
    exact: bool

    def __str__(self) -> str:
        return self.text


def in_sentence(value: Number, unit: Unit, keep: bool = False) -> Text:
    t = quantity_text(value, unit)
    return Text(t.removeprefix("≈ "), not t.startswith("≈"))


def per_cent(part: Number) -> str:
    return number_text(rounded(part * 100, 3))[0] + " %"


def plain_number(value: Number) -> Text:
    t, e = number_text(value, 4)
    return Text(t, e)
