"""Rounded values from the equations to every output: marked, never exact, deciding no tie."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from own import own
from running import ddcalc

from ddcalc.ask.solve import solve
from ddcalc.errors import NoAnswer
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
    "formula",
    [
        floor(LOGS),
        ceiling(LOGS),
        floor(log(8) / log(Num(2))),
        FUNCTIONS["floor_log2"](exp(LOGS * log(Num(2)))),
        FUNCTIONS["argmax"](1, LOGS, 3),
        cases((1, LOGS > 3), otherwise=2),
        cases((1, same(LOGS, 3)), otherwise=2),
    ],
    ids=repr,
)
def test_a_rounded_number_at_a_tie_decides_nothing(formula: Expr) -> None:
    with pytest.raises(OutOfReach, match="too small to be sure of"):
        evaluate(formula, {})


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        (floor(LOGS + Fraction(1, 10**30)), 3),
        (ceiling(LOGS - Fraction(1, 10**30)), 3),
        (ceiling(log(9) / log(3) + 1 / Num(2)), 3),
        (floor(sqrt(Num(9))), 3),
        (FUNCTIONS["argmax"](1, LOGS, 4), 3),
        (cases((1, LOGS > 4), otherwise=2), 2),
        (cases((1, Num(2) ** 3 >= 8), otherwise=2), 1),
        (cases((1, sqrt(Num(2)) > Fraction(141421356, 10**8)), otherwise=2), 1),
    ],
    ids=repr,
)
def test_elsewhere_it_does(formula: Expr, value: int) -> None:
    assert evaluate(formula, {}) == value


def test_a_type_may_decide_by_a_root() -> None:
    decided = own(
        "decided",
        """How does a type decide?

given
  times n [count, example 3]: how many

steps
  root r: The root -- of it
    = sqrt(times)
  last m: The last -- from the root
    = floor(log(times)/log(2) * root)
""",
    )
    assert solve(decided, {"times": "3"}).answer.value == 2  # 2.745…
    with pytest.raises(NoAnswer, match="too small to be sure of"):
        solve(decided, {"times": "4"})
