"""The steps of a search by equations.

What does not hang on the unknown; how it is solved for; what follows at the answer; both sides
there and just beside it; all ranges where there are several.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from ddcalc.ask.find.algebra import CLOSE, Algebra
from ddcalc.ask.find.asked import Asked
from ddcalc.ask.find.compare import compared
from ddcalc.ask.find.model import Known, Model
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.tables import ranges
from ddcalc.ask.find.verdict import Verdict
from ddcalc.ask.find.words import in_unit
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Num, Number, Operator
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan, Line
from ddcalc.problem.steps import Compare, Define, Solve, Step

POWERS = 21  # of two, that are tried where nothing does it

_WHY = {
    "none": "the least that there can be, for example",
    "always": "the least that there can be",
    "only": "the only one that does it, as all others were ruled out",
    "least": "the least that does it, as all below were ruled out",
    "greatest": "the greatest that does it, as all above were ruled out",
}


@dataclass(frozen=True)
class Telling:
    """Makes the steps of what was *asked*, from its *plan*, the *model* and the *verdict*."""

    asked: Asked
    plan: EquationPlan
    model: Model
    verdict: Verdict

    def steps(self) -> Iterator[Step]:
        """Every step, each with its reason."""
        live = self._live
        names = {line.quantity.name for line in self._needed()}
        hanging = {line.quantity.name for line in self._needed() if line.symbol in live}
        yield from Explanation(self.plan, self.model.known).steps(names - hanging)
        solved = list(self._solved())
        yield from solved
        at = self._shown()
        known = None if at is None else self._known(at)
        if at is not None and known is not None:
            if not solved:
                yield self._put_in(at)
            yield from Explanation(self.plan, known).steps(hanging)
            yield from self._compared(at, known)
        if len(self.verdict.sought.solutions) > 1:
            yield ranges(self.verdict.sought.solutions, self.verdict.given)

    @cached_property
    def _live(self) -> Collection[str]:
        """The letters that rest on the unknown, and its own."""
        return {self.model.letter, *(line.letter for line in self.model.lines)}

    def _needed(self) -> list[Line]:
        """The lines that what is compared rests on."""
        letters = [relation.letter for relation in self.asked.relations]
        needed = {line.symbol for letter in letters for line in self.plan.needed(letter)}
        return [line for line in self.plan.lines if line.symbol in needed]

    def _shown(self) -> Number | None:
        """The value at which the relations are shown, whether they hold there or not."""
        if self.verdict.answer.kind != "none":
            return _number(self.verdict.answer.end)
        first = self.verdict.admitted[0]
        least = _number(first.low) if first.low_in else None
        return next(iter(self._nearest), least) if self.verdict.given.whole else least

    @cached_property
    def _nearest(self) -> tuple[Number, ...]:
        """Where nothing does it: of the powers of two the one that comes nearest to what is wanted
        first, or two neighbours between which that is passed, the nearer one first."""
        found = [2**power for power in range(POWERS)]
        gaps = {number: gap for number in found if (gap := self._gap(number)) is not None}
        for low, high in pairwise(gaps):
            if (gaps[low] < 0) != (gaps[high] < 0) and (passed := self._passed(low, high)):
                return passed
        return tuple(sorted(gaps, key=self._far)[:1])

    def _passed(self, low: int, high: int) -> tuple[Number, ...]:
        """Two neighbours from *low* to *high* between which what is wanted first is passed."""
        below = (self._gap(low) or 0) < 0
        while high - low > 1:
            middle = (low + high) // 2
            if (gap := self._gap(middle)) is None:
                return ()
            low, high = (middle, high) if (gap < 0) == below else (low, middle)
        return tuple(sorted((low, high), key=self._far))

    def _far(self, number: int) -> Fraction:
        return abs(Fraction(self._gap(number) or 0))

    def _gap(self, number: int) -> Number | None:
        """What the first relation's left side is above its bound where the unknown is *number*."""
        wanted = self.asked.relations[0]
        known = self._known(number) if number in self.verdict.admitted[0] else None
        value = None if known is None else known.get(wanted.letter)
        return None if value is None else value - wanted.bound.value

    def _known(self, at: Number) -> Known | None:
        """All values by letter where the unknown is worth *at*; None where something has none."""
        known: dict[str, Number | None] = {**self.model.known, self.model.letter: at}
        try:
            if not all(evaluate(condition, known) for condition in self.model.conditions):
                return None
            for line in self.model.lines:
                known[line.letter] = evaluate(line.formula, known)
        except ArithmeticError:
            return None
        return known

    def _put_in(self, at: Number) -> Define:
        given = self.verdict.given
        number = Num(in_unit(at, given.unit))
        return Define(
            name=given.name,
            symbol=given.letter,
            title=given.title[:1].upper() + given.title[1:],
            why=self._why(),
            unit=given.unit,
            formula=number,
            applied=number,
            numbers={},
            value=at,
            direct=given.unit,
        )

    def _why(self) -> str:
        answer = self.verdict.answer
        if answer.kind == "none" and self.verdict.given.whole and self._nearest:
            if len(self._nearest) > 1:
                return "none does it: what is wanted lies between this one and its neighbour"
            return f"none does it; of 1, 2, 4, 8, … up to 2^{POWERS - 1} this one comes nearest"
        if answer.kind in ("least", "greatest") and not answer.reached:
            return "where the solutions end, which just does not do it itself"
        return _WHY[answer.kind]

    def _solved(self) -> Iterator[Solve]:
        """The ends of the range that the answer is in, each where a relation solved gives it."""
        answer, solutions = self.verdict.answer, self.verdict.sought.solutions
        if self.verdict.given.whole or not solutions:
            return
        piece = solutions[-1 if answer.kind == "greatest" else 0]
        limits = {end for part in self.verdict.admitted for end in (part.low, part.high)}
        for end, op in _ends(piece):
            near = self._known(_beside(piece, end))
            if near is None or (end in limits and op in ("<", ">")):  # no relation ends it there
                continue
            algebra = Algebra(self.plan, self.verdict.given, self._live, near)
            found = (algebra.solved(each, op, end) for each in self.asked.relations)
            yield from [step for step in found if step is not None][:1]

    def _compared(self, at: Number, known: Known) -> Iterator[Compare]:
        """Both sides at the answer, and those that fail just beside it."""
        given = self.verdict.given
        relations = [each for each in self.asked.relations if each.name != given.name]
        for relation in relations:
            yield from compared(relation, given, at, Explanation(self.plan, known))
        beside: Number | None = at + (1 if self.verdict.answer.kind == "greatest" else -1)
        if self.verdict.answer.kind == "none":
            beside = self._nearest[1] if len(self._nearest) > 1 else None
        if beside is None or not given.whole or beside not in self.model.domain:
            return
        other = self._known(beside)
        if other is not None:
            for relation in relations:
                told = compared(relation, given, beside, Explanation(self.plan, other))
                yield from (step for step in told if not step.holds)


def _number(x: Edge | None) -> Number | None:
    return None if isinstance(x, Root) else x


def _beside(piece: Piece, end: Number) -> Number:
    """A number in *piece* so close to its *end* that what applies there applies here."""
    if piece.is_point:
        return end
    inside = Fraction(piece.sample())
    return end + (inside - end) / CLOSE


def _ends(piece: Piece) -> Iterator[tuple[Number, Operator]]:
    """The rational ends of *piece*, each with what it means for the unknown."""
    low, high = _number(piece.low), _number(piece.high)
    if piece.is_point and low is not None:
        yield low, "=="
        return
    if low is not None:
        yield low, ">=" if piece.low_in else ">"
    if high is not None:
        yield high, "<=" if piece.high_in else "<"
