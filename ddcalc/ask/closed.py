"""The answer in its givens, by SymPy, which so checks the value that the equations gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ddcalc.errors import BadEquation
from ddcalc.formula.evaluation import applying, evaluate
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
from ddcalc.problem.plan import EquationPlan

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
    """The answer's formula in its givens, simplified and evaluated by SymPy.

    Distinctions are decided as the numbers decide them. None where the formula would be too long,
    or the answer has no value. Raises BadEquation where SymPy's value is another one: a bug.
    """
    from ddcalc.formula.cas import agrees, has_form, substituted, terms_at_most, to_sympy

    answer = plan.problem.answered.letter
    derived = known.get(answer)  # none where it is played
    if derived is None or len(plan.givens) > MOST:
        return None
    worth: dict[str, Any] = {}
    letters: dict[str, int] = {}
    tests: list[Rel] = []
    for line in plan.needed(answer):
        if not has_form(line.formula):
            return None
        if known[line.symbol] is None:
            continue  # no formula that applies rests on it
        decided = replace(line.formula, lambda part: _decided(part, known, tests))
        letters[line.symbol] = sum(letters.get(letter, 1) for letter in symbols(decided))
        if letters[line.symbol] > (COMPARED if any(map(_compares, nodes(decided))) else WRITTEN):
            return None
        worth[line.symbol] = to_sympy(decided, worth)
    exact = worth[answer]
    if not exact.free_symbols:
        return None
    numbers = {letter: known[letter] for letter in plan.givens}
    value = substituted(exact, numbers)
    if not agrees(value, derived):
        raise BadEquation(plan.problem.slug, f"SymPy finds {value}, the equations {derived}")
    if exact.count_ops() > OPERATIONS or terms_at_most(exact) > TERMS:
        return None
    formula = _shortest(plan, exact, numbers)
    if _length(formula) > LETTERS or any(map(_is_odd, nodes(formula))):
        return None
    return ClosedForm(answer, formula, tuple(tests))


def _shortest(plan: EquationPlan, exact: Any, numbers: Known) -> Expr:
    """SymPy's formula with its times in brackets, or in lowest terms if a tenth shorter so."""
    from ddcalc.formula.cas import from_sympy, grouped, reduced

    amounts = {
        letter for letter in plan.givens if plan.problem.origin[letter][0].unit.dimension.time
    }
    usual = from_sympy(grouped(exact, amounts), plan.rank)
    lowest = from_sympy(reduced(exact, numbers), plan.rank)
    return lowest if 10 * _length(lowest) < 9 * _length(usual) else usual


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


def _decided(part: Expr, known: Known, tests: list[Rel]) -> Expr | None:
    if not isinstance(part, Cases):
        return None
    value, _ = applying(part, known)
    if any(case.value != part.otherwise for case in part.cases):  # else all cases are alike
        tests.extend(test for test in _tests(part, known) if test not in tests)
    return replace(value, lambda inner: _decided(inner, known, tests))


def _tests(cases: Cases, known: Known) -> Iterator[Rel]:
    """What must hold for the branch of *cases* that applies: its own test, and none before it."""
    for case in cases.cases:
        if evaluate(case.test, known):
            yield case.test
            return
        op, left, right = case.test.op, case.test.left, case.test.right
        if op == ">":  # amounts are never negative: not more than nothing is nothing
            yield Rel("==" if right == Num(0) else "<=", left, right)
        elif op in _OPPOSITE:
            yield Rel(_OPPOSITE[op], left, right)
