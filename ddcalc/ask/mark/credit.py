"""What a mark is worth: points, and the part of them that is credited for what is not all right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ddcalc.ask.mark.slip import Slip
from ddcalc.formula.expression import Number

# unread: what could not be read is not marked; somebody has to look at it
Verdict = Literal["right", "rounded", "follows", "unit", "wrong", "none", "unread"]

USUAL: Mapping[Verdict, Number] = {
    "right": 1,
    "rounded": 1,
    "follows": 1,
    "unit": Fraction(1, 2),
    "wrong": 0,
    "none": 0,
    "unread": 0,
}


@dataclass(frozen=True, slots=True)
class Credit:
    """The *points* of an answer, and the parts of them for a wrong *unit*, for what *follows* from
    an earlier slip, and for an answer to which one *slip* surely leads; None there is the share of
    the steps that stay right."""

    points: Number = 1
    unit: Number = Fraction(1, 2)
    follows: Number = 1
    slip: Number | None = 0

    def part(self, verdict: Verdict, slip: Slip | None, steps: int | None) -> Number:
        """The part for *verdict*; *slip* is the one that surely led there, in one of *steps*."""
        if verdict == "unit":
            return self.unit
        if verdict == "follows":
            return self.follows
        if verdict != "wrong" or slip is None:
            return USUAL[verdict]
        if self.slip is not None:
            return self.slip
        return Fraction(steps - 1, steps) if steps and slip.step else 0


AS_USUAL = Credit()
