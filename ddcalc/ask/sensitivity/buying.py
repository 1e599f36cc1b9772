"""What each lever alone must be for the answer to come out lower, or higher, by a stated amount."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from ddcalc.ask.find.answer import Sought
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.relation import Relation
from ddcalc.ask.sensitivity.effects import Effect
from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import Number, Operator
from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.display import rounded
from ddcalc.numbers.units import Measured

MOST = 100  # by which a count is moved, one by one
NEAR = Fraction(1, 10)  # of what is wanted, by which an estimate may miss it
DIGITS = 6  # of a value that is an estimate
PLAYED = 12  # by which that of a played question is moved

PARTS = tuple(Fraction(percent, 100) for percent in (1, 2, 5, 10, 20, 50))  # that are tried

Sure = Literal["exact", "estimate", "none", "never"]
Way = Literal["less", "more"]


@dataclass(frozen=True, slots=True)
class Goal:
    """The answer is to come to *wanted* or beyond, *way* from its *value*."""

    way: Way
    value: Number
    wanted: Number

    @property
    def change(self) -> Number:
        """From the value to what is wanted."""
        return self.wanted - self.value

    def reached(self, answer: Number | None) -> bool:
        """Whether *answer* is what is wanted, or beyond."""
        if answer is None:
            return False
        return answer <= self.wanted if self.way == "less" else answer >= self.wanted

    def nearer(self, one: Number, other: Number) -> bool:
        """Whether the answer *one* is more of what is wanted than *other*."""
        return one < other if self.way == "less" else one > other


class _Open(Exception):
    """The search does not tell."""


@dataclass(frozen=True, slots=True)
class Purchase:
    """The *lever* at *value* brings the answer to *answer*.

    *exact*: put in and found right; of a given that is one number the nearest value (to six digits
    where there is no nearest). *estimate*: found by the derivative or by trying, so there may be a
    nearer one. *never*: no value does it, proved; *none*: none was found. Then *value* is the least
    or the greatest one, where that helps at all. *way* says what is wanted of the answer.
    """

    lever: Lever
    sure: Sure
    value: Number | None = None
    answer: Number | None = None
    way: Way = "less"


def purchases(point: Point, effects: tuple[Effect, ...], goal: Goal) -> tuple[Purchase, ...]:
    """How each lever alone brings the answer to the *goal*, those that cannot at the end.

    Sure ones come first, by the share of themselves by which they are moved.
    """
    found = [_purchase(point, effect, goal) for effect in effects]
    return tuple(replace(each, way=goal.way) for each in sorted(found, key=_order))


def _order(purchase: Purchase) -> tuple[bool, Number]:
    lever = purchase.lever
    if purchase.sure in ("none", "never") or purchase.value is None:
        return True, 0
    moved = purchase.value - lever.value
    return False, ratio(max(moved, -moved), lever.value) if lever.value else 0


def _purchase(point: Point, effect: Effect, goal: Goal) -> Purchase:
    lever, wanted = effect.lever, goal.wanted
    try:
        return _searched(point, lever, goal)
    except _Open:
        pass
    if lever.whole:
        return _counted(point, lever, goal)
    for value in () if point.rounded else _candidates(effect, goal):
        if point.at(lever, value) == wanted:
            return Purchase(lever, "exact", value, wanted)
    for exact in _candidates(effect, goal):
        value = rounded(exact, DIGITS)
        found = point.at(lever, value)
        if found is not None and abs(Fraction(found - wanted)) <= NEAR * abs(Fraction(goal.change)):
            return Purchase(lever, "estimate", value, found)
    return _tried(point, lever, goal)


def _searched(point: Point, lever: Lever, goal: Goal) -> Purchase:
    """The nearest value of all that bring the answer to the goal; raises _Open if unknown."""
    sought = _solutions(point, lever, goal)
    beside = [found for piece in sought.solutions for found in _nearest(piece, lever.value)]
    for value in sorted(beside, key=lambda value: _far(value, lever.value)):
        found = point.at(lever, value)
        if goal.reached(found):
            return Purchase(lever, "exact" if sought.complete else "estimate", value, found)
    if not sought.complete or sought.solutions:
        raise _Open
    return Purchase(lever, "never", *_at_end(point, lever, goal))


def _solutions(point: Point, lever: Lever, goal: Goal) -> Sought:
    """The values of *lever* that bring the answer to the goal."""
    if point.played or point.rounded or (*lever.members,) != (lever.given.name,):
        raise _Open  # no equations, none that are exact, or one of a list
    result = point.result
    amount = Measured(goal.wanted, result.unit, False, "")
    op: Operator = "<=" if goal.way == "less" else ">="
    relation = Relation(result.name, result.symbol, op, amount)
    try:
        from ddcalc.ask.find.equations import soon

        return soon(Asked(point.stated, lever.given, (relation,)))
    except (DdcalcError, ArithmeticError):
        raise _Open from None


def _nearest(piece: Piece, value: Number) -> Iterator[Number]:
    """The number of *piece*, in which *value* is not, next to it; a rounded one where none is."""
    edge, within = (piece.low, piece.low_in) if _is_above(piece, value) else (
        piece.high, piece.high_in
    )  # fmt: skip
    if edge is None:
        return
    if within and not isinstance(edge, Root):
        yield edge
        return
    near = Fraction(close_to(edge, DIGITS))
    step = abs(near) / 10 ** (DIGITS - 1)
    beside = (rounded(near + i * step, DIGITS) for i in range(-2, 3))
    inside = [each for each in beside if each in piece]
    yield min(inside, key=lambda each: _far(each, value), default=piece.sample())


def _far(one: Number, other: Number) -> Number:
    return max(one - other, other - one)


def _is_above(piece: Piece, value: Number) -> bool:
    return piece.low is not None and not piece.low < value


def _candidates(effect: Effect, goal: Goal) -> Iterator[Number]:
    """Where the answer is as wanted if it changes evenly with the lever, or with one over it."""
    slope, x = effect.smooth, effect.lever.value
    if slope is None:  # of the side to which the answer changes as wanted
        first, second = effect.down, effect.up
        if goal.way == "more":
            first, second = second, first
        slope = first if (first or 0) > 0 else second
    if not slope:
        return
    yield x + ratio(goal.change, slope)
    over = slope * x - goal.change  # T = c − k/x with k = slope·x², so 1/x' = 1/x − change/k
    if over:
        yield ratio(slope * x * x, over)


def _counted(point: Point, lever: Lever, goal: Goal) -> Purchase:
    """The nearest count with which the answer is as wanted; all nearer ones are tried."""
    for step in range(1, (PLAYED if point.played else MOST) + 1):
        for value in (lever.value + step, lever.value - step):
            found = point.at(lever, value)
            if goal.reached(found):
                return Purchase(lever, "exact", value, found)
    return Purchase(lever, "none")


def _tried(point: Point, lever: Lever, goal: Goal) -> Purchase:
    """The lever at the least of some shares more or less, or at its end, if one does it."""
    for part in PARTS:
        for value in (lever.value * (1 - part), lever.value * (1 + part)):
            found = point.at(lever, value)
            if goal.reached(found):
                return Purchase(lever, "estimate", value, found)
    end, best = _at_end(point, lever, goal)
    return Purchase(lever, "estimate" if goal.reached(best) else "none", end, best)


def _at_end(point: Point, lever: Lever, goal: Goal) -> tuple[Number | None, Number | None]:
    """The least or the greatest that the lever can be, whichever comes nearer to the goal, and the
    answer there; None where neither comes nearer than what is stated."""
    best: tuple[Number | None, Number | None] = None, None
    for end in (lever.given.least, lever.given.most):
        found = None if end is None or len(lever.members) > 1 else point.at(lever, end)
        if found is not None and goal.nearer(found, point.value if best[1] is None else best[1]):
            best = end, found
    return best
