"""Sensitivity: all that is found about a question's answer as its givens move."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.ask.sensitivity.binding import Binding, bindings
from ddcalc.ask.sensitivity.buying import Purchase, purchases
from ddcalc.ask.sensitivity.effects import Effect, effects
from ddcalc.ask.sensitivity.levers import Point
from ddcalc.ask.sensitivity.quantiles import Quantiles, Shape, quantiles
from ddcalc.ask.sensitivity.ranges import Range, answer_range
from ddcalc.ask.sensitivity.swings import Swing, swings
from ddcalc.ask.sensitivity.uncertain import Spread, certain
from ddcalc.ask.solve import solve
from ddcalc.errors import BadValue
from ddcalc.expression import Number
from ddcalc.problem import Problem
from ddcalc.stated import Texts

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
    def less(self) -> Number:
        """By how much the answer is to be lowered: one unit, or a hundredth of less than ten."""
        unit, size = self.point.result.unit.worth, abs(Fraction(self.point.value))
        return unit if size >= 10 * unit else size / 100

    @cached_property
    def purchases(self) -> tuple[Purchase, ...]:
        """How each given alone lowers the answer, by the smallest share of itself first."""
        return purchases(self.point, self.effects, self.less) if self.point.value else ()

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
