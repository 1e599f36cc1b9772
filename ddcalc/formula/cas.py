"""Computer algebra, all that SymPy is asked but for zeros: expressions there and back, solutions,
slopes, sums. It is imported where algebra is needed, and late.

SymPy sees our own formulas and exact numbers, never a text that came from outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, reduce
from operator import mul
from typing import Any, Final

import sympy

from ddcalc.formula.algebra import FUNCTIONS, Index, counted, members, pi
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Expr, Fun, Neg, Num, Sized, Sym, letters, nodes, substitute
from ddcalc.formula.zeros import DIGITS, number_of, powers_of
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import MARGIN
from ddcalc.numbers.number import Number

Rank = Mapping[str, int]
FEW: Final = 6  # letters in a root that is shown so
_COUNTED: Final = sympy.Dummy("k", integer=True, nonnegative=True)


def to_sympy(expr: Expr, known: Mapping[str, Any] | None = None) -> Any:
    """*expr* in SymPy, with the letters in *known* replaced by what they are worth.

    Letters become positive symbols: all givens are amounts or counts, so ``abs`` and roots
    simplify, and a given of 0 is the limit. TypeError for a distinction, and what is only printed.
    """
    return _InSympy(known or {}).of(expr)


class _InSympy(Domain[Any]):
    def __init__(self, known: Mapping[str, Any]) -> None:
        self.known = known

    def number(self, expr: Num) -> Any:
        return sympy.Rational(expr.value)

    def letter(self, name: str) -> Any:
        return self.known[name] if name in self.known else sympy.Symbol(name, positive=True)

    def sum(self, terms: Sequence[Any]) -> Any:
        return sympy.Add(*terms)

    def product(self, factors: Sequence[Any]) -> Any:
        return sympy.Mul(*factors)

    def function(self, expr: Fun) -> Any:
        match expr:
            case Fun("sum", (term, Index() as index, *ends)):
                first, last = map(self.of, ends)
                if first.is_Rational and last.is_Rational:
                    every = members(expr, number_of(first), number_of(last))
                    return self.sum([*map(self.of, every)])
                made = to_sympy(counted(term, index, Sym("#")), {**self.known, "#": _COUNTED})
                return _possible(sympy.summation(made, (_COUNTED, first, last)))
        args = [self.of(arg) for arg in expr.args]
        if expr.name in ("floor", "ceiling"):
            # letters are positive, so SymPy would compare at length what it cannot decide
            return getattr(sympy, expr.name)(*args, evaluate=not args[0].free_symbols)
        if expr.name not in FUNCTIONS:
            return self.unruled(expr)
        made = getattr(sympy, FUNCTIONS[expr.name].symbol or expr.name, _defined(expr.name))
        return made(*args) if args else made


@cache
def _defined(name: str) -> Any:
    """A function that SymPy does not have; it takes its value where its letters do."""

    def evaluated(_: Any, *args: Any) -> Any:
        if not all(x.is_Rational for x in args):
            return None
        return sympy.Rational(FUNCTIONS[name].value(*map(number_of, args)))

    return type(name, (sympy.Function,), {"eval": classmethod(evaluated)})


def from_sympy(expr: Any, rank: Rank) -> Expr:
    """A SymPy expression as one of ours, terms and factors in the order of *rank*.

    A term stands where its last letter does; factors that are no bracket, root or power of e first.
    """
    return _Back(rank).of(expr)


class _Back:
    def __init__(self, rank: Rank) -> None:
        self.rank = rank
        self.names = {function.symbol or name: name for name, function in FUNCTIONS.items()}

    def of(self, part: Any) -> Expr:
        if part.could_extract_minus_sign() and not part.is_Add:
            return -self.of(-part)
        match part:
            case sympy.Rational(p=p, q=q):
                return Num(p) if q == 1 else Num(p) / Num(q)
            case sympy.Symbol(name=name):
                return Sym(name)
            case sympy.Add():
                first, *rest = map(self.of, sorted(part.args, key=self._place))
                return reduce(lambda x, y: x - y.arg if isinstance(y, Neg) else x + y, rest, first)
            case sympy.Pow() if part.exp.is_negative:
                return 1 / self.of(1 / part)
            case sympy.Pow(exp=sympy.S.Half):
                return Fun("sqrt", (self.of(part.base),))
            case sympy.Pow():
                return self.of(part.base) ** self.of(part.exp)
            case sympy.Mul():
                return self._product(part)
            case sympy.E:
                return Fun("exp", (Num(1),))
            case sympy.pi:
                return pi
            case sympy.Max() | sympy.Min():
                args = sorted(part.args, key=self._place)
                return Fun(self.names[type(part).__name__], tuple(map(self.of, args)))
        return Fun(self.names[type(part).__name__], tuple(map(self.of, part.args)))

    def _product(self, part: Any) -> Expr:
        """A product; SymPy splits the root of one, here it is one again."""
        roots = [arg for arg in part.args if arg.is_Pow and abs(arg.exp) == sympy.S.Half]
        if len(roots) > 1:
            one = sympy.Dummy("√", positive=True)
            merged = Fun("sqrt", (self.of(sympy.Mul(*(root**2 for root in roots))),))
            return substitute(self.of(part / sympy.Mul(*roots) * one), {"√": merged})
        # e^(−x) stays above the line, as it is read more easily than 1/e^x
        exact = part.has(sympy.exp)
        top, bottom = sympy.fraction(part, exact=True) if exact else part.as_numer_denom()
        if bottom != 1:
            return self.of(top) / self.of(bottom)
        return reduce(mul, map(self.of, sorted(part.args, key=self._factor_place)))

    def _ranks(self, part: Any) -> list[int]:
        return [self.rank.get(symbol.name, len(self.rank)) for symbol in part.free_symbols]

    def _place(self, term: Any) -> tuple[bool, bool, int]:
        ranks = self._ranks(term)
        return term.could_extract_minus_sign(), not ranks, max(ranks, default=0)

    def _factor_place(self, part: Any) -> tuple[bool, bool, int]:
        if part.is_number:
            return False, False, 0
        bracket = isinstance(part, sympy.Add | sympy.Max | sympy.Min | sympy.exp)
        bracket |= part.is_Pow and part.exp == sympy.S.Half
        return True, bracket, min(self._ranks(part), default=0)


def solved_for(unknown: str, left: Expr, right: Expr, rank: Rank) -> tuple[Expr, Expr]:
    """*left* = *right*, linear in *unknown*, as (the unknown's value, its coefficient).

    The value has a meaning only where the coefficient is not 0.
    Raises ValueError where the equation is not linear.
    """
    value, slope = _linear(unknown, left, right)
    return from_sympy(value, rank), from_sympy(slope, rank)


@remembered  # as what solves a relation, and from where on it holds, ask for the same
def _linear(unknown: str, left: Expr, right: Expr) -> tuple[Any, Any]:
    symbol = sympy.Symbol(unknown, positive=True)
    difference = sympy.expand(to_sympy(left) - to_sympy(right))
    slope, rest = difference.coeff(symbol, 1), difference.coeff(symbol, 0)
    if slope == 0 or sympy.expand(slope * symbol + rest - difference) != 0 or slope.has(symbol):
        raise ValueError(f"not linear in {unknown}")
    return sympy.factor_terms(-rest / slope), slope


# Slopes, sums and equalities, for derivations


def slope(formula: Expr, at: Sym, rank: Rank) -> Expr:
    """The derivative of *formula* by the letter *at*, its letters in the order of their *rank*."""
    return from_sympy(sympy.expand(sympy.diff(to_sympy(formula), to_sympy(at))), rank)


def flat(formula: Expr, at: Sym) -> Expr | None:
    """Where *formula* has no slope in the letter *at*, if that is a root of FEW letters, and in it
    no amount but those that letters stand for."""
    slope = sympy.together(sympy.diff(to_sympy(formula), to_sympy(at)))
    terms = powers_of(sympy.numer(slope), to_sympy(at)) or {}
    if len(terms) != 2 or any(isinstance(part, Sized) for part in nodes(formula)):
        return None
    (low, below), (high, above) = sorted(terms.items())
    rank = {name: i for i, name in enumerate(letters(formula))}
    root = from_sympy(sympy.factor(-below / above) ** (1 / (high - low)), rank)
    return root if sum(isinstance(part, Sym) for part in nodes(root)) <= FEW else None


def is_least(formula: Expr, at: Sym, place: Expr) -> bool:
    """Whether *formula* has no slope in the letter *at* at *place*, and curves up there."""
    letter, worth = to_sympy(at), to_sympy(place)
    first = sympy.diff(to_sympy(formula), letter)
    second = sympy.diff(first, letter)
    upward = any(sympy.simplify(bend).is_positive for bend in (second.subs(letter, worth), second))
    return upward and sympy.simplify(first.subs(letter, worth)) == 0


@remembered
def without_end(term: Expr, index: Index, first: Number) -> Number | None:
    """A little more than the sum of a *term* of numbers for an *index* from *first* on, without
    end; None where SymPy does not find it."""
    if letters(term):
        return None
    made = to_sympy(counted(term, index, Sym("#")), {"#": _COUNTED})
    total = sympy.summation(made, (_COUNTED, sympy.Rational(first), sympy.oo))
    digits = total.evalf(DIGITS)
    if not (digits.is_Float or digits.is_Rational):
        return None
    worth = Fraction(number_of(sympy.Rational(digits)))
    return worth + abs(worth) * MARGIN


def _possible(total: Any) -> Any:
    """*total* without the cases whose equation nothing solves: a ratio e^(−a) that is 1."""

    def left(*cases: Any) -> Any:
        possible = (one for one in cases if not isinstance(one[1], sympy.Eq) or sympy.solve(one[1]))
        return sympy.Piecewise(*possible)

    return total.replace(sympy.Piecewise, left)


def alike(one: Expr, other: Expr) -> bool:
    """Whether two formulas have the same value for all positive numbers."""
    x, difference = sympy.Wild("x"), sympy.expand(to_sympy(one) - to_sympy(other))
    power, worth = sympy.exp(sympy.LambertW(x)), x / sympy.LambertW(x)  # which SymPy does not know
    return bool(difference.replace(power, worth).equals(0))
