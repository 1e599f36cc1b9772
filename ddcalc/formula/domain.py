"""A walk over formulas: a domain says what their parts come to, where that is no number.

There are bounds (:mod:`~ddcalc.formula.intervals`), columns of a sweep, and what is settled on a
piece of the number line. What :mod:`ddcalc.formula.algebra` says of functions holds in all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, Generic, TypeVar

from ddcalc.formula.algebra import fused, meaning_of
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
    Sym,
)

V = TypeVar("V")


class Domain(ABC, Generic[V]):
    """A way to read formulas: what each of them is, made of what its parts are."""

    functions: Mapping[str, Callable[..., Any]] = {}
    """Rules for functions, of what their arguments are."""

    def of(self, expr: Expr) -> V:
        """What *expr* is in this domain; TypeError where it is nothing here."""
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
        raise TypeError(f"{expr!r} has no value")

    @abstractmethod
    def number(self, expr: Num) -> V: ...
    @abstractmethod
    def letter(self, name: str) -> V: ...
    @abstractmethod
    def nothing(self) -> V: ...
    @abstractmethod
    def opposite(self, x: V) -> V: ...
    @abstractmethod
    def quotient(self, top: V, bottom: V) -> V: ...
    @abstractmethod
    def power(self, base: V, exponent: V) -> V: ...

    @abstractmethod
    def cases(self, expr: Cases) -> V:
        """A distinction; what does not apply is often not to be looked at."""

    def plus(self, left: V, right: V) -> V:
        """The sum of two; or :meth:`sum` is defined, of any number."""
        raise NotImplementedError

    def times(self, left: V, right: V) -> V:
        """The product of two; or :meth:`product` is defined."""
        raise NotImplementedError

    def sum(self, terms: Sequence[V]) -> V:
        return reduce(self.plus, terms)

    def product(self, factors: Sequence[V]) -> V:
        return reduce(self.times, factors)

    def function(self, expr: Fun) -> V:
        """A function by its rule here, else by its meaning."""
        called = fused(expr)
        if rule := self.functions.get(called.name) or self.functions.get((called := expr).name):
            made: V = rule(*map(self.of, called.args))
            return made
        meaning = meaning_of(expr)
        return self.unruled(expr) if meaning is None else self.of(meaning)

    def unruled(self, expr: Fun) -> V:
        """A function without a rule here and without a meaning."""
        raise TypeError(f"{expr!r} has no value here")
