"""Which of all solutions is the answer: the least one, or the greatest where that is what binds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from ddcalc.ask.find.number_line.edge import Edge, Root
from ddcalc.ask.find.number_line.piece import Piece
from ddcalc.ask.find.search import Sought
from ddcalc.number import Number

Kind = Literal["none", "only", "least", "greatest", "always"]


@dataclass(frozen=True, slots=True)
class Answer:
    """The *end* of the solutions that is the answer, *reached* if it is a solution itself."""

    kind: Kind
    end: Edge | None = None
    reached: bool = False

    @property
    def value(self) -> Number | None:
        """The answer as a number; None where there is none, or it is irrational."""
        return self.end if self.reached and not isinstance(self.end, Root) else None

    @property
    def shown(self) -> Number | None:
        """Where the answer is shown: at the end, though that may just not be a solution."""
        return None if isinstance(self.end, Root) else self.end


def answer(sought: Sought, domain: Piece) -> Answer:
    """The least solution, unless it is the least that is admitted at all: then the greatest.

    The greatest too where there is no least one but a greatest one.
    """
    if not sought.solutions:
        return Answer("none")
    first, last = sought.solutions[0], sought.solutions[-1]
    if len(sought.solutions) == 1 and first.is_point and sought.complete:
        return Answer("only", first.low, True)
    least = Answer("least", first.low, first.low is not None and first.low_in)
    greatest = Answer("greatest", last.high, last.high is not None and last.high_in)
    from_start = (first.low, first.low_in) == (domain.low, domain.low_in)
    to_end = (last.high, last.high_in) == (domain.high, domain.high_in) or not sought.complete
    if from_start and to_end:
        return replace(least, kind="always" if sought.solutions == (domain,) else "least")
    if from_start or (not least.reached and greatest.reached and not to_end):
        return greatest
    return least
