"""Which formulas may be worth a rounded number, and that such a number decides nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ddcalc.errors import BadEquation
from ddcalc.formula.expression import Add, Expr, Fun, Mul, Neg, Num, Pow, Rel, Sym
from ddcalc.numbers.approximate import DOUBLING


def may_round(expr: Expr, rounded: Collection[str] = (), whole: Collection[str] = ()) -> bool:
    """Whether *expr* may be no rational number, or rest on letters that are *rounded*.

    Powers with an exponent of *whole* letters are rational.
    """
    match expr:
        case Sym(name):
            return name in rounded
        case Fun("sqrt" | "exp" | "log" | "lambert"):
            return True
        case Fun("floor" | "ceiling", (Fun("sqrt", (square,)),)):
            return may_round(square, rounded, whole)  # found in whole numbers
        case Pow(_, exponent) | Fun("harmonic", (_, exponent)) if not _is_whole(exponent, whole):
            return True
    return any(may_round(part, rounded, whole) for part in expr.parts())


def _is_whole(expr: Expr, whole: Collection[str]) -> bool:
    match expr:
        case Num(value):
            return value.denominator == 1
        case Sym(name):
            return name in whole
        case Add() | Mul() | Neg():
            return all(_is_whole(part, whole) for part in expr.parts())
    return False


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
    for part in expr.parts():
        _check(letter, part, rounded, whole)


def _decisive(expr: Expr) -> tuple[Expr, ...]:
    """The parts of *expr* by which it decides something."""
    match expr:
        case Rel() | Fun("floor" | "ceiling" | "max" | "min" | "argmax"):
            return expr.parts()
        case Fun("harmonic", (last, _)):
            return (last,)
        case Fun(name, args) if name in DOUBLING:
            return args
    return ()
