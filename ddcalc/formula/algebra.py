"""What equations may use: a few functions, and the rules that define a quantity by a condition.

>>> K, m = Sym("K"), Sym("m")
>>> floor(K / m)
floor(Div(K, m))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ddcalc.errors import BadEquation
from ddcalc.formula.constant import BITS_PER_BYTE
from ddcalc.formula.expression import (
    Add,
    Case,
    Cases,
    Expr,
    Fun,
    Nothing,
    Num,
    Operand,
    Rel,
    Sym,
    terms_of,
    wrap,
)

__all__ = [
    "BITS_PER_BYTE",
    "NEVER",
    "NOTHING",
    "Boundary",
    "Eq",
    "Expr",
    "Least",
    "Num",
    "Rel",
    "Rule",
    "Sym",
    "cases",
    "ceiling",
    "ceiling_log2",
    "each",
    "exp",
    "floor",
    "floor_log2",
    "floor_power2",
    "harmonic",
    "lambert",
    "largest",
    "log",
    "position_of_largest",
    "same",
    "smallest",
    "sqrt",
    "total",
]

NOTHING = Nothing()
NEVER = Rel("<", Num(1), Num(0))  # a condition that no numbers meet


@dataclass(frozen=True, slots=True)
class Eq:
    """The quantity is whatever makes *left* equal *right*; linear in it."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Boundary:
    """The value at which *relation* between two sides changes its truth, as *unknown* grows."""

    unknown: Expr  # a symbol
    relation: Rel

    @property
    def letter(self) -> str:
        """The letter of the unknown."""
        assert isinstance(self.unknown, Sym)
        return self.unknown.name


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest whole number, from 1 on, for which *relation* holds; none if none does.

    *boundary* is the quantity that a :class:`Boundary` of the same relation has defined, or, where
    the relation is not linear, the formula of the number itself, for where it is more than 1.
    *first* and *never* say why the answer is 1, or why there is none.
    """

    relation: Rel
    boundary: Expr
    first: str
    never: str = ""


Rule = Expr | Eq | Boundary | Least


def floor(x: Operand) -> Expr:
    """The largest whole number that is at most *x*."""
    return Fun("floor", (wrap(x),))


def ceiling(x: Operand) -> Expr:
    """The smallest whole number that is at least *x*."""
    return Fun("ceiling", (wrap(x),))


def least_with_product(x: Expr, over: Expr | int = 1) -> Expr:
    """The least whole number n with n·(n + 1) >= *x*/*over*, a quotient of more than 0."""
    square = 1 + 4 * x if over == 1 else 1 + 4 * x / over
    return ceiling((ceiling(sqrt(square)) - 1) / 2)


def largest(*xs: Operand) -> Expr:
    """The largest of *xs*."""
    return Fun("max", tuple(map(wrap, xs)))


def smallest(*xs: Operand) -> Expr:
    """The smallest of *xs*."""
    return Fun("min", tuple(map(wrap, xs)))


def position_of_largest(*xs: Operand) -> Expr:
    """The number, counted from 1, of the largest of *xs*; of the first, if several are."""
    return Fun("argmax", tuple(map(wrap, xs)))


def sqrt(x: Operand) -> Expr:
    """The square root of *x*, whose dimension must have one."""
    return Fun("sqrt", (wrap(x),))


def exp(x: Operand) -> Expr:
    """e to the power of *x*, a plain number."""
    return Fun("exp", (wrap(x),))


def log(x: Operand) -> Expr:
    """The natural logarithm of *x*, a plain number."""
    return Fun("log", (wrap(x),))


def lambert(x: Operand) -> Expr:
    """Lambert's W of *x*, a plain number from −1/e on: the number w ≥ −1 for which w·e^w = x."""
    return Fun("lambert", (wrap(x),))


def floor_log2(x: Operand) -> Expr:
    """How often 1 can be doubled without exceeding *x*, a plain number: rounded down, exactly."""
    return Fun("floor_log2", (wrap(x),))


def ceiling_log2(x: Operand) -> Expr:
    """How often 1 must be doubled to reach *x*, a plain number: rounded up, exactly."""
    return Fun("ceiling_log2", (wrap(x),))


def floor_power2(x: Operand) -> Expr:
    """The largest power of two that is at most *x*, a plain number."""
    return Fun("floor_power2", (wrap(x),))


def harmonic(n: Operand, exponent: Operand = 1) -> Expr:
    """1 + 1/2^a + … + 1/n^a for the *exponent* a and a whole number *n* (up to 10 000)."""
    return Fun("harmonic", (wrap(n), wrap(exponent)))


def total(xs: Iterable[Expr]) -> Expr:
    """The sum of *xs*."""
    terms = tuple(term for x in xs for term in terms_of(x))
    return Add(terms) if len(terms) != 1 else terms[0]


def same(left: Operand, right: Operand) -> Rel:
    """The relation that *left* equals *right* (``==`` compares formulas)."""
    return Rel("==", wrap(left), wrap(right))


def each(function: Callable[..., Expr], *xs: Expr | Sequence[Expr]) -> Expr | list[Expr]:
    """*function* of every member of the lists among *xs*; a single one serves for all members."""
    lengths = [len(x) for x in xs if not isinstance(x, Expr)]
    if not lengths:
        return function(*xs)
    rows = zip(*([x] * lengths[0] if isinstance(x, Expr) else x for x in xs), strict=True)
    return [function(*row) for row in rows]


def cases(
    *given: tuple[Operand, Rel] | tuple[Operand, Rel, str], otherwise: Operand, why: str = ""
) -> Expr:
    """The first value whose test holds, else *otherwise*; each case may say why it applies."""
    told = tuple(Case(wrap(value), test, *reason) for value, test, *reason in given)
    for case in told:
        if not isinstance(case.test, Rel):
            raise BadEquation(repr(case.test), "is no relation; write same(a, b) for a == b")
    return Cases(told, wrap(otherwise), why)
