"""Numbers that measure something: bits in a byte, which make data of a count of bits."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.formula.expression import Num
from ddcalc.numbers.units import DATA, ONE, Dimension


@dataclass(frozen=True, slots=True)
class Amount(Num):
    """A number of base units of a *dimension*, written as the number alone.

    >>> BITS_PER_BYTE
    8
    """

    dimension: Dimension

    __repr__ = Num.__repr__


BITS_PER_BYTE = Amount(8, ONE / DATA)
