"""Derivatives of formulas at a point, by the rules of differentiation, in exact numbers.

Forward differentiation (dual numbers): every letter carries its derivative in each of some
directions, and so does every formula of letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ddcalc.formula.evaluation import applying, evaluate
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
    Number,
    Pow,
    Sym,
)
from ddcalc.numbers.approximate import DOUBLING, log, power

Known = Mapping[str, Number | None]
Slopes = dict[str, Number]  # the derivative in each direction in which it is not 0


class Differential:
    """Derivatives where the letters are worth what is *known* and have these *slopes*.

    Of equal members of a maximum the first counts; what is rounded to a whole number does not
    change. Rounded values count as exact. All this can be overridden.
    """

    def __init__(self, known: Known, slopes: Mapping[str, Slopes]) -> None:
        self.known, self.slopes = known, slopes

    def of(self, expr: Expr) -> Slopes:
        """The derivatives of *expr*; TypeError where it has none."""
        match expr:
            case Sym(name):
                return self.slopes.get(name, {})
            case Add(args):
                return _sum(*map(self.of, args))
            case Neg(arg):
                return _times(-1, self.of(arg))
            case Mul(args):
                first, *rest = args
                others = Mul(tuple(rest)) if len(rest) > 1 else rest[0]
                left, right = self.worth(first), self.worth(others)
                return _sum(_times(right, self.of(first)), _times(left, self.of(others)))
            case Div(top, bottom):
                over = self.worth(bottom)
                up, down = self.of(top), self.of(bottom)
                return _sum(_times(1 / over, up), _times(-self.worth(top) / (over * over), down))
            case Fun("max" | "min"):
                return self.of(self.largest(expr))
            case Cases():
                return self.of(self.branch(expr))
            case Num() | Nothing() | Fun("argmax"):
                return {}
            case Fun("floor" | "ceiling", (arg,)):
                return self.rounded(expr, arg)
            case Fun(name, (arg,)) if name in DOUBLING:
                return self.rounded(expr, arg)
        return self._of_power(expr)

    def worth(self, expr: Expr) -> Fraction:
        """The value of *expr*."""
        return self.number(evaluate(expr, self.known))

    def number(self, value: Number) -> Fraction:
        """*value* to reckon with; a rounded one as if it were exact."""
        return Fraction(value)

    def largest(self, expr: Fun) -> Expr:
        """The argument of a maximum or minimum that counts."""
        best = max if expr.name == "max" else min
        return best(expr.args, key=lambda arg: evaluate(arg, self.known))

    def branch(self, expr: Cases) -> Expr:
        """The branch of a distinction that counts."""
        return applying(expr, self.known)[0]

    def rounded(self, expr: Fun, arg: Expr) -> Slopes:
        """The derivatives of *arg* rounded to a whole number as *expr* says."""
        return {}

    def raised(self, base: Expr, exponent: Fraction, above: Slopes) -> Slopes:
        """The derivatives of a power, from those of its base and of its exponent (*above*)."""
        found: Slopes = {}
        worth, below = self.worth(base), self.of(base)
        if below and worth:
            found = _times(exponent * self.number(power(worth, exponent - 1)), below)
        if above:
            steep = self.number(power(worth, exponent)) * self.number(log(worth))
            found = _sum(found, _times(steep, above))
        return found

    def _of_power(self, expr: Expr) -> Slopes:
        match expr:
            case Pow(base, exponent):
                return self.raised(base, self.worth(exponent), self.of(exponent))
            case Fun("sqrt", (arg,)):
                return self.raised(arg, Fraction(1, 2), {})
            case Fun("exp", (arg,)):
                return _times(self.worth(expr), self.of(arg))
            case Fun("log", (arg,)):
                return _times(1 / self.worth(arg), self.of(arg))
            case Fun("lambert", (arg,)):
                found = self.worth(expr)
                return _times(found / (self.worth(arg) * (1 + found)), self.of(arg))
        raise TypeError(f"{expr!r} has no derivative")


def _sum(*slopes: Slopes) -> Slopes:
    added: Slopes = {}
    for each in slopes:
        for direction, slope in each.items():
            added[direction] = added.get(direction, 0) + slope
    return added


def _times(factor: Number, slopes: Slopes) -> Slopes:
    return {direction: factor * slope for direction, slope in slopes.items()}
