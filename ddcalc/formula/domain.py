"""The walk over formulas: a domain says what their parts come to, where that is no number.

There are bounds (:mod:`~ddcalc.formula.intervals`), dimensions, SymPy's formulas, columns of a
sweep, and what is settled on a piece of the number line. What :mod:`ddcalc.formula.algebra` says of
functions holds in all.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, TypeVar

from ddcalc.formula.algebra import FUNCTIONS, fused
from ddcalc.formula.expression import Add, Cases, Div, Expr, Fun, Mul, Neg, Nothing, Num, Pow, Sym

V = TypeVar("V")


class Domain(ABC, Generic[V]):
    """A way to read formulas: what each of them is, made of what its parts are; by the operators of
    these, where it does not say otherwise. TypeError where something is nothing here."""

    functions: Mapping[str, Callable[..., Any]] = {}
    """Rules for functions, of what their arguments are."""

    def of(self, expr: Expr) -> V:
        """What *expr* is in this domain."""
        match expr:
            case Num():
                return self.number(expr)
            case Sym(name):
                return self.letter(name)
            case Add(args):
                return self.sum([self.of(arg) for arg in args]) if args else self.number(Num(0))
            case Mul(args):
                return self.product([self.of(arg) for arg in args])
            case Div(top, bottom):
                return self.quotient(self.of(top), self.of(bottom))
            case Neg(arg):
                return self.opposite(self.of(arg))
            case Fun():
                return self.function(expr)
            case Pow(base, exponent):
                return self.power(self.of(base), self.of(exponent))
            case Cases():
                return self.cases(expr)
            case Nothing():
                return self.nothing()
        return self.unruled(expr)

    @abstractmethod
    def number(self, expr: Num) -> V: ...
    @abstractmethod
    def letter(self, name: str) -> V: ...

    plus: Callable[[V, V], V] = staticmethod(operator.add)
    times: Callable[[V, V], V] = staticmethod(operator.mul)
    quotient: Callable[[V, V], V] = staticmethod(operator.truediv)
    power: Callable[[V, V], V] = staticmethod(operator.pow)

    def opposite(self, x: V) -> V:
        return self.times(self.of(Num(-1)), x)

    def sum(self, terms: Sequence[V]) -> V:
        return reduce(self.plus, terms)

    def product(self, factors: Sequence[V]) -> V:
        return reduce(self.times, factors)

    def function(self, expr: Fun) -> V:
        """A function by its rule here, else by its meaning."""
        called: Any = fused(expr)
        if rule := self.functions.get(called.name) or self.functions.get((called := expr).name):
            made: V = rule(*map(self.of, called.args))
            return made
        function = FUNCTIONS.get(expr.name)
        if function is None or function.meaning is None:
            return self.unruled(expr)
        return self.of(function.meaning(*expr.args))

    def cases(self, expr: Cases) -> V:
        """A distinction; what does not apply is often not to be looked at."""
        return self.unruled(expr)

    def nothing(self) -> V:
        return self.unruled(Nothing())

    def unruled(self, expr: Expr) -> V:
        """What has no rule here and no meaning."""
        raise TypeError(f"{expr!r} has no value here")
