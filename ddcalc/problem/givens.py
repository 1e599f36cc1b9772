"""The numbers that something is played for, by name of given."""

from __future__ import annotations

from collections.abc import Mapping
from math import lcm
from typing import Final

from ddcalc.errors import OverLimit
from ddcalc.numbers.number import Number

Played = Mapping[str, Number | tuple[Number, ...]]
"""Base units; no entry for what is not stated and has no usual value."""

DIGITS: Final = 300  # of a common denominator


def one(given: Played, name: str) -> Number | None:
    """The value of *name*, which is no list; None where it is not stated."""
    value = given.get(name)
    assert not isinstance(value, tuple), name
    return value


def whole(given: Played, name: str) -> int | None:
    """The count *name*; None where it is not stated."""
    value = one(given, name)
    return None if value is None else int(value)


def several(given: Played, name: str) -> tuple[Number, ...]:
    """The values of *name*, one or a list; none where it is not stated."""
    value = given.get(name)
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def listed(given: Played, name: str) -> tuple[Number, ...]:
    """The values of the list *name*; OverLimit unless they are quickly added up exactly."""
    values, bottom = several(given, name), 1
    for value in values:
        bottom = lcm(bottom, value.denominator)
        if bottom >= 10**DIGITS:
            reason = f"the common denominator has more than {DIGITS} digits; round the numbers"
            raise OverLimit(reason).about(name)
    return values
