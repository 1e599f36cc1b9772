"""Derivatives from one side: the two differ where a maximum is a tie or a rounding is to jump."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from ddcalc.ask.sensitivity.levers import Lever, Point
from ddcalc.ask.slopes import Differential, Slopes
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Rel
from ddcalc.numbers.approximate import DOUBLING, is_power2

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
            slopes[line.symbol] = OneSided(point.known, slopes).of(line.formula)
        except (TypeError, ArithmeticError) as error:
            raise NoSlope(f"{line.symbol} has no derivative") from error
    return side * slopes[point.result.symbol].get(_STEP, 0)


class OneSided(Differential):
    """Derivatives in one direction; ties are decided by what moves there."""

    def largest(self, expr: Fun) -> Expr:
        """Of equal arguments of a maximum the one that grows most, of a minimum the least."""
        best = max if expr.name == "max" else min
        worth = [evaluate(arg, self.known) for arg in expr.args]
        end = best(worth)
        tied = [arg for arg, value in zip(expr.args, worth, strict=True) if value == end]
        return tied[0] if len(tied) == 1 else best(tied, key=self._steep)

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

    def rounded(self, expr: Fun, arg: Expr) -> Slopes:
        """Nothing; NoSlope where the rounded number jumps at once."""
        down = expr.name.startswith("floor")
        steep = self._steep(arg)
        if steep and self._is_step(expr, arg) and (steep < 0) == down:
            raise NoSlope("a rounded number jumps here")
        return {}

    def raised(self, base: Expr, exponent: Fraction, above: Slopes) -> Slopes:
        """As the rule says; NoSlope where a root begins."""
        if not self.worth(base) and exponent < 1 and self.of(base):
            raise NoSlope("a root begins here, infinitely steep")
        return super().raised(base, exponent, above)

    def _is_step(self, expr: Fun, arg: Expr) -> bool:
        """Whether a whole number, or for those that double a power of two, is reached."""
        value = evaluate(arg, self.known)
        return is_power2(value) if expr.name in DOUBLING else value.denominator == 1

    def _steep(self, expr: Expr) -> Number:
        return self.of(expr).get(_STEP, 0)

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
