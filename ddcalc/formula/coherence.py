"""Whether formulas are sound: only like things are added, and no rounded number decides anything.

Three domains: the dimension that a formula measures, what its unit is worth, and what kind of
number it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any, Final, Literal, TypeVar, cast

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, fused, meaning_of
from ddcalc.formula.domain import Domain
from ddcalc.formula.expression import Cases, Expr, Fun, Num, Number, Operator, Pow, Rel, Sized
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


class _Measures(Domain[S | None]):
    """What formulas measure, or what their units are worth; None for what fits everywhere (a zero,
    nothing)."""

    def __init__(self, known: Mapping[str, S], one: S, raised: Callable[[S, Number], S]) -> None:
        self.known, self.one, self.raised = known, one, raised
        self.functions = {"sqrt": lambda x: self._raised(x, Fraction(1, 2))}

    def of(self, expr: Expr) -> S | None:
        try:
            if isinstance(expr, Pow) and isinstance(expr.exponent, Num):
                return self._raised(self.of(expr.base), expr.exponent.value)
            return super().of(expr)
        except _Unsound as error:
            raise BadEquation(repr(expr), str(error)) from None

    def _raised(self, base: S | None, exponent: Number) -> S | None:
        return None if base is None else self.raised(base, exponent)

    def number(self, expr: Num) -> S | None:
        if isinstance(expr, Sized) and isinstance(self.one, Dimension):
            return cast(S, expr.dimension)
        return self.one if expr.value else None

    def letter(self, name: str) -> S | None:
        if name not in self.known:
            raise BadEquation(name, "is used before it is derived")
        return self.known[name]

    def nothing(self) -> None:
        return None

    def sum(self, terms: Sequence[S | None]) -> S | None:
        alike = list(dict.fromkeys(scale for scale in terms if scale is not None))
        if len(alike) > 1:
            raise _Unsound("mixes " + " and ".join(map(str, alike)))
        return alike[0] if alike else None

    def product(self, factors: Sequence[S | None]) -> S:
        scales: list[Any] = [self.one if scale is None else scale for scale in factors]
        made: S = reduce(mul, scales)
        return made

    def opposite(self, x: S | None) -> S | None:
        return x

    def quotient(self, top: S | None, bottom: S | None) -> S:
        return self.product([top, None if bottom is None else self.raised(bottom, -1)])

    def power(self, base: S | None, exponent: S | None) -> S:
        self.sum([self.one, base, exponent])
        return self.one

    def relation(self, op: Operator, left: S | None, right: S | None) -> S:
        self.sum([left, right])
        return self.one

    def cases(self, expr: Cases) -> S | None:
        for case in expr.cases:
            self.of(case.test)
        return self.sum([*(self.of(case.value) for case in expr.cases), self.of(expr.otherwise)])

    def function(self, expr: Fun) -> S | None:
        measures = FUNCTIONS[expr.name].measures if expr.name in FUNCTIONS else ""
        if not measures:
            return super().function(expr)
        scales = [self.of(arg) for arg in expr.args]
        common = self.sum([self.one, *scales] if measures == "plain" else scales)
        return common if measures == "alike" else self.one

    def unruled(self, expr: Fun) -> S | None:
        raise _Unsound("has no rule for units")


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


# Kinds of numbers, each of which has the one before it in it

Kind = Literal[0, 1, 2]
WHOLE: Final = 0
RATIONAL: Final = 1
ROUNDED: Final = 2  # or it rests on what is rounded
_KINDS: Final[Mapping[str, Kind]] = {"whole": WHOLE, "rational": RATIONAL, "irrational": ROUNDED}


class _Kinds(Domain[Kind]):
    """What kind of numbers formulas are worth, if some letters are *rounded* or *whole*."""

    functions: Mapping[str, Callable[..., Any]] = {
        "harmonic": lambda last, steep: ROUNDED if steep else max(last, RATIONAL)
    }

    def __init__(self, rounded: Collection[str], whole: Collection[str]) -> None:
        self.rounded, self.whole = rounded, whole

    def number(self, expr: Num) -> Kind:
        return WHOLE if expr.value.denominator == 1 else RATIONAL

    def letter(self, name: str) -> Kind:
        return ROUNDED if name in self.rounded else WHOLE if name in self.whole else RATIONAL

    def nothing(self) -> Kind:
        return RATIONAL

    def sum(self, terms: Sequence[Kind]) -> Kind:
        return max(terms)

    def product(self, factors: Sequence[Kind]) -> Kind:
        return max(factors)

    def opposite(self, x: Kind) -> Kind:
        return x

    def quotient(self, top: Kind, bottom: Kind) -> Kind:
        return max(top, bottom, RATIONAL)

    def power(self, base: Kind, exponent: Kind) -> Kind:
        return ROUNDED if exponent != WHOLE else max(base, RATIONAL)

    def relation(self, op: Operator, left: Kind, right: Kind) -> Kind:
        return max(left, right)

    def cases(self, expr: Cases) -> Kind:
        if any(self.of(case.test) == ROUNDED for case in expr.cases):
            return ROUNDED
        return max(self.of(expr.otherwise), *(self.of(case.value) for case in expr.cases))

    def function(self, expr: Fun) -> Kind:
        called = fused(expr)
        kind = FUNCTIONS[called.name].kind if called.name in FUNCTIONS else ""
        if not kind:
            return super().function(expr)
        rounded = any(self.of(arg) == ROUNDED for arg in called.args)
        return ROUNDED if rounded else _KINDS[kind]

    def unruled(self, expr: Fun) -> Kind:
        kinds = [self.of(arg) for arg in expr.args]
        return max(kinds) if expr.name in FUNCTIONS else max(RATIONAL, *kinds)


def may_round(expr: Expr, rounded: Collection[str] = (), whole: Collection[str] = ()) -> bool:
    """Whether *expr* may be no rational number, or rest on letters that are *rounded*.

    Powers with an exponent of *whole* letters are rational.
    """
    return _Kinds(rounded, whole).of(expr) == ROUNDED


def is_whole(expr: Expr, whole: Collection[str]) -> bool:
    """Whether *expr* is a whole number, whatever its letters are worth; some are *whole*."""
    return _Kinds((), whole).of(expr) == WHOLE


def check_decisions(formulas: Iterable[tuple[str, Expr]], whole: Collection[str] = ()) -> None:
    """Raise BadEquation where a comparison, a rounding or a maximum rests on a rounded number.

    At a tie it could go either way. *formulas* define their letters in this order; the letters
    *whole* are whole numbers.
    """
    rounded: set[str] = set()
    for letter, formula in formulas:
        _check(letter, formula, rounded, whole)
        if may_round(formula, rounded, whole):
            rounded.add(letter)


def _check(letter: str, expr: Expr, rounded: Collection[str], whole: Collection[str]) -> None:
    decisive = any(may_round(part, rounded, whole) for part in _decisive(expr))
    if decisive and may_round(expr, rounded, whole):
        raise BadEquation(letter, f"decides {expr!r} by a rounded number; compare the squares")
    for part in _read(expr).parts():
        _check(letter, part, rounded, whole)


def _read(expr: Expr) -> Expr:
    """*expr*, or its meaning where it is a function that has only that."""
    if not isinstance(expr, Fun) or expr.name not in FUNCTIONS or FUNCTIONS[expr.name].kind:
        return expr
    meaning = None if FUNCTIONS[expr.name].measures else meaning_of(expr)
    return expr if meaning is None else meaning


def _decisive(expr: Expr) -> tuple[Expr, ...]:
    """The parts of *expr* by which it decides something."""
    if isinstance(expr, Fun) and expr.name in FUNCTIONS:
        return expr.args[: FUNCTIONS[expr.name].decides]
    return expr.parts() if isinstance(expr, Rel) else ()
