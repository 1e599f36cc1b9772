"""Types whose equations are played as well where there is an example, and what serves them."""

from __future__ import annotations

import pytest
from own import own
from running import ddcalc

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import BITS_PER_BYTE, Expr, sqrt
from ddcalc.formula.coherence import check, check_decisions, dimension_of, worth_of
from ddcalc.formula.expression import Num, Pow, Sym
from ddcalc.numbers.units import DATA, ONE
from ddcalc.problem.problem import Shape


def test_an_option_that_needs_more_is_not_possible() -> None:
    call = ["quantize", "--values", "8", "--scheme", "sign", "--format", "json"]
    assert ddcalc(*call).code == 0
    call = ["update-rule", "--workers", "3", "--clock", "4", "--staleness", "1", "--find", "scheme"]
    ran = ddcalc(*call, "--where", "guaranteed >= 9")
    assert (ran.code, "not possible: missing: " in ran.out) == (0, True)


# Formulas of bits, and powers of whole numbers


def test_bits_over_bits_per_byte_are_data() -> None:
    bits = Sym("b") / BITS_PER_BYTE
    assert dimension_of(bits, {"b": ONE}) == DATA
    assert worth_of(bits, {"b": 1}) == 1
    check([("S", bits, DATA)], {"b": ONE})
    assert repr(bits) == repr(Sym("b") / Num(8))
    with pytest.raises(BadEquation, match="mixes"):
        dimension_of(bits + Sym("b"), {"b": ONE})


@pytest.mark.parametrize("exponent", [Sym("n"), Sym("n") - 1, 2 * Sym("n") + 3, -Sym("n")])
def test_powers_with_whole_exponents_may_decide(exponent: Expr) -> None:
    test = Pow(Num(2), exponent) >= 3
    check_decisions([("x", test)], whole={"n"})
    for whole_letters in (set[str](), {"m"}):
        with pytest.raises(BadEquation, match="by a rounded number"):
            check_decisions([("x", test)], whole=whole_letters)


@pytest.mark.parametrize("exponent", [Sym("n") / 2, sqrt(Sym("n")), Sym("n") * Num(1) / 3])
def test_others_may_not(exponent: Expr) -> None:
    with pytest.raises(BadEquation, match="by a rounded number"):
        check_decisions([("x", Pow(Num(2), exponent) >= 3)], whole={"n"})


def test_whole_givens_are_known() -> None:
    text = """How many?

given
  some k [count]: some
  part q [amount]: a part

steps
  all x: All -- both
    = some + part
"""
    assert own("counting", text)(Shape()).counted() == {"k"}
