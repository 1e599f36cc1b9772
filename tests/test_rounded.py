"""Rounded values from the equations to every output: marked, never exact, and deciding nothing."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from own import own
from running import ddcalc

from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import Expr, cases, floor, harmonic, largest, sqrt
from ddcalc.formula.coherence import check_decisions
from ddcalc.formula.expression import Num, Pow, Sym
from ddcalc.numbers.number import spelt
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import Problem, Shape

a, b, n, x = map(Sym, ("a", "b", "n", "x"))


def test_an_exact_value_may_have_many_thousand_digits() -> None:
    stated = ["--staleness", "9", "--penalty", "polynomial", "--strength", "20000"]
    ran = ddcalc("staleness-penalty", *stated, "--format", "ndjson", "--steps", "none")
    assert json.loads(ran.out)["answer"]["exact"] == f"1/1{'0' * 20000}"
    assert spelt(Fraction(-(10**5000), 7)) == f"-1{'0' * 5000}/7"
    assert spelt(10**5000 + 1) == f"1{'0' * 4999}1"
    assert spelt(Fraction(1191, 2)) == "1191/2"


# What may not rest on a rounded value


@pytest.mark.parametrize(
    "formula",
    [floor(x), largest(x, a), cases((a, x > 0), otherwise=b), floor(sqrt(x)), harmonic(x), x > a],
    ids=repr,
)
def test_nor_by_what_rests_on_one(formula: Expr) -> None:
    between = ("y", 2 * Sym("r"))
    with pytest.raises(BadEquation, match="by a rounded number"):
        check_decisions([("r", sqrt(a)), between, ("x", Sym("y") + 1), ("z", formula)])


def _decided(rule: str) -> type[Problem]:
    return own(
        "decided",
        f"""How does a type decide that may not?

given
  times n [count, example 3]: how many

steps
  root r: The root -- of it
    = sqrt(times)
  last m: The last -- from the root
    = {rule}
""",
    )


@pytest.mark.parametrize(
    "rule",
    [
        "floor(root)",
        "boundary(last, last*root > times)",
        'least(last*root > times, ceiling(sqrt(times)), "one is enough")',
    ],
)
def test_rules_of_a_type_decide_by_exact_values_only(rule: str) -> None:
    with pytest.raises(BadEquation, match="by a rounded number"):
        EquationPlan(_decided(rule)(Shape()))


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
