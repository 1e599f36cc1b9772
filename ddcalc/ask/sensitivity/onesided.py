"""Derivatives from one side: the two differ where a maximum is a tie or a rounding is to jump."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Rel
from ddcalc.formula.slopes import Differential, Dual, Slopes
from ddcalc.numbers.approximate import is_power2

Side = Literal[1, -1]

_STEP = "step"  # the one direction: the lever moves by this


class NoSlope(Exception):
    """There is no derivative on this side, and why."""


def slope(point: Point, lever: Lever, side: Side) -> Number:
    """The derivative of the answer as *lever* moves up (1) or down (-1) from where it is.

    Raises NoSlope where the answer jumps there, or is infinitely steep.
    """
    slopes: dict[str, Slopes] = {}
    alone = len(lever.members) == 1
    for i, value in enumerate(lever.members.values(), 1):
        letter = lever.symbol if alone else f"{lever.given.letter}_{i}"
        slopes[letter] = {_STEP: Fraction(side if alone else side * value)}
    for line in point.plan.needed(point.result.symbol):
        if point.known[line.symbol] is None:
            continue
        try:
            slopes[line.symbol] = OneSided(point.known, slopes).of(line.formula).slopes
        except (TypeError, ArithmeticError) as error:
            raise NoSlope(f"{line.symbol} has no derivative") from error
    return side * slopes[point.result.symbol].get(_STEP, 0)


class OneSided(Differential):
    """Derivatives in one direction; ties are decided by what moves there."""

    def largest(self, expr: Fun) -> Expr:
        """Of equal arguments of a maximum the one that grows most."""
        worth = [evaluate(arg, self.known) for arg in expr.args]
        tied = [arg for arg, value in zip(expr.args, worth, strict=True) if value == max(worth)]
        return tied[0] if len(tied) == 1 else max(tied, key=self._steep)

    def branch(self, expr: Cases) -> Expr:
        """The branch just beside the point; NoSlope where the value jumps on the way there."""
        chosen = expr.otherwise
        for case in expr.cases:
            if self._holds(case.test):
                chosen = case.value
                break
        if evaluate(chosen, self.known) != evaluate(expr, self.known):
            raise NoSlope("another case begins here, with a jump")
        return chosen

    def rounded(self, expr: Fun) -> Slopes:
        """Nothing; NoSlope where the number, rounded down, jumps at once."""
        if expr.name != "argmax" and self._steep(expr.args[0]) < 0 and self._is_step(expr):
            raise NoSlope("a rounded number jumps here")
        return {}

    def power(self, base: Dual, exponent: Dual) -> Dual:
        """As the rule says; NoSlope where a root begins."""
        if not base.value and exponent.value < 1 and base.slopes:
            raise NoSlope("a root begins here, infinitely steep")
        return super().power(base, exponent)

    def _is_step(self, expr: Fun) -> bool:
        """Whether a whole number, or for logarithms a power of two, is reached."""
        value = evaluate(expr.args[0], self.known)
        return value.denominator == 1 if expr.name == "floor" else is_power2(value)

    def _steep(self, expr: Expr) -> Number:
        return self.of(expr).slopes.get(_STEP, 0)

    def _holds(self, test: Rel) -> bool:
        """Whether *test* holds just beside the point."""
        if evaluate(test.left, self.known) != evaluate(test.right, self.known):
            return bool(evaluate(test, self.known))
        left, right = self._steep(test.left), self._steep(test.right)
        if left == right:
            if left:
                raise NoSlope("two sides of a distinction touch here")
            return bool(evaluate(test, self.known))
        return {"<": left < right, "<=": left < right, "==": False}.get(test.op, left > right)
