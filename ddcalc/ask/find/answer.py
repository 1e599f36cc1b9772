"""Which of all solutions is the answer: the least one, or the greatest where that is what binds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ddcalc.ask.find.number_line import Piece
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.numbers.number import Number, quotient

Kind = Literal["none", "only", "least", "greatest", "always"]


@dataclass(frozen=True, slots=True)
class Sought:
    """The *solutions* in order; *examined* pieces prove them, but for what is left *open*."""

    solutions: tuple[Piece, ...]
    examined: int
    open: tuple[Piece, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether there are no other solutions for sure."""
        return not self.open


@dataclass(frozen=True, slots=True)
class Answer:
    """The *end* of the solutions that is the answer, *reached* if it is a solution itself."""

    kind: Kind
    end: Edge | None = None
    reached: bool = False

    @property
    def value(self) -> Number | None:
        """The answer as a number; None where there is none, or it is irrational."""
        return self.shown if self.reached else None

    @property
    def shown(self) -> Number | None:
        """Where the answer is shown: at the end, though that may just not be a solution."""
        if self.end is None or isinstance(self.end, Root):
            return None
        return quotient(self.end.numerator, self.end.denominator)


def answer(sought: Sought, admitted: Sequence[Piece]) -> Answer:
    """The least solution, unless it is the least that is *admitted* at all: then the greatest.

    The greatest too where there is no least one but a greatest one.
    """
    if not sought.solutions:
        return Answer("none")
    first, last = sought.solutions[0], sought.solutions[-1]
    if len(sought.solutions) == 1 and first.is_point and sought.complete:
        return Answer("only", first.low, True)
    least = Answer("least", first.low, first.low is not None and first.low_in)
    greatest = Answer("greatest", last.high, last.high is not None and last.high_in)
    start, end = admitted[0], admitted[-1]
    from_start = (first.low, first.low_in) == (start.low, start.low_in)
    to_end = (last.high, last.high_in) == (end.high, end.high_in) or not sought.complete
    if from_start and to_end:
        return replace(least, kind="always" if sought.solutions == tuple(admitted) else "least")
    if from_start or (not least.reached and greatest.reached and not to_end):
        return greatest
    return least
