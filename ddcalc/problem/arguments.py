"""Derivations of formulas as lines with their reasons.

What is shown holds for all numbers, of which SymPy makes sure (:func:`proved`): a test for our own
types, ``ddcalc check NAME.sheet`` for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Final, TypeAlias, assert_never

from ddcalc.formula.algebra import same
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Num, Number, Rel, Sym, substitute, symbols
from ddcalc.formula.letters import letter
from ddcalc.numbers.irrational import agree
from ddcalc.problem.sentences import Argument, Equated, Rewritten, Stationary, Summed
from ddcalc.problem.steps import Reasoned

Rank: TypeAlias = Mapping[str, int]

POINTS: Final = 3  # at which formulas are compared
PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


def argued(argument: Argument, formula: Expr, rank: Rank) -> tuple[Reasoned, ...]:
    """The lines that lead to *formula*, by which the quantity of *argument* is defined; letters are
    written in the order of their *rank*."""
    *made, last = _lines(argument, formula, rank)
    if argument.law:
        reason = f"{last.reason} ({argument.law})" if last.reason else argument.law
        last = Reasoned(last.formula, reason)
    return (*made, last)


def _lines(argument: Argument, formula: Expr, rank: Rank) -> Iterator[Reasoned]:
    match argument:
        case Stationary(cost=cost, at=Sym(name=name) as at):
            from ddcalc.formula.cas import slope

            yield Reasoned(cost, argument.says)
            flat = Rel("==", slope(cost, at, rank), Num(0))
            yield Reasoned(flat, f"where it is least, its slope in {letter(name)} is 0")
            solved = f"solved for {letter(name)}; the slope rises there, so it is a minimum"
            yield Reasoned(same(at, formula), solved)
        case Summed(term=term, index=index, first=first, last=last):
            yield Reasoned(Fun("sum", (term, index, first, last)), argument.says)
            yield Reasoned(formula, "summed")
        case Rewritten(lines=lines):
            yield from (Reasoned(line, reason) for line, reason in lines)
        case Equated(of=of, relation=relation):
            yield Reasoned(relation, argument.says)
            yield Reasoned(same(of, formula), "solved for it")
        case Stationary():
            raise AssertionError(f"{argument.at!r} is no letter")
        case never:
            assert_never(never)


def leads_to(argument: Argument, formula: Expr) -> bool:
    """Whether *argument* argues for *formula*, and not for another case of its quantity, as far as
    some numbers tell."""
    return all(_look_alike(one, other) for one, other in _sides(argument, formula))


def proved(argument: Argument, formula: Expr) -> bool:
    """Whether SymPy comes to the *formula* of *argument*, too."""
    from ddcalc.formula import cas

    match argument:
        case Stationary(cost=cost, at=Sym() as at):
            return cas.is_least(cost, at, formula)
        case Summed(term=term, index=Sym() as index, first=first, last=last):
            return cas.sums_to(term, index, (first, last), formula)
    return all(one == other or cas.alike(one, other) for one, other in _sides(argument, formula))


def _sides(argument: Argument, formula: Expr) -> Iterator[tuple[Expr, Expr]]:
    """What *argument* says is equal, of which *formula* is a part."""
    match argument:
        case Rewritten(lines=lines, values=values):
            known = {name: Num(value) for name, value in values.items()}
            worth = substitute(formula, known)
            yield from ((substitute(line, known), worth) for line, _ in lines)
        case Equated(of=Sym(name=of), relation=relation, values=values):
            known = {name: Num(value) for name, value in values.items()}
            solved = {**known, of: substitute(formula, known)}
            yield substitute(relation.left, solved), substitute(relation.right, solved)


def _look_alike(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same values at some numbers, where they have any."""
    names = sorted({*symbols(one), *symbols(other)})
    for shift in range(1, POINTS + 1):
        point: dict[str, Number] = {
            name: Fraction(PRIMES[i % len(PRIMES)] + i, 3 + shift) + shift
            for i, name in enumerate(names)
        }
        with suppress(ArithmeticError, TypeError):
            if not agree(evaluate(one, point), evaluate(other, point)):
                return False
    return True
