"""What numbers decide in a formula: which branch applies, which rounding or bound changes nothing,
and on which letters its value then rests."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Final

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Known, Num, letters, nodes, replace, symbols
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import DOUBLING, floor_log2

SETTLED: Final = ("floor", "ceiling", "max", "min")  # functions that numbers may make needless


def decided(expr: Expr, known: Known) -> Expr:
    """*expr* with the branches that apply in place of distinctions, as far as their tests have
    *known* letters only."""

    def branch(part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        left, otherwise, why = [], part.otherwise, part.why
        for case in part.cases:
            if not all(letter in known for letter in symbols(case.test)):
                left.append(case)
            elif evaluate(case.test, known):
                otherwise, why = case.value, case.why
                break
        otherwise = decided(otherwise, known)
        return Cases(tuple(left), otherwise, why) if left else otherwise

    return replace(expr, branch)


def settled(formula: Expr, known: Known) -> tuple[Expr, str]:
    """*formula* as it is for *known* numbers, and the innermost reason: without outer distinctions,
    roundings that change nothing, and bounds that do not bind."""
    why = ""
    while isinstance(formula, Cases):
        formula, why = next(
            ((case.value, case.why or why) for case in formula.cases if evaluate(case.test, known)),
            (formula.otherwise, formula.why or why),
        )
    if _may_settle(formula):
        formula = replace(decided(formula, known), lambda part: _settled(part, known))
    return formula, why


def _settled(part: Expr, known: Known) -> Expr | None:
    """*part* without a rounding that changes nothing here, or a bound that does not bind."""
    if not isinstance(part, Fun) or part.name not in SETTLED:
        return None
    args = [replace(arg, lambda one: _settled(one, known)) for arg in part.args]
    try:
        worth = [evaluate(arg, known) for arg in args]
        value = evaluate(part, known)
    except (KeyError, TypeError, ArithmeticError):
        return None
    if part.name in ("max", "min"):
        both = zip(args, worth, strict=True)
        kept = [arg for arg, x in both if x == value or not isinstance(arg, Num)]
        return kept[0] if len(kept) == 1 else Fun(part.name, tuple(kept))
    return args[0] if worth == [value] else None


@remembered
def _may_settle(formula: Expr) -> bool:
    """Whether numbers may simplify *formula*."""
    functions = {part.name for part in nodes(formula) if isinstance(part, Fun)}
    return is_decided(formula) or not functions.isdisjoint(SETTLED)


def followed(expr: Expr, known: Known) -> Iterator[str]:
    """The letters that the value of *expr* rests on: of cases those of the one that applies, and of
    the tests that decide it."""
    if not is_decided(expr):
        yield from letters(expr)
        return
    if isinstance(expr, Cases):
        for case in expr.cases:
            yield from (name for side in case.test.parts() for name in followed(side, known))
            if any(isinstance(known.get(name), Expr | None) for name in symbols(case.test)):
                yield from symbols(expr)
                return
            if evaluate(case.test, known):
                yield from followed(case.value, known)
                return
        yield from followed(expr.otherwise, known)
        return
    for part in expr.parts():
        yield from followed(part, known)


@remembered
def is_decided(expr: Expr) -> bool:
    """Whether numbers decide what *expr* is."""
    return any(isinstance(part, Cases) for part in nodes(expr))


def decisions(expr: Expr, known: Known) -> Iterator[Hashable]:
    """The way out of each decision in *expr*."""
    match expr:
        case Cases(cases, otherwise):
            for case in cases:
                left, right = (evaluate(side, known) for side in case.test.parts())
                yield int(left > right) - int(left < right)  # which side is the larger one
                if evaluate(case.test, known):
                    yield from decisions(case.value, known)
                    return
            yield from decisions(otherwise, known)
            return
        case Fun("floor" | "ceiling", (arg,)):
            yield evaluate(arg, known) == evaluate(expr, known)
        case Fun(name, (arg,)) if name in DOUBLING:
            yield (x := evaluate(arg, known)) == Fraction(2) ** floor_log2(x)
        case Fun("max" | "min", args) if len(args) > 1:
            values = [evaluate(arg, known) for arg in args]
            yield tuple(value == evaluate(expr, known) for value in values)
        case Fun("argmax"):
            yield evaluate(expr, known)
    for part in expr.parts():
        yield from decisions(part, known)
