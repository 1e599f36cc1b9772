"""Dimensions and unit scales of expressions: what is added must be alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any

from ddcalc.errors import BadEquation
from ddcalc.formula.constant import Amount
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
    Number,
    Pow,
    Rel,
    Sym,
)
from ddcalc.numbers.approximate import DOUBLING, Approximate, power
from ddcalc.numbers.number import quotient
from ddcalc.numbers.units import ONE, Dimension

_OF_PLAIN_NUMBERS = ("exp", "log", "lambert", "harmonic", *DOUBLING)

Scale = Any  # a Dimension or the Number that a unit is worth, alike in one call


def dimension_of(expr: Expr, known: Mapping[str, Dimension]) -> Dimension:
    """What *expr* measures, given what its letters measure.

    Raises BadEquation where unlike things are added or compared, or a letter is not *known* yet.
    """
    found = _scale(expr, known, ONE)
    return ONE if found is None else found


def worth_of(expr: Expr, known: Mapping[str, Number]) -> Number | None:
    """What one of *expr*'s own unit is worth in base units, given that of its letters.

    None where units of different worth are added (seconds to hours), so that numbers in those
    units cannot be put into the formula as they are.
    """
    try:
        found = _scale(expr, known, 1)
    except BadEquation:
        return None
    return 1 if found is None else found


def check(rules: Iterable[tuple[str, Expr, Dimension]], known: Mapping[str, Dimension]) -> None:
    """Raise BadEquation unless every rule uses known letters only and measures what it should."""
    letters = dict(known)
    for letter, formula, dimension in rules:
        found = _scale(formula, letters, ONE)
        if found not in (None, dimension):
            raise BadEquation(letter, f"measures {found}, not {dimension}")
        letters[letter] = dimension


def _scale(expr: Expr, known: Mapping[str, Scale], one: Scale) -> Scale:
    """The scale of *expr*; None for what fits everywhere (a zero, nothing)."""

    def of(part: Expr) -> Scale:
        return _scale(part, known, one)

    match expr:
        case Num(0) | Nothing():
            return None
        case Amount():
            return expr.dimension if isinstance(one, Dimension) else one
        case Num():
            return one
        case Sym(name):
            if name not in known:
                raise BadEquation(name, "is used before it is derived")
            return known[name]
        case Add(args) | Fun("max" | "min", args):
            return _common(expr, map(of, args))
        case Rel() | Fun("argmax"):
            _common(expr, map(of, expr.parts()))
            return one
        case Cases(cases, otherwise):
            for case in cases:
                of(case.test)
            return _common(expr, map(of, [*(case.value for case in cases), otherwise]))
        case Neg(arg) | Fun("floor" | "ceiling", (arg,)):
            return of(arg)
        case Mul(args):
            return reduce(mul, (one if scale is None else scale for scale in map(of, args)))
        case Div(top, bottom):
            return _over(of(top), of(bottom), one)
        case Pow(base, Num(exponent)):
            return _power(of(base), exponent, expr)
        case Fun("sqrt", (arg,)):
            return _power(of(arg), Fraction(1, 2), expr)
        case Pow() | Fun() if isinstance(expr, Pow) or expr.name in _OF_PLAIN_NUMBERS:
            _common(expr, [one, *map(of, expr.parts())])
            return one
    raise BadEquation(repr(expr), "has no rule for units")


def _power(scale: Scale, exponent: Number, expr: Expr) -> Scale:
    """A power of a *scale*; BadEquation where a root of it is no unit."""
    if scale is None:
        return None
    if not isinstance(scale, Dimension):
        found = power(scale, exponent)
        if type(found) is Approximate:
            raise BadEquation(repr(expr), "has a root of a unit")
        return found
    dimension = scale**exponent
    for size in (dimension.time, dimension.data, dimension.money, dimension.work):
        if size.denominator != 1:
            raise BadEquation(repr(expr), f"measures {dimension}, which is no unit")
    return dimension


def _over(top: Scale, bottom: Scale, one: Scale) -> Scale:
    top, bottom = (one if scale is None else scale for scale in (top, bottom))
    if isinstance(top, Dimension):
        return top / bottom
    return quotient(top.numerator * bottom.denominator, top.denominator * bottom.numerator)


def _common(expr: Expr, scales: Iterable[Scale]) -> Scale:
    found = list(dict.fromkeys(scale for scale in scales if scale is not None))
    if len(found) > 1:
        raise BadEquation(repr(expr), "mixes " + " and ".join(map(str, found)))
    return found[0] if found else None
