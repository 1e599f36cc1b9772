"""Numbers put into formulas, which become functions of Python once: what these come to, and what
numbers decide in them.

Values are exact where they are rational; else they are rounded, and decide nothing that is too
close to call (:mod:`ddcalc.numbers.irrational`). Quotients are built as fractions, because
``floor`` gives an ``int`` and a quotient of two of those would be a float.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

from ddcalc.formula import expression
from ddcalc.formula.algebra import FUNCTIONS, fused, members, total, without
from ddcalc.formula.expression import Add, Cases, Div, Expr, Fun, Index, Known, Mul, Num, Pow, Rel
from ddcalc.memory import remembered
from ddcalc.numbers import irrational
from ddcalc.numbers.irrational import DOUBLING, Approximate, apart, floor_log2, power, ratio

Run = Callable[[Known], Any]  # what gives the value of a formula, of those of its letters

COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
}  # fmt: skip
_RULES: Final[Mapping[type, Callable[[Any, Any], Any]]] = {
    Add: operator.add, Mul: operator.mul, Div: ratio, Pow: power,
}  # fmt: skip


def compared(op: expression.Operator, left: Any, right: Any) -> bool:
    """Whether the relation holds; OutOfReach where rounded numbers leave that open."""
    if type(left) is Approximate or type(right) is Approximate:
        apart(left, right)
    return COMPARE[op](left, right)


@lru_cache(maxsize=1 << 13)
def _run(expr: Expr) -> Run:
    match expr:
        case Fun("floor" | "ceiling" as rounding, (Div() as of,)) if fused(of) is of:
            (top, bottom), sign = map(_run, of.parts()), 1 if rounding == "floor" else -1
            return lambda known: sign * (sign * top(known) // bottom(known))  # no fraction is made
    called = fused(expr)
    parts = [_run(part) for part in called.parts()]
    match called:
        case Num(value):
            return lambda known: value
        case expression.Sym(name):
            return operator.itemgetter(name)
        case expression.Nothing():
            return lambda known: None
        case expression.Neg():
            return lambda known: -parts[0](known)
        case Div() | Pow() | Rel() | Add((_, _)) | Mul((_, _)):
            left, right = parts
            rule = partial(compared, called.op) if isinstance(called, Rel) else _RULES[type(called)]
            return lambda known: rule(left(known), right(known))
        case Add() | Mul():
            begin, *others = parts  # Python's own 0 or 1 before a fraction takes twice as long
            join: Callable[..., Any] = sum if isinstance(called, Add) else math.prod
            return lambda known: join([part(known) for part in others], start=begin(known))
        case Cases():
            cases = list(zip(parts[1:-1:2], parts[:-1:2], strict=True))
            return lambda known: next((x for test, x in cases if test(known)), parts[-1])(known)
        case Fun("sum", (_, Index(name), _, _)):
            return lambda known: irrational.summed(
                lambda at: parts[0]({**known, f"#{name}": at}), *(x(known) for x in parts[2:])
            )
        case Index(name):
            return operator.itemgetter(f"#{name}")
        case Fun(name) if name in FUNCTIONS:
            function = FUNCTIONS[name].value
            return lambda known: function(*[part(known) for part in parts])
    raise TypeError(f"{expr!r} has no value here")


def evaluate(expr: Expr, values: Known) -> Any:
    """The exact value of *expr*: a number, None for nothing, a bool for a comparison."""
    return _run(expr)(values)


def satisfying(
    known: Known, rules: Mapping[str, Expr], tests: Sequence[Rel]
) -> dict[str, expression.Number | None] | None:
    """*known* numbers and what the *rules* make of them, in order; None where one of the *tests*
    fails, of which those that speak of no result are looked at first.

    Raises ArithmeticError where a formula has no value.
    """
    values = dict(known)
    early = (test for test in tests if rules.keys().isdisjoint(expression.letters(test)))
    if not all(evaluate(test, values) for test in early):
        return None
    for letter, rule in rules.items():
        values[letter] = evaluate(rule, values)
    return values if all(evaluate(test, values) for test in tests) else None


# What numbers decide: which branch applies, which rounding or bound changes nothing

SETTLED: Final = ("floor", "ceiling", "max", "min")  # functions that numbers may make needless


def decided(expr: Expr, known: Known) -> Expr:
    """*expr* with the branches that apply in place of distinctions, as far as their tests have
    *known* letters only."""

    def branch(part: Expr) -> Expr | None:
        if not isinstance(part, Cases):
            return None
        left, otherwise, why = [], part.otherwise, part.why
        for case in part.cases:
            if not all(letter in known for letter in expression.symbols(case.test)):
                left.append(case)
            elif evaluate(case.test, known):
                otherwise, why = case.value, case.why
                break
        otherwise = decided(otherwise, known)
        return Cases(tuple(left), otherwise, why) if left else otherwise

    return expression.replace(expr, branch)


def spelt_out(expr: Expr, known: Known, worked: bool = False, most: int = 100) -> Expr:
    """*expr* with the terms of its sums, of those that have at most so many by *known* letters; or,
    once they are *worked* out, what a sum of these alone comes to."""

    def written(part: Expr) -> Expr | None:
        match part:
            case Fun("sum", (_, Index(), first, last)):
                if {*expression.letters(first + last)} - known.keys():
                    numbers = {n: Num(x) for n, x in known.items() if x is not None}
                    return expression.substitute(part, numbers) if worked else None
                if worked and {*expression.letters(part)} <= known.keys():
                    return Num(evaluate(part, known))
                ends = evaluate(first, known), evaluate(last, known)
                if ends[1] - ends[0] < most:
                    terms = [spelt_out(one, known, worked) for one in members(part, *ends)]
                    return total(terms) if terms else Num(0)
        return None

    return expression.replace(expr, written)


def settled(formula: Expr, known: Known) -> tuple[Expr, str]:
    """*formula* as it is for *known* numbers, and the innermost reason: without outer distinctions,
    roundings that change nothing, and bounds that do not bind."""
    why = ""
    while isinstance(formula, Cases):
        pairs = ((case.value, case.why) for case in formula.cases if evaluate(case.test, known))
        formula, reason = next(pairs, (formula.otherwise, formula.why))
        why = reason or why
    if _may_settle(formula):
        formula = expression.replace(decided(formula, known), lambda part: _settled(part, known))
        formula = without(formula, ())  # what distinctions have left out of a sum
    return formula, why


def _settled(part: Expr, known: Known) -> Expr | None:
    """*part* without a rounding that changes nothing here, or a bound that does not bind."""
    if not isinstance(part, Fun) or part.name not in SETTLED:
        return None
    args = [expression.replace(arg, lambda one: _settled(one, known)) for arg in part.args]
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
    functions = {part.name for part in expression.nodes(formula) if isinstance(part, Fun)}
    return is_decided(formula) or not functions.isdisjoint(SETTLED)


def followed(expr: Expr, known: Known) -> Iterator[str]:
    """The letters that the value of *expr* rests on: of cases those of the one that applies, and of
    the tests that decide it."""
    if not is_decided(expr):
        yield from expression.letters(expr)
        return
    if isinstance(expr, Cases):
        for case in expr.cases:
            yield from (name for side in case.test.parts() for name in followed(side, known))
            numbers = map(known.get, expression.symbols(case.test))
            if any(isinstance(number, Expr | None) for number in numbers):
                yield from expression.symbols(expr)
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
    return any(isinstance(part, Cases) for part in expression.nodes(expr))


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
