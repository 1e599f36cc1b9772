"""The steps of an answer that came from equations: formulas, the numbers in them, and proofs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from ddcalc.formula.algebra import Boundary, Eq, Least
from ddcalc.formula.coherence import dimension_of, worth_of
from ddcalc.formula.evaluation import applying, evaluate
from ddcalc.formula.expression import Cases, Expr, Nothing, Number, Operator, Rel, symbols
from ddcalc.numbers.display import ABOUT, decimal_or_fraction, lead
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.units import BYTE, BYTE_PER_SECOND, Dimension, Unit, put_in
from ddcalc.problem.plan import EquationPlan, Line, filled
from ddcalc.problem.ranked import ranked
from ddcalc.problem.steps import Compare, Define, DefineEach, Solve, Step

Known = Mapping[str, Number | None]


class Explanation:
    """Makes the steps of one solved question from its plan and all its values by letter."""

    def __init__(self, plan: EquationPlan, known: Known) -> None:
        self.plan, self.known = plan, known
        self.units = {letter: q.unit for letter, (q, _) in plan.problem.origin.items()}
        self.dimensions = {letter: unit.dimension for letter, unit in self.units.items()}

    def steps(self, names: Collection[str] | None = None) -> Iterator[Step]:
        """One step for each quantity, of those called *names* if there are any; a list is one step
        with a row for each member."""
        for quantity, group in groupby(self.plan.lines, attrgetter("quantity")):
            if names is not None and quantity.name not in names:
                continue
            yield from self._of_quantity(list(group))
        if names is None:
            for ranking in self.plan.problem.rankings():
                yield from ranked(ranking, self.known)
            yield from self.plan.problem.pictures(self._values())

    def _of_quantity(self, lines: Sequence[Line]) -> Iterator[Step]:
        first, quantity = lines[0], lines[0].quantity
        if isinstance(first.rule, Eq | Boundary):
            yield self._solve(first, first.rule)
        elif first.index is None:
            yield self._define(first)
        else:
            rows = tuple(map(self._define, lines))
            yield DefineEach(quantity.name, quantity.title, rows[0].why, rows)
        if isinstance(first.rule, Least):
            yield from self._proof(first, first.rule)

    def _values(self) -> dict[str, Number]:
        """The quantities by name that are one number, for pictures."""
        origin = self.plan.problem.origin
        named = ((origin[letter], value) for letter, value in self.known.items())
        return {
            quantity.name: value
            for (quantity, index), value in named
            if index is None and value is not None
        }

    def _define(self, line: Line) -> Define:
        applied, reason = self.applied(line.formula)
        numbers, direct = self._numbers(applied, line.quantity.unit)
        return Define(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=filled(reason or line.why, self.plan.problem, self.known),
            unit=line.quantity.unit,
            formula=line.formula,
            applied=applied,
            numbers=numbers,
            value=self.known[line.symbol],
            direct=direct,
            argument=self.plan.argument(line, applied, self.known),
        )

    def applied(self, formula: Expr) -> tuple[Expr, str]:
        """*formula* with its outer distinctions decided, and the innermost reason."""
        why = ""
        while isinstance(formula, Cases):
            formula, reason = applying(formula, self.known)
            why = reason or why
        return formula, why

    def _numbers(self, formula: Expr, unit: Unit) -> tuple[dict[str, Number], Unit]:
        """The values to put in, each in its quantity's own unit if that is coherent, and the
        unit of what comes out; else all in units that fit together."""
        letters = dict.fromkeys(symbols(formula))
        values = {letter: self.known[letter] for letter in letters}
        numbers = {letter: value for letter, value in values.items() if value is not None}
        worth = worth_of(formula, {letter: self.units[letter].worth for letter in letters})
        if worth == unit.worth and not any(map(self._in_bytes, letters)):
            return {k: ratio(v, self.units[k].worth) for k, v in numbers.items()}, unit
        fitting, direct = self._fitting(numbers, unit.dimension)
        return fitting, unit if direct.worth == unit.worth else direct

    def _in_bytes(self, letter: str) -> bool:
        """Whether a quantity is in bytes, or bytes per second, but better shown in other units."""
        return self.units[letter] in (BYTE, BYTE_PER_SECOND)

    def _fitting(
        self, numbers: Mapping[str, Number], what: Dimension
    ) -> tuple[dict[str, Number], Unit]:
        return put_in({k: (v, self.dimensions[k]) for k, v in numbers.items()}, what)

    def _solve(self, line: Line, rule: Eq | Boundary) -> Solve:
        if isinstance(rule, Eq):
            relation, unknown = Rel("==", rule.left, rule.right), line.symbol
        else:
            relation, unknown = rule.relation, rule.letter
        formula, _ = self.applied(line.formula)
        numbers, direct = self._numbers(formula, line.quantity.unit)
        return Solve(
            name=line.quantity.name,
            symbol=line.symbol,
            title=line.quantity.title,
            why=filled(line.why, self.plan.problem, self.known),
            unit=line.quantity.unit,
            relation=relation,
            unknown=unknown,
            op=None if isinstance(formula, Nothing) else self._direction(line, relation, unknown),
            formula=formula,
            numbers=numbers,
            value=self.known[line.symbol],
            direct=direct,
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
            yield self._compare(line, rule, 1, "and so it does for every larger number")
            return
        yield self._compare(line, rule, answer, f"so {_exactly(answer, 'this')} is enough")
        if answer > 1:
            below = _exactly(answer - 1, "one less")
            yield self._compare(line, rule, answer - 1, f"so {below} is too few")

    def _compare(self, line: Line, rule: Least, at: Number, why: str) -> Compare:
        known = {**self.known, line.symbol: at}
        holds = bool(evaluate(rule.relation, known))
        values = {letter: known[letter] for letter in symbols(rule.relation)}
        stated = {letter: value for letter, value in values.items() if value is not None}
        what = dimension_of(rule.relation.left, self.dimensions)
        numbers, unit = self._fitting(stated, what)
        left, right = (evaluate(side, known) for side in (rule.relation.left, rule.relation.right))
        number = decimal_or_fraction(at)
        return Compare(
            title=f"{line.symbol} {number if number.startswith(ABOUT) else f'= {number}'}",
            why=f"{'holds' if holds else 'fails'}{lead(left, right, unit)}, {why}",
            relation=rule.relation,
            symbol=line.symbol,
            at=at,
            numbers=numbers,
            left=left,
            right=right,
            unit=unit,
            holds=holds,
        )


def _exactly(number: Number, otherwise: str) -> str:
    """*number* in full, or *otherwise* where it is too long for that."""
    text = decimal_or_fraction(number)
    return otherwise if text.startswith(ABOUT) else text
