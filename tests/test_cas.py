"""Algebra by SymPy: there and back, solving with the solution put back, grouping."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.formula.algebra import (
    FUNCTIONS,
    exp,
    floor,
    harmonic,
    lambert,
    largest,
    log,
    smallest,
    sqrt,
)
from ddcalc.formula.cas import exact, from_sympy, number_of, solved_for, to_sympy
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Num, Number, Sym
from ddcalc.numbers.irrational import Approximate
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import text

a, b, c, m = map(Sym, "abcm")
RANK = {"a": 0, "b": 1, "c": 2, "m": 3}
KNOWN: dict[str, Number] = {"a": 3, "b": Fraction(5, 2), "c": 4, "m": Fraction(1, 6)}


def agrees(form: Any, value: Number) -> bool:
    """Whether *value* is SymPy's number *form*, to forty digits where it is not rational."""
    if form.is_Rational and type(value) is not Approximate:
        return number_of(form) == value
    digits = number_of(sympy.Rational(sympy.N(form, 50)))
    return abs(Fraction(digits) - Fraction(value)) * 10**40 <= abs(Fraction(value))


def _told(expr: Expr) -> str:
    return unbroken(text(expr))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (a - (b - c), "a + c − b"),
        (c + b + 1 - a, "b + c + 1 − a"),
        (c * b * a * 2, "2·a·b·c"),
        (a / c * b, "a·b/c"),
        (Num(Fraction(2, 3)) * a / b**2, "2·a/(3·b^2)"),
        (-(a + b), "−a − b"),
        (floor(a / b) * m, "⌊a/b⌋·m"),
        (smallest(a, b) - largest(b, c), "min(a, b) − max(b, c)"),
        (1 / FUNCTIONS["floor_power2"](m * b), "1/2^⌊log₂(b·m)⌋"),
        (sqrt(a / (b * c)), "√(a/(b·c))"),
        (m * sqrt(a) / sqrt(b), "m·√(a/b)"),
        (sqrt(a + b) * c, "c·√(a + b)"),
        (c * exp(-(a * b)) / m, "c·e^(−a·b)/m"),
        ((1 - exp(-(a * b))) / (b * (1 - exp(-a))), "(1 − e^(−a·b))/(b·(1 − e^(−a)))"),
        (log(a / b) + log(c), "ln(a/b) + ln(c)"),
        (harmonic(a, b) / c, "(∑_{k=1}^{a} (1/k^b))/c"),
        (a * (1 + lambert(-exp(-b))), "a·(W(−e^(−b)) + 1)"),
    ],
)
def test_there_and_back(formula: Expr, expected: str) -> None:
    """In the order of declaration, worth the same; and SymPy's own digits say so."""
    back = from_sympy(to_sympy(formula), RANK)
    assert _told(back) == expected
    value, again = evaluate(formula, KNOWN), evaluate(back, KNOWN)
    assert isinstance(value, Approximate) == isinstance(again, Approximate)
    assert abs(Fraction(value) - Fraction(again)) <= abs(Fraction(value)) / 10**50
    digits = to_sympy(formula, {name: exact(number) for name, number in KNOWN.items()})
    assert agrees(digits, value)
    assert not value or not agrees(digits, value * (1 + Fraction(1, 10**30)))


@settings(max_examples=25, deadline=None)
@given(*[st.fractions(min_value=-9, max_value=9, max_denominator=9)] * 4)
def test_any_linear_equation_holds_at_its_solution(
    p: Fraction, q: Fraction, r: Fraction, s: Fraction
) -> None:
    if p == r:
        return
    value, slope = solved_for("m", Num(p) * m + Num(q), Num(r) * m + Num(s), RANK)
    result = evaluate(value, {})
    assert p * result + q == r * result + s
    assert evaluate(slope, {}) == p - r


@pytest.mark.parametrize(
    ("left", "right"),
    [(m * m, m), (a / m, b), (a, b), (floor(m), a), (largest(m, a), b), (m + a, m + b)],
)
def test_what_is_not_linear_is_refused(left: Expr, right: Expr) -> None:
    with pytest.raises(ValueError, match="not linear in m"):
        solved_for("m", left, right, RANK)
