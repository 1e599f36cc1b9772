"""All values of the unknown for which everything holds, by branch and bound: so they are proved.

What is searched are the formulas in which the unknown occurs, with all other numbers put in. A
piece of the number line is decided where interval arithmetic shows that the goals hold, or fail,
everywhere in it; else where all formulas are quotients of polynomials in it; else it is split at
the places where that changes. Nothing is assumed about what grows with what.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from ddcalc.ask.find.answer import Sought
from ddcalc.ask.find.inverse import InverseQuestion, holds
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.quotients import NoQuotient, Quotients, Undecided, Undefined
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.algebraic import Edge, Root, floor_of
from ddcalc.formula.coherence import is_whole
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Case,
    Cases,
    Expr,
    Fun,
    Known,
    Nothing,
    Num,
    Number,
    Rel,
    Sym,
    nodes,
    symbols,
)
from ddcalc.formula.intervals import Bounds, Remainder, enclosed, marked, truth
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.problem.plan import EquationPlan, Line, filled
from ddcalc.problem.quantity import Given
from ddcalc.problem.sentences import Condition
from ddcalc.schedule.watching import watch

MOST = 8_000  # pieces that are looked at; one with an irrational end counts as IRRATIONAL
IRRATIONAL = 20
MOST_SOLUTIONS = 1_000  # pieces, before neighbours are put together
MOST_HALVINGS = 200  # of what may be split for ever, for example towards infinity
WORK = 2_000_000  # parts of formulas that a search works out at most, in all pieces
BESIDE = 40  # what a piece takes besides, in such parts


class NotSolved(BadValue):
    """The formulas are not quotients in an unknown that is no whole number, so nothing proves which
    of its values do it."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "is not found here: these formulas are not solved for it")


class Dependent(NamedTuple):
    """*letter* stands for *formula*."""

    letter: str
    formula: Expr


@dataclass(frozen=True, slots=True)
class SearchModel:
    """All *goals* must hold, and the *conditions* of the type, for a given with its *letter*.

    *lines* define what they are about, and what else must have a value; *known* is what the
    unknown does not change.
    """

    name: str
    letter: str
    domain: Piece
    lines: tuple[Dependent, ...]
    goals: tuple[Rel, ...]
    conditions: tuple[Rel, ...]
    known: Known

    @property
    def live(self) -> set[str]:
        """The letters that rest on the unknown, and its own."""
        return {self.letter, *(line.letter for line in self.lines)}

    @property
    def work(self) -> int:
        """How much it takes to look at a piece, in parts of formulas."""
        relations = (*self.conditions, *self.goals)
        formulas = (*(line.formula for line in self.lines), *relations)
        return BESIDE + sum(1 for formula in formulas for _ in nodes(formula))

    @property
    def idle(self) -> bool:
        """Whether the unknown changes nothing in any goal."""
        return not any(self.live & {*symbols(goal)} for goal in self.goals)

    def at(self, x: Number) -> dict[str, Number | None] | None:
        """What rests on the unknown, by letter, where it is *x*; None where a condition fails or a
        formula has no value. Raises OutOfReach where a number would be too large."""
        values: dict[str, Number | None] = {self.letter: x}
        try:
            if not all(evaluate(condition, values) for condition in self.conditions):
                return None
            for line in self.lines:
                values[line.letter] = evaluate(line.formula, values)
        except OutOfReach:
            raise
        except ArithmeticError:
            return None
        return values


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
    rules = {line.symbol: line.formula for line in plan.lines}
    wholes = _wholes(plan)
    live, lines = {given.letter}, []
    for line in plan.lines:
        formula = folded(marked(line.formula, rules, wholes), known)
        if live & {*symbols(formula)}:
            live.add(line.symbol)
            lines.append(Dependent(line.symbol, formula))
        else:
            known[line.symbol] = _value(line, formula)
    goals = tuple(_relation(relation.formula, known) for relation in question.relations)
    conditions = [_condition(condition, known, plan) for condition in plan.conditions]
    open_ones = tuple(relation for relation in conditions if not _is_known(relation))
    return SearchModel(
        given.name, given.letter, domain(given), tuple(lines), goals, open_ones, known
    )


