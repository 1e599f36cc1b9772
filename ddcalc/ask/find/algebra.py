"""The relation solved for the unknown in letters, by SymPy, where it allows that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

from ddcalc.ask.find.model import Known
from ddcalc.ask.find.relation import Relation
from ddcalc.ask.find.words import in_unit
from ddcalc.formula.coherence import worth_of
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import (
    Cases,
    Expr,
    Fun,
    Num,
    Number,
    Operator,
    Rel,
    Sym,
    replace,
    substitute,
    symbols,
)
from ddcalc.formula.letters import letter as letter_of
from ddcalc.numbers.units import Unit, base_unit
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Solve

CLOSE = 2**40  # parts of a distance, one of which is close to an end
_BOUND = "bound"  # stands for what is compared with; no letter of a type is so called


class Algebra:
    """Solves relations for the *unknown*, with the *live* letters that rest on it written out.

    *near* are the values of all letters just inside the end that is solved for: they decide
    distinctions and maxima.
    """

    def __init__(
        self, plan: EquationPlan, unknown: Given, live: Collection[str], near: Known
    ) -> None:
        self.plan, self.unknown, self.live, self.near = plan, unknown, live, near

    def solved(self, relation: Relation, op: Operator, at: Number) -> Solve | None:
        """How *relation* comes to ``unknown op at``; None where no formula in letters says so."""
        from ddcalc.formula.cas import has_form, solution_of

        written = self._written_out(relation.letter)
        if self._rounds(written) or not has_form(written):
            return None
        letter = self.unknown.letter
        amounts = {name for name, size in self.plan.dimensions.items() if size.time}
        formula = solution_of(letter, written, Sym(_BOUND), self.plan.rank, amounts)
        known = {**self.near, _BOUND: relation.bound.value}
        if formula is None or letter in symbols(formula) or _value(formula, known) != at:
            return None
        if not self._says(Rel(relation.op, written, Num(relation.bound.value)), op, at):
            return None
        unit, numbers = self._numbers(formula, known, self._unit_of(relation))
        bound = in_unit(relation.bound.value, self._unit_of(relation))
        shown = Num(bound if unit is self.unknown.unit else relation.bound.value)
        end = {"<": "_max", "<=": "_max", ">": "_min", ">=": "_min", "==": ""}[op]
        return Solve(
            name=self.unknown.name,
            symbol=letter + end if letter + end not in self.plan.problem.origin else letter,
            title=f"Solved for {letter_of(letter)}",
            why="all else is known",
            unit=unit,
            relation=Rel(relation.op, written, shown),
            unknown=letter,
            op=op,
            formula=substitute(formula, {_BOUND: shown}),
            numbers=numbers,
            value=at,
            direct=unit,
        )

    def _says(self, relation: Rel, op: Operator, at: Number) -> bool:
        """Whether close to *at* the *relation* holds where ``unknown op at``, and only there."""
        if relation.op == "==":
            return True
        step = abs(Fraction(at)) / CLOSE or Fraction(1, CLOSE)
        below, above = (self._holds(relation, at + side) for side in (-step, step))
        return (below, above) == ("<" in op, ">" in op)

    def _holds(self, relation: Rel, at: Number) -> bool:
        try:
            return bool(evaluate(relation, {**self.near, self.unknown.letter: at}))
        except ArithmeticError:
            return False

    def _unit_of(self, relation: Relation) -> Unit:
        return self.plan.problem.quantities[relation.name].unit

    def _written_out(self, letter: str) -> Expr:
        """The formula of *letter* in the unknown and in letters that do not rest on it."""
        written: Expr = Sym(letter)
        for line in reversed(self.plan.lines):
            if line.symbol in self.live:
                formula = replace(line.formula, self._decided)
                written = substitute(written, {line.symbol: formula})
        return written

    def _decided(self, part: Expr) -> Expr | None:
        """The branch of a distinction, and the member of a maximum, that applies."""
        match part:
            case Cases():
                return replace(applying(part, self.near)[0], self._decided)
            case Fun("max" | "min" as name, args) if self._is_live(part):
                best = (max if name == "max" else min)(args, key=self._worth)
                return replace(best, self._decided)
        return None

    def _worth(self, part: Expr) -> Number:
        found: Number = evaluate(part, self.near)
        return found

    def _is_live(self, part: Expr) -> bool:
        return any(letter in self.live for letter in symbols(part))

    def _rounds(self, expr: Expr) -> bool:
        """Whether the unknown stands in something that is rounded."""
        if isinstance(expr, Fun) and self._is_live(expr):
            return True
        return any(map(self._rounds, expr.parts()))

    def _numbers(
        self, formula: Expr, known: Known, bound: Unit
    ) -> tuple[Unit, Mapping[str, Number]]:
        """The unit in which the solution is told, and its numbers as they are put in."""
        letters = dict.fromkeys(letter for letter in symbols(formula) if letter != _BOUND)
        units = {letter: self.plan.problem.origin[letter][0].unit for letter in letters}
        worth = {letter: unit.worth for letter, unit in units.items()}
        values = {letter: known[letter] for letter in letters}
        numbers = {letter: value for letter, value in values.items() if value is not None}
        unit = self.unknown.unit
        if worth_of(formula, {**worth, _BOUND: bound.worth}) == unit.worth:
            return unit, {letter: in_unit(v, units[letter]) for letter, v in numbers.items()}
        return base_unit(unit.dimension), numbers


def _value(formula: Expr, known: Known) -> Number | None:
    try:
        found: Number | None = evaluate(formula, known)
    except ArithmeticError:
        return None
    return found
