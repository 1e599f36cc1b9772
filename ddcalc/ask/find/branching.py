"""All values of the unknown for which everything holds, by branch and bound: so they are proved.

A piece of the number line is decided where interval arithmetic shows that the goals hold, or fail,
everywhere in it; else where nothing jumps or turns in it (:mod:`~ddcalc.ask.find.settled`); else it
is cut where something does. Nothing is assumed about what grows with what. What is least or
greatest is found in the same pieces: at their ends, or where the slope is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from itertools import islice
from math import ceil, floor, inf, lcm
from typing import TYPE_CHECKING, Any, Self

from ddcalc.ask.find.inverse import LIST, WITHIN, InverseQuestion, Relation, holds
from ddcalc.ask.find.number_line import Cut, Piece, Undefined, Unsettled, merged
from ddcalc.ask.powers import divisor
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import close_to
from ddcalc.formula.evaluation import decided, evaluate, satisfying, spelt_out
from ddcalc.formula.expression import Expr, Fun, Known, Num, Number, Rel, Sym, nodes, symbols
from ddcalc.formula.intervals import FEW, NO_VALUE, Bounds, enclosed, of_number, truth
from ddcalc.numbers.irrational import Approximate, OutOfReach
from ddcalc.numbers.number import plain
from ddcalc.problem.plan import EquationPlan, refusal
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated_formulas import Sense
from ddcalc.schedule.watching import tell

if TYPE_CHECKING:
    from ddcalc.ask.find.settled import Settled

WORK = 1_000_000  # parts of formulas that a search works out at most, in all pieces
ASIDE, SLOPES = 250_000, 100_000  # of what stands beside the answer, or looks for slopes
PIECE = 250  # such parts that each piece counts for, at least
VAIN = 8  # pieces of which SymPy knows nothing, before bounds alone decide others
DEAR = 20  # pieces that a question to SymPy counts for
MOST_CUTS = 200  # of what may be cut for ever, for example towards infinity
REACH = 1_000  # how far away a neighbour is that the question admits
FACTORS = (Fraction(1, 2), Fraction(4, 5), Fraction(5, 4), 2)  # of others than whole ones
NEAR = Fraction(1, 10**30)  # of a rounded value: those that are nearer are the same


@dataclass(frozen=True)
class SearchModel:
    """All *goals* must hold, and the *conditions* of the type, for a given called *name*; *rules*
    define, in order, the letters that rest on it; *known* is what it does not change. Those that
    are *divided* hold in all of the domain."""

    name: str
    letter: str
    domain: Piece
    rules: Mapping[str, Expr]
    goals: tuple[Rel, ...]
    conditions: tuple[Rel, ...]
    known: Known
    divided: tuple[Rel, ...] = ()

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
    def adds_up(self) -> bool:
        """Whether some sum has the more terms, the larger the unknown is."""
        sums = (x for one in self.rules.values() for x in nodes(one) if isinstance(x, Fun))
        return any(x.name == "sum" and self.live.intersection(symbols(x.args[-1])) for x in sums)

    @cached_property
    def known_bounds(self) -> Mapping[str, Bounds]:
        """The known numbers for interval arithmetic."""
        return {name: NO_VALUE if x is None else of_number(x) for name, x in self.known.items()}

    def at(self, x: Number) -> Mapping[str, Number | None]:
        """All letters where the unknown is *x*; none where a condition fails or a formula has no
        value. Raises OutOfReach where a number would be too large."""
        try:
            known = {**self.known, self.letter: x}
            return satisfying(known, self.rules, (*self.conditions, *self.divided)) or {}
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

    def beside(
        self, at: Number, sides: Sequence[int] = (-1, 1), count: int = 1
    ) -> Iterator[Number]:
        """The nearest whole numbers admitted, a *count* on each of these *sides*; or some."""
        if not self.domain.whole:
            yield from (x for by in FACTORS if (x := at * by) in self.domain)
            return
        for step in sides:
            places = (x for by in range(1, REACH) if (x := at + step * by) in self.domain)
            yield from islice((x for x in places if self.values(x)), count)


def domain(given: Given, by: int = 1) -> Piece:
    """The values that *given* admits, of whole ones multiples of *by*."""
    low, high, low_in = given.least, given.most, True
    if given.above is not None and (low is None or given.above >= low):
        low, low_in = given.above, False
    if not given.whole:
        return Piece(low, high, low_in)
    first = None if low is None else ceil(low) if low_in else floor(low) + 1
    ends = first and -(-first // by) * by, None if high is None else floor(high) // by * by
    return Piece(*ends, whole=by)


def model(question: InverseQuestion, plan: EquationPlan) -> SearchModel:
    """What is to be searched for *question*, by the equations of *plan*. Raises NoAnswer where a
    formula has no value whatever the unknown is, BadValue where a condition fails so, or what is
    compared is not one value."""
    given, rules, conditions = question.given, dict[str, Expr](), list[Rel]()
    known: dict[str, Number | None] = dict(zip(plan.givens, question.stated.numbers(), strict=True))
    del known[given.letter]
    for line in plan.lines:
        formula = spelt_out(decided(line.formula, known), known, worked=True)
        if {given.letter, *rules} & {*symbols(formula)}:
            rules[line.symbol] = formula
            continue
        try:
            known[line.symbol] = evaluate(formula, known)
        except ArithmeticError as error:
            raise NoAnswer.where(line.quantity.name, error) from None
    live = {given.letter, *rules}
    for condition in plan.conditions:
        if live & {*symbols(condition.relation)}:
            conditions.append(condition.relation)
        elif not evaluate(condition.relation, known):
            raise refusal(condition, plan.problem, question.stated, known)
    for name, quantity in question.compared.items():
        if quantity.letter not in live | known.keys():
            lists = {one.name for one, place in plan.problem.origin.values() if place is not None}
            reason = LIST if name in lists else "is not part of this question"
            raise BadValue(name, reason).about("where")
    whole = conditions if given.whole else ()
    divided = {one: by for one in whole if (by := divisor(one, rules, given.letter, known))}
    return SearchModel(
        given.name, given.letter, domain(given, lcm(*divided.values())), rules,
        tuple(relation.formula for relation in question.bounds),
        tuple(one for one in conditions if one not in divided), known, (*divided,),
    )  # fmt: skip


class Search:
    """Looks at pieces of the number line until each is decided, or was cut too often: *examined*
    ones prove the *solutions*, which are in order once it has run, but for what is left *open*."""

    def __init__(self, model: SearchModel) -> None:
        self.model = model
        self.waiting = [(0, 0, model.domain)]  # a heap: how often each was cut, the last first
        self.count = self.examined = 0
        self.last: Settled | None = None
        self.unsettled = 0  # pieces of whole numbers: after some of them SymPy is not asked again
        self.good: tuple[Rel, ...] = ()  # as good as the best one so far, by bounds
        self.solutions: list[Piece] = []
        self.open: list[Piece] = []  # what is not decided: out of reach, or cut too often

    def run(self, work: int = WORK) -> Self:
        """Look at pieces for so much *work*; raises Unsettled where only trying can tell."""
        while self.waiting and work > 0:
            tell("interval")
            cuts, _, piece = heappop(self.waiting)
            self.examined += 1
            self.last = None
            for part in reversed([*self._undecided(piece)]):
                self._wait(part, cuts)
            terms = FEW if self.model.adds_up and piece.high is None else 1
            work -= self.model.work * (terms + DEAR * (self.last.asked if self.last else 0))
        self.open = [*merged([*self.open, *(piece for _, _, piece in self.waiting)])]
        self.solutions = [*merged(self.solutions)]
        return self

    def ends(self, work: int) -> bool:
        """Look at pieces for so much *work*; whether all of them are decided."""
        with suppress(Unsettled):
            return not self.run(work).open
        return False

    def found(self, piece: Piece) -> None:
        """Note that everything holds in *piece*; may raise what :meth:`settled` does."""
        self.solutions.append(piece)

    def settled(self, piece: Piece, beyond: bool = False) -> Settled:
        """The formulas in *piece*, as long as nothing changes there: they raise Cut where something
        does, Undefined where one has no value, Unsettled where that is not known."""
        from ddcalc.ask.find.settled import Beyond, Settled

        kind = Beyond if beyond else Settled
        self.last = kind(piece, self.model.letter, self.model.rules, self.model.known)
        return self.last

    def _wait(self, part: Piece, cuts: int) -> None:
        """Put a *part* in the queue: whole numbers between two ends, which come to an end, before
        all others, the lowest first; of others what was cut least."""
        comes_to_an_end = part.whole and None not in (part.low, part.high)
        cuts = 0 if comes_to_an_end else cuts + 1
        self.count -= 1
        if cuts > MOST_CUTS:
            self.open.append(part)
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
                raise
            self.unsettled += 1
            return piece.split([floor(piece.middle()) + Fraction(1, 2)])
        except (OutOfReach, OverflowError):
            self.open.append(piece)
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
        if not all(may for _, may in (*verdicts, *(truth(one, known) for one in self.good))):
            return False
        fails = [letter for letter in model.rules if known[letter].fails]
        if not fails and all(sure for sure, _ in verdicts):
            return True
        with suppress(Unsettled):  # else it is cut at jumps, of which there is no last one
            if None in (piece.low, piece.high):
                return self._throughout(self.settled(piece, beyond=True), fails)
        if self.unsettled > VAIN:
            raise Unsettled
        return self._throughout(self.settled(piece), fails)

    def _throughout(self, settled: Settled, fails: Iterable[str]) -> bool:
        """Whether everything holds where formulas are *settled*; what *fails* must have values."""
        if not all(map(settled.holds, self.model.goals)):  # first, or it is cut ever again
            return False
        for letter in fails:
            settled.letter(letter)
        return all(map(settled.holds, self.model.conditions))


class Extreme(Search):
    """Looks for the *sense* value of what a *relation* compares where the goals of *model* hold:
    the *best* one, *at* a number for example. Its solutions, all places that have it, are ends of
    pieces, or where the slope is 0; of whole numbers a piece that is worse than one that is known
    fails."""

    rounding = ""  # up or down, without which it is meant

    def __init__(self, model: SearchModel, relation: Relation, sense: Sense) -> None:
        super().__init__(model)
        self.goals, self.relation, self.sense = model.goals, relation, sense
        self.sign = 1 if sense == "least" else -1
        self.best: Number | None = None
        self.at: Number = 0
        self.worth: Fraction | float = inf  # of the best one: the less, the better
        self.limit: Fraction | float = inf  # at an end that is missing, likewise
        self.end: Number | None = None  # that end; None: without end

    def found(self, piece: Piece) -> None:
        if piece.number is not None:
            self.offer(piece.number, piece)
            return
        if piece.whole:
            self.offer(piece.below(piece.middle()))
        form, flat, limits = self.settled(piece).turning(self.relation.letter)
        if not form.free_symbols and not piece.is_point:
            self.offer(piece.below(piece.middle()) if piece.whole else piece.middle(), piece)
            return
        for near, end in limits:
            if self.sign * near < self.limit:
                self.limit, self.end = self.sign * near, end and close_to(end)
        ends = [piece.low] * piece.low_in + [piece.high] * piece.high_in
        places: Iterable[Number] = {close_to(x) for x in (*ends, *flat) if x is not None}
        if piece.whole:
            below = {piece.below(x) for x in places}
            places = {k for x in below for k in (x, x + piece.whole) if k in piece}
        for x in places:
            self.offer(x, Piece(x, x, whole=piece.whole))

    def offer(self, at: Number, place: Piece | None = None) -> None:
        """Take note of the value *at* a number, which *place* has too, unless it is worse."""
        value = self.model.values(at).get(self.relation.letter)
        worth = inf if value is None else self.sign * Fraction(value)
        if value is None or worth > self.worth + self._margin:
            return
        if worth < self.worth - self._margin:
            self.best, self.at, self.worth, self.solutions = value, at, worth, []
            bound = Num(plain(self.sign * (Fraction(worth) + self._margin)))
            self.good = (Rel(WITHIN[self.sense], Sym(self.relation.letter), bound),)
            if self.model.domain.whole:
                self.model = replace(self.model, goals=self.goals + self.good)
        if place is not None:
            self.solutions.append(place)

    @property
    def _margin(self) -> Number:
        """How near values are that are the same: rounded ones, and those at irrational places."""
        is_exact = self.model.domain.whole and not isinstance(self.best, Approximate)
        return 0 if is_exact or self.best is None else abs(Fraction(self.best)) * NEAR

    @property
    def is_reached(self) -> bool:
        """Whether no limit that nothing reaches is better."""
        return self.limit >= self.worth - self._margin

    @property
    def value(self) -> Any:
        """The best number, or the limit if that is better."""
        return self.best if self.is_reached else self.sign * self.limit
