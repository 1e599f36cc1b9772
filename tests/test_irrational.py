"""Roots, powers and logarithms: exact where rational, else right to 100 digits, and marked."""

import math
import operator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Event
from typing import Any

import mpmath  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.numbers import irrational
from ddcalc.numbers.number import Number

positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6, max_denominator=10**6)
small = st.fractions(min_value=-50, max_value=50, max_denominator=10**4)
exponents = st.fractions(min_value=-4, max_value=4, max_denominator=6)


@pytest.fixture(autouse=True)
def _more_digits():
    with mpmath.workdps(150):
        yield


def _real(x: Number) -> Any:
    return mpmath.mpf(x.numerator) / x.denominator


def _right(result: Number, truth: Any, digits: int = 99) -> bool:
    """Whether *result* is *truth* to so many digits, and no farther off than it says."""
    off, is_exact = abs(_real(result) - truth), not isinstance(result, irrational.Approximate)
    bound = 0 if is_exact else mpmath.mpf(irrational.error_of(result))
    return bool(off <= abs(truth) * mpmath.mpf(10) ** -digits and off <= abs(truth) * bound * 1.01)


# Against mpmath


@given(positive)
def test_a_root_is_exact_if_and_only_if_it_is_rational(x):
    result = irrational.sqrt(x)
    perfect = all(math.isqrt(n) ** 2 == n for n in (x.numerator, x.denominator))
    assert isinstance(result, irrational.Approximate) != perfect
    assert (Fraction(result) ** 2 == x) == perfect
    assert abs(Fraction(result) ** 2 - x) <= x / 10**99


@given(small, positive)
def test_exponentials_and_logarithms(x, y):
    power, root = irrational.exp(x), irrational.log(y)
    assert isinstance(power, irrational.Approximate) == (x != 0)
    assert _right(power, mpmath.exp(_real(x))) if x else power == 1
    assert isinstance(root, irrational.Approximate) == (y != 1)
    assert _right(root, mpmath.log(_real(y))) if y != 1 else root == 0


@given(st.integers(1, 10**4), st.integers(1, 2000))
def test_logarithms_beside_one_and_far_from_it(size, zeros):
    for x in (1 + Fraction(size, 10 ** (zeros + 4)), 1 + Fraction(size) * 10 ** (10 * zeros)):
        with mpmath.workdps(2 * zeros + 150):
            assert _right(irrational.log(x), mpmath.log(_real(x)))


@given(positive, exponents)
def test_powers(x, exponent):
    result = irrational.power(x, exponent)
    if isinstance(result, irrational.Approximate):
        assert exponent.denominator > 1
        assert _right(result, _real(x) ** _real(exponent), 97)
    else:
        assert Fraction(result) ** exponent.denominator == x**exponent.numerator


@given(positive)
def test_lambert(x):
    """Also beside −1/e, where the function begins."""
    assert _right(irrational.lambert(x), mpmath.lambertw(_real(x)).real, 97)
    begin = -irrational.exp(-1 - x / 10**6)
    assert _right(irrational.lambert(begin), mpmath.lambertw(_real(begin)).real, 85)
    with pytest.raises(ArithmeticError):
        irrational.lambert(-Fraction(2, 5) - x)


@given(st.fractions(min_value=0, max_value=10**12, max_denominator=10**6))
def test_roots_in_whole_numbers_are_certain(x):
    below, above = irrational.floor_sqrt(x), irrational.ceiling_sqrt(x)
    assert below * below <= x < (below + 1) ** 2
    assert (above - 1) ** 2 < x <= above * above or x == above == 0


def test_threads_do_not_take_digits_from_each_other():
    done = Event()

    def other() -> None:
        while not done.is_set():
            mpmath.mp.dps = 15  # as SymPy may set it meanwhile

    def worth(k: int) -> tuple[Number, ...]:
        functions = {7: irrational.log, 70: irrational.exp, 9: irrational.lambert}
        return tuple(function(Fraction(k, by)) for by, function in functions.items())

    with ThreadPoolExecutor(4) as threads:
        threads.submit(other)
        shared = [*threads.map(worth, range(8, 200))]
        done.set()
    irrational.from_mpmath.cache_clear()
    assert shared == [*map(worth, range(8, 200))]


# Marks


@pytest.mark.parametrize("sign", [operator.add, operator.sub, operator.mul, operator.truediv])
@given(x=positive, y=positive)
def test_arithmetic_keeps_the_mark(sign, x, y):
    root, other = irrational.exp(x / 10**6), 3 + irrational.exp(y / 10**6)  # nothing cancels
    for left, right in [(root, other), (root, y + 3), (-x, root), (root, 3), (3, root)]:
        result = sign(left, right)
        assert isinstance(result, irrational.Approximate)
        assert float(result) == pytest.approx(sign(float(left), float(right)), rel=1e-6)
        assert result.error <= irrational.SURE


@given(st.lists(positive, min_size=2, max_size=8))
def test_errors_are_bounds(xs):
    def summed(of: Any, numbers: list[Any]) -> Any:
        return sum(of.sqrt(x) / (1 + of.exp(-x / 10**6)) - of.log(x + 2) * x for x in numbers)

    assert _right(summed(irrational, xs), summed(mpmath, [*map(_real, xs)]), 45)


# Powers of two

doubled = st.builds(
    lambda n, d, k: Fraction(n, d) * Fraction(2) ** k,
    st.integers(1, 300), st.integers(1, 300), st.integers(-90, 90),
)  # fmt: skip


@given(x=doubled)
def test_as_doubled(x):
    below, k = Fraction(1), 0
    while below > x:
        below, k = below / 2, k - 1
    while below * 2 <= x:
        below, k = below * 2, k + 1
    assert irrational.floor_log2(x) == k
    assert irrational.ceiling_log2(x) == (k if below == x else k + 1)
