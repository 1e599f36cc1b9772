"""Rounded values from the equations to every output: marked, never exact, deciding no tie."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from running import ddcalc

from ddcalc.formula.algebra import FUNCTIONS, Expr, cases, ceiling, exp, floor, log, same, sqrt
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Num
from ddcalc.numbers.irrational import OutOfReach
from ddcalc.numbers.number import spelt


def test_an_exact_value_may_have_many_thousand_digits() -> None:
    stated = ["--staleness", "9", "--penalty", "polynomial", "--strength", "20000"]
    ran = ddcalc("staleness-penalty", *stated, "--format", "ndjson", "--steps", "none")
    assert json.loads(ran.out)["answer"]["exact"] == f"1/1{'0' * 20000}"
    assert spelt(Fraction(-(10**5000), 7)) == f"-1{'0' * 5000}/7"
    assert spelt(10**5000 + 1) == f"1{'0' * 4999}1"
    assert spelt(Fraction(1191, 2)) == "1191/2"


# What rests on a rounded value is sure, or nothing


LOGS = log(Num(8)) / log(Num(2))  # 3, of which nobody knows the last digit


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (floor(LOGS), None),
        (floor(log(Num(8)) / log(Num(2))), None),
        (floor(LOGS + Fraction(1, 10**30)), 3),
        (ceiling(LOGS), None),
        (ceiling(LOGS - Fraction(1, 10**30)), 3),
        (FUNCTIONS["floor_log2"](exp(LOGS * log(Num(2)))), None),
        (floor(sqrt(Num(9))), 3),
        (FUNCTIONS["argmax"](1, LOGS, 3), None),
        (FUNCTIONS["argmax"](1, LOGS, 4), 3),
        (cases((1, LOGS > 3), otherwise=2), None),
        (cases((1, same(LOGS, 3)), otherwise=2), None),
        (cases((1, LOGS > 4), otherwise=2), 2),
        (cases((1, Num(2) ** 3 >= 8), otherwise=2), 1),
    ],
    ids=repr,
)
def test_a_rounded_number_decides_no_tie(formula: Expr, value: int | None) -> None:
    if value is None:
        with pytest.raises(OutOfReach, match="too small to be sure of"):
            evaluate(formula, {})
    else:
        assert evaluate(formula, {}) == value


@pytest.mark.parametrize(("of", "said"), [("9", "3\n"), ("8", "too small to be sure of")])
def test_a_question_may_decide_by_a_logarithm(of: str, said: str) -> None:
    stated = "--size", "8 MB", "--bandwidth", "4 GB/s", "--step", f"x = floor(log({of})/log(2))"
    ran = ddcalc("transfer", *stated, "--quantity", "x")
    assert said in ran.out + ran.err
