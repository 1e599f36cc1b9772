"""Find where schedules are played, for a number that need not be whole: numbers are tried.

First some far apart, then between one that does it and its neighbour that does not, by halving.
The answer is the simplest number in the last gap: what changes in a schedule changes at sums of its
times. Nothing is proved of numbers that were not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from time import process_time

from ddcalc.ask.find.answer import Kind
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.found import Found, Outcome
from ddcalc.ask.find.model import domain
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.playing import Values, at, compared, right_at
from ddcalc.ask.find.relation import Relation
from ddcalc.ask.find.words import amount, full_amount, pieces_text
from ddcalc.ask.restate import restated
from ddcalc.ask.solve import Derivation
from ddcalc.errors import BadValue, DdcalcError, NoAnswer, OverLimit
from ddcalc.formula.algebraic import Edge
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, quotient
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import State, Step

DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
PARTS = 24  # of what is admitted, where that has two ends
CLOSE = 10**9  # of a number, to which a gap is halved
LONG = 5  # long runs, at most
DIGITS = 6  # of an edge that is no simple number
CHANCE = 100  # by so much the simplest number of a gap is simpler than others of gaps like it
SECONDS = 10.0  # of the processor, after which no gap is halved any more


def find(asked: Asked) -> Found:
    """A number at which the relations begin or cease to hold, among those tried.

    Raises what every number is refused with.
    """
    unknown = asked.unknown
    assert isinstance(unknown, Given)
    trial = _Trial(asked, unknown)
    trial.run()
    value = trial.value
    here = None if value is None else Derivation(restated(asked.stated, {unknown.name: value}))
    outcome = Outcome(
        value=value,
        says=trial.says,
        proof=trial.proof(),
        steps=lambda: trial.steps(here),
        solutions=trial.pieces,
        kind=trial.kind,
        end=trial.end,
        complete=False,
    )
    return Found(asked, outcome, here)


@dataclass
class _Trial:
    """Numbers tried for the *unknown*, and the *values* of those that the question admits.

    *pieces* are between what was found, *value* is the end of the first that is the answer, and
    *beside* the number next to it that was tried and does not do.
    """

    asked: Asked
    unknown: Given
    values: dict[Number, Values | None] = field(default_factory=dict)
    refusal: DdcalcError | None = None
    long: int = 0
    pieces: tuple[Piece, ...] = ()
    value: Number | None = None
    beside: Number | None = None
    start: float = field(default_factory=process_time)

    def run(self) -> None:
        """Try numbers far apart, then halve the gaps where the relations begin and cease."""
        points = [x for x in self._far_apart() if self._goes_on and self._does(x) is not None]
        if not points and self.refusal is not None:
            raise self.refusal
        points = self._with_crossing(points)
        right = [i for i, x in enumerate(points) if self._does(x)]
        if not right:
            return
        first = last = right[0]
        while last + 1 < len(points) and self._does(points[last + 1]):
            last += 1
        low = self._edge(points[first - 1], points[first]) if first else None
        high = self._edge(points[last + 1], points[last]) if last + 1 < len(points) else None
        self.pieces = (_between(low, high),)
        edges = [each for each in (low, high) if each is not None]
        if not edges:
            self.value = points[len(points) // 2]
        for edge in edges:
            if edge.reached and self.value is None:
                self.value, self.beside = edge.at, self._plainly_beside(edge)

    @property
    def end(self) -> Edge | None:
        """The answer, or where those that do begin or end, though it just does not do itself."""
        piece = self.pieces[0] if self.pieces else Piece(None, None)
        return next((x for x in (self.value, piece.low, piece.high) if x is not None), None)

    @property
    def kind(self) -> Kind:
        """Which end of the numbers that do the answer is."""
        if not self.pieces:
            return "none"
        piece = self.pieces[0]
        if piece.endless and piece.low == piece.high:
            return "always"
        return "least" if self.end == piece.low else "greatest"

    @property
    def _late(self) -> bool:
        return process_time() - self.start > SECONDS

    @property
    def _goes_on(self) -> bool:
        """Whether more numbers far apart are tried."""
        return self.long < LONG and not self._late

    def says(self, unit: Unit) -> str:
        """The answer, and between which numbers that were tried all that were tried do."""
        shown, span = letter(self.unknown.letter), self._span(unit)
        if not self.pieces:
            return f"no {shown} that was tried does it ({span})"
        told = pieces_text(self.pieces, shown, unit)
        if self.pieces[0] == Piece(None, None):
            return f"every {shown} that was tried does it ({span})"
        if self.value is None:
            return f"{told}  (tried {span})"
        return f"{shown} = {full_amount(self.value, unit)}  (tried {span}: {told})"

    def proof(self) -> str:
        """What was tried, and what is not known."""
        count = len(self.values)
        told = f"{count} numbers; nothing is proved of those between and beyond them"
        if self.value is None or self.beside is None:
            return told
        return f"{told}. Tried next to it: {amount(self.beside, self.unknown.unit)}, which fails"

    def steps(self, here: Derivation | None) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        if here is None or self.value is None:
            return
        yield from (step for step in here.steps if not isinstance(step, State))
        for number in (self.value, self.beside):
            values = None if number is None else self.values.get(number)
            if number is not None and values is not None:
                yield from compared(self.asked, number, values, only_failing=number != self.value)

    def _span(self, unit: Unit) -> str:
        known = [number for number, values in self.values.items() if values is not None]
        return f"from {amount(min(known), unit)} to {amount(max(known), unit)}"

    def _does(self, number: Number) -> bool | None:
        """Whether *number* does it; None where the question does not admit it."""
        if number not in self.values:
            try:
                self.values[number], long = at(self.asked, number)
                self.long += long
            except (BadValue, NoAnswer, OverLimit) as error:
                if error.parameter == "where":
                    raise
                self.refusal = self.refusal or error
                self.values[number] = None
        values = self.values[number]
        return None if values is None else right_at(self.asked, values)

    def _far_apart(self) -> Iterator[Number]:
        """Numbers to begin with, in order."""
        admitted, unit = domain(self.unknown), self.unknown.unit
        low, high = admitted.low, admitted.high
        base = low if isinstance(low, int | Fraction) else Fraction(0)
        alike = [
            each.value
            for name, told in self.asked.stated.measured.items()
            for each in (told if isinstance(told, tuple) else (told,))
            if each.unit.dimension == unit.dimension and name != self.unknown.name
        ]
        scale = Fraction(max(alike, default=0) or unit.worth)
        found = {base, *(base + scale * Fraction(2) ** k for k in range(-DOUBLINGS, DOUBLINGS + 1))}
        if isinstance(high, int | Fraction):
            found |= {base + Fraction(high - base) * i / PARTS for i in range(PARTS + 1)}
        return (_plain(each) for each in sorted(found) if each in admitted)

    def _with_crossing(self, points: list[Number]) -> list[Number]:
        """*points* with one more that does it, where none of them does: one between two of them,
        on the way to where something that is compared passes its bound."""
        if any(map(self._does, points)):
            return points
        for low, high in pairwise(points):
            for relation in self.asked.relations:
                if self._sign(relation, low) != self._sign(relation, high):
                    found = self._on_the_way(relation, low, high)
                    if found is not None:
                        return sorted({*points, found})
        return points

    def _on_the_way(self, relation: Relation, low: Number, high: Number) -> Number | None:
        """A number that does it, among those halfway to where *relation* passes its bound."""
        for _ in range(CLOSE.bit_length()):
            if self._late:
                return None
            middle = _plain(Fraction(low + high) / 2)
            if self._does(middle):
                return middle
            if self._sign(relation, middle) == self._sign(relation, low):
                low = middle
            else:
                high = middle
        simple = _plain(_simplest(Fraction(low), Fraction(high)))
        return simple if self._does(simple) else None

    def _sign(self, relation: Relation, number: Number) -> int | None:
        """Whether the left side is above (1), at (0) or below (-1) its bound; None without one."""
        values = self.values[number]
        left = None if values is None else values[relation.name]
        if left is None:
            return None
        return (left > relation.bound.value) - (left < relation.bound.value)

    def _edge(self, fails: Number, does: Number) -> _Edge:
        """Where what does it ends, towards a number that fails."""
        size = max(abs(Fraction(does)), abs(Fraction(fails)))
        while abs(Fraction(does - fails)) * CLOSE > size and not self._late:
            middle = _plain(Fraction(fails + does) / 2)
            if self._does(middle):
                does = middle
            else:
                fails = middle
        simple = _simplest(Fraction(min(fails, does)), Fraction(max(fails, does)))
        if simple.denominator**2 * abs(Fraction(does - fails)) * CHANCE > 1:  # perhaps by chance
            return _Edge(self._short(does, fails), fails, reached=True)
        at = _plain(simple)
        return _Edge(at, fails, reached=bool(self._does(at)))

    def _short(self, does: Number, fails: Number) -> Number:
        """*does*, or a number next to it with few digits that does it too."""
        short = Fraction(rounded(does, DIGITS))
        step = abs(short - Fraction(rounded(short * (1 + Fraction(1, 10 ** (DIGITS - 1))), DIGITS)))
        for near in (short, short + step if does > fails else short - step):
            if near in domain(self.unknown) and self._does(_plain(near)):
                return _plain(near)
        return does

    def _plainly_beside(self, edge: _Edge) -> Number:
        """A number next to *edge* that fails, with few digits if there is one."""
        side = 1 if edge.fails > edge.at else -1
        told = abs(Fraction(edge.at)) / self.unknown.unit.worth
        size = Fraction(10 ** (len(str(int(told))) - 1)) * self.unknown.unit.worth
        for places in (2, 3, 4, 6):
            near = _plain(edge.at + side * size / 10**places)
            if near in domain(self.unknown) and self._does(near) is False:
                return near
        return edge.fails


@dataclass(frozen=True, slots=True)
class _Edge:
    """What does it ends *at* this number, which does it if it is *reached*; next to it one
    *fails*."""

    at: Number
    fails: Number
    reached: bool


def _between(low: _Edge | None, high: _Edge | None) -> Piece:
    return Piece(
        None if low is None else low.at,
        None if high is None else high.at,
        low is None or low.reached,
        high is None or high.reached,
    )


def _plain(value: Fraction | int) -> Number:
    return quotient(value.numerator, value.denominator)


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The number from *low* to *high* with the least denominator.

    >>> _simplest(Fraction(399, 100), Fraction(401, 100)), _simplest(Fraction(1, 4), Fraction(2, 5))
    (Fraction(4, 1), Fraction(1, 3))
    """
    if low < 0:
        return Fraction(0) if high >= 0 else -_simplest(-high, -low)
    if ceil(low) <= high:
        return Fraction(ceil(low))
    whole = floor(low)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
