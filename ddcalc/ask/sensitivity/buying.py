"""What each lever alone must be for the answer to come out lower by a stated amount."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ddcalc.approximate import ratio
from ddcalc.ask.sensitivity.effects import Effect
from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.display import rounded
from ddcalc.expression import Number

MOST = 100  # by which a count is moved, one by one
NEAR = Fraction(1, 10)  # of what is wanted, by which an estimate may miss it
DIGITS = 6  # of a value that is an estimate
PLAYED = 12  # by which that of a played question is moved

Sure = Literal["exact", "estimate", "none"]


@dataclass(frozen=True, slots=True)
class Purchase:
    """The *lever* at *value* brings the answer to *answer*.

    *exact*: put in and found right; of a count the nearest that does it. *estimate*: by the
    derivative, which holds near by only, or by the least value. *none*: that is not enough.
    """

    lever: Lever
    sure: Sure
    value: Number | None = None
    answer: Number | None = None


def purchases(point: Point, effects: tuple[Effect, ...], less: Number) -> tuple[Purchase, ...]:
    """How each lever alone makes the answer *less* lower, those that cannot at the end.

    Sure ones come first, by the share of themselves by which they are moved.
    """
    found = [_purchase(point, effect, less) for effect in effects]
    return tuple(sorted(found, key=_order))


def _order(purchase: Purchase) -> tuple[bool, Number]:
    lever = purchase.lever
    if purchase.sure == "none" or purchase.value is None:
        return True, 0
    moved = purchase.value - lever.value
    return False, ratio(max(moved, -moved), lever.value) if lever.value else 0


def _purchase(point: Point, effect: Effect, less: Number) -> Purchase:
    lever, wanted = effect.lever, point.value - less
    if lever.whole:
        return _counted(point, lever, wanted)
    for value in _candidates(effect, less):
        if point.at(lever, value) == wanted:
            return Purchase(lever, "exact", value, wanted)
    for exact in _candidates(effect, less):
        value = rounded(exact, DIGITS)
        found = point.at(lever, value)
        if found is not None and abs(Fraction(found - wanted)) <= NEAR * less:
            return Purchase(lever, "estimate", value, found)
    least, best = _at_end(point, lever)
    enough = best is not None and best <= wanted
    return Purchase(lever, "estimate" if enough else "none", least, best)


def _candidates(effect: Effect, less: Number) -> Iterator[Number]:
    """Where the answer is *less* lower if it changes evenly with the lever, or with one over it."""
    slope, x = effect.smooth, effect.lever.value
    if slope is None:
        slope = effect.down if (effect.down or 0) > 0 else effect.up
    if not slope:
        return
    yield x - ratio(less, slope)
    over = slope * x + less  # T = c − k/x with k = slope·x², so 1/x' = 1/x + less/k
    if over:
        yield ratio(slope * x * x, over)


def _counted(point: Point, lever: Lever, wanted: Number) -> Purchase:
    """The nearest count with which the answer is *wanted* or lower; all nearer ones are tried."""
    for step in range(1, (PLAYED if point.played else MOST) + 1):
        for value in (lever.value + step, lever.value - step):
            found = point.at(lever, value)
            if found is not None and found <= wanted:
                return Purchase(lever, "exact", value, found)
    return Purchase(lever, "none")


def _at_end(point: Point, lever: Lever) -> tuple[Number | None, Number | None]:
    """The least that the lever can be, and the answer there, where that is lower."""
    least = lever.given.least
    if least is None or len(lever.members) > 1:
        return None, None
    found = point.at(lever, least)
    return (least, found) if found is not None and found < point.value else (None, None)
