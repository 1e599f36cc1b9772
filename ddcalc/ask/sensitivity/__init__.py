"""Sensitivity: how much each given moves the answer of a question, and how sure the answer is."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from ddcalc.ask.sensitivity.effects import Effect, Swing, effect, swing
from ddcalc.ask.sensitivity.levers import OperatingPoint
from ddcalc.ask.sensitivity.range import Range, answer_range
from ddcalc.ask.sensitivity.uncertainty import Spread, certain
from ddcalc.ask.solve import solve
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.units import Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts

__all__ = ["TEN_PER_CENT", "Sensitivity", "sensitivity"]

TEN_PER_CENT = Fraction(1, 10)


@dataclass(frozen=True)
class Sensitivity:
    """What moves the answer of a question, and by how much.

    *effects* are what a small change of each given does, *swings* what the share *by* of each does,
    the widest first and without those that do nothing. The *range* of the answer is for uncertain
    inputs (*spreads*); None where there are none.
    """

    point: OperatingPoint
    by: Fraction
    spreads: tuple[Spread, ...]
    effects: tuple[Effect, ...]
    swings: tuple[Swing, ...]
    range: Range | None

    @property
    def unit(self) -> Unit:
        """The unit in which answers are shown: GB for very many bytes."""
        return fitting(self.point.value, self.point.result.unit)


def sensitivity(problem: type[Problem], texts: Texts, by: Fraction = TEN_PER_CENT) -> Sensitivity:
    """The sensitivity of *problem* for *texts*, of which some may be uncertain (``4±0.5 s``).

    Raises DdcalcError (Several, where more than one thing is wrong; BadValue where the answer is no
    number).
    """
    middles, spreads = certain(problem, texts)
    point = OperatingPoint(solve(problem, middles))
    effects = tuple(effect(point, lever) for lever in point.levers)
    swings = [swing(point, lever, by) for lever in point.levers if lever.value]
    swings = [one for one in swings if one.span(point.value)]
    swings.sort(key=lambda one: one.span(point.value), reverse=True)
    span = answer_range(point, spreads) if spreads else None
    return Sensitivity(point, by, spreads, effects, tuple(swings), span)
