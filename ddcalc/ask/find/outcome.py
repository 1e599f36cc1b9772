"""What came of a search: all solutions, which end of them is the answer, and how that reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ddcalc.ask.find.inverse import Sense
from ddcalc.ask.find.number_line import Piece
from ddcalc.errors import BadValue, OverLimit
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Known, Number
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import STATED, count_text, in_unit
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.steps import Step

DIGITS = 20  # of an irrational end, more than a text has
RIGHT = 50  # of one from which other numbers follow
RANGES, FEW = 6, 3  # ranges that are written in one line; of more than that the first few

Kind = Literal["none", "only", "least", "greatest", "always"]


@dataclass(frozen=True, slots=True)
class Sought:
    """The *solutions* in order; *examined* pieces prove them, but for what is left *open*."""

    solutions: tuple[Piece, ...]
    examined: int
    open: tuple[Piece, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether there are surely no other solutions."""
        return not self.open


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *least* or *greatest* *value* that quantity *name* takes, *at* which number for
    example."""

    name: str
    sense: Sense
    value: Number
    at: Number


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What came of a question, whatever the way to it.

    *solutions* are in order; there are no others where they are *complete*. Of a choice there are
    *options* instead. The answer is the *end* of them that *kind* names; not *reached* if it just
    is no solution. Other values than those *admitted* are no question of the type; of played types
    nothing is known beyond the least and the largest that were *tried*.
    """

    unknown: Given | Choice
    kind: Kind = "none"
    end: Edge | None = None
    reached: bool = False
    solutions: tuple[Piece, ...] = ()
    complete: bool = True
    admitted: tuple[Piece, ...] = ()
    options: tuple[str, ...] = ()
    tried: tuple[Number, Number] | None = None

    @property
    def proof(self) -> str:
        """Why there are no others, or how far that is known."""
        return ""

    @property
    def beside(self) -> Sequence[Number]:
        """Numbers next to the answer at which something fails."""
        return ()

    def compared(self, at: Any) -> Known:
        """What is compared at a number or option, by name; nothing where that is not known."""
        return {}

    def nearest(self) -> Nearest | None:
        """What comes nearest where there is no solution, if that is known."""
        return None

    def steps(self) -> Iterable[Step]:
        """Every step to the answer, each with its reason."""
        return ()

    @property
    def sides(self) -> Sequence[int]:
        """On which sides of the answer the next numbers fail."""
        return {"only": (-1, 1), "least": (-1,), "greatest": (1,)}.get(self.kind, ())

    @property
    def number(self) -> Number | None:
        """The end as a number, rounded where it is irrational; None where there is none."""
        if isinstance(self.end, Root):
            return Approximate(close_to(self.end, RIGHT), 10.0 ** (1 - RIGHT))
        return None if self.end is None else plain(self.end)

    @property
    def near(self) -> Number | None:
        """The same, if it is the answer."""
        return self.number if self.reached else None

    @property
    def value(self) -> Number | None:
        """The answer as a number; None where there is none, or it is irrational."""
        return None if isinstance(self.end, Root) else self.near

    def ranges(self, unit: Unit) -> str:
        """All solutions: ``m = 3 or m ≥ 13``."""
        assert isinstance(self.unknown, Given)
        return ranges(self.solutions, self.unknown, unit)

    def span(self, unit: Unit) -> str:
        """The least and the largest number that was tried."""
        assert self.tried is not None
        least, most = (str(amount_of(end, unit)) for end in self.tried)
        return f"from {least} to {most}" if least != most else least


def chosen(
    sought: Sought, admitted: Sequence[Piece], unknown: Given, asked: Sense | Literal[""] = ""
) -> tuple[Kind, Edge | None, bool]:
    """Of all solutions the end that is *asked* for, and whether it is one itself; else the least
    one, unless it is the least that is *admitted* at all: then the greatest. The greatest too where
    there is no least one but a greatest one. BadValue where there is no such end."""
    if not sought.solutions:
        return "none", None, False
    first, last = sought.solutions[0], sought.solutions[-1]
    low_in = first.low is not None and first.low_in
    high_in = last.high is not None and last.high_in
    least: tuple[Kind, Edge | None, bool] = "least", first.low, low_in
    greatest: tuple[Kind, Edge | None, bool] = "greatest", last.high, high_in
    if len(sought.solutions) == 1 and first.is_point and sought.complete:
        return "only", first.low, True
    if asked:
        end = least if asked == "least" else greatest
        if end[1] is None:
            reason = "holds nowhere: there is always a better one"
            raise BadValue(f"{unknown.name} is {asked}", reason).about("where")
        return end
    if sought.solutions == tuple(admitted):
        return "always", first.low, low_in
    lowest, highest = admitted[0], admitted[-1]
    from_start = (first.low, first.low_in) == (lowest.low, lowest.low_in)
    to_end = (last.high, last.high_in) == (highest.high, highest.high_in) or not sought.complete
    if to_end and from_start:
        return least
    return greatest if from_start or (not low_in and high_in and not to_end) else least


def given_up(unknown: Given, sought: Sought, known: str) -> OverLimit:
    """That the search is given up, what is left open, and what is *known* elsewhere."""
    left = ranges(sought.open, unknown, unknown.unit)
    pieces = f"{count_text(sought.examined)} intervals"
    reason = f"gave up after {pieces}: not decided is {left}; {known}"
    return OverLimit(reason).about("where")  # type: ignore[return-value]


# Numbers and ranges in words


def ranges(pieces: Sequence[Piece], unknown: Given, unit: Unit) -> str:
    """The *pieces* of the number line, the first of many, and how many there are."""
    shown = pieces if len(pieces) <= RANGES else pieces[:FEW]
    texts = [piece_text(piece, letter(unknown.letter), unit) for piece in shown]
    if len(shown) < len(pieces):
        return f"{', '.join(texts)}, … ({count_text(len(pieces))} ranges)"
    return " or ".join(texts) or "none"


def amount(x: Edge, unit: Unit) -> str:
    """*x* (base units) as a number of *unit*: exact if that is short, else about."""
    if isinstance(x, Root) and x.form and unit.worth == 1:
        return f"{x.form} {unit.name}".rstrip()
    made = in_unit(close_to(x, DIGITS), unit, exact=STATED)
    return str(made) if made.exact and not isinstance(x, Root) else f"about {made}"


def piece_text(piece: Piece, sign: str, unit: Unit) -> str:
    """``m ≥ 13``, ``0 s ≤ t < 2 s``."""
    low, high = piece.low, piece.high
    if low is not None and piece.is_point:
        return f"{sign} = {amount(low, unit)}"
    above = "" if high is None else f" {'≤' if piece.high_in else '<'} {amount(high, unit)}"
    if low is None:
        return f"{sign}{above}" if above else f"every {sign}"
    if high is None:
        return f"{sign} {'≥' if piece.low_in else '>'} {amount(low, unit)}"
    return f"{amount(low, unit)} {'≤' if piece.low_in else '<'} {sign}{above}"
