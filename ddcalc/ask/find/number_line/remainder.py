"""Remainders: formulas of the form X − ⌊X/Y⌋·Y, which are at least 0 and less than Y.

Interval arithmetic does not see that, because it takes the X of one place for another one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Sym, replace


@dataclass(frozen=True, slots=True, repr=False)
class Remainder(Add):
    """A sum that is what is left over by a division by *divisor*; *whole* if both are."""

    divisor: Expr
    whole: bool

    def rebuilt(self, parts: tuple[Expr, ...]) -> Expr:
        return Remainder(parts, self.divisor, self.whole)


def marked(expr: Expr, rules: Mapping[str, Expr], wholes: Collection[str]) -> Expr:
    """*expr* with its remainders marked as such.

    *rules* are the formulas of letters, *wholes* the letters that stand for whole numbers.
    """

    def change(part: Expr) -> Expr | None:
        match part:
            case Add((dividend, Neg(Mul((one, other))))):
                for rounded, divisor in ((one, other), (other, one)):
                    if _rule(rounded, rules) == Fun("floor", (Div(dividend, divisor),)):
                        whole = is_whole(dividend, wholes) and is_whole(divisor, wholes)
                        return Remainder(part.parts(), divisor, whole)
        return None

    return replace(expr, change)


def _rule(expr: Expr, rules: Mapping[str, Expr]) -> Expr:
    return rules.get(expr.name, expr) if isinstance(expr, Sym) else expr


def is_whole(expr: Expr, wholes: Collection[str]) -> bool:
    """Whether *expr* is a whole number, whatever its letters are worth."""
    match expr:
        case Num(value):
            return value.denominator == 1
        case Sym(name):
            return name in wholes
        case Fun("floor" | "ceiling" | "argmax" | "floor_log2" | "ceiling_log2"):
            return True
        case Add() | Mul() | Neg() | Fun("max" | "min"):
            return all(is_whole(part, wholes) for part in expr.parts())
    return False
