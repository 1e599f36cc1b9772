"""Formulas worked out on columns, all branches at once, each point keeping what is wrong with it.

What happens in a branch that a point does not take has no effect on it, as when the formula is
worked out for that point alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce

from ddcalc.ask.sweep import column
from ddcalc.ask.sweep.column import Column
from ddcalc.ask.sweep.exact import Exact, State, constant, nothing
from ddcalc.ask.sweep.real import Real
from ddcalc.ask.sweep.whole import Mask
from ddcalc.expression import (
    Add,
    Case,
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

Known = Mapping[str, Column]

_OF_ONE: Mapping[str, Callable[[Column], Column]] = {
    "floor": column.floor,
    "ceiling": column.ceiling,
    "sqrt": column.root,
    "exp": column.exponential,
    "log": column.logarithm,
    "floor_log2": column.floor_log2,
    "ceiling_log2": column.ceiling_log2,
    "floor_power2": column.floor_power2,
}
_ROOTS: Mapping[str, Callable[[Column], Column]] = {
    "floor": column.floor_root,
    "ceiling": column.ceiling_root,
}
_OF_TWO: Mapping[str, Callable[[Column, Column], Column]] = {
    "max": column.larger,
    "min": column.smaller,
}


def worked_out(expr: Expr, known: Known) -> Column:
    """The values of *expr* at all points."""

    def of(part: Expr) -> Column:
        return worked_out(part, known)

    match expr:
        case Num(value):
            return constant(value)
        case Sym(name):
            return known[name]
        case Nothing():
            return nothing()
        case Add(args):
            return reduce(column.plus, map(of, args))
        case Neg(arg):
            return column.minus(of(arg))
        case Mul(args):
            return reduce(column.times, map(of, args))
        case Div(top, bottom):
            return column.over(of(top), of(bottom))
        case Pow(base, exponent):
            known_one = exponent.value if isinstance(exponent, Num) else None
            return column.power(of(base), of(exponent), known_one)
        case Fun("floor" | "ceiling" as name, (Fun("sqrt", (square,)),)):
            return _ROOTS[name](of(square))
        case Fun("argmax", args):
            return column.position_of_largest(list(map(of, args)))
        case Fun(name, args) if name in _OF_TWO:
            return reduce(_OF_TWO[name], map(of, args))
        case Fun(name, (arg,)) if name in _OF_ONE:
            return _OF_ONE[name](of(arg))
        case Cases(cases, otherwise):
            return reduce(lambda below, case: _case(case, below, known), cases[::-1], of(otherwise))
        case Fun():
            return column.unsure()  # worked out point by point
    raise TypeError(f"{expr!r} has no value")


def satisfied(relation: Rel, known: Known) -> tuple[Mask, State]:
    """Where *relation* holds, and what is wrong with that."""
    left, right = (worked_out(side, known) for side in relation.parts())
    return column.holds(relation.op, left, right)


def _case(case: Case, below: Column, known: Known) -> Column:
    """The *case* where its test holds, else what stands *below* it."""
    mask, state = satisfied(case.test, known)
    chosen = column.select(mask, worked_out(case.value, known), below)
    return with_state(chosen, chosen.state | state)


def with_state(values: Column, state: State) -> Column:
    """*values* in another state."""
    if isinstance(values, Exact):
        return Exact(values.top, values.bottom, values.unit, state)
    return Real(values.values, values.error, state)
