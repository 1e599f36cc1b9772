"""Bounds of a formula while its letters move within bounds of their own: interval arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

from ddcalc.ask.find.number_line.bounds import (
    NO_VALUE,
    Bounds,
    compared,
    inverse,
    joined,
    limit_sum,
    negative,
    of_number,
    plus,
    times,
)
from ddcalc.ask.find.number_line.curves import function_bounds, power_bounds
from ddcalc.ask.find.number_line.remainder import Remainder
from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Neg,
    Nothing,
    Num,
    Pow,
    Rel,
    Sym,
)

Known = Mapping[str, Bounds]


def enclosed(expr: Expr, known: Known) -> Bounds:
    """Bounds of *expr*, given those of its letters."""

    def of(part: Expr) -> Bounds:
        return enclosed(part, known)

    match expr:
        case Num(value):
            return of_number(value)
        case Sym(name):
            return known[name]
        case Nothing():
            return NO_VALUE
        case Remainder():
            return _remainder(expr, known)
        case Add(args):
            return reduce(plus, map(of, args))
        case Neg(arg):
            return negative(of(arg))
        case Mul(args):
            return reduce(times, map(of, args))
        case Div(top, bottom):
            return times(of(top), inverse(of(bottom)))
        case Pow(base, exponent):
            return power_bounds(of(base), exponent, of(exponent))
        case Fun(name, args):
            return function_bounds(name, [of(arg) for arg in args])
        case Cases():
            return _cases(expr, known)
    raise TypeError(f"{expr!r} has no bounds")


def truth(relation: Rel, known: Known) -> tuple[bool, bool]:
    """Whether *relation* surely holds everywhere, and whether it may hold anywhere."""
    sure, may, defined = _truth(relation, known)
    return sure and defined, may


def _truth(relation: Rel, known: Known) -> tuple[bool, bool, bool]:
    """As :func:`truth` where both sides have a value, and whether they have one everywhere."""
    left, right = (enclosed(side, known) for side in relation.parts())
    return *compared(relation.op, left, right), left.sure and right.sure


def _remainder(expr: Remainder, known: Known) -> Bounds:
    """What is left over by a division, besides what its formula alone would say."""
    found = reduce(plus, (enclosed(arg, known) for arg in expr.args))
    divisor = enclosed(expr.divisor, known)
    if not divisor.sure or divisor.low <= 0:
        return found
    most = limit_sum(divisor.high, -1) if expr.whole else divisor.high
    low, high = max(found.low, 0), min(found.high, most)
    return Bounds(low, high, True, expr.whole or high != most, fails=found.fails)


def _cases(expr: Cases, known: Known) -> Bounds:
    """All that the branches that may apply are worth."""
    found: list[Bounds] = []
    fails = False
    for case in expr.cases:
        sure, may, defined = _truth(case.test, known)
        fails = fails or not defined
        if may:
            found.append(enclosed(case.value, known))
        if sure:
            break
    else:
        found.append(enclosed(expr.otherwise, known))
    hull = joined(found)
    return replace(hull, fails=hull.fails or fails)
