"""Whether formulas are sound: only like things are added. Asked of a formula are its dimension, and
what its unit is worth."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any, Generic, TypeVar, cast

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, meaning_of
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Num,
    Number,
    Pow,
    Rel,
    Sized,
    Sym,
)
from ddcalc.numbers.irrational import Approximate, power
from ddcalc.numbers.units import ONE, Dimension

S = TypeVar("S")


def dimension_of(expr: Expr, known: Mapping[str, Dimension]) -> Dimension:
    """What *expr* measures, given what its letters measure.

    Raises BadEquation where unlike things are added or compared, or a letter is not *known* yet.
    """
    return _Measures(known, ONE, _raised_dimension).of(expr) or ONE


def worth_of(expr: Expr, known: Mapping[str, Number]) -> Number | None:
    """What one of *expr*'s own unit is worth in base units, given that of its letters.

    None where units of different worth are added (seconds to hours), so that numbers in those
    units cannot be put into the formula as they are.
    """
    try:
        return _Measures(known, 1, _raised_worth).of(expr) or 1
    except BadEquation:
        return None


def check(rules: Iterable[tuple[str, Expr, Dimension]], known: Mapping[str, Dimension]) -> None:
    """Raise BadEquation unless every rule uses known letters only and measures what it should."""
    letters = dict(known)
    for letter, formula, dimension in rules:
        try:
            measured = _Measures(letters, ONE, _raised_dimension).of(formula)
        except BadEquation as error:
            raise error.about(letter) from None
        if measured not in (None, dimension):
            raise BadEquation(letter, f"measures {measured}, not {dimension}").about(letter)
        letters[letter] = dimension


class _Unsound(Exception):
    """Why the formula that is looked at has no unit."""


@dataclass(frozen=True, slots=True)
class _Measures(Generic[S]):
    """What formulas measure, or what their units are worth; None for what fits everywhere (a zero,
    nothing)."""

    known: Mapping[str, S]
    one: S
    raised: Callable[[S, Number], S]

    def of(self, expr: Expr) -> S | None:
        """What *expr* measures; BadEquation about the innermost part that measures nothing."""
        try:
            return self._of(expr)
        except _Unsound as error:
            raise BadEquation(repr(expr), str(error)) from None

    def _of(self, expr: Expr) -> S | None:
        match expr:
            case Sized(dimension=dimension) if isinstance(self.one, Dimension):
                return cast(S, dimension)
            case Num(value):
                return self.one if value else None
            case Sym(name) if name not in self.known:
                raise BadEquation(name, "is used before it is derived")
            case Sym(name):
                return self.known[name]
            case Pow(base, Num(exponent)):
                return self._raised(self.of(base), exponent)
            case Fun():
                return self._of_function(expr)
        scales = [self.of(part) for part in expr.parts()]
        match expr:
            case Mul():
                return self._product(scales)
            case Div():
                return self._product([scales[0], self._raised(scales[1], -1)])
            case Pow() | Rel():
                self._alike([self.one, *scales] if isinstance(expr, Pow) else scales)
                return self.one
            case Cases():
                return self._alike([*scales[:-1:2], scales[-1]])
        return self._alike(scales)

    def _of_function(self, expr: Fun) -> S | None:
        measures = FUNCTIONS[expr.name].measures if expr.name in FUNCTIONS else ""
        if expr.name == "sqrt":
            return self._raised(self.of(expr.args[0]), Fraction(1, 2))
        if not measures:
            if (meaning := meaning_of(expr)) is None:
                raise _Unsound("has no rule for units")
            return self.of(meaning)
        scales = [self.of(arg) for arg in expr.args]
        common = self._alike([self.one, *scales] if measures == "plain" else scales)
        return common if measures == "alike" else self.one

    def _raised(self, base: S | None, exponent: Number) -> S | None:
        return None if base is None else self.raised(base, exponent)

    def _alike(self, scales: Iterable[S | None]) -> S | None:
        alike = list(dict.fromkeys(scale for scale in scales if scale is not None))
        if len(alike) > 1:
            raise _Unsound("mixes " + " and ".join(map(str, alike)))
        return alike[0] if alike else None

    def _product(self, scales: Iterable[S | None]) -> S:
        known: Any = [scale for scale in scales if scale is not None]
        made: S = reduce(mul, known, self.one)
        return made


def _raised_dimension(base: Dimension, exponent: Number) -> Dimension:
    dimension = base**exponent
    if any(power.denominator != 1 for power in dimension.powers):
        raise _Unsound(f"measures {dimension}, which is no unit")
    return dimension


def _raised_worth(base: Number, exponent: Number) -> Number:
    worth = power(base, exponent)
    if type(worth) is Approximate:
        raise _Unsound("has a root of a unit")
    return worth
