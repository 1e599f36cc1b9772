"""Values without their mark of being rounded, for verbs that tell differences of them."""

from __future__ import annotations

from fractions import Fraction

from ddcalc.approximate import Approximate
from ddcalc.expression import Number


def plain(value: Number) -> Number:
    """*value* as if it were exact: rounded ones have more digits than are ever told."""
    return Fraction(value) if isinstance(value, Approximate) else value
