"""Python values as the texts that state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from ddcalc.errors import BadValue
from ddcalc.stated import Texts

Given: TypeAlias = str | int | float | Fraction | Decimal


def texts_of(given: Mapping[str, Given | Sequence[Given]]) -> Texts:
    """Every value, or every member of a list, as its text; floats as the decimal they print as."""
    return {
        name: text_of(value) if isinstance(value, Given) else [text_of(member) for member in value]
        for name, value in given.items()
    }


def text_of(value: Given) -> str:
    """The text of *value*; BadValue for a truth value."""
    if isinstance(value, bool):
        raise BadValue(str(value), "is a truth value, not a number")
    return value if isinstance(value, str) else str(value)
