"""Python values as the texts that state them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from ddcalc.errors import BadValue
from ddcalc.numbers import matrix
from ddcalc.problem.stated import Texts

Given: TypeAlias = str | int | float | Fraction | Decimal

Stating: TypeAlias = Given | Sequence[Given] | Sequence[Sequence[Given]]
"""One value, a list of them, or a list of rows."""


def texts_of(given: Mapping[str, Stating]) -> Texts:
    """Every value, member of a list, or row as its text; floats as the decimal they print as."""
    return {
        name: text_of(value) if isinstance(value, Given) else [_member(each) for each in value]
        for name, value in given.items()
    }


def text_of(value: Given) -> str:
    """The text of *value*; BadValue for a truth value."""
    if isinstance(value, bool):
        raise BadValue(str(value), "is a truth value, not a number")
    return value if isinstance(value, str) else str(value)


def _member(value: Given | Sequence[Given]) -> str:
    return text_of(value) if isinstance(value, Given) else matrix.row(map(text_of, value))
