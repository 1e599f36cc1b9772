"""What moving one lever does to the answer: by a hair, by one, and by a share of itself.

All of it is the exact difference of two answers. A derivative is from one side: the two differ
where a maximum is a tie; where a rounding or a case is about to jump there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ddcalc.ask.sensitivity.levers import Lever, OperatingPoint
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import magnitude, plain

NOTHING = Fraction(1, 10**18)  # of the answer: a change by a hair that is less has the limit 0


class Fineness(NamedTuple):
    """A derivative is taken over a *hair* of the lever, is right to so many *digits*, and is there
    if half the hair gives the same but for the share *off*."""

    hair: Fraction
    digits: int
    off: Fraction


DERIVED = Fineness(Fraction(1, 10**12), 15, Fraction(1, 10**6))
PLAYED = Fineness(Fraction(1, 1000), 2, Fraction(1, 50))  # what is played may be rounded


@dataclass(frozen=True, slots=True)
class Effect:
    """The derivative on both sides (*down*, *up*) of a lever, or what one less and one more of a
    count does; None where there is none. Right to so many *digits*; None: exact."""

    lever: Lever
    down: Number | None
    up: Number | None
    digits: int | None = None

    @property
    def smooth(self) -> Number | None:
        """The derivative where it is the same on both sides."""
        return self.up if not self.lever.given.whole and self.up == self.down else None

    def elasticity(self, answer: Number) -> Number | None:
        """The change of the answer in per cent for each per cent of the lever: (x/T)·dT/dx."""
        if self.smooth is None or not answer:
            return None
        share = ratio(self.smooth * self.lever.value, answer)
        return share if self.digits is None else rounded(share, max(2, self.digits - 3))


@dataclass(frozen=True, slots=True)
class Swing:
    """The answers *below* and *above* with the lever at *low* and *high*; None: not admitted."""

    lever: Lever
    low: Number
    high: Number
    below: Number | None
    above: Number | None

    def span(self, answer: Number) -> Number:
        """From the least to the largest answer, with the stated one among them."""
        known = [end for end in (self.below, answer, self.above) if end is not None]
        return max(known) - min(known)


def effect(point: OperatingPoint, lever: Lever) -> Effect:
    """The effect of *lever* alone; at an end of what is admitted the other side counts for both."""
    if lever.given.whole:
        others = (point.at(lever, lever.value + by) for by in (-1, 1))
        down, up = (None if other is None else other - point.value for other in others)
        return Effect(lever, down, up)
    fine = PLAYED if point.solved.working.dear else DERIVED
    hair = magnitude(lever.value or lever.unit.worth) * fine.hair
    sides = [_slope(point, lever, hair * side, fine.off) for side in (-1, 1)]
    below, above = (side or other or Slope(None) for side, other in (sides, sides[::-1]))
    down, up = below.limit, above.limit
    if below.exact and above.exact:
        return Effect(lever, down, up)
    if down is not None and up is not None and _alike(down, up, fine.off):
        down = up = (down + up) / Fraction(2)
    down, up = (None if end is None else rounded(end, fine.digits) for end in (down, up))
    return Effect(lever, down, up, fine.digits)


class Slope(NamedTuple):
    """A derivative on one side; None where the answer jumps there or is infinitely steep."""

    limit: Number | None
    exact: bool = False


def _slope(point: OperatingPoint, lever: Lever, hair: Fraction, off: Fraction) -> Slope | None:
    """The limit of what moving *lever* by a *hair*, and by half of it, does, over that; None where
    the lever cannot be moved there."""
    whole, half = (point.at(lever, plain(lever.value + by)) for by in (hair, hair / 2))
    if whole is None or half is None:
        return None
    far, near = ratio(whole - point.value, hair), ratio(half - point.value, hair / 2)
    if far == near:
        return Slope(near, exact=not point.rounded)
    if _alike(far, near, off):
        return Slope(2 * near - far)
    is_flat = magnitude(whole - point.value) <= NOTHING * magnitude(point.value)
    return Slope(0 if is_flat else None)


def _alike(one: Number, other: Number, off: Fraction) -> bool:
    return magnitude(one - other) <= off * magnitude(one)


def swing(point: OperatingPoint, lever: Lever, by: Fraction) -> Swing:
    """How far *lever* swings the answer, moved by the share *by* of itself (0.1 is ten per cent).

    Counts are moved to the nearest whole number, by one at least.
    """
    step: Number = plain(lever.value * by)
    if lever.given.whole:
        step = max(1, (2 * step.numerator + step.denominator) // (2 * step.denominator))
    low, high = (plain(lever.value + change) for change in (-step, step))
    return Swing(lever, low, high, point.at(lever, low), point.at(lever, high))
