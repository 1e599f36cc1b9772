"""Places on the number line are exact: roots of polynomials, compared, bracketed and rounded."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.formula.algebraic import Root, between, close_to, floor_of
from ddcalc.formula.polynomial import LETTER, Polynomial, roots, sign_at

small = st.integers(-6, 6)


def polynomial(*coefficients: int) -> Polynomial:
    """The polynomial with these coefficients, the constant first."""
    return sum((a * LETTER**i for i, a in enumerate(coefficients)), 0 * LETTER)


made = st.lists(small, min_size=2, max_size=6)
polynomials = made.map(lambda p: polynomial(*p)).filter(lambda p: not p.is_ground)
ROOT_2 = roots(polynomial(-2, 0, 1))[1]


@settings(max_examples=100)
@given(p=polynomials, factor=polynomials)
def test_roots_are_where_the_sign_changes_or_stays_zero(p: Polynomial, factor: Polynomial) -> None:
    value = roots(p * factor)
    assert all(a < b for a, b in pairwise(value))
    expected = np.roots([float(a) for a in (p * factor).to_dense()])
    real = [x.real for x in expected if abs(x.imag) < 1e-12]
    assert all(any(abs(x - float(close_to(y, 12))) < 0.05 for y in value) for x in real)
    for mine in value:
        assert sign_at(p * factor, mine) == 0
        assert 0 in (sign_at(p, mine), sign_at(factor, mine))
        if isinstance(mine, Root):
            while mine.high - mine.low > Fraction(1, 10**6):
                mine.refine()
            assert isinstance(mine.zero_of, Polynomial)
            assert sign_at(mine.zero_of, mine.low) == -sign_at(mine.zero_of, mine.high) != 0


@settings(max_examples=100)
@given(p=polynomials, q=polynomials)
def test_order_and_sign_at_roots(p: Polynomial, q: Polynomial) -> None:
    for mine in roots(p):
        assert sign_at(q, mine) == 0 or all(mine != other for other in roots(q))
        for other in roots(q):
            assert [mine < other, mine == other, mine > other].count(True) == 1
            assert (mine <= other, mine >= other) == (not mine > other, not mine < other)
            if mine < other:
                assert mine < between(mine, other) < other
        assert floor_of(mine) <= mine < floor_of(mine) + 1


def test_an_irrational_number() -> None:
    assert isinstance(ROOT_2, Root)
    assert (floor_of(ROOT_2), floor_of(roots(polynomial(-2, 0, 1))[0])) == (1, -2)
    assert Fraction(7, 5) < ROOT_2 < Fraction(17, 12)
    assert ROOT_2 == roots(polynomial(-4, 0, 2))[1] == roots(polynomial(-2, -2, 1, 1))[2]
    assert Fraction(17, 12) != ROOT_2
    assert round(float(close_to(ROOT_2, 12)), 10) == 1.4142135624
    assert between(None, ROOT_2) < ROOT_2 < between(ROOT_2, None)
    assert between(None, None) == 0


def test_pieces_without_end() -> None:
    line = Piece(None, None)
    assert list(line.split([1])) == [
        Piece(None, 1, True, False),
        Piece(1, 1),
        Piece(1, None, False, True),
    ]
    assert merged([Piece(5, None, whole=True), Piece(None, 3, whole=True), Piece(4, 4, whole=True)])
    assert merged([Piece(1, 2, True, False), Piece(2, 3, False, True)]) == (
        Piece(1, 2, True, False),
        Piece(2, 3, False, True),
    )
