"""The steps of an answer that came from equations: formulas, proofs, and the numbers put in, each
with its unit, in digits that lead to the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Final

from ddcalc.formula import expression
from ddcalc.formula.algebra import Boundary, Least, total, without
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import SETTLED, decided, evaluate, settled
from ddcalc.formula.expression import Expr, Fun, Known, Num, Number, Rel, Sym, letters, signed_terms
from ddcalc.formula.expression import replace as changed
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import ROUNDED, Amount, AskedUnit, amount, common, in_unit, like_stated
from ddcalc.numbers.display import equal, grouped
from ddcalc.numbers.units import COUNT, DATA, PERCENT, SECOND, SHARE, UNITS, Unit, base_unit
from ddcalc.problem.earlier import is_of_case
from ddcalc.problem.plan import EquationPlan, filled
from ddcalc.problem.problem import Problem
from ddcalc.problem.said.arguments import Line
from ddcalc.problem.said.steps import FOR, Compare, Define, DefineEach, PutIn, Reasoned, Step
from ddcalc.problem.stated_formulas import AS_STATED

FINER: Final = (ROUNDED, 5, 6, 7, 8, 9, 12, 15)  # digits, until numbers lead to the result
NEAR: Final = Fraction(1, 2000)  # how far what is calculated with them may be off
FINE: Final = Fraction(1, 10**6)  # and how far it may be however many digits are shown
BYTE_RATE: Final = UNITS["B"].per(SECOND)
FOLLOWED: Final = 100  # numbers in a formula that somebody may work out again
Numbers = Mapping[str, Number]
Shown = Callable[[str, Number, int], Amount]
Summed = tuple[Expr | None, dict[str, PutIn]]
WHOLE: Final = ("floor", "ceiling")  # the next whole number
TERMS: Final = 4  # of a sum whose terms are worked out one by one


@remembered
def units_of(problem: Problem, rate: Unit) -> Mapping[str, Unit]:
    """The unit of each letter of *problem*, where rates are stated in *rate*."""
    return {letter: like_stated(q.unit, (rate,)) for letter, (q, _) in problem.origin.items()}


@remembered
def unit_of(problem: Problem, rate: Unit, formula: Expr) -> Unit:
    """The base unit of what *formula* comes to, likewise."""
    measures = {letter: unit.dimension for letter, unit in units_of(problem, rate).items()}
    return like_stated(base_unit(dimension_of(formula, measures)), (rate,))


def put_in(
    formula: Expr,
    known: Known,
    units: Mapping[str, Unit],
    stated: Mapping[str, Unit] | None = None,
    unit: Unit | None = None,
) -> dict[str, PutIn]:
    """The values of the letters in *formula*, in the units that fit or those *stated*, with digits
    that lead to what it comes to as that is shown, an amount of *unit* if one is given.

    A letter whose unit is not known may stand for anything: then all are plain numbers, in base
    units.
    """
    values = ((letter, known.get(letter)) for letter in letters(formula))
    numbers = {letter: value for letter, value in values if value is not None}
    # a member has the unit of what it is of: T_1 is a time if T is
    of = {x: units.get(x) or units.get(x.rstrip("0123456789").removesuffix("_")) for x in numbers}
    its = {letter: stated[letter] for letter in numbers if stated and letter in stated}
    if not all(of.values()):
        of, its = {}, {}
    said = (x.unit for x in expression.nodes(formula) if isinstance(x, expression.Sized) and x.unit)
    rate = like_stated(BYTE_RATE, [x for x in (*of.values(), *its.values(), *said) if x])
    in_bits = rate != BYTE_RATE and unit and unit.dimension not in (DATA, rate.dimension)

    def shown(letter: str, value: Number, digits: int) -> Amount:
        if in_bits and (its.get(letter) or of.get(letter) or COUNT).dimension == DATA:
            return amount(value, UNITS["bit"], digits=digits)  # as the rate has it
        if unit := its.get(letter):
            return amount(value, unit, stated=True, digits=digits)
        unit = of.get(letter) or COUNT  # a share is a number like others there
        return amount(value, COUNT if unit == SHARE else unit, digits=digits)

    return {**led(formula, numbers, shown, unit)}


def led(formula: Expr, numbers: Numbers, shown: Shown, unit: Unit | None) -> dict[str, Amount]:
    """The *numbers* by letter as they are *shown* in as many digits as lead to the result; those
    of a rounding with digits behind the point, in every line as many."""
    roundings = (x for x in expression.nodes(formula) if getattr(x, "name", "") in WHOLE)
    inside, amounts = {x for one in roundings for x in letters(one)}, dict[str, Amount]()
    for digits in FINER:
        amounts = {letter: shown(letter, value, digits) for letter, value in numbers.items()}
        for x in (x for x in inside & amounts.keys() if not amounts[x].exact):
            every = (shown(x, numbers[x], more) for more in FINER if more >= digits)
            amounts[x] = next((one for one in every if "." in one.number), amounts[x])
        is_exact = all(one.exact for one in amounts.values())
        if len(numbers) > FOLLOWED or is_exact or _leads(formula, numbers, amounts, unit):
            break
    return amounts


def summed(formula: Expr, known: Known, unit: Unit, mixed: bool = False) -> Summed:
    """A sum of few terms, a maximum or a rounding, with each of what it is of worked out, an amount
    in *unit* each; None where that adds nothing, as it does if terms have *mixed* units."""
    is_sum, parts = not isinstance(formula, Fun), _parts(formula, mixed)
    terms = [term for _, term in signed_terms(formula)] if is_sum else [*formula.parts()]
    is_change = unit in (SHARE, PERCENT) and any(isinstance(one, Num) for one in terms)
    is_open = any(known.get(letter) is None for one in terms for letter in letters(one))
    if parts is None or is_change or is_open or (is_sum and not unit.name):  # 115 % − 100 %
        return None, {}
    values = {f"term_{i}": evaluate(term, known) for i, term in enumerate(terms)}
    whole = evaluate(parts, values)
    is_exact = all(isinstance(value, int | Fraction) and value for value in values.values())
    if (is_sum and not is_exact) or [whole] == [*values.values()]:
        return None, {}
    one = common([*values.values(), whole], unit)
    show = partial(in_unit, unit=one) if one else partial(amount, unit=unit)
    return parts, {**led(parts, values, lambda _, value, digits: show(value, digits=digits), unit)}


@remembered
def _parts(formula: Expr, alone: bool) -> Expr | None:
    """A sum of few terms, a maximum or a rounding, with a letter for each; None where most are
    *alone*, unless they may be, or all that a maximum is of."""
    if isinstance(formula, Fun):
        args = formula.parts()
        worked = sum(not isinstance(x, Sym | Num) for x in args)
        members = tuple(Sym(f"term_{i}") for i in range(len(args)))
        is_one = formula.name in SETTLED and worked and len(args) <= TERMS
        return Fun(formula.name, members) if is_one else None
    terms = signed_terms(formula)
    worked = sum(not isinstance(term, Sym | Num) for _, term in terms)
    if not 2 <= len(terms) <= TERMS or worked < min(2, len(terms) - 1) * (not alone):
        return None
    signed = ((negative, Sym(f"term_{i}")) for i, (negative, _) in enumerate(terms))
    return total(-letter if negative else letter for negative, letter in signed)


def _leads(formula: Expr, numbers: Numbers, amounts: dict[str, Amount], unit: Unit | None) -> bool:
    """Whether the numbers as they are written lead to the result, but for its last digit."""
    if isinstance(formula, expression.Nothing) or not numbers.keys() >= {*letters(formula)}:
        return True
    written = {letter: one.near for letter, one in amounts.items()}
    sides = formula.parts() if isinstance(formula, Rel) else (formula,)
    for side in sides:
        try:
            exact, near = evaluate(side, numbers), evaluate(side, written)
        except (ArithmeticError, TypeError, ValueError):
            return False
        if not isinstance(exact, int | Fraction) or not isinstance(near, int | Fraction):
            return True
        off, worth = abs(Fraction(near) - Fraction(exact)), abs(Fraction(exact))
        made = amount(worth, unit) if unit and worth else None
        digits = made and int(re.sub(r"\D", "", made.number.partition("×")[0]))
        last = abs(Fraction(made.near)) / digits if made and digits else worth
        if off > min(NEAR * worth, max(last, FINE * worth)):
            return False
    return True


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
                argument = (*self._turning(first, first.rule),)
                yield replace(self._define(first), argument=argument)
            elif first.index is None:
                yield self._define(first)
            else:
                rows = tuple(map(self._define, (first, *others)))
                yield DefineEach(name, first.quantity.title, rows[0].why, rows)
            if isinstance(first.rule, Least):
                yield from self._proof(first, first.rule)

    def _define(self, line: Line) -> Define:
        applied, reason = self._applied(line)
        shorter = self.shorter.get(line.symbol, applied)
        applied = applied if isinstance(shorter, Num) else shorter
        if isinstance(line.rule, Least) and not isinstance(line.rule.boundary, Sym):
            value = self.known[line.symbol]  # which both sides of the relation show, by hand
            applied = applied if value is None else Num(value)
        unit = self.units[line.symbol]
        numbers = put_in(applied, self.known, self.units, self.stated, unit)
        written = {getattr(x, "unit", "") for x in numbers.values()}
        mixed = isinstance(unit, AskedUnit) and len(written) > 1
        parts, terms = summed(applied, self.known, unit, mixed)
        functions = (x for x in expression.nodes(applied) if isinstance(x, Fun))
        bounds = (x for x in functions if x.name in ("max", "min"))
        inner = next(bounds, None) if self._is_own(line) and parts is None else None
        if inner is not None:
            its, terms = summed(inner, self.known, unit_of(self.plan.problem, self.rate, inner))
            if its is not None:
                parts = changed(applied, lambda part: its if part is inner else None)
        argument = self.plan.arguments.lines(line, applied, self.known)
        told = any(is_of_case(self.plan.problem.origin[one][0]) for one in numbers)
        why, one = filled(reason or line.why, self.plan.problem, self.known), line.quantity
        return Define(
            one.name, line.symbol, one.title, why, self.units[line.symbol], line.formula, applied,
            numbers, self.known.get(line.symbol), argument, parts, {**numbers, **terms}, told=told,
        )  # fmt: skip

    def _is_own(self, line: Line) -> bool:
        return any(name == line.quantity.name for name, *_ in self.plan.problem.own_steps)

    def _applied(self, line: Line) -> tuple[Expr, str]:
        """The formula of a *line* as it is for these numbers, and why; what the question states
        itself shows roundings and bounds, though they change nothing."""
        if self._is_own(line):
            return decided(line.formula, self.known), ""
        told = line.formula, line.why
        return told if line.why == AS_STATED else settled(line.formula, self.known)

    def _shortened(self) -> Iterator[tuple[str, Expr]]:
        """The letters of the formulas that usual numbers shorten, each as it is then written; what
        comes to 0, or to 1, by that alone shortens later ones."""
        for line in self.plan.lines if self.ones or self.nones else ():
            formula, _ = self._applied(line)
            shorter, symbol = without(formula, self.ones, self.nones), Sym(line.symbol)
            if shorter != formula:
                yield line.symbol, shorter
            if line.index is None and line.rule is line.formula:
                if shorter in self.ones:
                    self.ones.add(symbol)
                elif shorter == Num(0):
                    self.nones.add(symbol)

    def _turning(self, line: Line, rule: Boundary) -> Iterator[Reasoned]:
        """The relation, and solved for a letter that is not its own for which it holds; nothing
        where that changes neither side."""
        relation, unknown = rule.relation, rule.unknown
        if self.known[line.symbol] is None:
            return
        yield Reasoned(relation, FOR * (unknown is not None))
        if unknown is not None:
            op = self._direction(line, relation, unknown.name)
            yield Reasoned(Rel(op, unknown, Sym(line.symbol)), "")

    def _direction(self, line: Line, relation: Rel, unknown: str) -> expression.Operator:
        """The operator of *relation* solved for *unknown*: where from the boundary it holds."""
        boundary = self.known[line.symbol]
        if relation.op == "==" or boundary is None:
            return relation.op
        above = bool(evaluate(relation, {**self.known, unknown: boundary + 1}))
        signs: tuple[expression.Operator, ...] = (">=", ">") if above else ("<=", "<")
        return signs[relation.op in ("<", ">")]

    def _proof(self, line: Line, rule: Least) -> Iterator[Compare]:
        """The relation at the answer and one below it; at 1 where there is no answer."""
        if (answer := self.known[line.symbol]) is None:
            yield self._compare(line, rule, 1)
            return
        yield self._compare(line, rule, answer)
        if answer > 1:
            yield self._compare(line, rule, answer - 1)

    def _compare(self, line: Line, rule: Least, at: Number) -> Compare:
        known, relation = {**self.known, line.symbol: at}, rule.relation
        left, right = (evaluate(side, known) for side in (relation.left, relation.right))
        title = equal(line.symbol, grouped(Decimal(int(at))))
        numbers = put_in(relation, known, self.units, self.stated)
        unit = unit_of(self.plan.problem, self.rate, relation.left)
        holds = bool(evaluate(relation, known))
        return Compare(title, relation, line.symbol, at, numbers, left, right, unit, holds)
