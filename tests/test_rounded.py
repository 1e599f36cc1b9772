"""Rounded values from the equations to every output: marked, never exact, and deciding nothing."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from own import own
from running import ddcalc

from ddcalc.ask.solve import Derivation, solve
from ddcalc.errors import BadEquation
from ddcalc.formula.algebra import Expr, cases, floor, harmonic, largest, sqrt
from ddcalc.formula.coherence import check_decisions
from ddcalc.formula.expression import Sym
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import spelt
from ddcalc.numbers.units import HOUR
from ddcalc.problem.plan import EquationPlan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.render import json as data
from ddcalc.render import story

a, b, n, x = map(Sym, ("a", "b", "n", "x"))


MEAN = own(
    "mean",
    """What is the geometric mean of two times?

answer: mean

given
  first s [duration, group the first, example 2 ms]: the first time
  second t [duration, group the second, example 3 s]: the second time
  rate r [default 0.5]: a rate

steps
  mean m [s]: The mean -- the root of the product
    = sqrt(first*second)
  hours h [h]: In hours -- the same
    = mean
  faded f [s]: Faded -- it falls by the rate
    = mean*exp(-rate)/2
""",
)


def _mean(first: str, second: str, **more: str) -> Derivation:
    return solve(MEAN, {"first": first, "second": second, **more})


def test_a_rounded_value_in_every_output() -> None:
    solved = _mean("2 ms", "3 s")
    mean = solved.values["mean"]
    assert isinstance(mean, Approximate)
    assert abs(Fraction(mean) ** 2 - Fraction(6, 1000)) < Fraction(1, 10**60)
    expected = data.result(solved.answer)
    assert expected["exact"] is None
    assert expected["value"] == pytest.approx(0.006**0.5, rel=1e-15)
    assert expected["text"] == "≈ 0.0774597 s"
    assert story.answer_text(solved) == "≈ 77.46 ms"
    assert data.result(solved.answer, HOUR)["text"].startswith("≈ ")


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_numbers_of_many_thousand_digits_are_shown_short(form: str) -> None:
    for stated in (["--penalty", "polynomial", "--strength", "20000"], ["--strength", "7000"]):
        ran = ddcalc("staleness-penalty", "--staleness", "9", *stated, "--format", form)
        assert (ran.code, ran.err) == (0, "")
        assert len(ran.out) < 6000


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
