"""Algebra by SymPy: there and back, solving with the solution put back, grouping."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.formula.algebra import (
    FUNCTIONS,
    ceiling,
    exp,
    floor,
    floor_log2,
    harmonic,
    lambert,
    largest,
    log,
    smallest,
    sqrt,
)
from ddcalc.formula.cas import (
    agrees,
    from_sympy,
    grouped,
    number_of,
    solved_for,
    substituted,
    to_sympy,
)
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Fun, Neg, Num, Number, Sym
from ddcalc.numbers.irrational import Approximate
from ddcalc.render.notation import unbroken
from ddcalc.render.notation.plain import text

a, b, c, m = map(Sym, "abcm")
RANK = {"a": 0, "b": 1, "c": 2, "m": 3}
KNOWN: dict[str, Number] = {"a": Fraction(7, 3), "b": Fraction(5, 2), "c": 4, "m": Fraction(1, 6)}
positive = st.fractions(min_value=Fraction(1, 20), max_value=50, max_denominator=20)


def _told(expr: Expr) -> str:
    return unbroken(text(expr))


@pytest.mark.parametrize(
    "formula",
    [
        a + b - c,
        a - (b - c),
        a * b / c,
        (a + b) / (c + 1),
        1 / a,
        a**2 * b,
        a / b**2,
        -a,
        -(a + b),
        Neg(a) * b,
        Num(Fraction(2, 3)) * a,
        floor(a / b) * m,
        ceiling(a / b) + 1,
        ceiling(ceiling(a / b) / m),
        largest(a, b * m, c),
        smallest(a, b) - largest(b, c),
        2 * (a - 1) / a * b,
        Num(0) * a + b,
        FUNCTIONS["ceiling_log2"](a) * b - floor_log2(m),
        (FUNCTIONS["floor_power2"](a) - 1) / FUNCTIONS["floor_power2"](m * b),
        a - a,
    ],
)
def test_there_and_back_is_worth_the_same(formula: Expr) -> None:
    back = from_sympy(to_sympy(formula), RANK)
    assert evaluate(back, KNOWN) == evaluate(formula, KNOWN)
    assert to_sympy(back) == to_sympy(formula)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (sqrt(a / (b * c)), "√(a/(b·c))"),
        (2 * sqrt(a * b * c), "2·√(a·b·c)"),
        (m * sqrt(a) / sqrt(b), "m·√(a/b)"),
        (1 / sqrt(a), "1/√a"),
        (sqrt(a + b) * c, "c·√(a + b)"),
        (exp(-(a * b)), "e^(−a·b)"),
        (c * exp(-(a * b)) / m, "c·e^(−a·b)/m"),
        ((1 - exp(-(a * b))) / (b * (1 - exp(-a))), "(1 − e^(−a·b))/(b·(1 − e^(−a)))"),
        (log(a / b) + log(c), "ln(a/b) + ln(c)"),
        (1 / (1 + a) ** b, "1/(a + 1)^b"),
        (harmonic(a, b) / c, "(∑_{k=1}^{a} (1/k^b))/c"),
        (harmonic(a) + 1, "∑_{k=1}^{a} (1/k) + 1"),
        (ceiling(sqrt(a)) * b, "⌈√a⌉·b"),
        (exp(Num(1)) * a, "e^1·a"),
        (a * (1 + lambert(-exp(-b))), "a·(W(−e^(−b)) + 1)"),
    ],
)
def test_roots_and_powers_of_e_come_back_as_they_are_read(formula: Expr, expected: str) -> None:
    back = from_sympy(to_sympy(formula), RANK)
    assert _told(back) == expected
    known = {**KNOWN, "a": 3}
    value, again = evaluate(formula, known), evaluate(back, known)
    assert isinstance(value, Approximate) == isinstance(again, Approximate)
    assert abs(Fraction(value) - Fraction(again)) <= abs(Fraction(value)) / 10**50
    assert agrees(substituted(to_sympy(formula), known), value)
    assert not agrees(substituted(to_sympy(formula), known), value * (1 + Fraction(1, 10**30)))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (c + b + a, "a + b + c"),
        (c - b + a, "a + c − b"),
        (Neg(b) + a, "a − b"),
        (c * b * a * 2, "2·a·b·c"),
        (a / c * b, "a·b/c"),
        (largest(c, a), "max(a, c)"),
        (1 + a, "a + 1"),
    ],
)
def test_terms_come_in_the_order_of_declaration(formula: Expr, expected: str) -> None:
    assert _told(from_sympy(to_sympy(formula), RANK)) == expected


def test_known_letters_are_replaced() -> None:
    assert to_sympy(a * b, {"a": sympy.Integer(6)}) == 6 * sympy.Symbol("b", positive=True)


def test_what_has_no_form_is_named() -> None:
    with pytest.raises((TypeError, KeyError), match="norm"):
        to_sympy(Fun("norm", (a,)))


@given(positive, positive, positive)
def test_numbers_are_exact_both_ways(x: Fraction, y: Fraction, z: Fraction) -> None:
    known: dict[str, Number] = {"a": x, "b": y, "c": z}
    formula = floor(a / b) * c + ceiling(b / c) * a - largest(a, b, c) / 3
    value = substituted(to_sympy(formula), known)
    assert number_of(value) == evaluate(formula, known)
    assert type(number_of(sympy.Integer(3))) is int
    assert number_of(sympy.Rational(1, 3)) == Fraction(1, 3)


# Solving


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (a + m * b, c, "m = (c − a)/b"),
        (m / a, b, "m = a·b"),
        (m * a + m * b, c, "m = c/(a + b)"),
        (m, a, "m = a"),
        (3 - m, Num(1), "m = 2"),
        (m * 2, Num(3), "m = 3/2"),
        (a * (m + 1), b * (m - 1), "m"),
    ],
)
def test_linear_equations(left: Expr, right: Expr, expected: str) -> None:
    value, slope = solved_for("m", left, right, RANK)
    assert f"m = {_told(value)}".startswith(expected)
    known: dict[str, Any] = {"a": Fraction(7, 3), "b": Fraction(5, 2), "c": 4}
    known["m"] = evaluate(value, known)
    assert evaluate(left, known) == evaluate(right, known)
    step = {**known, "m": known["m"] + 1}
    rise = (evaluate(left, step) - evaluate(right, step)) - 0
    assert evaluate(slope, known) == rise


@given(*[st.fractions(min_value=-9, max_value=9, max_denominator=9)] * 4)
def test_any_linear_equation_holds_at_its_solution(
    p: Fraction, q: Fraction, r: Fraction, s: Fraction
) -> None:
    if p == r:
        return
    left, right = Num(p) * m + Num(q), Num(r) * m + Num(s)
    value, slope = solved_for("m", left, right, RANK)
    result = evaluate(value, {})
    assert p * result + q == r * result + s
    assert evaluate(slope, {}) == p - r


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (m * m, a),
        (m * m, m),
        (a / m, b),
        (a, b),
        (floor(m), a),
        (largest(m, a), b),
        (m + a, m + b),
        (m**3 + m, a),
    ],
)
def test_what_is_not_linear_is_refused(left: Expr, right: Expr) -> None:
    with pytest.raises(ValueError, match="not linear in m"):
        solved_for("m", left, right, RANK)


# Grouping


@pytest.mark.parametrize(
    ("formula", "linear", "expected"),
    [
        (m * (a + b) + (a + b), {"a", "b"}, "(m + 1)·(a + b)"),
        (m * a + m * b + c, {"a", "b", "c"}, "m·(a + b) + c"),
        (m * a + m * b + c * a, {"a", "b"}, None),
        (largest(a, b) * m, {"a", "b"}, None),
        (a * b, {"a", "b"}, None),
    ],
)
def test_grouping_keeps_the_value(formula: Expr, linear: set[str], expected: str | None) -> None:
    exact = to_sympy(formula)
    made = from_sympy(grouped(exact, linear), RANK)
    assert sympy.expand(to_sympy(made) - exact) == 0
    assert evaluate(made, KNOWN) == evaluate(formula, KNOWN)
    if expected:
        assert sorted(_told(made)) == sorted(expected)
