"""A mark: whether a stated answer is right, in what sense, and which slip leads to it if not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from ddcalc.ask.mark.credit import USUAL, Credit, Verdict
from ddcalc.ask.mark.question import Two
from ddcalc.ask.mark.slip import Pieces, Slip
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Result
from ddcalc.formula.expression import Number
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value

NAMED = 4  # digits from which a slip is named
PERHAPS = 3  # digits from which one may be
TWO = 5  # digits from which two together may be


@dataclass(frozen=True, slots=True)
class Spelt:
    """An answer that is no number: *agrees* says whether a value is what *text* says."""

    text: str
    agrees: Callable[[Value], bool]


Answer: TypeAlias = Written | Spelt | tuple[Written, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of the answer *stated* for a quantity, whose *right* value is told beside it.

    *brief* says in what sense it is right, or what is wrong with its form. *slips* lead to it, the
    simplest first; they are *sure* where the answer has digits enough. *two* may have happened
    together where no single one does. The verdict ``none`` is that nothing was answered, ``unread``
    that it could not be read, so that nothing is credited or asked. *points* are what the answer is
    worth, *part* is the part of them that is credited, if that is not as usual.
    """

    name: str
    stated: str
    right: Result | tuple[Result, ...]
    verdict: Verdict
    brief: Pieces = ()
    slips: tuple[Slip, ...] = ()
    sure: bool = True
    two: Two | None = None
    at: int | None = None  # the member of a list that is told about
    unit: Unit | None = None  # in which it was stated, if that measures the same
    points: Number = 1
    part: Number | None = None

    @property
    def credit(self) -> Number:
        """The points that are credited."""
        return self.points * (USUAL[self.verdict] if self.part is None else self.part)

    @property
    def of(self) -> Number:
        """The points that could have been credited; none where the answer was not read."""
        return 0 if self.verdict == "unread" else self.points

    def credited(self, credit: Credit, steps: int | None) -> Mark:
        """This mark as the sheet credits it; the quantity comes from step number *steps*."""
        slip = self.slips[0] if self.slips and self.sure and self.two is None else None
        part = credit.part(self.verdict, slip, steps)
        return replace(self, points=credit.points, part=part)
