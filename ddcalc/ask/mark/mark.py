"""A mark: whether a stated answer is right, in what sense, and which slip leads to it if not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from ddcalc.ask.mark.question import Two
from ddcalc.ask.mark.slip import Pieces, Slip
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Result
from ddcalc.expression import Number
from ddcalc.steps import Value

Verdict = Literal["right", "rounded", "follows", "unit", "wrong", "none"]

CREDIT: Mapping[Verdict, Number] = {
    "right": 1,
    "rounded": 1,
    "follows": 1,
    "unit": Fraction(1, 2),
    "wrong": 0,
    "none": 0,
}

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
    together where no single one does. The verdict ``none`` is that nothing was answered.
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

    @property
    def credit(self) -> Number:
        """The part of the question that is credited."""
        return CREDIT[self.verdict]
