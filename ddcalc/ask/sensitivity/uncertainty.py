"""Uncertain inputs (``4±0.5 s``, ``4 s +- 10 %``, ``3..5 s``), as the middle and both ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor

from ddcalc.errors import BadValue, DdcalcError, raise_all
from ddcalc.formula.expression import Number
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import parse, plain, split
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

LENGTH = 300  # characters of an uncertain input

_FORM = re.compile(r"(.*?) *(±|\+/?-|\.\.) *(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spread:
    """A given or member of a list (*key*, ``finish[2]``) lies between *low* and *high* (base
    units); *shown* is the middle as a text that the given reads."""

    key: str
    given: Given
    low: Number
    high: Number
    text: str
    shown: str


def certain(
    problem: type[Problem], texts: Texts
) -> tuple[dict[str, str | Sequence[str]], tuple[Spread, ...]]:
    """*texts* with the middle of each uncertain input in its place, and those inputs.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    middles: dict[str, str | Sequence[str]] = {}
    spreads: list[Spread] = []
    errors: list[DdcalcError] = []
    for key, text in texts.items():
        middles[key] = text
        given = problem.givens.get(key.replace("-", "_"))
        if given is None:
            continue
        is_alone = isinstance(text, str)
        members = [text] if isinstance(text, str) else list(text)
        for i, member in enumerate(members):
            name = given.name if is_alone else f"{given.name}[{i + 1}]"
            try:
                spread = _spread(name, given, member)
            except DdcalcError as error:
                errors.append(error.about(name))
                continue
            if spread is not None:
                spreads.append(spread)
                members[i] = spread.shown
        middles[key] = members[0] if is_alone else members
    raise_all(errors)
    return middles, tuple(spreads)


def _spread(name: str, given: Given, text: str) -> Spread | None:
    """What *text* says of *given*; None where it is a plain value."""
    parts = _FORM.fullmatch(text) if len(text) <= LENGTH else None
    if parts is None:
        return None
    left, sign, right = parts.groups()
    number, unit = split(right)
    first = _value(given, left, "" if unit == "%" else unit, text)
    middle, low, high = Fraction(first.value), Fraction(first.value), Fraction(first.value)
    if sign == "..":
        high = Fraction(_value(given, right, split(left)[1], text).value)
        middle = (low + high) / 2
        middle = Fraction(floor(middle)) if given.whole else middle
    else:
        is_share = unit == "%"
        half = (
            middle * Fraction(parse(number)) / 100
            if is_share
            else Fraction(_value(given, right, split(left)[1], text).value)
        )
        low, high = middle - half, middle + half
    if low > high:
        raise BadValue(text, "ends before it begins" if sign == ".." else "has a negative spread")
    for end in (low, high):
        given.check(text, plain(end))
    shown = f"{ratio(middle, first.unit.worth)} {first.unit.name}".strip()
    return Spread(name, given, plain(low), plain(high), text, shown)


def _value(given: Given, side: str, unit: str, text: str) -> Measured:
    """What one *side* of *text* says; without a unit of its own it has that of the other."""
    if not side:
        raise BadValue(text, "has nothing on one side; write for example 4±0.5 s or 3..5 s")
    return given.measured(side if split(side)[1] or not unit else f"{side} {unit}")
