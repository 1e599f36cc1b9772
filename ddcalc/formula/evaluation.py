"""Numbers put into formulas, which become functions of Python once.

Values are exact where they are rational; else they are rounded, and decide nothing that is too
close to call (:mod:`ddcalc.numbers.irrational`). Quotients are built as fractions, because
``floor`` gives an ``int`` and a quotient of two of those would be a float.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

from ddcalc.formula.algebra import FUNCTIONS, fused
from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Fun,
    Known,
    Mul,
    Neg,
    Nothing,
    Num,
    Number,
    Operator,
    Pow,
    Rel,
    Sym,
    letters,
)
from ddcalc.numbers.irrational import Approximate, apart, power, ratio

Run = Callable[[Known], Any]  # what gives the value of a formula, of those of its letters

COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
}  # fmt: skip
_RULES: Final[Mapping[type, Callable[[Any, Any], Any]]] = {Div: ratio, Pow: power}


def compared(op: Operator, left: Any, right: Any) -> bool:
    """Whether the relation holds; OutOfReach where rounded numbers leave that open."""
    if type(left) is Approximate or type(right) is Approximate:
        apart(left, right)
    return COMPARE[op](left, right)


@lru_cache(maxsize=1 << 13)
def _run(expr: Expr) -> Run:
    match expr:
        case Fun("floor", (Div(),)):  # much quicker than of a fraction
            top, bottom = map(_run, expr.args[0].parts())
            return lambda known: top(known) // bottom(known)
        case Fun("ceiling", (Div(),)):
            top, bottom = map(_run, expr.args[0].parts())
            return lambda known: -(-top(known) // bottom(known))
    called = fused(expr) if isinstance(expr, Fun) else expr
    parts = [_run(part) for part in called.parts()]
    match called:
        case Num(value):
            return lambda known: value
        case Sym(name):
            return operator.itemgetter(name)
        case Nothing():
            return lambda known: None
        case Add():
            return lambda known: sum([part(known) for part in parts])
        case Mul():
            return lambda known: math.prod([part(known) for part in parts])
        case Neg():
            return lambda known: -parts[0](known)
        case Div() | Pow() | Rel():
            left, right = parts
            rule = partial(compared, called.op) if isinstance(called, Rel) else _RULES[type(called)]
            return lambda known: rule(left(known), right(known))
        case Cases():
            cases = list(zip(parts[1:-1:2], parts[:-1:2], strict=True))
            return lambda known: next((x for test, x in cases if test(known)), parts[-1])(known)
        case Fun(name) if name in FUNCTIONS:
            function = FUNCTIONS[name].value
            return lambda known: function(*[part(known) for part in parts])
    raise TypeError(f"{expr!r} has no value here")


def evaluate(expr: Expr, values: Known) -> Any:
    """The exact value of *expr*: a number, None for nothing, a bool for a comparison."""
    return _run(expr)(values)


def satisfying(
    known: Known, rules: Mapping[str, Expr], tests: Sequence[Rel]
) -> dict[str, Number | None] | None:
    """*known* numbers and what the *rules* make of them, in order; None where one of the *tests*
    fails, of which those that speak of no result are looked at first.

    Raises ArithmeticError where a formula has no value.
    """
    values = dict(known)
    early = (test for test in tests if rules.keys().isdisjoint(letters(test)))
    if not all(evaluate(test, values) for test in early):
        return None
    for letter, rule in rules.items():
        values[letter] = evaluate(rule, values)
    return values if all(evaluate(test, values) for test in tests) else None
