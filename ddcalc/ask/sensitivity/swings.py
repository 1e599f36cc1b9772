"""How far the answer swings when each lever alone is made a share smaller and larger."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import quotient


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
        known = [each for each in (self.below, answer, self.above) if each is not None]
        return max(known) - min(known)


def swings(point: Point, by: Fraction) -> tuple[Swing, ...]:
    """The swings for *by* (0.1 is ten per cent), the widest first; without those that do nothing.

    Counts are moved to the nearest whole number, by one at least.
    """
    found = [_swing(point, lever, by) for lever in point.levers if lever.value]
    moving = [each for each in found if each.span(point.value)]
    return tuple(sorted(moving, key=lambda each: -each.span(point.value)))


def _swing(point: Point, lever: Lever, by: Fraction) -> Swing:
    step: Number = lever.value * by
    if lever.whole:
        step = max(1, (2 * step.numerator + step.denominator) // (2 * step.denominator))
    low, high = (lever.value - step, lever.value + step)
    low, high = (quotient(each.numerator, each.denominator) for each in (low, high))
    return Swing(lever, low, high, point.at(lever, low), point.at(lever, high))
