"""Columns of floats against fractions: what they do not call unsure is true."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.sweep.axes import Numeric
from ddcalc.ask.sweep.column import Column, satisfied, worked_out
from ddcalc.formula import algebra
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Num, Rel, Sym
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named

x, y = Sym("x"), Sym("y")
GIVEN = problem_named("sync-step").givens["update"]

NUMBERS = st.builds(
    Fraction,
    st.integers(-1000, 1000) | st.sampled_from([0, 1, 10**9 + 7, 2**32]) | st.integers(0, 2**60),
    st.integers(1, 60) | st.sampled_from([10**6, 10**9 + 9]),
)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6)
WHOLE = algebra.cases((x, x > y), (y, algebra.same(x, y)), otherwise=x / y)
FORMULAS: list[Expr] = [
    x + y,
    x * y - y,
    x / y,
    x / y / y - y / x,
    x / (x + y),
    algebra.largest(x, y, Num(3)),
    algebra.smallest(x, y),
    algebra.floor(x / y),
    algebra.ceiling(x / y) * y - x,
    algebra.ceiling(x),
    WHOLE,
    x**3,
    y ** (-2),
    algebra.sqrt(x * x + 1),
    algebra.log(x * x + 2),
    algebra.floor_log2(x * x + Fraction(1, 7)),
    algebra.ceiling(algebra.sqrt(x * x + y * y)),
]


def column(values: Sequence[Fraction]) -> Column:
    return Numeric(GIVEN, tuple(values), SECOND, bare=True).column(range(len(values)))


def at(values: Any, i: int, size: int) -> Any:
    return np.broadcast_to(values, (size,))[i]


def exact(formula: Expr, pair: tuple[Fraction, Fraction]) -> Fraction | None:
    try:
        value = evaluate(formula, dict(zip("xy", pair, strict=True)))
    except ArithmeticError:
        return None
    return value if isinstance(value, bool) else Fraction(value.numerator, value.denominator)


@pytest.mark.parametrize("formula", FORMULAS, ids=repr)
@settings(max_examples=40)
@given(pairs=PAIRS)
def test_what_is_sure_is_right(formula: Expr, pairs: list[tuple[Fraction, Fraction]]) -> None:
    known = {name: column([pair[i] for pair in pairs]) for i, name in enumerate("xy")}
    with np.errstate(all="ignore"):
        made = worked_out(formula, known)
    for i, pair in enumerate(pairs):
        value = exact(formula, pair)
        if not at(made.unsure, i, len(pairs)):
            assert value is not None
            assert (
                abs(Fraction(float(at(made.values(), i, len(pairs)))) - value)
                <= abs(value) / 10**12
            )


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "=="])
@settings(max_examples=40)
@given(pairs=PAIRS, alike=st.booleans())
def test_sure_comparisons(op: Any, pairs: list[tuple[Fraction, Fraction]], alike: bool) -> None:
    """Of quotients, too, of which many are equal."""
    pairs = [(a, a if alike else b) for a, b in pairs]
    relation = Rel(op, x / 7, y * 3 / 21)
    known = {name: column([pair[i] for pair in pairs]) for i, name in enumerate("xy")}
    holds, unsure = satisfied(relation, known)
    for i, pair in enumerate(pairs):
        assert at(unsure, i, len(pairs)) or at(holds, i, len(pairs)) == exact(relation, pair)


@given(st.lists(st.fractions(-1000, 1000, max_denominator=16), min_size=2, max_size=6))
def test_ties_of_simple_numbers_are_sure(values: list[Fraction]) -> None:
    """So that none is worked out by itself."""
    known = {"x": column(values), "y": column([abs(value) + 1 for value in values[::-1]])}
    for formula in (x + y, x * y, algebra.floor(x / y), WHOLE):
        assert not np.any(worked_out(formula, known).unsure)
    assert not np.any(satisfied(x / y <= y / 3, known)[1])


def test_neighbours_that_floats_cannot_tell_apart_are_left_to_fractions() -> None:
    """10^9/(10^9 + 1) and (10^9 - 1)/10^9 differ by 10^-18."""
    large = Fraction(10**9)
    known = {"x": column([large, 2 * large]), "y": column([large + 1, large + 1])}
    before = (large - 1) / large
    _, unsure = satisfied(Rel("==", x / y, Num(before)), known)
    assert np.asarray(unsure).tolist() == [True, False]
    rounded = worked_out(algebra.floor(x / y * Num(Fraction(10**9 + 1, 10**9))), known)
    assert [ceil(v) for v in rounded.values()] == [1, 2] or np.any(rounded.unsure)
