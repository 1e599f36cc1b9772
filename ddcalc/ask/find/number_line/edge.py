"""Places on the number line where something changes: rational numbers, and roots of polynomials.

Everything is exact. An irrational root is known by its polynomial and two rational numbers between
which there is no other root of it; it is bracketed more closely as far as a question needs.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, isqrt
from typing import TypeAlias

from ddcalc.ask.find.number_line.polynomial import (
    Polynomial,
    divided,
    greatest_common_divisor,
    polynomial,
    roots_within,
    square_free,
    sturm_chain,
    value,
    whole,
)
from ddcalc.memory import remembered
from ddcalc.number import Number


class Root:
    """An irrational number: the only root of a square-free *p* between *low* and *high*."""

    __slots__ = ("high", "low", "p")

    def __init__(self, p: Polynomial, low: Number, high: Number) -> None:
        self.p, self.low, self.high = p, low, high

    def refine(self) -> None:
        """Halve the bracket."""
        middle = Fraction(self.low + self.high) / 2
        if (value(self.p, self.low) > 0) == (value(self.p, middle) > 0):
            self.low = middle
        else:
            self.high = middle

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Root):
            return False
        return sign_at(other.p, self) == 0 and other.low < self < other.high

    def __lt__(self, other: Edge) -> bool:
        return not self > other and self != other

    def __gt__(self, other: Edge) -> bool:
        if isinstance(other, Root):
            if self == other:
                return False
            while other.low < self.high and self.low < other.high:
                self.refine()
                other.refine()
            return self.low >= other.high
        while self.low < other < self.high:
            self.refine()
        return self.low >= other

    def __le__(self, other: Edge) -> bool:
        return not self > other

    def __ge__(self, other: Edge) -> bool:
        return not self < other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Root({self.p}, {self.low}, {self.high})"


Edge: TypeAlias = Number | Root


def at_most(x: Edge) -> Number:
    """A rational number that *x* is not below: *x* itself if it is rational."""
    return x.low if isinstance(x, Root) else x


def at_least(x: Edge) -> Number:
    """A rational number that *x* is not above: *x* itself if it is rational."""
    return x.high if isinstance(x, Root) else x


def floor_of(x: Edge) -> int:
    """The largest whole number that is at most *x*."""
    while isinstance(x, Root) and floor(x.low) != ceil(x.high) - 1:
        x.refine()
    return floor(at_most(x))


def close_to(x: Edge, digits: int) -> Number:
    """A rational number that agrees with *x* in about so many significant *digits*."""
    if not isinstance(x, Root):
        return x
    while x.low < 0 < x.high or (x.high - x.low) * 10**digits > abs(x.low + x.high):
        x.refine()
    return Fraction(x.low + x.high) / 2


def between(low: Edge | None, high: Edge | None) -> Number:
    """A rational number more than *low* and less than *high*; None is no limit."""
    if high is None:
        return 0 if low is None else at_least(low) + 1
    if low is None:
        return at_most(high) - 1
    while at_least(low) >= at_most(high):
        for end in (low, high):
            if isinstance(end, Root):
                end.refine()
    return Fraction(at_least(low) + at_most(high)) / 2


def sign_at(p: Polynomial, x: Edge) -> int:
    """The sign of *p* at *x*: 1, 0 or -1."""
    if isinstance(x, Root):
        common = greatest_common_divisor(p, x.p)
        if not p or (value(common, x.low) > 0) != (value(common, x.high) > 0):
            return 0
        chain = sturm_chain(square_free(p))
        while roots_within(chain, x.low, x.high):
            x.refine()
        x = x.high
    worth = value(p, x)
    return (worth > 0) - (worth < 0)


@remembered
def roots(p: Polynomial) -> tuple[Edge, ...]:
    """The real roots of *p*, which is not 0, in order, each of them once."""
    if len(p) < 2:
        return ()
    if len(p) == 2:
        return (Fraction(-p[0]) / p[1],)
    p = whole(square_free(p))
    return _of_a_square(p) if len(p) == 3 else tuple(_separated(p))


def _of_a_square(p: Polynomial) -> tuple[Edge, ...]:
    """The roots of a polynomial of degree 2 with whole coefficients."""
    c, b, a = map(int, p)
    under = b * b - 4 * a * c
    root = isqrt(max(under, 0))
    if under < 0:
        return ()
    if root * root == under:
        return tuple(sorted(Fraction(-b + sign * root, 2 * a) for sign in (-1, 1)))
    middle, reach = Fraction(-b, 2 * a), _reach(p)
    return Root(p, -reach, middle), Root(p, middle, reach)


def _reach(p: Polynomial) -> Number:
    """A number that all roots of *p* are nearer to 0 than (Cauchy's bound)."""
    return 1 + max(abs(Fraction(a) / p[-1]) for a in p[:-1])


def _separated(p: Polynomial) -> list[Edge]:
    """The roots of a square-free *p* with whole coefficients."""
    if len(p) < 3:
        return list(roots(p))
    chain = sturm_chain(p)
    brackets, found = [(-_reach(p), _reach(p))], list[Edge]()
    while brackets:
        low, high = brackets.pop()
        middle = Fraction(low + high) / 2
        inside = roots_within(chain, low, high)
        exact: Number | None = middle if value(p, middle) == 0 else None
        if inside == 1 and exact is None:
            exact = _rational(p, low, high)
        if exact is not None:  # the others are those of a polynomial without this one
            others = _separated(whole(divided(p, polynomial((-exact, 1)))[0]))
            return sorted([exact, *others])
        if inside == 1:
            found.append(Root(p, low, high))
        elif inside:
            brackets += [(low, middle), (middle, high)]
    return sorted(found)


def _rational(p: Polynomial, low: Number, high: Number) -> Number | None:
    """The only root of *p* between *low* and *high* if it is rational.

    Its denominator divides the leading coefficient, and two fractions with denominators up to n
    are at least 1/n² apart.
    """
    largest = abs(int(p[-1]))
    while True:
        middle = Fraction(low + high) / 2
        if value(p, middle) == 0:
            return middle
        if (high - low) * 2 * largest**2 < 1:
            nearest = middle.limit_denominator(largest)
            return nearest if value(p, nearest) == 0 else None
        if (value(p, low) > 0) == (value(p, middle) > 0):
            low = middle
        else:
            high = middle
