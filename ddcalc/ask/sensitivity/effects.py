"""What a small change of each lever does to the answer, and what would change on the way.

Derivatives are from one side: the two differ where a maximum is a tie or a rounding is to jump.
What decides is the argument that is the maximum, the case that applies, and each rounding, with by
how much something would have to change before another one does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ddcalc.ask.sensitivity.levers import Lever, OperatingPoint
from ddcalc.formula.algebra import Least
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Known, Number, Rel, has_root, symbols
from ddcalc.formula.slopes import Differential, Dual, Slopes
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import is_power2, ratio
from ddcalc.numbers.number import magnitude
from ddcalc.numbers.units import Unit, base_unit
from ddcalc.problem.plan import EquationPlan

LITTLE = Fraction(1, 1000)  # of a lever, by which it is moved where there are no formulas
CLOSE = 50  # quotients that differ by one part in this many are about one
Side = Literal[1, -1]
_STEP = "step"  # the one direction: the lever moves by this


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


def effects(point: OperatingPoint) -> tuple[Effect, ...]:
    """The effect of each lever of *point*."""
    return tuple(effect(point, lever) for lever in point.levers)


def effect(point: OperatingPoint, lever: Lever) -> Effect:
    """The effect of *lever* alone: exact differences of a count, exact derivatives of others."""
    if lever.whole:
        return Effect(lever, _moved(point, lever, -1), _moved(point, lever, 1))
    if not point.lines:
        return _difference_quotients(point, lever)
    slopes: list[Number | None] = []
    reasons: list[str] = []
    sides: tuple[Side, Side] = (-1, 1)
    for side in sides:
        try:
            slopes.append(_slope(point, lever, side))
        except NoSlope as error:
            slopes.append(None)
            reasons.append(str(error))
    return Effect(lever, slopes[0], slopes[1], "; ".join(dict.fromkeys(reasons)))


def _moved(point: OperatingPoint, lever: Lever, by: Number) -> Number | None:
    """What moving *lever* does to the answer."""
    other = point.at(lever, lever.value + by)
    return None if other is None else other - point.value


def _difference_quotients(point: OperatingPoint, lever: Lever) -> Effect:
    """Quotients over a small step where half of it gives the same, or nearly: no jump is between.

    Those of nearly the same are rounded to two digits, and are one where both sides agree.
    """
    little = lever.value * LITTLE or lever.unit.worth * LITTLE
    down, up = (_quotients(point, lever, side * little) for side in (-1, 1))
    about = any(side is not None and side[0] != side[1] for side in (down, up))
    ends = [None if side is None else side[0] for side in (down, up)]
    why = "" if None not in ends else "jumps, bends or has no answer within 0.1 %"
    if about and ends[0] is not None and ends[1] is not None and _near(ends[0], ends[1]):
        ends = [(Fraction(ends[0]) + Fraction(ends[1])) / 2] * 2
    if about:
        ends = [end if end is None else rounded(end, 2) for end in ends]
    return Effect(lever, ends[0], ends[1], why, measured=True, about=about)


def _quotients(point: OperatingPoint, lever: Lever, by: Number) -> tuple[Number, Number] | None:
    """What moving *lever* does to the answer, and moving it half as far, each over its step; None
    where the two are not near."""
    whole, half = (_moved(point, lever, step) for step in (by, Fraction(by) / 2))
    if whole is None or half is None:
        return None
    quotients = ratio(whole, by), ratio(2 * half, by)
    return quotients if _near(*quotients) else None


def _near(one: Number, other: Number) -> bool:
    return abs(Fraction(one - other)) * CLOSE <= abs(Fraction(one))


class NoSlope(Exception):
    """There is no derivative on this side, and why."""


def _slope(point: OperatingPoint, lever: Lever, side: Side) -> Number:
    """The derivative of the answer as *lever* moves up (1) or down (-1) from where it is.

    Raises NoSlope where the answer jumps there, or is infinitely steep.
    """
    slopes: dict[str, Slopes] = {}
    alone = len(lever.members) == 1
    letters = [lever.symbol] if alone else lever.given.lettered(len(lever.members))
    for letter, value in zip(letters, lever.members.values(), strict=True):
        slopes[letter] = {_STEP: Fraction(side if alone else side * value)}
    for line in point.lines:
        if point.known[line.symbol] is None:
            continue
        try:
            slopes[line.symbol] = _OneSided(point.known, slopes).of(line.formula).slopes
        except (TypeError, ArithmeticError) as error:
            raise NoSlope(f"{line.symbol} has no derivative") from error
    return side * slopes[point.result.symbol].get(_STEP, 0)


class _OneSided(Differential):
    """Derivatives in one direction; ties are decided by what moves there."""

    def largest(self, expr: Fun) -> Expr:
        """Of equal arguments of a maximum the one that grows most."""
        worth = [evaluate(arg, self.known) for arg in expr.args]
        most = max(worth)
        tied = [arg for arg, value in zip(expr.args, worth, strict=True) if value == most]
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


@dataclass(frozen=True, slots=True)
class Binding:
    """In the formula of *symbol*, *winner* decides and *rival* is next, *gap* away.

    For a rounding *winner* is what is rounded, *gap* how far it may fall and *room* how far it
    may rise before the rounded number is another one. A case that applies has no rival.
    """

    symbol: str
    kind: str
    winner: Expr
    value: Number
    gap: Number
    unit: Unit
    rival: Expr | None = None
    room: Number | None = None


def bindings(point: OperatingPoint) -> Iterator[Binding]:
    """What decides in each formula that the answer rests on; nothing where there are none."""
    plan = point.solved.working.plan
    if plan is None:
        return
    for line in point.lines:
        solved = isinstance(line.rule, Least) and has_root(line.formula)  # by no student's formula
        if point.known[line.symbol] is not None and not solved:
            yield from dict.fromkeys(_Deciding(plan, point.known, line.symbol).of(line.formula))


class _Deciding:
    def __init__(self, plan: EquationPlan, known: Known, symbol: str) -> None:
        self.plan, self.known, self.symbol = plan, known, symbol

    def of(self, expr: Expr) -> Iterator[Binding]:
        """What decides in *expr*, from the outside in, and in branches that apply only."""
        if isinstance(expr, Cases):
            yield from self._cases(expr)
            yield from self.of(applying(expr, self.known)[0])
            return
        if isinstance(expr, Fun) and expr.name in ("max", "min") and len(expr.args) > 1:
            yield self._extreme(expr)
        if isinstance(expr, Fun) and expr.name in ("floor", "ceiling"):
            yield from self._rounding(expr)
        for part in expr.parts():
            yield from self.of(part)

    def _extreme(self, expr: Fun) -> Binding:
        worth = [evaluate(arg, self.known) for arg in expr.args]
        sign = 1 if expr.name == "max" else -1
        order = sorted(range(len(worth)), key=lambda i: -sign * worth[i])
        first, second = order[0], order[1]
        return Binding(
            self.symbol,
            "largest" if expr.name == "max" else "smallest",
            expr.args[first],
            worth[first],
            sign * (worth[first] - worth[second]),
            self._unit(expr),
            rival=expr.args[second],
        )

    def _cases(self, expr: Cases) -> Iterator[Binding]:
        for case in expr.cases:
            test, holds = case.test, evaluate(case.test, self.known)
            left, right = (evaluate(side, self.known) for side in test.parts())
            if left is not None and right is not None:
                gap = magnitude(left - right)
                kind = "holds" if holds else "fails"
                yield Binding(self.symbol, kind, test, left, gap, self._unit(test.left))
            if holds:
                return

    def _rounding(self, expr: Fun) -> Iterator[Binding]:
        arg = expr.args[0]
        value, rounded = (evaluate(part, self.known) for part in (arg, expr))
        low, high = (rounded, rounded + 1) if expr.name == "floor" else (rounded - 1, rounded)
        kind = "rounded down" if expr.name == "floor" else "rounded up"
        unit = self._unit(arg)
        yield Binding(self.symbol, kind, expr, rounded, value - low, unit, room=high - value)

    def _unit(self, expr: Expr) -> Unit:
        """The unit of a quantity in *expr* that measures the same, else a base unit."""
        dimension = dimension_of(expr, self.plan.dimensions)
        units = (self.plan.problem.origin[letter][0].unit for letter in symbols(expr))
        fitting = (unit for unit in units if unit.dimension == dimension)
        return next(fitting, None) or base_unit(dimension)
