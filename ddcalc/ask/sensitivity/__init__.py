"""Sensitivity: how much each given moves the answer, what decides it, and how sure it is."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from ddcalc.ask.sensitivity.effects import Binding, Effect, bindings, effects
from ddcalc.ask.sensitivity.levers import OperatingPoint, Swing, swings
from ddcalc.ask.sensitivity.purchases import TRIED, AnswerGoal, Purchase, goals, purchases
from ddcalc.ask.sensitivity.uncertainty import Range, Spread, answer_range, certain, corners
from ddcalc.ask.solve import solve
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts

__all__ = ["TEN_PER_CENT", "Sensitivity", "sensitivity"]

TEN_PER_CENT = Fraction(1, 10)
MOVES = 6  # of a lever, for its effect and its swing


class Sensitivity:
    """What moves the answer of a question, and by how much.

    *by* is the share by which each given swings. Raises BadValue where the answer is no number.
    """

    def __init__(
        self, point: OperatingPoint, spreads: tuple[Spread, ...] = (), by: Fraction = TEN_PER_CENT
    ) -> None:
        self.point, self.spreads, self.by = point, spreads, by

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """What a small change of each given does."""
        return effects(self.point)

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """What decides each maximum, case and rounding; empty where there are no formulas."""
        return tuple(bindings(self.point))

    @cached_property
    def swings(self) -> tuple[Swing, ...]:
        """How far each given swings the answer, the widest first."""
        return swings(self.point, self.by)

    @property
    def unit(self) -> Unit:
        """The unit in which answers are shown: GB for very many bytes."""
        return fitting(self.point.value, self.point.result.unit)

    @cached_property
    def goals(self) -> tuple[AnswerGoal, ...]:
        """What is wanted of the answer: a little less or more of it."""
        return goals(self.point)

    @cached_property
    def purchases(self) -> tuple[Purchase, ...]:
        """How each given alone brings the answer to each goal, by the smallest share of itself
        first."""
        ways = (purchases(self.point, self.effects, goal) for goal in self.goals)
        return tuple(purchase for way in ways for purchase in way)

    @property
    def most(self) -> int:
        """How many other questions are answered for all of this, at most."""
        of_each = [
            MOVES + len(self.goals) * (2 * self.point.tries if lever.whole else TRIED)
            for lever in self.point.levers
        ]
        return sum(of_each) + (corners(self.point, self.spreads) if self.spreads else 0)

    @cached_property
    def range(self) -> Range | None:
        """The range of the answer for the uncertain inputs; None where there are none."""
        return answer_range(self.point, self.spreads) if self.spreads else None


def sensitivity(problem: type[Problem], texts: Texts, by: Fraction = TEN_PER_CENT) -> Sensitivity:
    """The sensitivity of *problem* for *texts*, of which some may be uncertain (``4±0.5 s``).

    Raises DdcalcError (Several, where more than one thing is wrong).
    """
    plain, spreads = certain(problem, texts)
    return Sensitivity(OperatingPoint(solve(problem, plain)), spreads, by)
