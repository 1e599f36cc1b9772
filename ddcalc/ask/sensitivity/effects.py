"""What a small change of each lever does to the answer."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.ask.sensitivity.onesided import NoSlope, Side, slope
from ddcalc.formula.expression import Number
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.display import rounded

LITTLE = Fraction(1, 1000)  # of a lever of a played question, by which it is moved
CLOSE = 50  # quotients that differ by one in so many are one, about


@dataclass(frozen=True, slots=True)
class Effect:
    """The derivative on both sides (*down*, *up*) of a lever, or what one less and one more does.

    None where there is none; *why* then says so. *measured*: over a small step, not a limit;
    *about*: what the whole and half of that step give differs a little, as by rounding.
    """

    lever: Lever
    down: Number | None
    up: Number | None
    why: str = ""
    measured: bool = False
    about: bool = False

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
    """Quotients over a small step where half of it gives the same, or nearly: no jump is between.

    Those of nearly the same are told to two digits, and as one where both sides agree.
    """
    little = lever.value * LITTLE or lever.unit.worth * LITTLE
    sides = [_quotients(point, lever, side * little) for side in (-1, 1)]
    told = [None if each is None or not _near(*each) else each[0] for each in sides]
    why = "" if None not in told else "jumps, bends or has no answer within 0.1 %"
    about = any(each is not None and each[0] != each[1] and _near(*each) for each in sides)
    down, up = told
    if about and down is not None and up is not None and _near(down, up):
        down = up = (Fraction(down) + Fraction(up)) / 2
    if about:
        down, up = (each if each is None else rounded(each, 2) for each in (down, up))
    return Effect(lever, down, up, why, measured=True, about=about)


def _near(one: Number, other: Number) -> bool:
    return abs(Fraction(one - other)) * CLOSE <= abs(Fraction(one))


def _quotients(point: Point, lever: Lever, by: Number) -> tuple[Number, Number] | None:
    """What moving *lever* by so much does to the answer, and by half of it, each over its step."""
    whole, half = (_moved(point, lever, step) for step in (by, Fraction(by) / 2))
    return None if whole is None or half is None else (ratio(whole, by), ratio(2 * half, by))
