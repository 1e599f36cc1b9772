"""What is searched: the formulas in which the unknown occurs, with all other numbers put in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import NamedTuple

from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.relation import Relation
from ddcalc.errors import BadValue, NoAnswer
from ddcalc.formula.coherence import is_whole
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Case,
    Cases,
    Expr,
    Fun,
    Nothing,
    Num,
    Number,
    Rel,
    Sym,
    symbols,
)
from ddcalc.formula.intervals import Remainder, marked
from ddcalc.problem.plan import EquationPlan, Line, filled
from ddcalc.problem.problem import Condition
from ddcalc.problem.quantity import Given

Known = Mapping[str, Number | None]


class Formula(NamedTuple):
    """*letter* stands for *formula*."""

    letter: str
    formula: Expr


@dataclass(frozen=True, slots=True)
class Model:
    """All *goals* must hold, and the *conditions* of the type, for a given with its *letter*.

    *lines* define what they are about, and what else must have a value; *known* is what the
    unknown does not change.
    """

    name: str
    letter: str
    domain: Piece
    lines: tuple[Formula, ...]
    goals: tuple[Rel, ...]
    conditions: tuple[Rel, ...]
    known: Known

    @property
    def idle(self) -> bool:
        """Whether the unknown changes nothing in any goal."""
        live = {self.letter, *(line.letter for line in self.lines)}
        return not any(live & {*symbols(goal)} for goal in self.goals)


def domain(given: Given) -> Piece:
    """The values that *given* admits."""
    low, high, low_in = given.least, given.most, True
    if given.above is not None and (low is None or given.above >= low):
        low, low_in = given.above, False
    if not given.whole:
        return Piece(low, high, low_in)
    first = None if low is None else ceil(low) if low_in else floor(low) + 1
    return Piece(first, None if high is None else floor(high), whole=True)


def model(plan: EquationPlan, given: Given, stated: Known, relations: Sequence[Relation]) -> Model:
    """What is to be searched for *given*, with the values of all *stated* others by letter.

    Raises NoAnswer where a formula has no value whatever the unknown is.
    """
    known = dict(stated)
    goals = [relation.formula for relation in relations]
    rules = {line.symbol: line.formula for line in plan.lines}
    wholes = _wholes(plan)
    live, lines = {given.letter}, []
    for line in plan.lines:
        formula = folded(marked(line.formula, rules, wholes), known)
        if live & {*symbols(formula)}:
            live.add(line.symbol)
            lines.append(Formula(line.symbol, formula))
        else:
            known[line.symbol] = _worth(line, formula)
    conditions = [_condition(condition, known, plan) for condition in plan.conditions]
    return Model(
        given.name,
        given.letter,
        domain(given),
        tuple(lines),
        tuple(_relation(goal, known) for goal in goals),
        tuple(relation for relation in conditions if not _is_known(relation)),
        known,
    )


def _relation(relation: Rel, known: Known) -> Rel:
    found = folded(relation, known)
    assert isinstance(found, Rel)
    return found


def _condition(condition: Condition, known: Known, plan: EquationPlan) -> Rel:
    """What must hold besides; BadValue if it fails whatever the unknown is."""
    found = _relation(condition.relation, known)
    if _is_known(found) and not evaluate(found, {}):
        told = filled(condition.message, plan.problem, known)
        raise BadValue("", told).about(condition.parameter)
    return found


def _worth(line: Line, formula: Expr) -> Number | None:
    try:
        found: Number | None = evaluate(formula, {})
    except ZeroDivisionError:
        reason = "these numbers make its formula divide by zero"
        raise NoAnswer(line.quantity.name, reason) from None
    except ArithmeticError as error:
        raise NoAnswer(line.quantity.name, f"these numbers lead to {error}") from None
    return found


def _wholes(plan: EquationPlan) -> Collection[str]:
    """The letters that stand for whole numbers, whatever is stated."""
    origin = plan.problem.origin.items()
    found = {letter for letter, (q, _) in origin if isinstance(q, Given) and q.whole}
    for line in plan.lines:
        if is_whole(line.formula, found):
            found.add(line.symbol)
    return found


def folded(expr: Expr, known: Known) -> Expr:
    """*expr* with the *known* letters as numbers, and what has numbers only worked out."""
    if isinstance(expr, Sym):
        return _as_number(known[expr.name]) if expr.name in known else expr
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


def _as_number(value: Number | None) -> Expr:
    return Nothing() if value is None else Num(value)


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
