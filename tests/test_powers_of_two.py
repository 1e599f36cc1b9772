"""How often numbers can be doubled, against doubling them; and in formulas, whatever asks."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import ceiling_log2 as up
from ddcalc.formula.algebra import floor_log2 as down
from ddcalc.formula.algebra import floor_power2 as power
from ddcalc.formula.algebra import log, sqrt
from ddcalc.formula.coherence import check, check_decisions, may_round
from ddcalc.formula.evaluation import compiled, evaluate
from ddcalc.formula.expression import Expr, Sym
from ddcalc.formula.slopes import Differential
from ddcalc.numbers.approximate import ceiling_log2, floor_log2, floor_power2, is_power2
from ddcalc.numbers.units import ONE, TIME

a = Sym("a")
numbers = st.builds(
    lambda n, d, k: Fraction(n, d) * Fraction(2) ** k,
    st.integers(1, 300), st.integers(1, 300), st.integers(-90, 90),
)  # fmt: skip


@given(x=numbers)
def test_as_doubled(x: Fraction) -> None:
    below, k = Fraction(1), 0
    while below > x:
        below, k = below / 2, k - 1
    while below * 2 <= x:
        below, k = below * 2, k + 1
    assert (floor_log2(x), floor_power2(x), is_power2(x)) == (k, below, below == x)
    assert ceiling_log2(x) == (k if below == x else k + 1)


@pytest.mark.parametrize("k", [1, 52, 53, 64, 1000])
def test_beside_a_power(k: int) -> None:
    tiny = Fraction(1, 10**400)
    for x, below, above in ((2**k - tiny, k - 1, k), (2**k, k, k), (2**k + tiny, k, k + 1)):
        assert (floor_log2(x), ceiling_log2(x)) == (below, above)


@pytest.mark.parametrize("function", [floor_log2, ceiling_log2, floor_power2])
@pytest.mark.parametrize("x", [0, -1, Fraction(-1, 2)])
def test_of_what_is_not_positive(function: Any, x: Any) -> None:
    with pytest.raises(ArithmeticError, match="not positive"):
        function(x)


@given(x=numbers)
def test_in_formulas(x: Fraction) -> None:
    values = [(up, ceiling_log2(x)), (down, floor_log2(x)), (power, floor_power2(x))]
    for function, value in values:
        formula = function(a) + 1
        assert evaluate(formula, {"a": x}) == value + 1
        assert compiled(["a"], [("b", formula)])(x) == (value + 1,)
        assert Differential({"a": x}, {"a": {"a": 1}}).of(formula).slopes == {}


@pytest.mark.parametrize("function", [up, down, power])
def test_they_are_exact_and_decide_nothing_by_a_rounded_number(function: Any) -> None:
    assert not may_round(function(a))
    check_decisions([("b", function(a))])
    for rounded in (sqrt(a), log(a) + 1):
        with pytest.raises(BadEquation, match="rounded number"):
            check_decisions([("b", function(rounded))])


@pytest.mark.parametrize("function", [up, down, power])
def test_they_take_plain_numbers(function: Any) -> None:
    check([("b", function(a), ONE)], {"a": ONE})
    formula: Expr = function(a)
    with pytest.raises(BadEquation, match="mixes"):
        check([("b", formula, ONE)], {"a": TIME})
