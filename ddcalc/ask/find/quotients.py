"""Formulas as quotients of polynomials in the unknown, for as long as it stays in a piece.

Where a rounding, a maximum, a distinction or a sign changes inside of the piece, the places at
which it does are found exactly, for the piece to be split there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor, isqrt
from typing import NamedTuple

from ddcalc.ask.find.number_line import Piece
from ddcalc.formula import zeros
from ddcalc.formula.algebra import FUNCTIONS, meaning_of
from ddcalc.formula.algebraic import Edge, Root, at_least, at_most
from ddcalc.formula.domain import Domain
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
    Rel,
    Sym,
)
from ddcalc.formula.polynomial import (
    LETTER,
    ONE,
    Polynomial,
    coefficient,
    constant,
    roots,
    sign,
    sign_at,
    value,
)
from ddcalc.numbers.irrational import Approximate

STEEPEST = 24  # degree up to which polynomials are handled

_TRUE = {"<": (-1,), "<=": (-1, 0), "==": (0,), ">=": (0, 1), ">": (1,)}


@dataclass(frozen=True, slots=True)
class Quotient:
    """*top* over *bottom*, which is positive everywhere in the piece that is looked at."""

    top: Polynomial
    bottom: Polynomial = ONE

    @property
    def is_number(self) -> bool:
        """Whether it is the same whatever the unknown is."""
        return bool(self.top.is_ground and self.bottom.is_ground)

    @property
    def constant(self) -> Number:
        """The number that it is."""
        return Fraction(value(self.top, 0)) / value(self.bottom, 0)

    def opposite(self) -> Quotient:
        """Minus this quotient."""
        return Quotient(-self.top, self.bottom)

    def slope(self) -> Polynomial:
        """A polynomial that has the sign of the slope."""
        rising, falling = self.top.diff(LETTER) * self.bottom, self.top * self.bottom.diff(LETTER)
        difference: Polynomial = rising - falling
        return difference

    def above(self, level: int) -> Polynomial:
        """A polynomial that has the sign of what the quotient is more than *level*."""
        difference: Polynomial = self.top - self.bottom * level
        return difference

    def floor_at(self, x: Edge) -> tuple[int, bool]:
        """The whole part at *x*, and whether nothing is left over."""
        whole = self._about(x)
        if isinstance(x, Root):  # the guess may be off by one
            while sign_at(self.above(whole), x) < 0:
                whole -= 1
            while sign_at(self.above(whole + 1), x) >= 0:
                whole += 1
        return whole, sign_at(self.above(whole), x) == 0

    def _about(self, x: Edge) -> int:
        """The whole part at *x*; only nearly so where *x* is irrational."""
        if not isinstance(x, Root):
            return floor(Fraction(value(self.top, x)) / value(self.bottom, x))
        while True:
            if value(self.bottom, x.low) and value(self.bottom, x.high):
                low, high = self._about(x.low), self._about(x.high)
                if abs(low - high) <= 1:
                    return low
            x.refine()

    def limit(self, x: Edge | None) -> tuple[int, bool] | None:
        """The whole part of what it tends to towards *x* (None: without end), and whether nothing
        is left over; None where it has no limit."""
        if x is not None:
            return None if sign_at(self.bottom, x) == 0 else self.floor_at(x)
        last = self.value_towards(None)
        return None if last is None else (floor(last), last.denominator == 1)

    def value_towards(self, x: Number | None) -> Number | None:
        """What it tends to towards *x* (None: without end); None where that is no number."""
        if x is not None:
            bottom = value(self.bottom, x)
            return Fraction(value(self.top, x)) / bottom if bottom else None
        degree = self.bottom.degree()
        if self.top.degree() > degree:
            return None
        return Fraction(coefficient(self.top, degree)) / coefficient(self.bottom, degree)

    def whole_parts(self, piece: Piece, rising: bool) -> tuple[int | None, int | None]:
        """The smallest and the largest whole part in a *piece* where it rises (or falls) all along.

        None is no limit.
        """
        ends = [(piece.low, piece.low_in), (piece.high, piece.high_in)]
        (start, _), (end, reached) = ends if rising else ends[::-1]
        low, high = self.limit(start), self.limit(end)
        if high is not None and high[1] and not (reached and end is not None):
            high = high[0] - 1, False
        return None if low is None else low[0], None if high is None else high[0]


def level_within(low: int | None, high: int | None) -> int:
    """A level more than *low* and at most *high*, in the middle; None is no limit."""
    if low is not None and high is not None:
        return (low + high + 1) // 2
    if low is not None:
        return 2 * low if low > 0 else 1
    if high is not None:
        return 2 * high if high < 0 else 0
    return 0


def _next(low: int | None, high: int | None) -> int:
    """As :func:`level_within`, but without an end the nearest one: powers grow fast enough."""
    if low is None:
        return 0 if high is None else high
    return low + 1 if high is None else level_within(low, high)


class Rounding(NamedTuple):
    """A way to round down what rises: *part* makes it of the whole part, *level* where it becomes
    a number, and *within* a number to look at between a lower and an upper one."""

    part: Callable[[int], int]
    level: Callable[[int], int]
    within: Callable[[int | None, int | None], int] = level_within


PLAIN = Rounding(lambda part: part, lambda k: k)
ROOT = Rounding(isqrt, lambda k: k * k)  # of a square, its root
OPPOSITE_ROOT = Rounding(  # of a square's opposite, the opposite of its root
    lambda part: -(isqrt(-part - 1) + 1) if part < 0 else 0, lambda k: -k * k
)

DOUBLINGS = Rounding(  # of what is at least 1
    lambda part: part.bit_length() - 1, lambda k: 1 << k, _next
)
OPPOSITE_DOUBLINGS = Rounding(  # of the opposite of what is at least 1, rounded up
    lambda part: -(-part - 1).bit_length(), lambda k: -(1 << -k), _next
)


def number(value: Number) -> Quotient:
    """A number as a quotient."""
    return Quotient(constant(value))


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


class Quotients(Domain[Quotient | None]):
    """Formulas while the *unknown* is in *piece*, None where they have no value; *rules* define
    other letters."""

    def __init__(self, piece: Piece, unknown: str, rules: Mapping[str, Expr]) -> None:
        self.piece, self.unknown, self.rules = piece, unknown, rules
        self.known: dict[str, Quotient | None] = {unknown: Quotient(LETTER)}
        self.functions = {
            "floor": lambda x: number(self._floor(_sure(x))),
            "max": lambda *xs: xs[self._largest([*map(_sure, xs)])],
            "argmax": lambda *xs: number(self._largest([*map(_sure, xs)]) + 1),
            "floor_sqrt": lambda x: number(self._floor(self._from_zero(x), ROOT)),
            "ceiling_sqrt": lambda x: number(
                -self._floor(self._from_zero(x).opposite(), OPPOSITE_ROOT)
            ),
            "floor_log2": lambda x: number(self._doublings(self._from_zero(x, 1), up=False)),
            "ceiling_log2": lambda x: number(self._doublings(self._from_zero(x, 1), up=True)),
        }

    def number(self, expr: Num) -> Quotient:
        if type(expr.value) is Approximate:
            raise NoQuotient
        return number(expr.value)

    def letter(self, name: str) -> Quotient | None:
        if name not in self.known:
            self.known[name] = self.of(self.rules[name])
        return self.known[name]

    def nothing(self) -> None:
        return None

    def cases(self, expr: Cases) -> Quotient | None:
        return self.of(self._applying(expr))

    def unruled(self, expr: Fun) -> Quotient | None:
        for arg in expr.args:
            self._number(arg)
        raise NoQuotient

    def opposite(self, x: Quotient | None) -> Quotient:
        return _sure(x).opposite()

    def sum(self, terms: Sequence[Quotient | None]) -> Quotient:
        first, *others = map(_sure, terms)
        total, bottom = first.top, first.bottom
        for term in others:
            if term.bottom == bottom:
                total += term.top
            else:
                total = total * term.bottom + term.top * bottom
                bottom *= term.bottom
        return self._reduced(total, bottom)

    def product(self, factors: Sequence[Quotient | None]) -> Quotient:
        top, bottom = ONE, ONE
        for factor in map(_sure, factors):
            top, bottom = top * factor.top, bottom * factor.bottom
        return self._reduced(top, bottom)

    def quotient(self, top: Quotient | None, bottom: Quotient | None) -> Quotient:
        over, under = _sure(top), _sure(bottom)
        return self.product([over, self._inverse(under)])

    def power(self, base: Quotient | None, exponent: Quotient | None) -> Quotient:
        known, times = _sure(base), _sure(exponent)
        if not times.is_number or times.constant.denominator != 1:
            raise NoQuotient
        return self._power(known, int(times.constant))

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
                self._from_zero(self.of(square))
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
            case Fun("max", args):
                best = args[0]
                for arg in args[1:]:
                    best = arg if self.holds(arg > best) else best
                return self._written(best)
            case Fun(name) if name in FUNCTIONS and not FUNCTIONS[name].rises:
                meaning = meaning_of(expr)
                if FUNCTIONS[name].kind == "whole" and meaning is None:
                    raise NoQuotient
                if meaning is not None:
                    return self._written(meaning)
            case Nothing():
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
            return zeros.sign(expr, self.unknown, piece.low)
        low = None if piece.low is None else at_most(piece.low)
        high = None if piece.high is None else at_least(piece.high)
        places = zeros.zeros(expr, self.unknown, low, high)
        if places is None:
            raise NoQuotient
        if inside := [zero for zero in places if zero in piece]:
            raise Undecided(inside)
        return zeros.sign(expr, self.unknown, piece.sample())

    def _doublings(self, arg: Quotient, *, up: bool) -> int:
        """How often 1 is doubled up to *arg*, rounded *up* or down, everywhere in the piece."""
        if self._compared(arg, number(1)) < 0:
            return -self._doublings(self._inverse(arg), up=not up)
        if up:
            return -self._floor(arg.opposite(), OPPOSITE_DOUBLINGS)
        return self._floor(arg, DOUBLINGS)

    def _from_zero(self, x: Quotient | None, least: int = 0) -> Quotient:
        """*x*, of which a root is taken; with 1 for the *least* sign, a logarithm."""
        if self._sign(_sure(x).top) < least:
            raise Undefined
        return _sure(x)

    def _square_of(self, expr: Expr) -> Quotient | None:
        """What *expr* is the root of, if it is nothing else."""
        while isinstance(expr, Sym) and expr.name in self.rules:
            expr = self.rules[expr.name]
        match expr:
            case Fun("sqrt", (square,)):
                return self._from_zero(self.of(square))
        return None

    def _root_compared(self, square: Quotient, other: Expr) -> int:
        """The sign of a root less a number."""
        match other:
            case Num(value) if value < 0:
                return 1
            case Num(value) if type(value) is not Approximate:
                return self._compared(square, number(value * value))
        raise NoQuotient

    def _number(self, expr: Expr) -> Quotient:
        return _sure(self.of(expr))

    def _applying(self, expr: Cases) -> Expr:
        return next((case.value for case in expr.cases if self.holds(case.test)), expr.otherwise)

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
        if base.is_number:
            return number(Fraction(base.constant) ** exponent)
        return self.product([base] * exponent)

    def _reduced(self, top: Polynomial, bottom: Polynomial) -> Quotient:
        """The quotient without common factors; its bottom stays positive."""
        top, bottom = top.cancel(bottom)
        if self._sign(bottom) < 0:
            top, bottom = -top, -bottom
        if max(_size(top), _size(bottom)) > STEEPEST:
            raise NoQuotient
        return Quotient(top, bottom)

    def _largest(self, args: Sequence[Quotient]) -> int:
        """Where the largest stands; the first of equal ones."""
        best = 0
        for i, arg in enumerate(args):
            if i and self._compared(arg, args[best]) > 0:
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


def _sure(x: Quotient | None) -> Quotient:
    """*x*, which must have a value."""
    if x is None:
        raise Undefined
    return x


def _size(p: Polynomial) -> int:
    """How many coefficients *p* has, up to the highest power."""
    return len(p.to_dense())
