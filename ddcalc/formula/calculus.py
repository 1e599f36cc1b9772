"""Slopes, sums and equalities of formulas by SymPy, for derivations; imported late."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import sympy

from ddcalc.formula.cas import Rank, from_sympy, to_sympy
from ddcalc.formula.expression import Expr, Sym

_ATTEMPTS: Final[tuple[Callable[[Any], Any], ...]] = (
    sympy.simplify,
    sympy.expand_func,
    lambda x: sympy.simplify(x.rewrite(sympy.gamma)),
)


def slope(formula: Expr, at: Sym, rank: Rank) -> Expr:
    """The derivative of *formula* by the letter *at*, its letters in the order of their *rank*."""
    return from_sympy(sympy.expand(sympy.diff(to_sympy(formula), to_sympy(at))), rank)


def is_least(formula: Expr, at: Sym, place: Expr) -> bool:
    """Whether *formula* has no slope in the letter *at* at *place*, and curves up there."""
    letter, worth = to_sympy(at), to_sympy(place)
    first = sympy.diff(to_sympy(formula), letter)
    second = sympy.diff(first, letter)
    upward = any(sympy.simplify(bend).is_positive for bend in (second.subs(letter, worth), second))
    return upward and sympy.simplify(first.subs(letter, worth)) == 0


def sums_to(term: Expr, index: Sym, limits: tuple[Expr, Expr], worth: Expr) -> bool:
    """Whether *term*, for the letter *index* between the *limits*, adds up to *worth*."""
    k = sympy.Symbol(index.name, integer=True, positive=True)
    total = sympy.summation(to_sympy(term, {index.name: k}), (k, *map(to_sympy, limits)))
    return _is_nothing(total - to_sympy(worth))


def alike(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same value for all positive numbers."""
    return _is_nothing(to_sympy(one) - to_sympy(other))


def _is_nothing(difference: Any) -> bool:
    return difference == 0 or any(attempt(difference) == 0 for attempt in _ATTEMPTS)
