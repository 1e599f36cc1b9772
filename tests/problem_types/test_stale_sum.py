"""stale-sum against sums added one age after the other, and against what staleness says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from running import ddcalc
from stating import refusals, results

SLUG = "stale-sum"
BASE = {"low": "1/2", "high": 3, "alpha": "0.3"}


@pytest.mark.parametrize("alpha", ["0.251", "0.3", "0.5", "0.6"])
def test_beyond_one_over_b_nothing_is_allowed(alpha: str) -> None:
    for slug in (SLUG, "staleness"):
        values = results(slug, low=1, high=4, alpha=alpha, ages=3, beta="0.001")
        assert (values["stale_allowed"], values["stale_margin"]) == (None, None)
    assert values["beta_allowed"] is None
    call = [SLUG, "--low", "1", "--high", "4", "--alpha", alpha, "--ages", "3"]
    ran = ddcalc(*call, "--find", "beta", "--where", "stale_margin >= 0")
    assert "No value of β makes the spare" in ran.out
    assert "m_S = no value" in ran.out


def test_a_factor_that_proves_nothing_says_so() -> None:
    for alpha, text in (("0.6", True), ("0.2", False)):
        ran = ddcalc(SLUG, "--low", "1", "--high", "4", "--alpha", alpha, "--all", columns=200)
        assert ("nothing is proved" in ran.out) == text
        assert ("need not converge" in ran.out) == text


@pytest.mark.parametrize("alpha", ["0.2,0,0.01", "0.2,0.01,0", "0.2,0.01", "0.2,0"])
def test_an_age_that_is_left_out_is_told_alike(alpha: str) -> None:
    """No coefficient may be 0 but behind the last age that is used."""
    for part in ("theorems", "conditions"):
        ran = ddcalc("staleness", *f"--low 1 --high 4 --alpha {alpha} --part {part}".split())
        assert ("no coefficient may be below some" in ran.out) == (",0,0" in alpha)


def test_a_coefficient_just_above_the_limit_differs_from_it() -> None:
    ran = ddcalc(SLUG, "--low", "1", "--high", "7", "--alpha", "0.1429", columns=200)
    assert "is about 4.286×10⁻⁵ more than 0.1429 (1/b)" in " ".join(ran.out.split())


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({**BASE, "low": 4}, "low", "is more than the largest curvature, 3"),
    ({**BASE, "stale": "0.1", "ages": 2}, "ages", "states the stale sum a second time"),
    ({**BASE, "beta": "0.1"}, "beta", "goes with a number of ages"),
]


@pytest.mark.parametrize(("stated", "parameter", "texts"), WRONG)
def test_wrong_questions(stated: dict[str, Any], parameter: str, texts: str) -> None:
    [(where, text)] = refusals(SLUG, **stated)
    assert where == parameter
    assert texts in text


def test_the_step_solved_is_the_one_that_ends_the_answer() -> None:
    """At 0.45 the other part of the maximum binds than in the middle of the solutions."""
    call = [SLUG, "--low", "1", "--high", "4", "--beta", "0.1", "--ages", "3"]
    ran = ddcalc(*call, "--find", "alpha", "--where", "factor < 1", columns=200)
    assert "α must be less than about 0.4505." in ran.out
    assert "  b·α − 1 + b·" in ran.out
    assert "  1 − a·α + b·" not in ran.out


def test_it_is_a_reading_of_staleness() -> None:
    asked = results(SLUG, **BASE, ages=3)
    assert asked == results("staleness", **BASE, ages=3, part="theorems")
    assert asked["stale_sum"] == Fraction(3, 5)
