"""Columns against exact fractions: what is exact is exact, and bounds hold what is not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddcalc import powers_of_two
from ddcalc.ask.sweep import column, real
from ddcalc.ask.sweep.axes import Listed
from ddcalc.ask.sweep.column import Column
from ddcalc.ask.sweep.exact import UNDEFINED, UNSURE, Exact, constant
from ddcalc.ask.sweep.piece import exact_at
from ddcalc.ask.sweep.real import Real
from ddcalc.ask.sweep.whole import WIDEST, TooWide, array, over, plus, single, times
from ddcalc.irrational import exp, log, sqrt

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


def made(values: Sequence[Fraction]) -> Column:
    return Listed(values).column(0, len(values))


def state_at(values: Column, i: int) -> int:
    return int(np.broadcast_to(values.state, (values_size(values, i + 1),))[i])


def values_size(values: Column, least: int) -> int:
    shape = values.values.shape if isinstance(values, Real) else np.shape(values.top.values)
    return max(least, shape[0] if shape else 1)


def check(found: Column, wanted: Callable[[int], Any], size: int) -> None:
    """Every value is exact, or within its bound, or marked."""
    for i in range(size):
        state = state_at(found, i)
        try:
            value = wanted(i)
        except ZeroDivisionError:
            assert state & (UNDEFINED | UNSURE)
            continue
        if state & UNSURE:
            continue
        assert not state & UNDEFINED
        if isinstance(found, Exact):
            assert exact_at(found, (size,), i) == value
        else:
            number = np.broadcast_to(found.values, (size,))[i]
            error = np.broadcast_to(found.error, (size,))[i]
            assert abs(Fraction(float(number)) - value) <= Fraction(float(error))


OPERATIONS: list[tuple[Callable[[Column, Column], Column], Callable[[Any, Any], Any]]] = [
    (column.plus, lambda x, y: x + y),
    (column.times, lambda x, y: x * y),
    (column.over, lambda x, y: x / y),
    (column.larger, max),
    (column.smaller, min),
    (lambda a, b: column.floor(column.over(a, b)), lambda x, y: floor(x / y)),
    (lambda a, b: column.ceiling(column.over(a, b)), lambda x, y: ceil(x / y)),
    (lambda a, b: column.plus(column.over(a, b), column.minus(b)), lambda x, y: x / y - y),
    (lambda a, b: column.times(column.floor(a), b), lambda x, y: floor(x) * y),
    (lambda a, b: column.position_of_largest([a, b, a]), lambda x, y: 1 if x >= y else 2),
]


@pytest.mark.parametrize(("operation", "wanted"), OPERATIONS)
@settings(max_examples=60)
@given(left=LISTS, right=LISTS)
def test_exact_operations(
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


@pytest.mark.parametrize(("operation", "wanted"), OPERATIONS)
@settings(max_examples=60)
@given(left=LISTS, right=LISTS)
def test_operations_in_floats(
    operation: Callable[[Column, Column], Column],
    wanted: Callable[[Any, Any], Any],
    left: list[Fraction],
    right: list[Fraction],
) -> None:
    size = min(len(left), len(right))
    with np.errstate(all="ignore"):
        a, b = (column.as_real(made(each[:size])) for each in (left, right))
        check(operation(a, b), lambda i: wanted(left[i], right[i]), size)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "=="])
@pytest.mark.parametrize("floats", [False, True])
@given(left=LISTS, right=LISTS, alike=st.booleans())
def test_comparisons(
    op: Any, floats: bool, left: list[Fraction], right: list[Fraction], alike: bool
) -> None:
    size = min(len(left), len(right))
    right = left if alike else right
    a, b = made(left[:size]), made(right[:size])
    if floats:
        a, b = column.as_real(a), column.as_real(b)
    with np.errstate(all="ignore"):
        mask, state = column.holds(op, a, b)
    told = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__"}[op]
    for i in range(size):
        if not np.broadcast_to(state, (size,))[i] & UNSURE:
            wanted = getattr(left[i], told)(right[i])
            assert bool(np.broadcast_to(mask, (size,))[i]) == wanted


FUNCTIONS: list[tuple[Callable[[Column], Column], Callable[[Any], Any]]] = [
    (column.root, sqrt),
    (column.exponential, exp),
    (column.logarithm, log),
]


@pytest.mark.parametrize(("function", "wanted"), FUNCTIONS)
@given(values=st.lists(st.fractions(-20, 600), min_size=1, max_size=6))
def test_functions_keep_their_bounds(
    function: Callable[[Column], Column],
    wanted: Callable[[Any], Any],
    values: list[Fraction],
) -> None:
    with np.errstate(all="ignore"):
        found = real.settled(column.as_real(function(made(values))))
    for i, value in enumerate(values):
        if state_at(found, i) & UNSURE:
            continue
        true = wanted(value)
        true = Fraction(true.numerator, true.denominator)
        error = abs(Fraction(float(found.values[i])) - true)
        assert error <= Fraction(float(found.error[i])) + abs(true) / 10**40
        assert error <= abs(true) / 10**12


@given(st.lists(st.integers(-5, 2**60), min_size=1, max_size=5), st.integers(1, 7))
def test_roots_of_whole_numbers(values: list[int], below: int) -> None:
    squares = [Fraction(value, below) for value in values]
    for function, wanted in ((column.floor_root, isqrt), (column.ceiling_root, lambda n: n)):
        with np.errstate(all="ignore"):
            found = function(made(squares))
        for i, square in enumerate(squares):
            if state_at(found, i) & UNSURE:
                continue
            root = isqrt(floor(square))
            if wanted is not isqrt and root * root != square:
                root += 1
            assert isinstance(found, Exact)
            assert exact_at(found, (len(values),), i) == root


@pytest.mark.parametrize("name", ["floor_log2", "ceiling_log2", "floor_power2"])
@pytest.mark.parametrize("floats", [False, True])
@given(values=st.lists(NUMBERS | POWERS, min_size=1, max_size=5))
def test_doublings(name: str, floats: bool, values: list[Fraction]) -> None:
    a = made(values)
    with np.errstate(all="ignore"):
        found = getattr(column, name)(column.as_real(a) if floats else a)
    assert isinstance(found, Exact)
    few = all(value.denominator == 1 and abs(value) < 2**52 for value in values)
    for i, value in enumerate(values):
        if state_at(found, i) & UNSURE:
            assert floats or value < 1 or not few
            continue
        assert exact_at(found, (len(values),), i) == getattr(powers_of_two, name)(value)


@given(st.lists(WIDE, min_size=1, max_size=5), st.lists(WIDE, min_size=1, max_size=5))
def test_nothing_overflows_unseen(left: list[int], right: list[int]) -> None:
    size = min(len(left), len(right))
    left, right = ([n % 2**62 for n in each[:size]] for each in (left, right))
    a, b = (array(np.array(each, dtype=np.int64)) for each in (left, right))
    for operation, wanted in (
        (plus, lambda x, y: x + y),
        (times, lambda x, y: x * y),
        (lambda x, y: over(x, plus(y, single(1))), lambda x, y: x // (y + 1)),
    ):
        true = [wanted(x, y) for x, y in zip(left, right, strict=True)]
        try:
            found = operation(a, b)
        except TooWide:
            # the bounds are of the columns, not of the pairs in them
            assert (max(left) + 1) * (max(right) + 1) >= WIDEST // 2
            continue
        assert np.asarray(found.values).tolist() == true
        assert found.low <= min(true)
        assert max(true) <= found.high


def test_a_branch_that_is_not_taken_does_not_matter() -> None:
    below = column.over(constant(1), made([Fraction(0), Fraction(2)]))
    mask, _ = column.holds(">", made([Fraction(0), Fraction(2)]), constant(0))
    assert state_at(below, 0) == UNDEFINED
    chosen = column.select(mask, below, constant(7))
    assert [state_at(chosen, i) for i in range(2)] == [0, 0]
    assert isinstance(chosen, Exact)
    assert [exact_at(chosen, (2,), i) for i in range(2)] == [7, Fraction(1, 2)]


@given(st.lists(st.fractions(-1000, 1000, max_denominator=16), min_size=2, max_size=6))
def test_what_fits_is_never_unsure(values: list[Fraction]) -> None:
    """Of these, products over a common denominator fit into 64 bits."""
    a, b = made(values), made(values[::-1])
    for op in ("<", "=="):
        assert not np.any(column.holds(op, a, b)[1])  # type: ignore[arg-type]
    for found in (column.plus(a, b), column.times(a, b), column.floor(a), column.larger(a, b)):
        assert isinstance(found, Exact)
        assert not np.any(found.state)


def test_ties_are_decided_exactly() -> None:
    """0.7/0.1 in floats is below 7, and its floor 6."""
    quotient = column.over(made([Fraction(7, 10), Fraction(3, 10)]), constant(Fraction(1, 10)))
    found = column.floor(quotient)
    assert isinstance(found, Exact)
    assert [exact_at(found, (2,), i) for i in range(2)] == [7, 3]
    in_floats = column.floor(column.as_real(quotient))
    assert [state_at(in_floats, i) for i in range(2)] == [UNSURE, UNSURE]