def _relation(relation: Rel, known: Known) -> Rel:
    shorter = folded(relation, known)
    assert isinstance(shorter, Rel)
    return shorter


def _condition(condition: Condition, known: Known, plan: EquationPlan) -> Rel:
    """What must hold besides; BadValue if it fails whatever the unknown is."""
    relation = _relation(condition.relation, known)
    if _is_known(relation) and not evaluate(relation, {}):
        reason = filled(condition.message, plan.problem, known)
        raise BadValue("", reason).about(condition.parameter)
    return relation


def _value(line: Line, formula: Expr) -> Number | None:
    try:
        value: Number | None = evaluate(formula, {})
    except ZeroDivisionError:
        reason = "these numbers make its formula divide by zero"
        raise NoAnswer(line.quantity.name, reason) from None
    except ArithmeticError as error:
        raise NoAnswer(line.quantity.name, f"these numbers lead to {error}") from None
    return value


def _wholes(plan: EquationPlan) -> Collection[str]:
    """The letters that stand for whole numbers, whatever is stated."""
    origin = plan.problem.origin.items()
    whole = {letter for letter, (q, _) in origin if isinstance(q, Given) and q.whole}
    for line in plan.lines:
        if is_whole(line.formula, whole):
            whole.add(line.symbol)
    return whole


def folded(expr: Expr, known: Known) -> Expr:
    """*expr* with the *known* letters as numbers, and what has numbers only worked out."""
    if isinstance(expr, Sym):
        if expr.name not in known:
            return expr
        value = known[expr.name]
        return Nothing() if value is None else Num(value)
    if isinstance(expr, Cases):
        return _decided(expr, known)
    parts = tuple(folded(part, known) for part in expr.parts())
    if not parts:
        return expr
    made = expr.rebuilt(_gathered(expr, parts))
    if isinstance(expr, Remainder):
        made = Remainder(parts, folded(expr.divisor, known), expr.whole)
    if isinstance(made, Rel) or not all(isinstance(part, Num) for part in parts):
        return made
    try:
        return Num(evaluate(made, {}))
    except ArithmeticError:
        return made  # it may stand in a branch that does not apply


