"""A slip: one wrong turn of a student's, the number it leads to, and what an answer is worth."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, get_args

from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.sentences import capital
from ddcalc.problem.steps import PutIn

# The kinds, the simplest first: of slips that come to the same number the first one is named.
Kind = Literal[
    "cut", "coarse", "term", "factor", "result", "rounding", "strict", "reading", "case", "unit",
    "share", "count", "early", "extreme", "power of ten", "sign", "upside down",
    "algebra",
]  # fmt: skip
SIMPLE: Mapping[str, int] = {kind: rank for rank, kind in enumerate(get_args(Kind))}


class Put(NamedTuple):
    """A formula with *numbers* put in for its letters."""

    expr: Expr
    numbers: Mapping[str, PutIn]


Instead = Mapping[str, Expr | Number]
Piece = str | Expr | Put
Pieces = tuple[Piece, ...]


def sentence(pieces: Pieces) -> Pieces:
    """*pieces* with a capital letter in front."""
    first, *others = pieces
    return (capital(first) if isinstance(first, str) else first, *others)


@dataclass(frozen=True)
class Slip:
    """What a student may have done: *deed* completes "you get this by".

    The exact *value* that comes of it is in base units; it went wrong in *step* (None: in none of
    them). What the step then says, and what it should say and why, is made by *words* when the slip
    is named.

    The same thing *wrong* is the same slip in another part, where that is known at all; *instead*
    are the formulas and numbers by letter that the student then has.
    """

    kind: Kind
    value: Number
    deed: Pieces
    step: int | None = None
    words: Callable[[], tuple[Pieces, Pieces]] = lambda: ((), ())
    wrong: tuple[Hashable, ...] = ()
    instead: Instead = field(default_factory=dict)


# unread: what could not be read is not marked; somebody has to look at it
Verdict = Literal["right", "rounded", "follows", "unit", "wrong", "none", "unread"]


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
        if verdict == "wrong" and slip is not None:
            by_steps = Fraction(steps - 1, steps) if steps and slip.step else 0
            return by_steps if self.slip is None else self.slip
        parts: dict[Verdict, Number] = {"unit": self.unit, "follows": self.follows}
        return parts.get(verdict, int(verdict in ("right", "rounded")))


AS_USUAL = Credit()
