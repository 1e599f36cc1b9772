"""Sensitivity: all that is found about a question's answer as its givens move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.ask.sensitivity.binding import Binding, bindings
from ddcalc.ask.sensitivity.buying import Goal, Purchase, Way, purchases
from ddcalc.ask.sensitivity.effects import Effect, effects
from ddcalc.ask.sensitivity.levers import Point
from ddcalc.ask.sensitivity.quantiles import Quantiles, Shape, quantiles
from ddcalc.ask.sensitivity.ranges import Range, answer_range
from ddcalc.ask.sensitivity.swings import Swing, swings
from ddcalc.ask.sensitivity.uncertain import Spread, certain
from ddcalc.ask.solve import solve
from ddcalc.errors import BadValue
from ddcalc.formula.expression import Number
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, Unit, fitting
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived, Quantity
from ddcalc.problem.stated import Texts

TEN_PER_CENT = Fraction(1, 10)


@dataclass(frozen=True, slots=True)
class Draw:
    """How quantiles are drawn: from a *seed*, so many *runs*, and how ``±`` is spread."""

    seed: int
    runs: int = 1000
    shape: Shape = "uniform"


class Sensitivity:
    """What moves the answer of a question, and by how much.

    *by* is the share by which each given swings. Quantiles are worked out where a *draw* is
    stated. Raises BadValue where the answer is no number.
    """

    def __init__(
        self,
        point: Point,
        spreads: tuple[Spread, ...] = (),
        by: Fraction = TEN_PER_CENT,
        draw: Draw | None = None,
    ) -> None:
        if draw is not None and not spreads:
            reason = "needs an uncertain input, for example 4±0.5 s or 3..5 s"
            raise BadValue(str(draw.seed), reason).about("seed")
        self.point, self.spreads, self.by, self.draw = point, spreads, by, draw

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What a small change of each given does."""
        return effects(self.point)

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """What decides each maximum, case and rounding; empty for a played question."""
        return () if self.point.played else tuple(bindings(self.point))

    @cached_property
    def swings(self) -> tuple[Swing, ...]:
        """How far each given swings the answer, the widest first."""
        return swings(self.point, self.by)

    @property
    def unit(self) -> Unit:
        """The unit in which answers are told: GB for very many bytes."""
        return fitting(self.point.value, self.point.result.unit)

    @cached_property
    def goals(self) -> tuple[Goal, ...]:
        """What is wanted of the answer: less or more of it where people want one of them, else
        either; none where it can have no less, or no more."""
        quantity = self.point.solved.problem.quantities[self.point.result.name]
        better = quantity.better if isinstance(quantity, Derived) else ""
        ways: tuple[Way, ...] = (better,) if better else ("less", "more")
        goals = (self._goal(way, quantity) for way in ways if self.point.value)
        return tuple(goal for goal in goals if goal.change)

    def _goal(self, way: Way, quantity: Quantity) -> Goal:
        """A step from the answer that *way*, at most half as far as its limit by physics."""
        value, step = self.point.value, self._step
        limits = (quantity.least, quantity.most) if isinstance(quantity, Derived) else (None, None)
        limit = limits[way == "more"]
        if limit is not None and abs(Fraction(limit - value)) < 2 * step:
            step = rounded(abs(Fraction(limit - value)) / 2, 1)
        return Goal(way, value, value - step if way == "less" else value + step)

    @property
    def _step(self) -> Number:
        """A power of ten of units, between a thousandth and a hundredth of the answer; at least one
        unit where the answer has ten, or is a whole number."""
        size = abs(Fraction(self.point.value)) / self.point.result.unit.worth
        step = Fraction(1)
        while step * 100 > size:
            step /= 10
        while step * 1000 <= size:
            step *= 10
        unit = self.point.result.unit
        if size >= 10 or (unit == COUNT and size.denominator == 1):
            step = max(step, Fraction(1))
        return plain(step * unit.worth)

    @cached_property
    def purchases(self) -> tuple[Purchase, ...]:
        """How each given alone brings the answer to each goal, by the smallest share of itself
        first."""
        found = (purchases(self.point, self.effects, goal) for goal in self.goals)
        return tuple(each for bought in found for each in bought)

    @cached_property
    def range(self) -> Range | None:
        """The range of the answer for the uncertain inputs; None where there are none."""
        return answer_range(self.point, self.spreads) if self.spreads else None

    @cached_property
    def quantiles(self) -> Quantiles | None:
        """The quantiles of the answer, where a draw is stated."""
        if self.draw is None:
            return None
        draw = self.draw
        return quantiles(self.point, self.spreads, draw.seed, draw.runs, draw.shape)


def sensitivity(
    problem: type[Problem],
    texts: Texts,
    by: Fraction = TEN_PER_CENT,
    draw: Draw | None = None,
) -> Sensitivity:
    """The sensitivity of *problem* for *texts*, of which some may be uncertain (``4±0.5 s``).

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    plain, spreads = certain(problem, texts)
    return Sensitivity(Point(solve(problem, plain)), spreads, by, draw)
