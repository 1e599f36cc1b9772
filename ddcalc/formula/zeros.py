"""Where formulas of one letter are 0, and their signs and limits: SymPy's polynomials with exact
coefficients, and matrices; sums of any powers, by their slopes; other formulas, where SymPy knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from math import inf
from typing import Any, Final

import sympy
from sympy.polys.domains import QQ
from sympy.polys.matrices import DomainMatrix
from sympy.polys.rings import PolyElement, ring

from ddcalc.formula.algebraic import Edge, Root, at_least, at_most, close_to
from ddcalc.memory import remembered
from ddcalc.numbers.irrational import Approximate, OutOfReach, power
from ddcalc.numbers.number import Number, plain, quotient

DIGITS: Final = 40  # of a limit, and of a place where something turns
EXACT: Final = 100  # digits of a number that is irrational


def number_of(number: Any) -> Number:
    """An exact number of SymPy's, or of its polynomials, as ours."""
    return quotient(int(number.numerator), int(number.denominator))


# Polynomials in the unknown with exact coefficients, and matrices, over the rationals

Polynomial = PolyElement
Rows = Sequence[Sequence[Number]]

_made: Any = ring("x", QQ)
RING: Final = _made[0]
LETTER: Final[Polynomial] = _made[1]


def _sign(p: Polynomial, x: Number) -> int:
    worth = p(QQ(x))
    return int(worth > 0) - int(worth < 0)


def sign_at(p: Polynomial, x: Edge) -> int:
    """The sign of *p* at *x*: 1, 0 or -1."""
    if not isinstance(x, Root):
        return _sign(p, x)
    if not p or (isinstance(x.zero_of, PolyElement) and not p.rem(x.zero_of)):
        return 0
    while RING.dup_count_real_roots(p, QQ(x.low), QQ(x.high)):
        if x.is_narrow:
            return 0
        x.refine()
    return _sign(p, x.high)


@remembered
def roots(p: Polynomial) -> tuple[Edge, ...]:
    """The real roots of *p*, which is not 0, in order, each of them once."""
    places: list[Edge] = []
    for factor, _ in p.factor_list()[1]:
        if factor.degree() == 1:
            slope, rest = factor.to_dense()
            places.append(Fraction(number_of(-rest / slope)))
            continue
        for ends in RING.dup_isolate_real_roots_sqf(factor):
            low, high = (Fraction(number_of(end)) for end in ends)
            places.append(Root(factor, partial(_sign, factor), low, high))
    return tuple(sorted(places))


def determinant(rows: Sequence[Sequence[Polynomial]]) -> Polynomial:
    """The determinant of a square matrix of polynomials; 1 of none."""
    return DomainMatrix.from_list(rows, RING.to_domain()).det()  # type: ignore[no-any-return]


def solution(rows: Rows, sides: Sequence[Number]) -> tuple[Number, ...]:
    """The solution of a system with exactly one."""
    column = DomainMatrix.from_list([[side] for side in sides], QQ)
    return tuple(map(number_of, DomainMatrix.from_list(rows, QQ).lu_solve(column).to_list_flat()))


def eigenvalues(rows: Rows) -> tuple[Edge, ...]:
    """The real eigenvalues of a square matrix in order, each of them once."""
    return roots(RING.from_list(DomainMatrix.from_list(rows, QQ).charpoly()))


# Sums of powers of a positive letter, with any exponents: 400/N^0.34 + 3·N^0.28 − 2

SIMPLE: Final = 10**9  # a denominator that a rational zero has at most
FARTHEST: Final = 2**12  # doublings, after which no sign is looked for
Sum = Mapping[Number, Number]  # what stands before each power, which is not 0


def _sign_of(terms: Sum, x: Number) -> int:
    """The sign of the sum at *x*; 0 where it is too near to 0 to be told from it."""
    try:
        worth = sum(by * power(x, exponent) for exponent, by in terms.items())
    except OutOfReach:
        return 0
    return (worth > 0) - (worth < 0)


