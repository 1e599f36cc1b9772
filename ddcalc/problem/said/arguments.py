"""Derivations of formulas as lines with their reasons.

What is shown holds for all numbers, of which SymPy makes sure (:func:`proved`): a test for our own
types, ``ddcalc check NAME.sheet`` for others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from ddcalc.errors import BadEquation
from ddcalc.formula import expression
from ddcalc.formula.algebra import Rule, same
from ddcalc.formula.evaluation import decided, evaluate
from ddcalc.formula.expression import Expr, Num, Rel, Sym, letter, nodes, substitute, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import agree
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived
from ddcalc.problem.said.sentences import Argument
from ddcalc.problem.said.steps import Reasoned

Rank: TypeAlias = Mapping[str, int]

POINTS: Final = 3  # at which formulas are compared
PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


@dataclass(frozen=True, slots=True)
class Line:
    """A derived symbol, the rule as its author wrote it, and the formula that the rule means."""

    quantity: Derived
    index: int | None
    symbol: str
    rule: Rule
    formula: Expr
    why: str


class Arguments:
    """Why the formulas of a type in one shape are what they are, worked out once."""

    def __init__(self, problem: Problem, rank: Rank) -> None:
        self.slug, self.rank, self.declared = problem.slug, rank, [*problem.arguments()]
        self.derivations: dict[Expr, Argument] = {}  # what was argued for so far, and how
        self._argued: dict[tuple[object, ...], tuple[Reasoned, ...]] = {}

    def lines(self, line: Line, applied: Expr, known: expression.Known) -> tuple[Reasoned, ...]:
        """Why *line* has that formula, if the type argues for it; *applied* is the case in which
        the numbers are that are *known* by letter."""
        of = Sym(line.symbol)
        made = [
            one for one in self.declared
            if one.of == of and all(known.get(n) == value for n, value in one.values.items())
        ]  # fmt: skip
        if not made or isinstance(applied, expression.Nothing):
            return ()
        if (key := (applied, *map(id, made))) not in self._argued:
            lines: tuple[Reasoned, ...] = ()
            for argument in made:
                if argument.form == "from":  # in which numbers decide the distinctions
                    [(relation, says)] = argument.lines
                    argument = replace(argument, lines=((decided(relation, known), says),))
                # for this, and for no other case of its quantity, as far as some numbers tell
                if all(look_alike(*both) for both in _sides(argument, applied)):
                    self.derivations[applied] = argument
                    lines = argued(argument, applied, self.rank)
                    break
                if type(line.formula) is not expression.Cases:  # else it argues for another case
                    raise BadEquation(self.slug, f"no algebra leads to {applied!r}")
            self._argued[key] = lines
        return self._argued[key]


def argued(argument: Argument, formula: Expr, rank: Rank) -> tuple[Reasoned, ...]:
    """The lines that lead to *formula*, by which the quantity of *argument* is defined; letters are
    written in the order of their *rank*."""
    lines = [*argument.lines, *_ending(argument, formula, rank)]
    last, reason = lines.pop()
    if argument.law:
        reason = f"{reason} ({argument.law})" if reason else argument.law
    return (*(Reasoned(*line) for line in lines), Reasoned(last, reason))


def _ending(argument: Argument, formula: Expr, rank: Rank) -> Iterator[tuple[Expr, str]]:
    """How an argument of that form ends."""
    match argument:
        case Argument("least", Sym(name) as at, ((cost, _),)):
            from ddcalc.formula.cas import slope

            flat = Rel("==", slope(cost, at, rank), Num(0))
            yield flat, f"where it is least, its slope in {letter(name)} is 0"
            solved = f"solved for {letter(name)}; the slope rises there, so it is a minimum"
            yield same(at, formula), solved
        case Argument("from", of) if argument.law:  # else its definition is enough
            yield same(of, formula), "solved for it"


def proved(argument: Argument, formula: Expr) -> bool:
    """Whether SymPy comes to the *formula* of *argument*, too."""
    from ddcalc.formula import cas

    match argument:
        case Argument("least", Sym() as at, ((cost, _),)):
            return cas.is_least(cost, at, formula)
    return all(one == other or cas.alike(one, other) for one, other in _sides(argument, formula))


def _sides(argument: Argument, formula: Expr) -> Iterator[tuple[Expr, Expr]]:
    """What *argument* says is equal, of which *formula* is a part."""
    known: dict[str, Expr] = {name: Num(value) for name, value in argument.values.items()}
    worth = substitute(formula, known)
    match argument:
        case Argument("=", _, lines):
            yield from ((substitute(line, known), worth) for line, _ in lines)
        case Argument("from", Sym(of), ((Rel(_, left, right), _),)):
            solved = {**known, of: worth}
            yield substitute(left, solved), substitute(right, solved)


@remembered
def look_alike(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same values at some numbers, where they have any."""
    names = sorted({*symbols(one), *symbols(other)})
    is_whole = any(isinstance(part, expression.Index) for part in nodes(one))  # as ends of sums are
    for shift in range(1, POINTS + 1):
        point: dict[str, expression.Number] = {
            name: Fraction(PRIMES[i % len(PRIMES)] + i, 1 if is_whole else 3 + shift) + shift
            for i, name in enumerate(names)
        }
        with suppress(ArithmeticError, TypeError):
            if not agree(evaluate(one, point), evaluate(other, point)):
                return False
    return True
