"""Whether formulas are sound: only like things are added, and no rounded number decides anything.

Asked of a formula are its dimension, what its unit is worth, and what kind of number it is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import mul
from typing import Any, Final, Generic, TypeVar, cast

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import FUNCTIONS, fused, meaning_of
from ddcalc.formula.expression import (
    Cases,
    Div,
    Expr,
    Fun,
    Mul,
    Nothing,
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


# Kinds of numbers, each of which has the one before it in it

Kind = int
WHOLE: Final = 0
RATIONAL: Final = 1
ROUNDED: Final = 2  # or it rests on what is rounded
_KINDS: Final[Mapping[str, Kind]] = {"whole": WHOLE, "rational": RATIONAL, "irrational": ROUNDED}


def _kind(expr: Expr, rounded: Collection[str], whole: Collection[str]) -> Kind:
    """What kind of number *expr* is, if some letters are *rounded* or *whole*."""
    called = fused(expr) if isinstance(expr, Fun) else expr
    kinds = [_kind(part, rounded, whole) for part in called.parts()]
    most = max(kinds, default=WHOLE)
    match called:
        case Num(value):
            return WHOLE if value.denominator == 1 else RATIONAL
        case Sym(name):
            return ROUNDED if name in rounded else WHOLE if name in whole else RATIONAL
        case Nothing() | Div():
            return max(most, RATIONAL)
        case Pow():
            return ROUNDED if kinds[1] != WHOLE else max(kinds[0], RATIONAL)
        case Fun("harmonic"):
            return ROUNDED if kinds[1] != WHOLE else max(kinds[0], RATIONAL)
        case Fun(name) if name not in FUNCTIONS:
            return max(most, RATIONAL)
        case Fun(name) if kind := FUNCTIONS[name].kind:
            return ROUNDED if most == ROUNDED else _KINDS[kind]
        case Fun() if (meaning := meaning_of(called)) is not None:
            return _kind(meaning, rounded, whole)
        case Cases() if ROUNDED not in kinds[1:-1:2]:
            return max(*kinds[:-1:2], kinds[-1])
    return most


def may_round(expr: Expr, rounded: Collection[str] = (), whole: Collection[str] = ()) -> bool:
    """Whether *expr* may be no rational number, or rest on letters that are *rounded*.

    Powers with an exponent of *whole* letters are rational.
    """
    return _kind(expr, rounded, whole) == ROUNDED


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
