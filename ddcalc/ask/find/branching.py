"""All values of the unknown for which everything holds, by branch and bound: so they are proved.

A piece of the number line is decided where interval arithmetic shows that the goals hold, or fail,
everywhere in it; else where nothing jumps or turns in it (:mod:`~ddcalc.ask.find.settled`); else it
is cut where something does. Nothing is assumed about what grows with what.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice
from math import ceil, floor
from typing import TYPE_CHECKING

from ddcalc.ask.find.inverse import InverseQuestion, holds
from ddcalc.ask.find.number_line import Cut, Piece, Undefined, Unsettled, merged
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import Root
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

WORK = 2_000_000  # parts of formulas that a search works out at most, in all pieces
ASIDE = 250_000  # of what stands beside the answer, or looks for slopes
PIECE, IRRATIONAL = 250, 20  # such parts that each piece counts for, and how often with such an end
MOST_SOLUTIONS = 400  # pieces, before neighbours are put together
REACH = 1_000  # how far away a neighbour is that the question admits
FACTORS = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
MOST_CUTS = 200  # of what may be cut for ever, for example towards infinity


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

    @cached_property
    def work(self) -> int:
        """How much it takes to look at a piece, in parts of formulas."""
        formulas = (*self.rules.values(), *self.conditions, *self.goals)
        return max(PIECE, sum(1 for formula in formulas for _ in nodes(formula)))

    @cached_property
    def known_bounds(self) -> Mapping[str, Bounds]:
        """The known numbers for interval arithmetic."""
        known = self.known.items()
        return {name: NO_VALUE if x is None else of_number(x) for name, x in known}

    def at(self, x: Number) -> Mapping[str, Number | None]:
        """All letters where the unknown is *x*; none where a condition fails or a formula has no
        value. Raises OutOfReach where a number would be too large."""
        try:
            known = {**self.known, self.letter: x}
            return satisfying(known, self.rules, self.conditions) or {}
        except OutOfReach:
            raise
        except ArithmeticError:
            return {}

    def values(self, x: Number) -> Mapping[str, Number | None]:
        """The same; nothing too where that is out of reach."""
        with suppress(OutOfReach):
            return self.at(x)
        return {}

    def holds_at(self, x: Number) -> bool:
        """Whether everything holds at *x*, by plain evaluation; raises as :meth:`at`."""
        known = self.at(x)
        return bool(known) and all(
            holds(goal.op, *(evaluate(side, known) for side in goal.parts())) for goal in self.goals
        )

    def beside(self, at: Number, sides: Sequence[int] = (-1, 1)) -> Iterator[Number]:
        """The nearest whole numbers that the question admits on these *sides*; of others some."""
        if not self.domain.whole:
            yield from (x for by in FACTORS if (x := at * by) in self.domain)
            return
        for step in sides:
            places = (x for by in range(1, REACH) if (x := at + step * by) in self.domain)
            yield from islice((x for x in places if self.values(x)), 1)


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


def search(model: SearchModel, work: int = WORK) -> Sought:
    """All solutions of *model*, and what is left open after so much *work*.

    Raises NotSolved where only trying can tell.
    """
    return Search(model).run(work)


class Search:
    """Looks at pieces of the number line until each is decided, or was cut too often."""

    def __init__(self, model: SearchModel) -> None:
        self.model = model
        self.waiting = [(0, 0, model.domain)]  # a heap: how often each was cut, the last first
        self.count = self.examined = 0
        self.solutions: list[Piece] = []
        self.left: list[Piece] = []  # what is not decided: out of reach, or cut too often

    def run(self, work: int = WORK) -> Sought:
        """The outcome after so much *work*."""
        while self.waiting and work > 0 and len(self.solutions) < MOST_SOLUTIONS:
            tell("interval")
            cuts, _, piece = heappop(self.waiting)
            self.examined += 1
            irrational = isinstance(piece.low, Root) + isinstance(piece.high, Root)
            work -= self.model.work * (IRRATIONAL * irrational or 1)
            for part in reversed([*self._undecided(piece)]):
                self._wait(part, cuts)
        left = merged([*self.left, *(piece for _, _, piece in self.waiting)])
        return Sought(merged(self.solutions), self.examined, left)

    def found(self, piece: Piece) -> None:
        """Note that everything holds in *piece*; may raise what :meth:`settled` does."""
        self.solutions.append(piece)

    def settled(self, piece: Piece) -> Settled:
        """The formulas in *piece*, as long as nothing changes there: they raise Cut where something
        does, Undefined where one has no value, Unsettled where that is not known."""
        from ddcalc.ask.find.settled import Settled

        return Settled(piece, self.model.letter, self.model.rules, self.model.known)

    def _wait(self, part: Piece, cuts: int) -> None:
        """Put a *part* in the queue: whole numbers between two ends, which come to an end, before
        all others, the lowest first; of others what was cut least."""
        cuts = 0 if part.whole and not part.endless else cuts + 1
        self.count -= 1
        if cuts > MOST_CUTS:
            self.left.append(part)
        else:
            heappush(self.waiting, (cuts, self.count, part))

    def _undecided(self, piece: Piece) -> Iterable[Piece]:
        """The parts into which *piece* is cut; none where it is known whether everything holds."""
        try:
            if self._holds(piece):
                self.found(piece)
        except Cut as cut:
            return piece.split(cut.at)
        except Unsettled:
            if not piece.whole:
                raise NotSolved(self.model.name).about("find") from None
            return piece.split([floor(piece.middle()) + Fraction(1, 2)])
        except OutOfReach:
            self.left.append(piece)
        except (ArithmeticError, Undefined):
            pass
        return ()

    def _holds(self, piece: Piece) -> bool:
        """Whether everything holds in *piece*: by its number, by bounds, or by what is settled."""
        model = self.model
        if piece.number is not None:
            return model.holds_at(piece.number)
        known = {**model.known_bounds, model.letter: piece.bounds()}
        for letter, rule in model.rules.items():
            known[letter] = enclosed(rule, known)
        verdicts = [truth(one, known) for one in (*model.conditions, *model.goals)]
        if not all(may for _, may in verdicts):
            return False
        fails = [letter for letter in model.rules if known[letter].fails]
        if not fails and all(sure for sure, _ in verdicts):
            return True
        settled = self.settled(piece)
        if not all(map(settled.holds, model.conditions)):
            return False
        for letter in fails:
            settled.letter(letter)
        return all(map(settled.holds, model.goals))
