"""What formulas measure; they are sound where only like things are added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import TypeAlias

from ddcalc.errors import BadEquation, blaming
from ddcalc.formula.algebra import FUNCTIONS
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Cases, Expr, Fun, Index, Num, Number, Pow, Rel, Sized
from ddcalc.numbers.units import ONE, Dimension


def dimension_of(expr: Expr, known: Mapping[str, Dimension]) -> Dimension:
    """What *expr* measures, given what its letters measure.

    Raises BadEquation where unlike things are added or compared, or a letter is not *known* yet.
    """
    return _Measures(known).of(expr) or ONE


def check(rules: Iterable[tuple[str, Expr, Dimension]], known: Mapping[str, Dimension]) -> None:
    """Raise BadEquation unless every rule uses known letters only and measures what it should."""
    letters = dict(known)
    for letter, formula, dimension in rules:
        with blaming(letter):
            measured = _Measures(letters).of(formula)
        if measured not in (None, dimension):
            raise BadEquation(letter, f"measures {measured}, not {dimension}").about(letter)
        letters[letter] = dimension


Measure: TypeAlias = Dimension | None


class _Unsound(Exception):
    """Why the formula that is looked at has no unit."""


class _Measures(Domain[Measure]):
    """What formulas measure; None for what fits everywhere (a zero, nothing)."""

    def __init__(self, known: Mapping[str, Dimension]) -> None:
        self.known = known
        self.functions = {"sqrt": lambda x: self._raised(x, Fraction(1, 2))}

    def of(self, expr: Expr) -> Measure:
        """What *expr* measures; BadEquation about the innermost part that measures nothing."""
        try:
            match expr:
                case Pow(base, Num(exponent)):
                    return self._raised(self.of(base), exponent)
                case Index():
                    return ONE
                case Fun("sum", (term, Index(), *ends)):
                    self.sum([ONE, *map(self.of, ends)])
                    return self.of(term)
                case Rel(_, left, right):
                    self.sum([self.of(left), self.of(right)])
                    return ONE
            return super().of(expr)
        except _Unsound as error:
            raise BadEquation(repr(expr), str(error)) from None

    def number(self, expr: Num) -> Measure:
        if isinstance(expr, Sized):
            return expr.dimension
        return ONE if expr.value else None

    def letter(self, name: str) -> Measure:
        if name not in self.known:
            raise BadEquation(name, "is used before it is derived")
        return self.known[name]

    def nothing(self) -> Measure:
        return None

    def sum(self, terms: Iterable[Measure]) -> Measure:
        """What all *terms* are, which are alike."""
        alike = list(dict.fromkeys(term for term in terms if term is not None))
        if len(alike) > 1:
            raise _Unsound("mixes " + " and ".join(map(str, alike)))
        return alike[0] if alike else None

    def opposite(self, x: Measure) -> Measure:
        return x

    def product(self, factors: Iterable[Measure]) -> Measure:
        return reduce(mul, (factor for factor in factors if factor is not None), ONE)

    def quotient(self, top: Measure, bottom: Measure) -> Measure:
        return self.product([top, self._raised(bottom, -1)])

    def power(self, base: Measure, exponent: Measure) -> Measure:
        return self.sum([ONE, base, exponent])

    def cases(self, expr: Cases) -> Measure:
        scales = [self.of(part) for part in expr.parts()]
        return self.sum([*scales[:-1:2], scales[-1]])

    def function(self, expr: Fun) -> Measure:
        measures = FUNCTIONS[expr.name].measures if expr.name in FUNCTIONS else ""
        if not measures:
            return super().function(expr)
        scales = [self.of(arg) for arg in expr.args]
        common = self.sum([ONE, *scales] if measures == "plain" else scales)
        return common if measures == "alike" else ONE

    def unruled(self, expr: Expr) -> Measure:
        raise _Unsound("has no rule for units")

    def _raised(self, base: Measure, exponent: Number) -> Measure:
        return None if base is None else base**exponent
