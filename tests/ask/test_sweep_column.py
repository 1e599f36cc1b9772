"""Columns of floats against fractions: bounds hold, and what they call certain is true."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc.ask.sweep import column as ops
from ddcalc.ask.sweep.axes import Listed
from ddcalc.ask.sweep.column import UNDEFINED, UNSURE, Column, constant
from ddcalc.formula import algebra
from ddcalc.formula.expression import Expr, Sym

x, y = Sym("x"), Sym("y")

SMALL = st.integers(-1000, 1000)
WIDE = st.integers(-(2**70), 2**70)
NUMBERS = st.builds(
    Fraction,
    SMALL | st.sampled_from([0, 1, 10**9 + 7]) | WIDE,
    st.integers(1, 60) | st.just(10**9 + 9),
)
POWERS = st.builds(
    lambda k, part: 2**k + Fraction(part, 10**6), st.integers(0, 60), st.sampled_from([0, 1, -1])
)
LISTS = st.lists(NUMBERS, min_size=1, max_size=5)
FEW = st.lists(st.fractions(-1000, 1000, max_denominator=16), min_size=2, max_size=6)


def made(values: Sequence[Fraction]) -> Column:
    return Listed(values).column(0, len(values))


def column_of(formula: Expr, *columns: Column) -> Column:
    """The values of a formula of x and y."""
    return ops.worked_out(formula, dict(zip("xy", columns, strict=False)))


def state_at(values: Column, i: int, size: int) -> int:
    return int(np.broadcast_to(values.state, (size,))[i])


def is_within(column: Column, i: int, size: int, value: Fraction) -> bool:
    """Whether *value* is as near to its float as the column says, and a multiple as it says."""
    number = Fraction(float(np.broadcast_to(column.values, (size,))[i]))
    error = Fraction(float(np.broadcast_to(column.errors(), (size,))[i]))
    fine = ops.fineness(column.parts, column.divisors)
    small = error + abs(value) / 10**40
    return abs(number - value) <= small and value.denominator <= fine * 1.0001


def check(column: Column, wanted: Callable[[int], Any], size: int) -> None:
    """Every value is within its bound, or marked."""
    for i in range(size):
        state = state_at(column, i, size)
        try:
            value = wanted(i)
        except ZeroDivisionError:
            assert state & (UNDEFINED | UNSURE)
            continue
        if not state & UNSURE:
            assert not state & UNDEFINED
            assert is_within(column, i, size, Fraction(value))


OPERATIONS: list[tuple[Callable[[Column, Column], Column], Callable[[Any, Any], Any]]] = [
    (ops.plus, lambda x, y: x + y),
    (ops.times, lambda x, y: x * y),
    (ops.over, lambda x, y: x / y),
    (ops.larger, max),
    (lambda a, b: column_of(algebra.smallest(x, y), a, b), min),
    (lambda a, b: ops.floor(ops.over(a, b)), lambda x, y: floor(x / y)),
    (lambda a, b: column_of(algebra.ceiling(x / y), a, b), lambda x, y: ceil(x / y)),
    (
        lambda a, b: ops.plus(ops.over(a, b), ops.minus(b)),
        lambda x, y: x / y - y,
    ),
    (lambda a, b: ops.times(ops.floor(a), b), lambda x, y: floor(x) * y),
    (lambda a, b: ops.over(ops.over(a, b), b), lambda x, y: x / y / y),
    (lambda a, b: ops.over(a, ops.plus(a, b)), lambda x, y: x / (x + y)),
    (
        lambda a, b: ops.over(ops.over(a, b), ops.over(b, a)),
        lambda x, y: x / y / (y / x),
    ),
    (lambda a, b: ops.position_of_largest([a, b, a]), lambda x, y: 1 if x >= y else 2),
]


@pytest.mark.parametrize(("operation", "wanted"), OPERATIONS)
@settings(max_examples=80)
@given(left=LISTS, right=LISTS)
def test_operations(
    operation: Callable[[Column, Column], Column],
    wanted: Callable[[Any, Any], Any],
    left: list[Fraction],
    right: list[Fraction],
) -> None:
    size = min(len(left), len(right))
    left, right = left[:size], right[:size]
    with np.errstate(all="ignore"):
        check(operation(made(left), made(right)), lambda i: wanted(left[i], right[i]), size)
        one = constant(right[0])
        check(operation(made(left), one), lambda i: wanted(left[i], right[0]), size)
        check(operation(one, made(left)), lambda i: wanted(right[0], left[i]), size)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "=="])
@given(left=LISTS, right=LISTS, alike=st.booleans(), divided=st.booleans())
def test_comparisons(
    op: Any, left: list[Fraction], right: list[Fraction], alike: bool, divided: bool
) -> None:
    """Of quotients, too, of which many are equal."""
    size = min(len(left), len(right))
    left, right = left[:size], left[:size] if alike else right[:size]
    a, b = made(left), made(right)
    with np.errstate(all="ignore"):
        if divided:
            a, b = (
                ops.over(a, made([abs(n) + 1 for n in right])),
                ops.over(b, constant(7)),
            )
            left = [n / (abs(m) + 1) for n, m in zip(left, right, strict=True)]
            right = [n / 7 for n in right]
        mask, state = ops.holds(op, a, b)
    name = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__"}[op]
    for i in range(size):
        if not np.broadcast_to(state, (size,))[i] & UNSURE:
            assert bool(np.broadcast_to(mask, (size,))[i]) == getattr(left[i], name)(right[i])


NAMES = ["sqrt", "exp", "log", "floor_sqrt", "ceiling_sqrt", "floor_log2", "ceiling_log2"]
WIDER = st.fractions(-20, 600) | st.integers(-5, 2**60).map(Fraction) | POWERS


@pytest.mark.parametrize("name", [*NAMES, "floor_power2"])
@given(values=st.lists(WIDER, min_size=1, max_size=6))
def test_functions_keep_their_bounds(name: str, values: list[Fraction]) -> None:
    function = algebra.FUNCTIONS[name]
    formula = function.meaning(x) if function.meaning and "_sqrt" in name else function(x)
    with np.errstate(all="ignore"):
        column, _ = ops.settled(column_of(formula, made(values)))
    few = all(value.denominator == 1 and 1 <= value < 2**52 for value in values)
    for i, value in enumerate(values):
        if state_at(column, i, len(values)) & UNSURE:
            assert function.kind != "whole" or not few
            continue
        true = function.value(value)
        true = Fraction(true.numerator, true.denominator)
        assert is_within(column, i, len(values), true)
        assert abs(Fraction(float(np.ravel(column.values)[i])) - true) <= abs(true) / 10**12


@given(FEW, st.integers(1, 1000))
def test_what_is_simple_is_certain(values: list[Fraction], divisor: int) -> None:
    """Ties of numbers with small denominators are decided at once, none is worked out singly."""
    a, b = made(values), made(values[::-1])
    quotient = ops.over(a, made([Fraction(divisor + i) for i in range(len(values))]))
    for op in ("<", "=="):
        assert not np.any(ops.holds(op, a, b)[1])  # type: ignore[arg-type]
    for column in (
        ops.plus(a, b),
        ops.times(a, b),
        ops.floor(a),
        ops.floor(quotient),
    ):
        assert not np.any(column.state)


def test_neighbours_that_floats_cannot_tell_apart_are_left_to_fractions() -> None:
    """10^9/(10^9 + 1) and (10^9 - 1)/10^9 differ by 10^-18."""
    large = Fraction(10**9)
    left = ops.over(made([large, 2 * large]), made([large + 1, large + 1]))
    right = ops.over(made([large - 1, large - 1]), made([large, large]))
    assert left.values[0] == right.values[0]
    assert np.asarray(ops.holds("==", left, right)[1]).tolist() == [UNSURE, 0]
    rounded = ops.floor(ops.times(left, constant(Fraction(10**9 + 1, 10**9))))
    assert rounded.values[1] == 2 or state_at(rounded, 1, 2) == UNSURE


def test_the_rounding_of_the_bound_itself_counts() -> None:
    """2^32 + 10^-6 lies two floats above 2^32, and its bound takes half of that away."""
    column = column_of(algebra.ceiling(x), made([2**32 + Fraction(1, 10**6)]))
    assert np.any(column.state) or column.values.tolist() == [2**32 + 1]