def _places(terms: Sum) -> list[Edge]:
    """The positive numbers at which the sum is 0, in order. Divided by its lowest power it turns
    only where its slope is 0, which is a sum of one term less (Rolle); from one such place to the
    next it is 0 once if its signs there differ. Raises OutOfReach where one is too far off."""
    if len({by > 0 for by in terms.values()}) < 2:
        return []
    lowest, *others = sorted(terms)
    turns = _places({one: terms[one] * plain(Fraction(one - lowest)) for one in others})
    first, last = (1 if terms[end] > 0 else -1 for end in (lowest, others[-1]))
    signs = [first, *(_sign_of(terms, close_to(place)) for place in turns), last]
    places = [place for place, sign in zip(turns, signs[1:], strict=False) if not sign]
    for i, (low, high) in enumerate(pairwise([None, *turns, None])):
        if signs[i] * signs[i + 1] < 0:
            places.append(_between(terms, low, high, signs[i]))
    return sorted(places)


def _between(terms: Sum, low: Edge | None, high: Edge | None, sign: int) -> Edge:
    """The only zero from *low*, behind which the *sign* is that, to *high*; None: without end."""
    stop = Fraction(2 if high is None else at_most(high))
    start, by = stop / 2 if low is None else Fraction(at_least(low)), 1
    stop = max(stop, 2 * start) if high is None else stop
    while _sign_of(terms, start) != sign or _sign_of(terms, stop) != -sign:
        if by > FARTHEST:
            raise OutOfReach("a place that is too far off")
        start = start / 2**by if low is None else start
        stop = stop * 2**by if high is None else stop
        by *= 2
    made = Root(tuple(sorted(terms.items())), partial(_sign_of, terms), start, stop)
    simple = plain(Fraction(close_to(made)).limit_denominator(SIMPLE))
    return made if not simple or _sign_of(terms, simple) else simple


def powers_of(form: Any, letter: Any) -> dict[Any, Any] | None:
    """What stands before each power of a positive *letter* in SymPy's *form*, a sum of such, or
    None."""
    terms: dict[Any, Any] = {}
    for term in sympy.Add.make_args(sympy.expand(form)):
        by, exponent = term.as_coeff_exponent(letter)
        if by.has(letter) or not exponent.is_Rational:
            return None
        terms[exponent] = by + terms.get(exponent, 0)
    return terms


@remembered
def sums_of(form: Any) -> tuple[Sum, Sum]:
    """The two sums of powers whose quotient SymPy's *form* is, in one letter at most, which is
    positive; TypeError where it is none."""
    x = sympy.Symbol("x", positive=True)
    form = form.subs(dict.fromkeys(form.free_symbols, x))
    parts = (form, sympy.S.One) if powers_of(form, x) else sympy.fraction(sympy.together(form))
    sums = [powers_of(part, x) for part in parts]
    if None in sums:
        raise TypeError(f"{form} is no quotient of sums of powers")
    every = ([(p, by) for p, by in one.items() if not by.equals(0)] for one in sums if one)
    top, bottom = ({number_of(p): _worth(by) for p, by in one} for one in every)
    return top, bottom


@remembered
def zeros_and_poles(form: Any) -> tuple[Sequence[Edge], Sequence[Edge]]:
    """The positive numbers at which SymPy's *form* is 0, and divides by 0; see :func:`sums_of`."""
    over, under = map(_places, sums_of(form))
    return over, under


# Zeros of formulas with a root, an exponential or a logarithm of the unknown

LONG: Final = 10**9  # from which on a number in a formula is no longer tidied
LARGEST: Final = 40  # operations in a formula whose zeros are looked for


