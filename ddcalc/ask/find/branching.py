"""All values of the unknown for which everything holds, by branch and bound: so they are proved.

A piece of the number line is decided where interval arithmetic shows that the goals hold, or fail,
everywhere in it; else where nothing jumps or turns in it (:mod:`~ddcalc.ask.find.settled`); else it
is cut where something does. Nothing is assumed about what grows with what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from math import ceil, floor
from typing import TYPE_CHECKING

from ddcalc.ask.find.inverse import InverseQuestion, holds
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import Edge, Root
from ddcalc.formula.deciding import decided
from ddcalc.formula.evaluation import evaluate, satisfying
from ddcalc.formula.expression import Expr, Known, Number, Rel, nodes, symbols
from ddcalc.formula.intervals import NO_VALUE, Bounds, enclosed, of_number, truth
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.problem.plan import EquationPlan, filled
from ddcalc.problem.quantity import Given
from ddcalc.schedule.watching import tell

if TYPE_CHECKING:
    from ddcalc.ask.find.settled import Settled

MOST = 8_000  # pieces that are looked at; one with an irrational end counts as IRRATIONAL
IRRATIONAL = 20
MOST_SOLUTIONS = 400  # pieces, before neighbours are put together
MOST_CUTS = 200  # of what may be cut for ever, for example towards infinity
WORK = 2_000_000  # parts of formulas that a search works out at most, in all pieces
BESIDE = 40  # what a piece takes besides, in such parts


class NotSolved(BadValue):
    """Nothing proves which values of an unknown that is no whole number do it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "is not found here: these formulas are not solved for it")


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


@dataclass(frozen=True)
class SearchModel:
    """All *goals* must hold, and the *conditions* of the type, for a given called *name*.

    *rules* define, in order, the letters that rest on it; *known* is what it does not change.
    """

    name: str
    letter: str
    domain: Piece
    rules: Mapping[str, Expr]
    goals: tuple[Rel, ...]
    conditions: tuple[Rel, ...]
    known: Known

    @property
    def live(self) -> set[str]:
        """The letters that rest on the unknown, and its own."""
        return {self.letter, *self.rules}

    @property
    def work(self) -> int:
        """How much it takes to look at a piece, in parts of formulas."""
        formulas = (*self.rules.values(), *self.conditions, *self.goals)
        return BESIDE + sum(1 for formula in formulas for _ in nodes(formula))

    @cached_property
    def known_bounds(self) -> Mapping[str, Bounds]:
        """The known numbers for interval arithmetic."""
        known = self.known.items()
        return {name: NO_VALUE if x is None else of_number(x) for name, x in known}

    def at(self, x: Number) -> dict[str, Number | None] | None:
        """All letters where the unknown is *x*; None where a condition fails or a formula has no
        value. Raises OutOfReach where a number would be too large."""
        try:
            return satisfying({**self.known, self.letter: x}, self.rules, self.conditions)
        except OutOfReach:
            raise
        except ArithmeticError:
            return None

    def values(self, x: Number) -> Mapping[str, Number | None]:
        """The same; nothing where it has no value, or that is out of reach."""
        try:
            return self.at(x) or {}
        except OutOfReach:
            return {}

    def holds_at(self, x: Number) -> bool:
        """Whether everything holds at *x*, by plain evaluation; raises as :meth:`at`."""
        values = self.at(x)
        if values is None:
            return False
        sides = [[evaluate(side, values) for side in goal.parts()] for goal in self.goals]
        return all(
            right is not None and holds(goal.op, left, right)
            for goal, (left, right) in zip(self.goals, sides, strict=True)
        )


def domain(given: Given) -> Piece:
    """The values that *given* admits."""
    low, high, low_in = given.least, given.most, True
    if given.above is not None and (low is None or given.above >= low):
        low, low_in = given.above, False
    if not given.whole:
        return Piece(low, high, low_in)
    first = None if low is None else ceil(low) if low_in else floor(low) + 1
    return Piece(first, None if high is None else floor(high), whole=True)


