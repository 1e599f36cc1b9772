"""The answer in its givens, by SymPy, which so checks the value that the equations gave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import has_form
from ddcalc.formula.evaluation import decided, evaluate
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
    symbols,
)
from ddcalc.problem.plan import EquationPlan

MOST = 24  # givens up to which a formula in all of them tells anything
OPERATIONS = 300  # of a formula that is worth simplifying
TERMS = 100  # of one side of a fraction in it, multiplied out: more would take seconds
LETTERS = 40  # in a formula that anybody reads
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
    """The answer's formula in its givens, simplified by SymPy, which finds its value anew.

    Distinctions are decided as the numbers decide them. None where the formula would be too long,
    or the answer has no value. Raises BadEquation where SymPy's value is another one: a bug.
    """
    from ddcalc.formula.cas import agrees, from_sympy, grouped, reduced, substituted, terms_at_most

    answer = plan.problem.answered.letter
    derived = known.get(answer)  # none where it is played
    if derived is None or len(plan.givens) > MOST:
        return None
    tests: dict[Rel, None] = {}
    exact = _put_together(plan, known, tests)
    if exact is None or not exact.free_symbols:
        return None
    numbers = {letter: known[letter] for letter in plan.givens}
    if not agrees(value := substituted(exact, numbers), derived):
        reason = f"algebra finds {value}, the equations {derived}"
        raise BadEquation(plan.problem.slug, reason)
    if exact.count_ops() > OPERATIONS or terms_at_most(exact) > TERMS:
        return None
    origin = plan.problem.origin
    amounts = {letter for letter in plan.givens if origin[letter][0].unit.dimension.time}
    usual = from_sympy(grouped(exact, amounts), plan.rank)
    lowest = from_sympy(reduced(exact, numbers), plan.rank)
    shortest = lowest if 10 * _length(lowest) < 9 * _length(usual) else usual
    if _length(shortest) > LETTERS or any(map(_is_odd, nodes(shortest))):
        return None
    return ClosedForm(answer, shortest, tuple(tests))


def _put_together(plan: EquationPlan, known: Known, tests: dict[Rel, None]) -> Any:
    """The formulas that lead to the answer put into each other, for SymPy; None where that has no
    form there or would be too long. The *tests* that decide distinctions are noted."""
    from ddcalc.formula.cas import to_sympy

    answer = plan.problem.answered.letter
    lines = plan.needed(answer)
    if not all(has_form(line.formula) for line in lines):
        return None

    def note(cases: Cases, taken: int) -> None:
        if any(case.value != cases.otherwise for case in cases.cases):  # else all are alike
            tests.update(dict.fromkeys(map(_counted, _tests(cases, taken))))

    worth: dict[str, Any] = {}
    letters: dict[str, int] = {}
    for line in lines:
        if known[line.symbol] is None:
            continue  # no formula that applies rests on it
        formula = decided(line.formula, known, note)
        letters[line.symbol] = sum(letters.get(letter, 1) for letter in symbols(formula))
        if letters[line.symbol] > (COMPARED if any(map(_compares, nodes(formula))) else WRITTEN):
            return None
        worth[line.symbol] = to_sympy(formula, worth)
    return worth[answer]


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
