"""Letters of quantities and signs of relations as people read them, in Unicode."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from ddcalc.boundary.cleaning import GREEK as GREEK
from ddcalc.formula.expression import Operator
from ddcalc.memory import remembered

SIGNS: Final[Mapping[Operator, str]] = {"<": "<", "<=": "≤", ">": ">", ">=": "≥", "==": "="}
LOW: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@remembered
def letter(name: str) -> str:
    """The letter of a quantity in Unicode."""
    base, *marks = name.split("_")
    shown = GREEK.get(base, base)
    for before, mark in pairwise([base, *marks]):
        comma = "," if before.isdecimal() else ""
        low = mark.translate(LOW) if mark.isdecimal() else f"_{GREEK.get(mark, mark)}"
        shown += comma * mark.isdecimal() + low
    return shown