def model(question: InverseQuestion, plan: EquationPlan) -> SearchModel:
    """What is to be searched for *question*, whose equations are in *plan*.

    Raises NoAnswer where a formula has no value whatever the unknown is, BadValue where a condition
    fails so.
    """
    given = question.given
    known: dict[str, Number | None] = dict(zip(plan.givens, question.stated.numbers(), strict=True))
    del known[given.letter]
    live, rules = {given.letter}, dict[str, Expr]()
    for line in plan.lines:
        formula = decided(line.formula, known)
        if live & {*symbols(formula)}:
            live.add(line.symbol)
            rules[line.symbol] = formula
            continue
        try:
            known[line.symbol] = evaluate(formula, known)
        except ArithmeticError as error:
            reason = f"these numbers lead to {error}"
            if isinstance(error, ZeroDivisionError):
                reason = "these numbers make its formula divide by zero"
            raise NoAnswer(line.quantity.name, reason) from None
    conditions: list[Rel] = []
    for condition in plan.conditions:
        if live & {*symbols(condition.relation)}:
            conditions.append(condition.relation)
        elif not evaluate(condition.relation, known):
            reason = filled(condition.message, plan.problem, known)
            raise BadValue("", reason).about(condition.parameter)
    goals = tuple(relation.formula for relation in question.bounds)
    return SearchModel(
        given.name, given.letter, domain(given), rules, goals, tuple(conditions), known
    )


def search(model: SearchModel, most: int = MOST, work: int = WORK) -> Sought:
    """All solutions of *model*, and what is left open after *most* pieces, or so much *work*.

    Raises NotSolved where only trying can tell.
    """
    return BranchAndBound(model).run(most, work)


class BranchAndBound:
    """Looks at pieces of the number line until each is decided, or was cut too often."""

    def __init__(self, model: SearchModel) -> None:
        self.model = model
        self.waiting = [(0, 0, model.domain)]  # a heap: how often each was cut, the last first
        self.count = 0
        self.solutions: list[Piece] = []
        self.left: list[Piece] = []  # what is not decided: out of reach, or cut too often

    def run(self, most: int, work: int) -> Sought:
        """The outcome after *most* pieces by their effort, or so much *work*."""
        done = effort = 0
        while (
            self.waiting
            and (effort < most and done < work // self.model.work)
            and len(self.solutions) < MOST_SOLUTIONS
        ):
            tell("interval")
            cuts, _, piece = heappop(self.waiting)
            done += 1
            effort += IRRATIONAL * (isinstance(piece.low, Root) + isinstance(piece.high, Root)) or 1
            if self._decided(piece, cuts):
                self.found(piece, cuts)
        left = merged([*self.left, *(piece for _, _, piece in self.waiting)])
        return Sought(merged(self.solutions), done, left)

    def found(self, piece: Piece, cuts: int) -> None:
        """Note that everything holds in *piece*, which was cut so often."""
        self.solutions.append(piece)

    def settled(self, piece: Piece) -> Settled:
        """The formulas of the model in *piece*, as long as nothing changes there."""
        from ddcalc.ask.find.settled import Settled

        return Settled(piece, self.model.letter, self.model.rules, self.model.known)

    def _decided(self, piece: Piece, cuts: int) -> bool:
        """Whether everything holds in *piece*; False too where it had to be cut."""
        if piece.is_point and not isinstance(piece.low, Root):
            assert piece.low is not None
            try:
                return self.model.holds_at(piece.low)
            except OutOfReach:
                self.left.append(piece)
            except ArithmeticError:
                pass
            return False
        known = {**self.model.known_bounds, self.model.letter: piece.bounds()}
        for letter, rule in self.model.rules.items():
            known[letter] = enclosed(rule, known)
        verdicts = [truth(one, known) for one in (*self.model.conditions, *self.model.goals)]
        if not all(may for _, may in verdicts):
            return False
        fails = [letter for letter in self.model.rules if known[letter].fails]
        if not fails and all(sure for sure, _ in verdicts):
            return True
        return self._settled(piece, cuts, fails)

    def _settled(self, piece: Piece, cuts: int, fails: Sequence[str]) -> bool:
        """Whether everything holds in *piece*, where nothing changes; letters of which it is not
        known that they have a value are those that it *fails* for. Else it is cut."""
        from ddcalc.ask.find.settled import Cut, Undefined, Unsettled

        model, settled = self.model, self.settled(piece)
        try:
            if not all(map(settled.holds, model.conditions)):
                return False
            for letter in fails:
                settled.letter(letter)
            return all(map(settled.holds, model.goals))
        except Cut as cut:
            self.cut(piece, cuts, cut.at)
        except Undefined:
            pass
        except Unsettled:
            if not piece.whole:
                raise NotSolved(model.name).about("find") from None
            self.cut(piece, cuts, [floor(piece.middle()) + Fraction(1, 2)])
        return False

    def cut(self, piece: Piece, cuts: int, at: Sequence[Edge] = ()) -> None:
        """Put the parts of *piece* in the queue: whole numbers between two ends, which come to an
        end, before all others, the lowest first; of others what was cut least."""
        for part in reversed([*piece.split(at)]):
            cuts_of = 0 if part.whole and not part.endless else cuts + 1
            self.count -= 1
            if cuts_of > MOST_CUTS:
                self.left.append(part)
            else:
                heappush(self.waiting, (cuts_of, self.count, part))
