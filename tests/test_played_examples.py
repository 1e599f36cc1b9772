"""Types whose equations are played as well where there is an example, and what serves them."""

from __future__ import annotations

import pytest

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import Expr, sqrt
from ddcalc.formula.coherence import check_decisions
from ddcalc.formula.expression import Num, Pow, Sym

# Formulas of bits, and powers of whole numbers


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
