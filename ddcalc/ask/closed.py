"""The answer in its givens, by SymPy, which so checks the value that the equations gave."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import has_form
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Num,
    Operator,
    Pow,
    Rel,
    nodes,
    replace,
    symbols,
)
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import agree
from ddcalc.problem.plan import EquationPlan, Line

MOST = 24  # givens up to which a formula in all of them tells anything
OPERATIONS = 300  # of a formula that is worth simplifying
TERMS = 100  # of one side of a fraction in it, multiplied out: more would take seconds
LETTERS = 60  # in a formula that anybody reads
COMPARED = 48  # letters of what SymPy tries to put in order, for a maximum of it
WRITTEN = 300  # letters, before it is simplified, of one that may become so short

_OPPOSITE: Mapping[str, Operator] = {">=": "<", "<": ">=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class ClosedForm:
    """``symbol = formula`` in the givens, for as long as the *cases* that hold here hold."""

    symbol: str
    formula: Expr
    cases: tuple[Rel, ...]


def closed_form(plan: EquationPlan, known: Known) -> ClosedForm | None:
    """The answer's formula in its givens, simplified by SymPy; its value is checked each time.

    Distinctions are decided as the numbers decide them. None where the formula would be too long,
    or the answer has no value. Raises BadEquation where SymPy's value is another one: a bug.
    """
    answer = plan.problem.answered.letter  # without a value where it is played
    if known.get(answer) is None or len(plan.givens) > MOST or not _has_form(plan):
        return None
    branches, lines = _Branches(known), {}
    for line in _needed(plan):
        if known[line.symbol] is not None:  # else no formula that applies rests on it
            lines[line.symbol] = branches.decided(line.formula)
    path = (*branches.path, *lines)
    forms = _forms(plan)
    if path not in forms:
        forms[path] = _Form(plan, lines)
    formula = forms[path].formula(known)
    return None if formula is None else ClosedForm(answer, formula, tuple(branches.tests))


@remembered
def _forms(plan: EquationPlan) -> dict[Hashable, _Form]:
    """What has been asked about in *plan*, by the branches taken and the lines that apply."""
    return {}


@remembered
def _needed(plan: EquationPlan) -> list[Line]:
    return plan.needed(plan.problem.answered.letter)


@remembered
def _has_form(plan: EquationPlan) -> bool:
    return all(has_form(line.formula) for line in _needed(plan))


class _Form:
    """The closed form of the *lines* that lead to an answer, none of which has distinctions.

    It may have brackets, which are turned so that they are positive: there is one for all numbers
    with which they have the same signs.
    """

    def __init__(self, plan: EquationPlan, lines: Mapping[str, Expr]) -> None:
        self.plan, self.lines = plan, lines
        self._amounts = {
            letter for letter in plan.givens if plan.problem.origin[letter][0].unit.dimension.time
        }
        self._is_long = False
        self._brackets: list[Expr] = []
        self._by_signs: dict[tuple[bool, ...], Expr] = {}

    def formula(self, known: Known) -> Expr | None:
        """It for *known* numbers, with which it has the value of the answer; None: too long."""
        if self._is_long:
            return None
        form = self._by_signs.get(self._signs(known))
        if form is None or not self._has_value(form, known):
            if (made := self._made(known)) is None:
                self._is_long = True
                return None
            brackets, form = made
            self._brackets = self._brackets or brackets
            self._by_signs[self._signs(known)] = form
        return form

    def _signs(self, known: Known) -> tuple[bool, ...]:
        return tuple(bool(evaluate(bracket, known) < 0) for bracket in self._brackets)

    def _has_value(self, form: Expr, known: Known) -> bool:
        derived = known[self.plan.problem.answered.letter]
        assert derived is not None
        with suppress(ArithmeticError):
            return agree(evaluate(form, known), derived)
        return False

    def _made(self, known: Known) -> tuple[list[Expr], Expr] | None:
        """The brackets and the formula, by SymPy; None where it would be too long."""
        from ddcalc.formula.cas import agrees, substituted, terms_at_most, to_sympy

        answer = self.plan.problem.answered.letter
        worth: dict[str, Any] = {}
        letters: dict[str, int] = {}
        for symbol, formula in self.lines.items():
            letters[symbol] = sum(letters.get(letter, 1) for letter in symbols(formula))
            if letters[symbol] > (COMPARED if any(map(_compares, nodes(formula))) else WRITTEN):
                return None
            worth[symbol] = to_sympy(formula, worth)
        exact = worth[answer]
        if not exact.free_symbols:
            return None
        numbers = {letter: known[letter] for letter in self.plan.givens}
        value, derived = substituted(exact, numbers), known[answer]
        assert derived is not None
        if not agrees(value, derived):
            reason = f"algebra finds {value}, the equations {derived}"
            raise BadEquation(self.plan.problem.slug, reason)
        if exact.count_ops() > OPERATIONS or terms_at_most(exact) > TERMS:
            return None
        brackets, formula = self._shortest(exact, numbers)
        if _length(formula) > LETTERS or any(map(_is_odd, nodes(formula))):
            return None
        return brackets, formula

    def _shortest(self, exact: Any, numbers: Known) -> tuple[list[Expr], Expr]:
        """SymPy's formula with its times in brackets, or in lowest terms if a tenth shorter so;
        and the brackets in it that were turned, or could have been."""
        from ddcalc.formula.cas import from_sympy, grouped, reduced

        rank = self.plan.rank
        usual = from_sympy(grouped(exact, self._amounts), rank)
        reduced_form, brackets = reduced(exact, numbers)
        lowest = from_sympy(reduced_form, rank)
        if 10 * _length(lowest) < 9 * _length(usual):
            return [from_sympy(bracket, rank) for bracket in brackets], lowest
        return [], usual


def _length(formula: Expr) -> int:
    return sum(1 for _ in symbols(formula))


def _compares(part: Expr) -> bool:
    return isinstance(part, Fun) and part.name in ("max", "min")


def _is_odd(part: Expr) -> bool:
    """Whether *part* is a power such as M^(3/2), which nobody writes."""
    match part:
        case Pow(_, Div(Num(), Num())):
            return True
    return False


class _Branches:
    """The branches of distinctions that apply to *known* numbers: their numbers on the *path*
    through all formulas, and the *tests* that lead there."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.path: list[int] = []
        self.tests: list[Rel] = []

    def decided(self, formula: Expr) -> Expr:
        """*formula* with the branches that apply."""
        return replace(formula, self._branch)

    def _branch(self, part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        holding = (i for i, case in enumerate(part.cases) if evaluate(case.test, self.known))
        taken = next(holding, len(part.cases))
        self.path.append(taken)
        if any(case.value != part.otherwise for case in part.cases):  # else all cases are alike
            tests = map(_counted, _tests(part, taken))
            self.tests.extend(test for test in tests if test not in self.tests)
        value = part.cases[taken].value if taken < len(part.cases) else part.otherwise
        return self.decided(value)


def _counted(test: Rel) -> Rel:
    """*test* with a side that has no letters as the number that it comes to."""
    sides = (test.left, test.right)
    left, right = (side if any(symbols(side)) else Num(evaluate(side, {})) for side in sides)
    return Rel(test.op, left, right)


def _tests(cases: Cases, taken: int) -> Iterator[Rel]:
    """What must hold for the branch *taken* of *cases*: its own test, and none before it."""
    for case in cases.cases[:taken]:
        op, left, right = case.test.op, case.test.left, case.test.right
        if op == ">":  # amounts are never negative: not more than nothing is nothing
            yield Rel("==" if right == Num(0) else "<=", left, right)
        elif op in _OPPOSITE:
            yield Rel(_OPPOSITE[op], left, right)
    if taken < len(cases.cases):
        yield cases.cases[taken].test
