"""What came of a search: all solutions, which end of them is the answer, and how that reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ddcalc.ask.find.inverse import InverseQuestion, Sense
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.solve import Derivation
from ddcalc.errors import BadValue, OverLimit
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Known, Number
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import STATED, count_text, in_unit
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Given
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


NOTHING = Sought((), 0)


@dataclass(frozen=True, slots=True)
class Nearest:
    """The *least* or *greatest* *value* that quantity *name* takes, *at* which number for
    example."""

    name: str
    sense: Sense
    value: Number
    at: Number


class SearchOutcome:
    """What came of a *question*, whatever the way to it.

    *solutions* are in order; there are no others where they are *complete*. Of a choice there are
    *options* instead. The answer is the *end* of them that *kind* names; not *reached* if it just
    is no solution. Other values than those *admitted* are no question of the type; of played types
    nothing is known beyond the least and the largest that were *tried*. Raises BadValue where there
    is no such end as is asked for.
    """

    options: tuple[str, ...] = ()
    tried: tuple[Number, Number] | None = None
    proof = ""
    """Why there are no others, or how far that is known."""
    beside: Sequence[Number] = ()
    """Numbers next to the answer at which something fails."""
    at: Derivation | None = None
    """What follows at the answer."""

    def __init__(
        self,
        question: InverseQuestion,
        sought: Sought = NOTHING,
        admitted: Sequence[Piece] = (),
        asked: Sense | Literal[""] = "",
    ) -> None:
        self.question, self.unknown = question, question.unknown
        self.solutions, self.complete = sought.solutions, sought.complete
        self.admitted = tuple(admitted)
        self.kind: Kind = "none"
        self.end: Edge | None = None
        self.reached = False
        if sought.solutions:
            self._choose(sought.solutions[0], sought.solutions[-1], asked)

    def _choose(self, first: Piece, last: Piece, asked: Sense | Literal[""]) -> None:
        """Take the end that is *asked* for; else the least one, unless it is the least that is
        admitted at all: then the greatest. The greatest too where there is no least one but a
        greatest one."""
        low_in = first.low is not None and first.low_in
        high_in = last.high is not None and last.high_in
        start, end = self.admitted[0], self.admitted[-1]
        is_first = (first.low, first.low_in) == (start.low, start.low_in)
        is_last = (last.high, last.high_in) == (end.high, end.high_in)
        ends_above = self.complete and not is_last and (is_first or (high_in and not low_in))
        self.kind, self.end, self.reached = "least", first.low, low_in
        if len(self.solutions) == 1 and first.is_point and self.complete:
            self.kind = "only"
        elif not asked and self.solutions == self.admitted:
            self.kind = "always"
        elif asked == "greatest" or (not asked and ends_above):
            self.kind, self.end, self.reached = "greatest", last.high, high_in
        if asked and self.end is None:
            reason = "holds nowhere: there is always a better one"
            raise BadValue(f"{self.unknown.name} is {asked}", reason).about("where")

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
        return ranges(self.solutions, self.question.given, unit)

    def span(self, unit: Unit) -> str:
        """The least and the largest number that was tried."""
        assert self.tried is not None
        least, most = (str(amount_of(end, unit)) for end in self.tried)
        return f"from {least} to {most}" if least != most else least


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
