"""Expressions stay as written, see no values, and are worth what their numbers say."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.formula.algebra import FUNCTIONS, cases, ceiling, floor, same, total
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Add,
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
)

a, b, c = Sym("a"), Sym("b"), Sym("c")


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (a + (b + c), Add((a, b, c))),
        (a - (b - c), Add((a, Neg(Add((b, Neg(c))))))),
        (a * (b + a), Mul((a, Add((b, a))))),
        (0 * a, Mul((Num(0), a))),
        (Fraction(1, 2) * a**2, Mul((Num(Fraction(1, 2)), Pow(a, Num(2))))),
        (a > 2, Rel(">", a, Num(2))),
        (same(a, 2), Rel("==", a, Num(2))),
        (total([a, b]), a + b),
    ],
)
def test_written_is_kept(written: Expr, kept: Expr) -> None:
    assert written == kept
    assert type(written) is type(kept)
    assert hash(written) == hash(kept)
    assert written != kept + 1


@pytest.mark.parametrize(
    "use", [lambda: bool(a < b), lambda: max(a, b), lambda: a and b, lambda: a < b < c]
)
def test_equations_see_no_values(use: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="never values"):
        use()


def test_symbols_replace_and_substitute() -> None:
    formula = floor(a / b) * a + cases((a, b > c, "because"), otherwise=c)
    assert list(symbols(formula)) == ["a", "b", "a", "a", "b", "c", "c"]
    put = floor(a / b) * a + cases((a, b > 7, "because"), otherwise=7)
    assert substitute(formula, {"c": Num(7)}) == put
    assert put != floor(a / b) * a + cases((a, b > 7), otherwise=7)  # the reason is another one
    assert replace(a + b, lambda part: Num(0) if part == a + b else None) == Num(0)
    assert terms_of(a) == (a,)


# A value tree: the formula, and its value worked out with Python's own fractions.

Tree = tuple[Any, Any]
LETTERS: dict[str, Number] = {"a": Fraction(7, 3), "b": Fraction(-5, 2), "c": 4}
FRACTIONS = st.fractions(min_value=-50, max_value=50, max_denominator=30)
LEAVES = st.one_of(
    st.sampled_from("abc").map(lambda name: (Sym(name), LETTERS[name])),
    FRACTIONS.map(lambda value: (Num(value), value)),
)
OF_ONE: list[Callable[[Tree], Tree]] = [
    lambda x: (-x[0], -x[1]),
    lambda x: (x[0] ** 2, Fraction(x[1]) ** 2),
    lambda x: (floor(x[0]), math.floor(x[1])),
    lambda x: (ceiling(x[0]), math.ceil(x[1])),
]
OF_TWO: list[Callable[[Tree, Tree], Tree]] = [
    lambda x, y: (x[0] + y[0], x[1] + y[1]),
    lambda x, y: (x[0] - y[0], x[1] - y[1]),
    lambda x, y: (x[0] * y[0], x[1] * y[1]),
    lambda x, y: (x[0] / y[0], Fraction(x[1]) / y[1]) if y[1] else x,
    lambda x, y: (ceiling(x[0] / y[0]), math.ceil(Fraction(x[1]) / y[1])) if y[1] else x,
    lambda x, y: (FUNCTIONS["max"](x[0], y[0]), max(x[1], y[1])),
    lambda x, y: (FUNCTIONS["min"](x[0], y[0]), min(x[1], y[1])),
    lambda x, y: (FUNCTIONS["argmax"](x[0], y[0]), 2 if y[1] > x[1] else 1),
    lambda x, y: (cases((x[0], x[0] > y[0]), otherwise=-y[0]), x[1] if x[1] > y[1] else -y[1]),
]


def _bigger(inner: Any) -> Any:
    one = st.tuples(st.sampled_from(OF_ONE), inner).map(lambda drawn: drawn[0](drawn[1]))
    two = st.tuples(st.sampled_from(OF_TWO), inner, inner)
    return one | two.map(lambda drawn: drawn[0](drawn[1], drawn[2]))


@settings(max_examples=60)
@given(st.recursive(LEAVES, _bigger, max_leaves=9))
def test_values_are_exact(tree: Tree) -> None:
    formula, value = tree
    assert evaluate(formula, LETTERS) == value
    assert not isinstance(evaluate(formula, LETTERS), float)
    assert formula.rebuilt(formula.parts()) == formula
    numbers = substitute(formula, {letter: Num(worth) for letter, worth in LETTERS.items()})
    assert not list(symbols(numbers))
    assert evaluate(numbers, {}) == value


def test_letters_of_any_name_have_values() -> None:
    odd = ["lambda", "F", "floor", "t_agg", "shape", "None"]
    assert evaluate(total(map(Sym, odd)), {name: i for i, name in enumerate(odd, 1)}) == 21
