"""The marks of a class, counted as they come: memory grows with the slips, not the students."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from ddcalc.ask.mark.credit import Verdict
from ddcalc.ask.mark.mark import Mark
from ddcalc.ask.mark.slip import Pieces
from ddcalc.ask.mark.tell import habit
from ddcalc.formula.expression import Number


@dataclass(slots=True)
class Count:
    """What became of the *answers* to one quantity of one question: verdicts, credit, slips.

    *credit* is in points, *of* so many; answers that could not be read are worth none.
    """

    answers: int = 0
    credit: Number = 0
    of: Number = 0
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    slips: Counter[Pieces] = field(default_factory=Counter)

    def add(self, mark: Mark) -> None:
        """Count *mark* too."""
        self.answers += 1
        self.credit += mark.credit
        self.of += mark.of
        self.verdicts[mark.verdict] += 1
        if what := habit(mark):
            self.slips[what] += 1

    @property
    def mean(self) -> Number:
        """The part of the points that is credited."""
        return Fraction(self.credit) / self.of if self.of else 0


@dataclass(slots=True)
class Tally:
    """All marks so far, by problem and quantity, and all together."""

    students: int = 0
    whole: Count = field(default_factory=Count)
    by_question: dict[tuple[str, str], Count] = field(default_factory=dict)

    def add(self, problem: str, mark: Mark) -> None:
        """Count the *mark* of an answer to *problem*."""
        self.whole.add(mark)
        self.by_question.setdefault((problem, mark.name), Count()).add(mark)
