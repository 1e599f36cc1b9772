"""Derivations of formulas, worked out and checked by SymPy, as lines with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias, assert_never

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import same
from ddcalc.formula.expression import Expr, Fun, Num, Rel, Sym, substitute
from ddcalc.formula.kept import alike, is_least, slope, sums_to
from ddcalc.formula.letters import letter
from ddcalc.problem.sentences import Argument, Equated, Rewritten, Stationary, Summed
from ddcalc.problem.steps import Reasoned

Rank: TypeAlias = Mapping[str, int]
Lines: TypeAlias = Iterator[Reasoned | None]
"""Lines of a derivation; None where SymPy comes to another formula."""


def argued(argument: Argument, formula: Expr, rank: Rank, owner: str) -> tuple[Reasoned, ...]:
    """The lines that lead to *formula*, by which the quantity of *argument* is defined.

    Letters are written in the order of their *rank*. Raises BadEquation, which names the *owner*,
    where SymPy comes to another formula.
    """
    made: list[Reasoned] = []
    for line in _lines(argument, formula, rank):
        if line is None:
            raise BadEquation(owner, f"no algebra leads to {formula!r}")
        made.append(line)
    if argument.law:
        last = made[-1]
        reason = f"{last.reason} ({argument.law})" if last.reason else argument.law
        made[-1] = Reasoned(last.formula, reason)
    return tuple(made)


def _lines(argument: Argument, formula: Expr, rank: Rank) -> Lines:
    match argument:
        case Stationary():
            return _stationary(argument, formula, rank)
        case Summed():
            return _summed(argument, formula)
        case Rewritten():
            return _rewritten(argument, formula)
        case Equated():
            return _equated(argument, formula)
    assert_never(argument)


def _stationary(argument: Stationary, formula: Expr, rank: Rank) -> Lines:
    """The cost, its slope, and where that is 0: the formula, where the cost curves up."""
    at = argument.at
    assert isinstance(at, Sym)
    name = letter(at.name)
    yield Reasoned(argument.cost, argument.says)
    flat = Rel("==", slope(argument.cost, at, rank), Num(0))
    yield Reasoned(flat, f"where it is least, its slope in {name} is 0")
    solved = f"solved for {name}; the slope rises there, so it is a minimum"
    yield Reasoned(same(at, formula), solved) if is_least(argument.cost, at, formula) else None


def _summed(argument: Summed, formula: Expr) -> Lines:
    """The sum, and what SymPy sums it to."""
    term, index, limits = argument.term, argument.index, (argument.first, argument.last)
    assert isinstance(index, Sym)
    yield Reasoned(Fun("sum", (term, index, *limits)), argument.says)
    yield Reasoned(formula, "summed") if sums_to(term, index, limits, formula) else None


def _rewritten(argument: Rewritten, formula: Expr) -> Lines:
    """Expressions that are all equal to the formula."""
    known = {name: Num(value) for name, value in argument.values.items()}
    worth = substitute(formula, known)
    for line, reason in argument.lines:
        yield Reasoned(line, reason) if alike(substitute(line, known), worth) else None


def _equated(argument: Equated, formula: Expr) -> Lines:
    """The relation, which the formula satisfies."""
    of, relation = argument.of, argument.relation
    assert isinstance(of, Sym)
    yield Reasoned(relation, argument.says)
    known = {name: Num(value) for name, value in argument.values.items()}
    solved = {**known, of.name: substitute(formula, known)}
    left, right = (substitute(side, solved) for side in relation.parts())
    yield Reasoned(same(of, formula), "solved for it") if alike(left, right) else None