def _gathered(expr: Expr, parts: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The arguments of a maximum or minimum, the numbers among them as one."""
    if not (isinstance(expr, Fun) and expr.name in ("max", "min")):
        return parts
    numbers = tuple(part for part in parts if isinstance(part, Num))
    if len(numbers) < 2 or len(numbers) == len(parts):
        return parts
    best = Num(evaluate(Fun(expr.name, numbers), {}))
    return (best, *(part for part in parts if not isinstance(part, Num)))


def _decided(expr: Cases, known: Known) -> Expr:
    """A distinction without the branches that the known numbers rule out."""
    open_cases: list[Case] = []
    for case in expr.cases:
        test = folded(case.test, known)
        assert isinstance(test, Rel)
        if not _is_known(test):
            open_cases.append(Case(folded(case.value, known), test, case.why))
        elif evaluate(test, {}):
            otherwise = folded(case.value, known)
            break
    else:
        otherwise = folded(expr.otherwise, known)
    return Cases(tuple(open_cases), otherwise, expr.why) if open_cases else otherwise


def _is_known(relation: Rel) -> bool:
    return all(isinstance(side, Num) for side in relation.parts())


def search(model: SearchModel, most: int = MOST, work: int = WORK) -> Sought:
    """All solutions of *model*, and what is left open after *most* pieces, or so much *work*.

    Raises NotSolved where only trying can tell.
    """
    return _BranchAndBound(model).run(most, work // model.work)


class _BranchAndBound:
    def __init__(self, model: SearchModel) -> None:
        self.model = model
        self.rules = {line.letter: line.formula for line in model.lines}
        self.waiting = [model.domain]  # the next one last
        self.endless: deque[Piece] = deque()  # pieces that may be split for ever: after the others
        self.solutions: list[Piece] = []
        self.left: list[Piece] = []  # points whose numbers are out of reach
        self.examined = 0
        self.effort = 0
        self.halvings = 0

    def run(self, most: int, examined: int) -> Sought:
        """The outcome after *most* pieces by their effort, or so many that are *examined*."""
        watching = watch.get()
        if watching:
            watching.seek("interval", min(most, examined))
        while self.waiting or self.endless:
            if self._is_enough(most) or self.examined >= examined:
                break
            if watching:
                watching.tried()
            self.halvings += not self.waiting
            piece = self.waiting.pop() if self.waiting else self.endless.popleft()
            self.examined += 1
            ends = isinstance(piece.low, Root) + isinstance(piece.high, Root)
            self.effort += IRRATIONAL * ends or 1
            if self._decided(piece):
                self.solutions.append(piece)
        left = merged([*self.left, *self.waiting, *self.endless])
        return Sought(merged(self.solutions), self.examined, left)

    def _is_enough(self, most: int) -> bool:
        return (
            self.effort >= most
            or len(self.solutions) >= MOST_SOLUTIONS
            or self.halvings >= MOST_HALVINGS
        )

    def _decided(self, piece: Piece) -> bool:
        """Whether everything holds in *piece*; False too where it had to be split."""
        if piece.is_point and not isinstance(piece.low, Root):
            assert piece.low is not None
            try:
                return self._holds_at(piece.low)
            except OutOfReach:
                self.left.append(piece)
                return False
        known = self._bounds(piece)
        verdict = self._bounded(known)
        if verdict is None:
            try:
                return self._exactly(piece, known)
            except Undecided as undecided:
                self._split(piece, undecided.at, undecided.endless)
            except Undefined:
                return False
            except NoQuotient:
                self._halve(piece)
        return bool(verdict)

    def _holds_at(self, x: Number) -> bool:
        """Whether everything holds at *x*, by plain evaluation."""
        values = self.model.at(x)
        if values is None:
            return False
        try:
            return all(
                holds(goal.op, *(evaluate(side, values) for side in goal.parts()))
                for goal in self.model.goals
            )
        except OutOfReach:
            raise
        except ArithmeticError:
            return False

    def _bounds(self, piece: Piece) -> dict[str, Bounds]:
        known = {self.model.letter: piece.bounds()}
        for line in self.model.lines:
            known[line.letter] = enclosed(line.formula, known)
        return known

    def _bounded(self, known: Mapping[str, Bounds]) -> bool | None:
        """Whether everything holds within bounds, as far as they can tell."""
        relations = (*self.model.conditions, *self.model.goals)
        verdicts = [truth(relation, known) for relation in relations]
        if not all(may for _, may in verdicts):
            return False
        defined = not any(bounds.fails for bounds in known.values())
        return True if defined and all(sure for sure, _ in verdicts) else None

    def _exactly(self, piece: Piece, known: Mapping[str, Bounds]) -> bool:
        """Whether everything holds in *piece*, where all that matters is a quotient in it."""
        quotients = Quotients(piece, self.model.letter, self.rules)
        if not all(quotients.holds(condition) for condition in self.model.conditions):
            return False
        for letter, bounds in known.items():
            if bounds.fails:
                quotients.check(Sym(letter))
        return all(quotients.holds(goal) for goal in self.model.goals)

    def _split(self, piece: Piece, at: Sequence[Edge], endless: int) -> None:
        """Put the parts of *piece* in the queue, the lowest first."""
        parts = list(piece.split(at))
        if endless:
            self.endless.append(parts.pop(0 if endless < 0 else -1))
        self.waiting += reversed(parts)

    def _halve(self, piece: Piece) -> None:
        """Split a piece of whole numbers in the middle, or at twice its end where it has one."""
        if not piece.whole:
            raise NotSolved(self.model.name).about("find")
        low, high = piece.low, piece.high
        if high is None:
            middle = 1 if low is None or low < 1 else 2 * floor_of(low)
        elif low is None:
            middle = 2 * floor_of(high) - 1 if high < 1 else -1
        else:
            middle = (floor_of(low) + floor_of(high)) // 2
        endless = 1 if high is None else -1 if low is None else 0
        self._split(piece, [Fraction(2 * middle + 1, 2)], endless)
