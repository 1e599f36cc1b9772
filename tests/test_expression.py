"""Expressions stay as written, see no values, and are worth what their numbers say."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.formula.algebra import (
    FUNCTIONS,
    NOTHING,
    cases,
    ceiling,
    floor,
    largest,
    same,
    smallest,
    total,
)
from ddcalc.formula.evaluation import compiled, evaluate
from ddcalc.formula.expression import (
    Add,
    Cases,
    Div,
    Expr,
    Mul,
    Neg,
    Num,
    Number,
    Pow,
    Rel,
    Sym,
    replace,
    substitute,
    symbols,
    terms_of,
    wrap,
)

a, b, c = Sym("a"), Sym("b"), Sym("c")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (b + a, Add((b, a))),
        (a + b + c, Add((a, b, c))),
        (a + (b + c), Add((a, b, c))),
        (a - b - c, Add((a, Neg(b), Neg(c)))),
        (a - (b - c), Add((a, Neg(Add((b, Neg(c))))))),
        (2 * a * b, Mul((Num(2), a, b))),
        (a * (b + a), Mul((a, Add((b, a))))),
        (a * a, Mul((a, a))),
        (a - a, Add((a, Neg(a)))),
        (0 * a, Mul((Num(0), a))),
        (a / a, Div(a, a)),
        (1 / a, Div(Num(1), a)),
        (1 - a, Add((Num(1), Neg(a)))),
        (a**2, Pow(a, Num(2))),
        (-a, Neg(a)),
        (Fraction(1, 2) * a, Mul((Num(Fraction(1, 2)), a))),
        (a < 2, Rel("<", a, Num(2))),
        (a > 2, Rel(">", a, Num(2))),
        (a >= b, Rel(">=", a, b)),
        (same(a, 2), Rel("==", a, Num(2))),
    ],
)
def test_written_is_kept(written: Expr, kept: Expr) -> None:
    assert written == kept
    assert type(written) is type(kept)
    assert hash(written) == hash(kept)


@pytest.mark.parametrize(
    "use",
    [
        lambda: bool(a),
        lambda: bool(a < b),
        lambda: 1 if a > 0 else 2,
        lambda: max(a, b),
        lambda: sorted([a, b]),
        lambda: a and b,
        lambda: a < b < c,
    ],
)
def test_equations_see_no_values(use: Any) -> None:
    with pytest.raises(TypeError, match="never values"):
        use()


@pytest.mark.parametrize("use", [float, int, math.ceil, abs, range])
def test_numbers_are_not_made_of_formulas(use: Any) -> None:
    with pytest.raises(TypeError):
        use(a)


def test_lists() -> None:
    assert total([a, b, c]) == a + b + c
    assert total([a]) == a


def test_symbols_replace_and_substitute() -> None:
    formula = floor(a / b) * a + cases((a, b > c), otherwise=c)
    assert list(symbols(formula)) == ["a", "b", "a", "a", "b", "c", "c"]
    assert substitute(formula, {"c": Num(7)}) == floor(a / b) * a + cases((a, b > 7), otherwise=7)
    assert replace(a + b, lambda part: Num(0) if part == a + b else None) == Num(0)
    assert terms_of(a) == (a,)
    assert wrap(3) == Num(3)
    assert wrap(a) is a


# A value tree: the formula, and its value worked out with Python's own fractions.

fractions = st.fractions(min_value=-50, max_value=50, max_denominator=30)
LETTERS: dict[str, Number] = {"a": Fraction(7, 3), "b": Fraction(-5, 2), "c": 4}


def _leaf(drawn: Any) -> tuple[Expr, Any]:
    if isinstance(drawn, str):
        return Sym(drawn), LETTERS[drawn]
    return Num(drawn), drawn


def _quotient(top: Any, bottom: Any) -> tuple[Expr, Any]:
    """The quotient, or *top* alone over nothing: a filter that often fails is not cheap to tell."""
    return (top[0] / bottom[0], Fraction(top[1]) / bottom[1]) if bottom[1] else top


def _ceiling(value: tuple[Expr, Any]) -> tuple[Expr, Any]:
    return ceiling(value[0]), math.ceil(value[1])


def _bigger(inner: Any) -> Any:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: (p[0][0] + p[1][0], p[0][1] + p[1][1])),
        pairs.map(lambda p: (p[0][0] - p[1][0], p[0][1] - p[1][1])),
        pairs.map(lambda p: (p[0][0] * p[1][0], p[0][1] * p[1][1])),
        pairs.map(lambda p: _quotient(*p)),
        inner.map(lambda p: (-p[0], -p[1])),
        inner.map(lambda p: (p[0] ** 2, Fraction(p[1]) ** 2)),
        inner.map(lambda p: (floor(p[0]), math.floor(p[1]))),
        inner.map(_ceiling),
        pairs.map(lambda p: _ceiling(_quotient(*p))),
        pairs.map(lambda p: (largest(p[0][0], p[1][0]), max(p[0][1], p[1][1]))),
        pairs.map(lambda p: (smallest(p[0][0], p[1][0]), min(p[0][1], p[1][1]))),
        pairs.map(lambda p: (FUNCTIONS["argmax"](p[0][0], p[1][0]), 2 if p[1][1] > p[0][1] else 1)),
        st.tuples(inner, inner, inner).map(
            lambda p: (
                cases((p[0][0], p[1][0] > p[2][0]), otherwise=p[2][0]),
                p[0][1] if p[1][1] > p[2][1] else p[2][1],
            )
        ),
    )


trees = st.recursive(st.one_of(st.sampled_from("abc"), fractions).map(_leaf), _bigger, max_leaves=9)


@given(trees)
def test_values_are_exact(tree: tuple[Expr, Any]) -> None:
    formula, value = tree
    assert evaluate(formula, LETTERS) == value
    function = compiled(list(LETTERS), [("x", formula), ("y", Sym("x") + 1)])
    assert function(*LETTERS.values()) == (value, value + 1)
    assert not isinstance(function(*LETTERS.values())[0], float)
    assert not isinstance(evaluate(formula, LETTERS), float)


@given(trees)
def test_rebuilt_of_its_parts_is_itself(tree: tuple[Expr, Any]) -> None:
    formula, _ = tree
    assert formula.rebuilt(formula.parts()) == formula
    assert replace(formula, lambda part: None) == formula
    numbers = {letter: Num(value) for letter, value in LETTERS.items()}
    assert not list(symbols(substitute(formula, numbers)))
    assert evaluate(substitute(formula, numbers), {}) == tree[1]


def test_nothing_has_no_value() -> None:
    assert evaluate(NOTHING, {}) is None
    flat = cases((NOTHING, same(a, 0)), otherwise=1 / a)
    assert evaluate(flat, {"a": 0}) is None
    assert compiled(["a"], [("x", flat)])(0) == (None,)
    assert compiled(["a"], [("x", flat)])(4) == (Fraction(1, 4),)


def test_letters_of_any_name_compile() -> None:
    """Letters become local variables of our own naming, so that none can be a keyword."""
    odd = ["lambda", "F", "floor", "t_agg", "shape", "None"]
    function = compiled(odd, [("x", total([Sym(name) for name in odd]))])
    assert function(1, 2, 3, 4, 5, 6) == (21,)


def test_cases_keep_their_reasons() -> None:
    shown = cases((1, a > 0, "because"), (2, b > 0), otherwise=3, why="else")
    assert isinstance(shown, Cases)
    assert [case.why for case in shown.cases] == ["because", ""]
    rebuilt = shown.rebuilt(shown.parts())
    assert rebuilt == shown
