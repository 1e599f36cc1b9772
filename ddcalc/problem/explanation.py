"""The steps of an answer that came from equations: formulas, the numbers in them, and proofs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import Decimal

from ddcalc.formula.algebra import Boundary, Least, without
from ddcalc.formula.evaluation import evaluate, settled
from ddcalc.formula.expression import Expr, Known, Nothing, Num, Number, Operator, Rel, Sym
from ddcalc.numbers.amounts import like_stated
from ddcalc.numbers.display import equal, grouped
from ddcalc.numbers.units import Unit
from ddcalc.problem.arguments import Line
from ddcalc.problem.earlier import is_of_case
from ddcalc.problem.plan import EquationPlan, filled
from ddcalc.problem.putting import BYTE_RATE, put_in, summed, unit_of, units_of
from ddcalc.problem.stated_formulas import AS_STATED
from ddcalc.problem.steps import Compare, Define, DefineEach, PutIn, Solve, Step


class Explanation:
    """Makes the steps of one solved question from its plan and all its values by letter.

    *stated* are the units in which givens are stated, by letter; *ones* the letters that are 1 as
    usual, by which nothing is multiplied, *nones* those that are 0, which nothing adds.
    """

    def __init__(
        self,
        plan: EquationPlan,
        known: Known,
        stated: Mapping[str, Unit] | None = None,
        ones: Collection[str] = (),
        nones: Collection[str] = (),
    ) -> None:
        self.plan, self.known, self.stated = plan, known, stated or {}
        self.ones, self.nones = {*map(Sym, ones)}, {*map(Sym, nones)}
        self.rate = like_stated(BYTE_RATE, self.stated.values())
        self.units = units_of(plan.problem, self.rate)
        self.shorter = dict(self._shortened())
        self.needless = {one for one, shorter in self.shorter.items() if shorter == Num(0)}

    def steps(self, names: Collection[str] | None = None) -> Iterator[Step]:
        """One step for each quantity, of those called *names* if there are any; a list is one step
        with a row for each member."""
        for name, (first, *others) in self.plan.rules.items():
            if names is not None and name not in names:
                continue
            if isinstance(first.rule, Boundary):
                yield self._solve(first, first.rule)
            elif first.index is None:
                yield self._define(first)
            else:
                rows = tuple(map(self._define, (first, *others)))
                yield DefineEach(name, first.quantity.title, rows[0].why, rows)
            if isinstance(first.rule, Least):
                yield from self._proof(first, first.rule)

    def _define(self, line: Line) -> Define:
        applied, reason = line.formula, line.why
        if line.why != AS_STATED:  # which shows a rounding, though it changes nothing
            applied, reason = settled(line.formula, self.known)
        shorter = self.shorter.get(line.symbol, applied)
        applied = applied if isinstance(shorter, Num) else shorter
        if isinstance(line.rule, Least) and not isinstance(line.rule.boundary, Sym):
            value = self.known[line.symbol]  # which both sides of the relation show, by hand
            applied = applied if value is None else Num(value)
        numbers = self._numbers(applied)
        unit = self.units[line.symbol]
        parts, terms = summed(applied, self.known, unit)
        return Define(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=self._filled(reason or line.why),
            unit=unit,
            formula=line.formula,
            applied=applied,
            numbers=numbers,
            value=self.known.get(line.symbol),
            argument=self.plan.arguments.lines(line, applied, self.known),
            parts=parts,
            terms=terms,
            told=any(is_of_case(self.plan.problem.origin[one][0]) for one in numbers),
        )

    def _shortened(self) -> Iterator[tuple[str, Expr]]:
        """The letters of the formulas that usual numbers shorten, each as it is then written; what
        comes to 0, or to 1, by that alone shortens later ones."""
        for line in self.plan.lines if self.ones or self.nones else ():
            formula = (
                line.formula if line.why == AS_STATED else settled(line.formula, self.known)[0]
            )
            shorter, symbol = without(formula, self.ones, self.nones), Sym(line.symbol)
            if shorter != formula:
                yield line.symbol, shorter
            if line.index is None and line.rule is line.formula:
                if shorter in self.ones:
                    self.ones.add(symbol)
                elif shorter == Num(0):
                    self.nones.add(symbol)

    def _filled(self, why: str) -> str:
        """The reason *why* with its numbers."""
        return filled(why, self.plan.problem, self.known) if "{" in why else why

    def _numbers(self, formula: Expr, known: Known | None = None) -> dict[str, PutIn]:
        """The values to put in for the letters of *formula*, each with its unit."""
        values = self.known if known is None else known
        return put_in(formula, values, self.units, self.stated)

    def _solve(self, line: Line, rule: Boundary) -> Solve:
        relation = rule.relation
        unknown = line.symbol if rule.unknown is None else rule.unknown.name
        formula, _ = settled(line.formula, self.known)
        numbers = self._numbers(formula)
        return Solve(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=self._filled(line.why),
            unit=self.units[line.symbol],
            relation=relation,
            unknown=unknown,
            op=None if isinstance(formula, Nothing) else self._direction(line, relation, unknown),
            formula=formula,
            numbers=numbers,
            value=self.known[line.symbol],
        )

    def _direction(self, line: Line, relation: Rel, unknown: str) -> Operator:
        """The operator of *relation* solved for *unknown*: where from the boundary it holds."""
        boundary = self.known[line.symbol]
        if relation.op == "==" or boundary is None:
            return relation.op
        above = bool(evaluate(relation, {**self.known, unknown: boundary + 1}))
        strict = relation.op in ("<", ">")
        if above:
            return ">" if strict else ">="
        return "<" if strict else "<="

    def _proof(self, line: Line, rule: Least) -> Iterator[Compare]:
        """The relation at the answer and one below it; at 1 where there is no answer."""
        answer = self.known[line.symbol]
        if answer is None:
            holds = bool(evaluate(rule.relation, {**self.known, line.symbol: 1}))
            so = "holds" if holds else "does not hold"
            yield self._compare(line, rule, 1, f"{so}, and so for every larger number")
            return
        yield self._compare(
            line, rule, answer, f"holds: {grouped(Decimal(int(answer)))} is the first"
        )
        if answer > 1:
            yield self._compare(line, rule, answer - 1, "not yet")

    def _compare(self, line: Line, rule: Least, at: Number, why: str) -> Compare:
        known = {**self.known, line.symbol: at}
        unit = unit_of(self.plan.problem, self.rate, rule.relation.left)
        left, right = (evaluate(side, known) for side in (rule.relation.left, rule.relation.right))
        return Compare(
            title=equal(line.symbol, grouped(Decimal(int(at)))),
            why=why,
            relation=rule.relation,
            symbol=line.symbol,
            at=at,
            numbers=self._numbers(rule.relation, known),
            left=left,
            right=right,
            unit=like_stated(unit, (self.rate,)),
            holds=bool(evaluate(rule.relation, known)),
        )
