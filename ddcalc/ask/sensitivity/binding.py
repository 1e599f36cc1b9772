"""What decides: the argument that is the maximum, the case that applies, the roundings, and by how
much something would have to change before another one does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddcalc.ask.sensitivity.levers import Point
from ddcalc.ask.words import has_root
from ddcalc.formula.algebra import Least
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Rel, symbols
from ddcalc.numbers.units import Unit, base_unit


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


def bindings(point: Point) -> Iterator[Binding]:
    """What decides in each formula that the answer rests on."""
    for line in point.plan.needed(point.result.symbol):
        solved = isinstance(line.rule, Least) and has_root(line.formula)  # by no student's formula
        if point.known[line.symbol] is not None and not solved:
            yield from dict.fromkeys(_Deciding(point, line.symbol).of(line.formula))


class _Deciding:
    def __init__(self, point: Point, symbol: str) -> None:
        self.point, self.symbol = point, symbol

    def of(self, expr: Expr) -> Iterator[Binding]:
        """What decides in *expr*, from the outside in, and in branches that apply only."""
        if isinstance(expr, Cases):
            yield from self._cases(expr)
            yield from self.of(applying(expr, self.point.known)[0])
            return
        if isinstance(expr, Fun) and expr.name in ("max", "min") and len(expr.args) > 1:
            yield self._extreme(expr)
        if isinstance(expr, Fun) and expr.name in ("floor", "ceiling"):
            yield from self._rounding(expr)
        for part in expr.parts():
            yield from self.of(part)

    def _extreme(self, expr: Fun) -> Binding:
        worth = [evaluate(arg, self.point.known) for arg in expr.args]
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
            sides = [evaluate(side, self.point.known) for side in case.test.parts()]
            if None not in sides:
                yield self._case(case.test, sides[0], sides[1])
            if evaluate(case.test, self.point.known):
                return

    def _case(self, test: Rel, left: Number, right: Number) -> Binding:
        holds = evaluate(test, self.point.known)
        gap = left - right if left > right else right - left
        kind = "holds" if holds else "fails"
        return Binding(self.symbol, kind, test, left, gap, self._unit(test.left))

    def _rounding(self, expr: Fun) -> Iterator[Binding]:
        arg = expr.args[0]
        value, rounded = (evaluate(part, self.point.known) for part in (arg, expr))
        low, high = (rounded, rounded + 1) if expr.name == "floor" else (rounded - 1, rounded)
        kind = "rounded down" if expr.name == "floor" else "rounded up"
        unit = self._unit(arg)
        yield Binding(self.symbol, kind, expr, rounded, value - low, unit, room=high - value)

    def _unit(self, expr: Expr) -> Unit:
        """The unit of a quantity in *expr* that measures the same, else a base unit."""
        dimension = dimension_of(expr, self.point.plan.dimensions)
        own = (self.point.plan.problem.origin[letter][0].unit for letter in symbols(expr))
        fitting = (unit for unit in own if unit.dimension == dimension)
        return next(fitting, None) or base_unit(dimension)
