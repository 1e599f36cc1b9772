"""A slip: what a student may have done instead, which step that changes, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.units import Unit

# The kinds, the simplest first: of slips that come to the same number the first one is named.
Kind = Literal[
    "cut",
    "coarse",
    "term",
    "factor",
    "result",
    "rounding",
    "strict",
    "reading",
    "case",
    "unit",
    "share",
    "count",
    "early",
    "extreme",
    "clock",
    "digits",
    "power of ten",
    "sign",
    "upside down",
    "algebra",
]
SIMPLE: Mapping[str, int] = {kind: rank for rank, kind in enumerate(Kind.__args__)}  # type: ignore[attr-defined]
PAIRED = frozenset(("term", "factor", "rounding", "strict"))


@dataclass(frozen=True)
class Put:
    """A formula with *numbers* put in for its letters."""

    expr: Expr
    numbers: Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in base units, told in *unit*."""

    value: Number
    unit: Unit


Piece = str | Expr | Put | Amount
Pieces = tuple[Piece, ...]


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


@dataclass(slots=True)
class Suspect:
    """A slip that may have happened: *near* its value (a float), which *slip* works out exactly.

    It is None where the slip leads to no number.
    """

    kind: Kind
    near: float
    slip: Callable[[], Slip | None]