def zeros(form: Any, low: Number | None, high: Number | None) -> list[Edge] | None:
    """The numbers from *low* to *high* (None: without end) at which *form*, SymPy's, in one letter,
    is 0 or divides by 0; None where SymPy does not find them all."""
    (letter,) = form.free_symbols
    if form.count_ops() > LARGEST:
        return None
    with suppress(TypeError):
        if low is not None and low >= 0:
            return [0, *chain(*zeros_and_poles(form))]
    if _bends(form) > 1:
        return None
    start = -sympy.oo if low is None else sympy.Rational(low)
    within = sympy.Interval(start, sympy.oo if high is None else sympy.Rational(high))
    x = sympy.Symbol("x", real=True)
    tidied: set[Any] = set()
    for part in sympy.fraction(sympy.together(form.subs(letter, x))):
        places = None
        with suppress(TypeError):  # where SymPy cannot tell which of the zeros are within
            places = sympy.solveset(part, x, within)
        if not isinstance(places, sympy.FiniteSet) and places is not sympy.S.EmptySet:
            return None
        for place in places:  # without logarithms of powers, if it is short: log(2)/log(16) is 1/4
            is_short = all(max(abs(x.p), x.q) < LONG for x in place.atoms(sympy.Rational))
            short = sympy.cancel(sympy.expand_log(place, factor=True)) if is_short else place
            tidied.add(short)
    return None if any(place.free_symbols for place in tidied) else [*map(_edge, sorted(tidied))]


def _worth(x: Any) -> Number:
    """SymPy's number *x* as ours."""
    if x.is_Rational and x.q < LONG**4:
        return number_of(x)
    near = number_of(sympy.Rational(x.evalf(EXACT)))
    return near if x.is_Rational else Approximate(near, 10.0 ** (2 - EXACT))


def _edge(x: Any) -> Edge:
    """SymPy's number *x*; one with so long a denominator has been rounded."""
    if x.is_Rational and x.q < LONG**4:
        return number_of(x)
    near = Fraction(number_of(sympy.Rational(x.evalf(70))))
    reach = max(abs(near) / 10**60, Fraction(1, 10**80))
    return Root(x, lambda at: 1 if sympy.Rational(at) > x else -1, near - reach, near + reach)


def sign(form: Any, at: Edge) -> int:
    """The sign of SymPy's *form* where its letter, if it has one, is *at*."""
    if isinstance(at, Root) and not isinstance(at.zero_of, sympy.Basic):
        close_to(at)
        signs = {sign(form, at.low), sign(form, at.high)}
        return signs.pop() if len(signs) == 1 else 0
    worth = at.zero_of if isinstance(at, Root) else sympy.Rational(at)
    value = form.subs(dict.fromkeys(form.free_symbols, worth))
    near = value.evalf(30)
    is_zero = near == 0 or (getattr(near, "_prec", 2) == 1 and value.equals(0))  # no digit is sure
    return 0 if is_zero else 1 if near > 0 else -1


def limit(form: Any, at: Edge | None, side: int) -> Fraction | float:
    """What SymPy's *form*, in one letter at most, comes near to at *at* (None: without end), from
    above where *side* is 1, else from below."""
    end = -side * sympy.oo if at is None else sympy.Rational(close_to(at))
    if isinstance(at, Root):  # where it may divide by 0, which no number beside that does
        bottom = sympy.factor(sympy.fraction(sympy.together(form))[1])
        if not all(sign(one, at) for one in bottom.as_powers_dict()):
            return inf * sign(form, at.high if side > 0 else at.low)
    letters = form.free_symbols
    near = sympy.limit(form, letters.pop(), end, "+" if side > 0 else "-") if letters else form
    if near in (sympy.oo, -sympy.oo):
        return inf if near > 0 else -inf
    return Fraction(number_of(sympy.Rational(near.evalf(DIGITS))))


def _bends(form: Any) -> int:
    """In how many roots, exponentials and the like the letter stands: of several, one within the
    other too, SymPy may look for zeros without end."""
    parts: Any = sympy.preorder_traversal(form)
    curved = (one for one in parts if one.is_Function or (one.is_Pow and not one.exp.is_Integer))
    return sum(1 for one in curved if one.free_symbols)
