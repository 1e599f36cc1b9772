"""Uncertain inputs: ``4±0.5 s``, ``4 s +- 10 %`` and ``3..5 s``, read by the grammar of numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from ddcalc.errors import BadValue, DdcalcError, Several
from ddcalc.formula.expression import Number
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.number import parse, plain, split
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

_FORM = re.compile(r"(.*?) *(±|\+/?-|\.\.) *(.*)", re.DOTALL)
Ends = tuple[Number, Number, Number, Unit]

LENGTH = 300  # characters of an uncertain input


@dataclass(frozen=True, slots=True)
class Spread:
    """A given or member of a list (``finish[2]``) lies between *low* and *high* (base units).

    *middle* is what the question is solved for; *around* if it was stated as ``middle ± half``.
    """

    key: str
    given: Given
    low: Number
    middle: Number
    high: Number
    around: bool
    text: str
    shown: str  # the middle as a text that the given reads


def certain(
    problem: type[Problem], texts: Texts
) -> tuple[dict[str, str | Sequence[str]], tuple[Spread, ...]]:
    """*texts* with the middle of each uncertain input in its place, and those inputs.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    plain: dict[str, str | Sequence[str]] = {}
    spreads: list[Spread] = []
    errors: list[DdcalcError] = []
    for key, text in texts.items():
        given = problem.givens.get(key.replace("-", "_"))
        plain[key] = text
        if given is None:
            continue
        members = [text] if isinstance(text, str) else list(text)
        for i, member in enumerate(members):
            name = given.name if isinstance(text, str) else f"{given.name}[{i + 1}]"
            try:
                spread = _spread(name, given, member)
            except DdcalcError as error:
                errors.append(error.about(name))
                continue
            if spread is not None:
                spreads.append(spread)
                members[i] = spread.shown
        plain[key] = members[0] if isinstance(text, str) else members
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    return plain, tuple(spreads)


def _spread(name: str, given: Given, text: str) -> Spread | None:
    parts = _FORM.fullmatch(text) if len(text) <= LENGTH else None
    if parts is None:
        return None
    left, sign, right = parts.groups()
    around = sign != ".."
    low, middle, high, unit = (_around if around else _between)(given, left, right, text)
    if low > high:
        raise BadValue(text, "has a negative spread" if around else "ends before it begins")
    for end in (low, high):
        given.check(text, end)
    shown = f"{ratio(middle, unit.worth)} {unit.name}".strip()
    return Spread(name, given, low, middle, high, around, text, shown)


def _around(given: Given, left: str, right: str, text: str) -> Ends:
    number, unit = split(right)
    if unit == "%":
        middle = _value(given, left, "", text)
        half = middle.value * parse(number) / Fraction(100)
    else:
        middle = _value(given, left, unit, text)
        half = Fraction(_value(given, right, split(left)[1], text).value)
    ends = (plain(middle.value - half), middle.value, plain(middle.value + half))
    return *ends, middle.unit


def _between(given: Given, left: str, right: str, text: str) -> Ends:
    low = _value(given, left, split(right)[1], text)
    high = _value(given, right, split(left)[1], text)
    middle = Fraction(low.value + high.value) / 2
    return low.value, floor(middle) if given.whole else plain(middle), high.value, low.unit


def _value(given: Given, side: str, unit: str, text: str) -> Measured:
    """What one *side* of *text* says; without a unit of its own it has that of the other."""
    if not side:
        raise BadValue(text, "has nothing on one side; write for example 4±0.5 s or 3..5 s")
    return given.measured(side if split(side)[1] or not unit else f"{side} {unit}")


def box(spreads: Sequence[Spread]) -> Mapping[str, tuple[Number, Number]]:
    """From where to where each uncertain input goes, by its key."""
    return {each.key: (each.low, each.high) for each in spreads}
