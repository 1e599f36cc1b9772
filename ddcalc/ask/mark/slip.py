"""A slip: what a student may have done instead, what comes of it, and what the answer is worth."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Literal, get_args

from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.units import Unit
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import PutIn

# The kinds, the simplest first: of slips that come to the same number the first one is named.
Kind = Literal[
    "cut", "coarse", "term", "factor", "result", "rounding", "strict", "reading", "case", "unit",
    "share", "count", "early", "extreme", "clock", "digits", "power of ten", "sign", "upside down",
    "algebra",
]  # fmt: skip
SIMPLE: Mapping[str, int] = {kind: rank for rank, kind in enumerate(get_args(Kind))}


@dataclass(frozen=True)
class Put:
    """A formula with *numbers* put in for its letters."""

    expr: Expr
    numbers: Mapping[str, PutIn]


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A value in base units, shown in *unit*."""

    value: Number
    unit: Unit


Piece = str | Expr | Put | MeasuredValue
Pieces = tuple[Piece, ...]


def sentence(pieces: Pieces) -> Pieces:
    """*pieces* with a capital letter in front."""
    first, *others = pieces
    return (capital(first) if isinstance(first, str) else first, *others)


@dataclass(frozen=True, slots=True)
class Slip:
    """*deed* completes "you get this by"; it went wrong in *step* (None: in none of them).

    *shown* is what the step then says, *why* what it should say. *value* is exact, in base units.
    """

    kind: Kind
    deed: Pieces
    value: Number
    step: int | None = None
    shown: Pieces = ()
    why: Pieces = ()


def near(value: Number) -> float:
    """*value* as a float; infinite where it is too large for one."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return inf


@dataclass
class Suspect:
    """A slip that may have happened: the *value* it leads to, and the slip that it *makes* then.

    The value is None where it leads to no number, or to one that nobody would believe.
    """

    kind: Kind
    value: Number | None
    makes: Callable[[Number], Slip]

    @cached_property
    def near(self) -> float:
        """The value as a float; infinite where there is none, or it is too large for one."""
        return inf if self.value is None else near(self.value)

    @cached_property
    def slip(self) -> Slip:
        """The slip in words."""
        assert self.value is not None
        return self.makes(self.value)


# unread: what could not be read is not marked; somebody has to look at it
Verdict = Literal["right", "rounded", "follows", "unit", "wrong", "none", "unread"]

USUAL: Mapping[Verdict, Number] = {
    "right": 1,
    "rounded": 1,
    "follows": 1,
    "unit": Fraction(1, 2),
    "wrong": 0,
    "none": 0,
    "unread": 0,
}


@dataclass(frozen=True, slots=True)
class Credit:
    """The *points* of an answer, and the parts of them for a wrong *unit*, for what *follows* from
    an earlier slip, and for an answer to which one *slip* surely leads; None there is the share of
    the steps that stay right."""

    points: Number = 1
    unit: Number = Fraction(1, 2)
    follows: Number = 1
    slip: Number | None = 0

    def part(self, verdict: Verdict, slip: Slip | None, steps: int | None) -> Number:
        """The part for *verdict*; *slip* is the one that surely led there, in one of *steps*."""
        if verdict == "unit":
            return self.unit
        if verdict == "follows":
            return self.follows
        if verdict != "wrong" or slip is None:
            return USUAL[verdict]
        if self.slip is not None:
            return self.slip
        return Fraction(steps - 1, steps) if steps and slip.step else 0


AS_USUAL = Credit()
