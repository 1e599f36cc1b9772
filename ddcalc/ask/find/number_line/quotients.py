"""Formulas as quotients of polynomials in the unknown, for as long as it stays in a piece.

Where a rounding, a maximum, a distinction or a sign changes inside of the piece, the places at
which it does are found exactly, for the piece to be split there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ddcalc.ask.find.number_line.piece import Piece
from ddcalc.ask.find.number_line.quotient import (
    DOUBLINGS,
    OPPOSITE_DOUBLINGS,
    OPPOSITE_ROOT,
    PLAIN,
    ROOT,
    Quotient,
    Rounding,
    number,
)
from ddcalc.formula import zeros
from ddcalc.formula.algebraic import Edge, at_least, at_most
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
    Rel,
    Sym,
)
from ddcalc.formula.polynomial import (
    LETTER,
    ONE,
    Polynomial,
    roots,
    sign,
    sign_at,
)
from ddcalc.numbers.approximate import DOUBLING, Approximate

STEEPEST = 24  # degree up to which polynomials are handled

_TRUE = {"<": (-1,), "<=": (-1, 0), "==": (0,), ">=": (0, 1), ">": (1,)}


class Undecided(Exception):
    """Something changes at these places of the piece.

    *endless* is -1 (1) where it changes without end towards the lower (upper) end of the piece.
    """

    def __init__(self, at: Sequence[Edge], endless: int = 0) -> None:
        super().__init__(at)
        self.at, self.endless = at, endless


class Undefined(Exception):
    """A formula divides by zero everywhere in the piece."""


class NoQuotient(Exception):
    """A formula is no quotient of polynomials: a root, a logarithm, a rounded number."""


class Quotients:
    """Formulas while the unknown called *letter* is in *piece*; *rules* define other letters."""

    def __init__(self, piece: Piece, letter: str, rules: Mapping[str, Expr]) -> None:
        self.piece, self.letter, self.rules = piece, letter, rules
        self.known: dict[str, Quotient | None] = {letter: Quotient(LETTER)}

    def of(self, expr: Expr) -> Quotient | None:
        """*expr* as a quotient; None where it has no value."""
        match expr:
            case Num(value) if type(value) is not Approximate:
                return number(value)
            case Sym(name):
                if name not in self.known:
                    self.known[name] = self.of(self.rules[name])
                return self.known[name]
            case Nothing():
                return None
            case Cases():
                return self.of(self._applying(expr))
            case Fun("floor", (Fun("sqrt", (square,)),)):
                return number(self._floor(self._square(square), ROOT))
            case Fun("ceiling", (Fun("sqrt", (square,)),)):
                return number(-self._floor(self._square(square).opposite(), OPPOSITE_ROOT))
            case Fun(name, (arg,)) if name in DOUBLING:
                return number(self._binary(name, self._number(arg)))
        return self._made(expr, [self._number(part) for part in expr.parts()])

    def holds(self, relation: Rel) -> bool:
        """Whether *relation* holds everywhere in the piece, where it else fails everywhere."""
        try:
            return self._holds(relation)
        except NoQuotient:
            return self._sign_of(relation.left - relation.right) in _TRUE[relation.op]

    def _holds(self, relation: Rel) -> bool:
        if (square := self._square_of(relation.left)) is not None:
            return self._root_compared(square, relation.right) in _TRUE[relation.op]
        left, right = (self.of(side) for side in relation.parts())
        if left is None or right is None:
            return False
        return self._compared(left, right) in _TRUE[relation.op]

    def check(self, expr: Expr) -> None:
        """Raise Undefined where *expr* has no value though it may be no quotient."""
        match expr:
            case Sym(name) if name in self.rules:
                self.check(self.rules[name])
            case Cases():
                self.check(self._applying(expr))
            case Fun("sqrt", (square,)):
                self._square(square)
            case Fun("log", (arg,)):
                if self._sign(self._number(arg).top) <= 0:
                    raise Undefined
            case (
                Add() | Mul() | Neg() | Fun("exp" | "floor" | "ceiling" | "max" | "min" | "argmax")
            ):
                for part in expr.parts():
                    self.check(part)
            case Div(top, bottom):
                self.check(top)
                self._check_divisor(bottom)
            case _:
                self.of(expr)

    def _check_divisor(self, expr: Expr) -> None:
        try:
            self._inverse(self._number(expr))
        except NoQuotient:
            if self._sign_of(expr) == 0:
                raise Undefined from None

    def _written(self, expr: Expr) -> Expr:
        """*expr* in the unknown alone, with its distinctions decided."""
        match expr:
            case Sym(name) if name in self.rules:
                return self._written(self.rules[name])
            case Cases():
                return self._written(self._applying(expr))
            case Fun("max" | "min" as name, args):
                best = args[0]
                for arg in args[1:]:
                    best = (
                        arg if self.holds(Rel(">" if name == "max" else "<", arg, best)) else best
                    )
                return self._written(best)
            case Nothing() | Fun("floor" | "ceiling" | "argmax"):
                raise NoQuotient
            case Fun(name) if name in DOUBLING:
                raise NoQuotient
        parts = expr.parts()
        return expr.rebuilt(tuple(map(self._written, parts))) if parts else expr

    def _sign_of(self, expr: Expr) -> int:
        """The sign of a formula that is no quotient, everywhere in a piece that is not *whole*."""
        piece = self.piece
        if piece.whole:
            raise NoQuotient
        expr = self._written(expr)
        if piece.is_point:
            assert piece.low is not None
            return zeros.sign(expr, self.letter, piece.low)
        low = None if piece.low is None else at_most(piece.low)
        high = None if piece.high is None else at_least(piece.high)
        found = zeros.zeros(expr, self.letter, low, high)
        if found is None:
            raise NoQuotient
        if inside := [zero for zero in found if zero in piece]:
            raise Undecided(inside)
        return zeros.sign(expr, self.letter, piece.sample())

    def _binary(self, name: str, arg: Quotient) -> Number:
        if self._sign(arg.top) <= 0:
            raise Undefined
        doublings = self._doublings(arg, up=name == "ceiling_log2")
        return Fraction(2) ** doublings if name == "floor_power2" else doublings

    def _doublings(self, arg: Quotient, *, up: bool) -> int:
        """How often 1 is doubled up to *arg*, rounded *up* or down, everywhere in the piece."""
        if self._compared(arg, number(1)) < 0:
            return -self._doublings(self._inverse(arg), up=not up)
        if up:
            return -self._floor(arg.opposite(), OPPOSITE_DOUBLINGS)
        return self._floor(arg, DOUBLINGS)

    def _square(self, expr: Expr) -> Quotient:
        """*expr*, of which a root is taken."""
        found = self._number(expr)
        if self._sign(found.top) < 0:
            raise Undefined
        return found

    def _square_of(self, expr: Expr) -> Quotient | None:
        """What *expr* is the root of, if it is nothing else."""
        while isinstance(expr, Sym) and expr.name in self.rules:
            expr = self.rules[expr.name]
        match expr:
            case Fun("sqrt", (square,)):
                return self._square(square)
        return None

    def _root_compared(self, square: Quotient, other: Expr) -> int:
        """The sign of a root less a number."""
        match other:
            case Num(value) if value < 0:
                return 1
            case Num(value) if type(value) is not Approximate:
                return self._compared(square, number(value * value))
        raise NoQuotient

    def _made(self, expr: Expr, args: Sequence[Quotient]) -> Quotient:
        match expr:
            case Add():
                return self._sum(args)
            case Neg():
                return args[0].opposite()
            case Mul():
                return self._product(args)
            case Div():
                return self._product([args[0], self._inverse(args[1])])
            case Pow(_, Num(exponent)) if exponent.denominator == 1:
                return self._power(args[0], int(exponent))
            case Fun("floor"):
                return number(self._floor(args[0]))
            case Fun("ceiling"):
                return number(-self._floor(args[0].opposite()))
            case Fun("max" | "min" as name):
                return args[self._first(args, 1 if name == "max" else -1)]
            case Fun("argmax"):
                return number(self._first(args, 1) + 1)
        raise NoQuotient

    def _number(self, expr: Expr) -> Quotient:
        found = self.of(expr)
        if found is None:
            raise Undefined
        return found

    def _applying(self, expr: Cases) -> Expr:
        return next((case.value for case in expr.cases if self.holds(case.test)), expr.otherwise)

    def _sum(self, args: Sequence[Quotient]) -> Quotient:
        total, bottom = args[0].top, args[0].bottom
        for each in args[1:]:
            if each.bottom == bottom:
                total += each.top
            else:
                total = total * each.bottom + each.top * bottom
                bottom *= each.bottom
        return self._reduced(total, bottom)

    def _product(self, args: Iterable[Quotient]) -> Quotient:
        top, bottom = ONE, ONE
        for each in args:
            top, bottom = top * each.top, bottom * each.bottom
        return self._reduced(top, bottom)

    def _inverse(self, arg: Quotient) -> Quotient:
        sign = self._sign(arg.top)
        if sign == 0:
            raise Undefined
        return Quotient(arg.bottom * sign, arg.top * sign)

    def _power(self, base: Quotient, exponent: int) -> Quotient:
        if exponent < 0:
            return self._power(self._inverse(base), -exponent)
        if exponent * max(_size(base.top), _size(base.bottom)) > STEEPEST and not base.is_number:
            raise NoQuotient
        return self._product([base] * exponent)

    def _reduced(self, top: Polynomial, bottom: Polynomial) -> Quotient:
        """The quotient without common factors; its bottom stays positive."""
        top, bottom = top.cancel(bottom)
        if self._sign(bottom) < 0:
            top, bottom = -top, -bottom
        if max(_size(top), _size(bottom)) > STEEPEST:
            raise NoQuotient
        return Quotient(top, bottom)

    def _first(self, args: Sequence[Quotient], sign: int) -> int:
        """Where the largest (the smallest, if *sign* is -1) stands; the first of equal ones."""
        best = 0
        for i, arg in enumerate(args):
            if i and self._compared(arg, args[best]) == sign:
                best = i
        return best

    def _compared(self, left: Quotient, right: Quotient) -> int:
        """The sign of a difference everywhere in the piece."""
        return self._sign(left.top * right.bottom - right.top * left.bottom)

    def _sign(self, p: Polynomial) -> int:
        """The sign of *p* everywhere in the piece."""
        if p.is_ground:
            return sign(p, 0)
        if self.piece.is_point:
            assert self.piece.low is not None
            return sign_at(p, self.piece.low)
        if inside := [root for root in roots(p) if root in self.piece]:
            raise Undecided(inside)
        return sign_at(p, self.piece.sample())

    def _floor(self, arg: Quotient, rounding: Rounding = PLAIN) -> int:
        """The value of *arg* rounded down, everywhere in the piece."""
        piece = self.piece
        if piece.is_point or arg.is_number:
            return rounding.part(arg.floor_at(0 if piece.low is None else piece.low)[0])
        rising = self._sign(arg.slope()) > 0
        low, high = (
            None if part is None else rounding.part(part) for part in arg.whole_parts(piece, rising)
        )
        if low is not None and low == high:
            return low
        level = arg.above(rounding.level(rounding.within(low, high)))
        endless = 0 if None not in (low, high) else 1 if rising == (high is None) else -1
        raise Undecided([root for root in roots(level) if root in piece], endless)


def _size(p: Polynomial) -> int:
    """How many coefficients *p* has, up to the highest power."""
    return len(p.to_dense())
