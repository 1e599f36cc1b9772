"""Derivations of formulas, worked out and checked by SymPy, as lines with their reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

from ddcalc.errors import BadEquation
from ddcalc.formula.expression import Expr, Fun, Num, Rel, Sym, substitute
from ddcalc.formula.letters import letter as spelt
from ddcalc.problem.sentences import Argument, Equated, Rewritten, Stationary, Summed
from ddcalc.problem.steps import Reasoned

Rank = Mapping[str, int]


def argued(argument: Argument, formula: Expr, rank: Rank, owner: str) -> tuple[Reasoned, ...]:
    """The lines that lead to *formula*, by which the quantity of *argument* is defined.

    Letters are written in the order of their *rank*. Raises BadEquation, which names the *owner*,
    where SymPy comes to another formula.
    """
    match argument:
        case Stationary():
            lines = _stationary(argument, formula, rank)
        case Summed():
            lines = _summed(argument, formula, rank)
        case Rewritten():
            lines = _rewritten(argument, formula)
        case Equated():
            lines = _equated(argument, formula)
        case never:
            assert_never(never)
    made = []
    for line in lines:
        if line is None:
            raise BadEquation(owner, f"SymPy does not come to {formula!r}")
        made.append(line)
    if argument.law:
        last = made[-1]
        reason = f"{last.reason} ({argument.law})" if last.reason else argument.law
        made[-1] = Reasoned(last.formula, reason)
    return tuple(made)


Lines = Iterator[Reasoned | None]


def _stationary(argument: Stationary, formula: Expr, rank: Rank) -> Lines:
    """The cost, its slope, and where that is 0: the formula, where the cost curves up."""
    import sympy

    from ddcalc.formula.cas import from_sympy, to_sympy

    cost, at = to_sympy(argument.cost), to_sympy(argument.at)
    slope = sympy.expand(sympy.diff(cost, at))
    yield Reasoned(argument.cost, argument.says)
    shown = from_sympy(slope, rank)
    assert isinstance(argument.at, Sym)
    letter = spelt(argument.at.name)
    yield Reasoned(Rel("==", shown, Num(0)), f"its slope in {letter} is 0 where it is least")
    worth = to_sympy(formula)
    zero = sympy.simplify(slope.subs(at, worth)) == 0
    bend = sympy.diff(slope, at)
    upward = sympy.simplify(bend.subs(at, worth)).is_positive or sympy.simplify(bend).is_positive
    curve = f"it curves up there, so it is a least one; solved for {letter}"
    yield Reasoned(Rel("==", argument.at, formula), curve) if zero and upward else None


def _summed(argument: Summed, formula: Expr, rank: Rank) -> Lines:
    """The sum, and what SymPy sums it to."""
    import sympy

    from ddcalc.formula.cas import to_sympy

    index, first, last = argument.index, argument.first, argument.last
    written = Fun("sum", (argument.term, index, first, last))
    yield Reasoned(written, argument.says)
    k = sympy.Symbol(index.name, integer=True, positive=True)
    term = to_sympy(argument.term, {index.name: k})
    total = sympy.summation(term, (k, to_sympy(first), to_sympy(last)))
    yield Reasoned(formula, "summed") if _alike(total, to_sympy(formula)) else None


def _rewritten(argument: Rewritten, formula: Expr) -> Lines:
    """Expressions that are all equal to the formula."""
    from ddcalc.formula.cas import to_sympy

    known = {letter: to_sympy(Num(value)) for letter, value in argument.values.items()}
    worth = to_sympy(formula, known)
    for line, reason in argument.lines:
        yield Reasoned(line, reason) if _alike(to_sympy(line, known), worth) else None


def _equated(argument: Equated, formula: Expr) -> Lines:
    """The relation, which the formula satisfies."""
    from ddcalc.formula.cas import to_sympy

    relation, of = argument.relation, argument.of
    assert isinstance(of, Sym)
    yield Reasoned(relation, argument.says)
    left, right = (to_sympy(substitute(side, {of.name: formula})) for side in relation.parts())
    yield Reasoned(Rel("==", of, formula), "solved for it") if _alike(left, right) else None


def _alike(one: Any, other: Any) -> bool:
    """Whether SymPy makes nothing of the difference."""
    import sympy

    tried: tuple[Callable[[Any], Any], ...] = (
        sympy.simplify, sympy.expand_func, lambda x: sympy.simplify(x.rewrite(sympy.gamma)),
    )  # fmt: skip
    difference = one - other
    return difference == 0 or any(simplified(difference) == 0 for simplified in tried)
