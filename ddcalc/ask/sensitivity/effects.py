"""What a small change of each lever does to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.approximate import ratio
from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.ask.sensitivity.onesided import NoSlope, Side, slope
from ddcalc.expression import Number

LITTLE = Fraction(1, 1000)  # of a lever of a played question, by which it is moved


@dataclass(frozen=True, slots=True)
class Effect:
    """The derivative on both sides (*down*, *up*) of a lever, or what one less and one more does.

    None where there is none; *why* then says so. *measured*: over a small step, not a limit.
    """

    lever: Lever
    down: Number | None
    up: Number | None
    why: str = ""
    measured: bool = False

    @property
    def smooth(self) -> Number | None:
        """The derivative where it is the same on both sides."""
        return self.up if not self.lever.whole and self.up == self.down else None

    def elasticity(self, answer: Number) -> Number | None:
        """The change of the answer in per cent for each per cent of the lever: (x/T)·dT/dx."""
        if self.smooth is None or not answer:
            return None
        return ratio(self.smooth * self.lever.value, answer) if self.smooth else 0


def effects(point: Point) -> tuple[Effect, ...]:
    """The effect of each lever of *point*."""
    return tuple(effect(point, lever) for lever in point.levers)


def effect(point: Point, lever: Lever) -> Effect:
    """The effect of *lever* alone: exact differences of a count, exact derivatives of others."""
    if lever.whole:
        return Effect(lever, _moved(point, lever, -1), _moved(point, lever, 1))
    if point.played:
        return _difference_quotients(point, lever)
    found: list[Number | None] = []
    reasons: list[str] = []
    sides: tuple[Side, Side] = (-1, 1)
    for side in sides:
        try:
            found.append(slope(point, lever, side))
        except NoSlope as error:
            found.append(None)
            reasons.append(str(error))
    return Effect(lever, found[0], found[1], "; ".join(dict.fromkeys(reasons)))


def _moved(point: Point, lever: Lever, by: Number) -> Number | None:
    """What moving *lever* does to the answer."""
    other = point.at(lever, lever.value + by)
    return None if other is None else other - point.value


def _difference_quotients(point: Point, lever: Lever) -> Effect:
    """Exact quotients over a small step, where half of it gives the same: no jump lies between."""
    little = lever.value * LITTLE or lever.unit.worth * LITTLE
    down, up = (_even(point, lever, side * little) for side in (-1, 1))
    why = "" if None not in (down, up) else "jumps, bends or has no answer within 0.1 %"
    return Effect(lever, down, up, why, measured=True)


def _even(point: Point, lever: Lever, by: Number) -> Number | None:
    gains = [_moved(point, lever, step) for step in (by, Fraction(by) / 2)]
    if gains[0] is None or gains[1] is None or gains[0] != 2 * gains[1]:
        return None
    return ratio(gains[0], by)
