"""What each lever alone must be for the answer to come out lower, or higher, by a round amount.

A slope says nothing where the answer jumps, as it does with every count: the next number of workers
or the next time that saves a round is what a reader of a sensitivity can act on, so it is searched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.search import Sought
from ddcalc.ask.sensitivity.effects import Effect
from ddcalc.ask.sensitivity.levers import Lever, OperatingPoint
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebraic import Root, close_to
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import magnitude, plain
from ddcalc.numbers.units import COUNT, Measured
from ddcalc.problem.quantity import Derived

NEAR = Fraction(1, 10)  # of what is wanted, by which an estimate may miss it
DIGITS = 6  # of a value that is an estimate

PARTS = tuple(Fraction(percent, 100) for percent in (1, 2, 5, 10, 20, 50))  # that are tried
TRIED = 2 * len(PARTS) + 6  # values of a lever, with candidates and ends

Sure = Literal["exact", "estimate", "none", "never"]
Way = Literal["less", "more"]


@dataclass(frozen=True, slots=True)
class AnswerGoal:
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


def goals(point: OperatingPoint) -> tuple[AnswerGoal, ...]:
    """What is wanted of the answer: less or more of it where people want one of them, else either;
    none where it can have no less, or no more."""
    quantity = point.solved.problem.quantities[point.result.name]
    better: str = quantity.better if isinstance(quantity, Derived) else ""
    low, high = (quantity.least, quantity.most) if isinstance(quantity, Derived) else (None, None)
    made: list[AnswerGoal] = []
    sides: tuple[tuple[Way, int, Number | None], ...] = (("less", -1, low), ("more", 1, high))
    for way, sign, limit in sides:
        step = _step(point)
        if limit is not None and abs(Fraction(limit - point.value)) < 2 * step:
            step = rounded(abs(Fraction(limit - point.value)) / 2, 1)
        if point.value and step and better in ("", way):
            made.append(AnswerGoal(way, point.value, point.value + sign * step))
    return tuple(made)


def _step(point: OperatingPoint) -> Number:
    """A power of ten of units, between a thousandth and a hundredth of the answer; at least one
    unit where the answer has ten, or is a whole number."""
    unit = point.result.unit
    size = abs(Fraction(point.value)) / unit.worth
    tens = (Decimal(size.numerator) / size.denominator).adjusted() - 2 if size else 0
    step = Fraction(10) ** tens
    if size >= 10 or (unit == COUNT and size.denominator == 1):
        step = max(step, Fraction(1))
    return plain(step * unit.worth)


@dataclass(frozen=True, slots=True)
class Purchase:
    """The *lever* at *value* brings the answer to *answer*; *way* is what is wanted of that.

    *exact*: put in and found right; of a given that is one number the nearest value (to six digits
    where there is no nearest). *estimate*: found by the derivative or by trying, so there may be a
    nearer one. *never*: no value does it, proved; *none*: none was found. Then *value* is the least
    or the greatest one, where that helps at all.
    """

    lever: Lever
    way: Way
    sure: Sure
    value: Number | None = None
    answer: Number | None = None


def purchases(
    point: OperatingPoint, effects: tuple[Effect, ...], goal: AnswerGoal
) -> tuple[Purchase, ...]:
    """How each lever alone brings the answer to the *goal*, those that cannot at the end.

    Sure ones come first, by the share of themselves by which they are moved.
    """
    return tuple(
        sorted((_Buying(point, effect, goal).purchase() for effect in effects), key=_order)
    )


def _order(purchase: Purchase) -> tuple[bool, Number]:
    lever = purchase.lever
    if purchase.sure in ("none", "never") or purchase.value is None:
        return True, 0
    moved = magnitude(purchase.value - lever.value)
    return False, ratio(moved, lever.value) if lever.value else 0


class _Buying:
    """Looks for the value of one lever that brings the answer of *point* to the *goal*."""

    def __init__(self, point: OperatingPoint, effect: Effect, goal: AnswerGoal) -> None:
        self.point, self.effect, self.goal = point, effect, goal
        self.lever = effect.lever

    def purchase(self) -> Purchase:
        """The nearest value, by the surest way that leads to one."""
        return self._searched() or (self._counted() if self.lever.whole else self._estimated())

    def _made(
        self, sure: Sure, value: Number | None = None, answer: Number | None = None
    ) -> Purchase:
        return Purchase(self.lever, self.goal.way, sure, value, answer)

    def _at(self, value: Number) -> Number | None:
        return self.point.at(self.lever, value)

    def _searched(self) -> Purchase | None:
        """The nearest of all values that do it, or that there are none; None where unknown."""
        sought = self._solutions()
        if sought is None:
            return None
        beside = [value for piece in sought.solutions for value in self._nearest(piece)]
        for value in sorted(beside, key=self._far):
            answer = self._at(value)
            if self.goal.reached(answer):
                return self._made("exact" if sought.complete else "estimate", value, answer)
        if not sought.complete or sought.solutions:
            return None
        return self._made("never", *self._at_end())

    def _solutions(self) -> Sought | None:
        """The values of the lever that bring the answer to the goal, where they are proved."""
        from ddcalc.ask.find.proving import quick_solutions

        given, result = self.lever.given, self.point.result
        if self.point.rounded or (*self.lever.members,) != (given.name,):
            return None  # not exact, or one of a list
        bound = Measured(self.goal.wanted, result.unit, False, "")
        op: Literal["<=", ">="] = "<=" if self.goal.way == "less" else ">="
        relation = Relation(result.name, result.symbol, op, bound)
        try:
            return quick_solutions(InverseQuestion(self.point.stated, given, (relation,)))
        except (DdcalcError, ArithmeticError):
            return None

    def _nearest(self, piece: Piece) -> Iterator[Number]:
        """The number of *piece* next to what is stated, which is not in it; a rounded one where
        there is none."""
        edge, within = piece.low, piece.low_in
        if edge is None or edge < self.lever.value:
            edge, within = piece.high, piece.high_in
        if edge is None:
            return
        if within and not isinstance(edge, Root):
            yield edge
            return
        near = Fraction(close_to(edge, DIGITS))
        step = abs(near) / 10 ** (DIGITS - 1)
        beside = (rounded(near + i * step, DIGITS) for i in range(-2, 3))
        yield min((x for x in beside if x in piece), key=self._far, default=piece.sample())

    def _far(self, value: Number) -> Number:
        return magnitude(value - self.lever.value)

    def _counted(self) -> Purchase:
        """The nearest count that does it; all nearer ones are tried."""
        for step in range(1, self.point.tries + 1):
            for value in (self.lever.value + step, self.lever.value - step):
                answer = self._at(value)
                if self.goal.reached(answer):
                    return self._made("exact", value, answer)
        return self._made("none")

    def _estimated(self) -> Purchase:
        """Where the derivative leads to, else the least share more or less that does it, else the
        end of what is admitted."""
        wanted = self.goal.wanted
        for value in () if self.point.rounded else self._candidates():
            if self._at(value) == wanted:
                return self._made("exact", value, wanted)
        allowed = NEAR * abs(Fraction(self.goal.change))
        for exact in self._candidates():
            value = rounded(exact, DIGITS)
            answer = self._at(value)
            if answer is not None and abs(Fraction(answer - wanted)) <= allowed:
                return self._made("estimate", value, answer)
        for part in PARTS:
            for value in (self.lever.value * (1 - part), self.lever.value * (1 + part)):
                answer = self._at(value)
                if self.goal.reached(answer):
                    return self._made("estimate", value, answer)
        end, best = self._at_end()
        return self._made("estimate" if self.goal.reached(best) else "none", end, best)

    def _candidates(self) -> Iterator[Number]:
        """Where the answer is as wanted if it is linear in the lever, or in one over it."""
        slope, x, change = self.effect.smooth, self.lever.value, self.goal.change
        if slope is None:  # of the side to which the answer changes as wanted
            first, second = self.effect.down, self.effect.up
            if self.goal.way == "more":
                first, second = second, first
            slope = first if (first or 0) > 0 else second
        if not slope:
            return
        yield x + ratio(change, slope)
        over = slope * x - change  # T = c − k/x with k = slope·x², so 1/x' = 1/x − change/k
        if over:
            yield ratio(slope * x * x, over)

    def _at_end(self) -> tuple[Number | None, Number | None]:
        """The least or the greatest that the lever can be, whichever comes nearer to the goal, and
        the answer there; None where neither comes nearer than what is stated."""
        best: tuple[Number | None, Number | None] = None, None
        sign = -1 if self.goal.way == "less" else 1
        for end in (self.lever.given.least, self.lever.given.most):
            answer = None if end is None or len(self.lever.members) > 1 else self._at(end)
            before = self.point.value if best[1] is None else best[1]
            if answer is not None and sign * (answer - before) > 0:
                best = end, answer
        return best
