"""sync-interval near its root, with its proof, and far off."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stating import derivation, results, times

from ddcalc.numbers.irrational import Approximate


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Questions whose best interval is within reach, and often a tie of two."""
    weight = draw(times(1, 10**4))
    drift = Fraction(draw(st.integers(1, 999)), draw(st.sampled_from([1, 7, 1000])))
    steps = draw(st.integers(1, 60))
    products = [steps * (steps + 1), steps * steps, draw(st.integers(0, 4000))]
    tiny = Fraction(1, 10**20)
    product: int = draw(st.sampled_from(products))
    part: Fraction = draw(st.sampled_from([Fraction(0), tiny, -tiny, Fraction(1, 3)]))
    communication = (product + part) * weight * drift
    assume(communication >= 0)
    return {"communication": communication, "drift": drift, "weight": weight}


def _stated(question: dict[str, Any]) -> dict[str, Any]:
    return {
        "communication": f"{question['communication']} s",
        "drift": question["drift"],
        "weight": f"{question['weight']} s",
    }


@settings(max_examples=300, deadline=None)
@given(question=questions())
def test_the_minimum_is_the_root_and_within_one_step(question: dict[str, Any]) -> None:
    values: dict[str, Any] = results("sync-interval", **_stated(question))
    square = Fraction(values["communication"]) / (question["weight"] * question["drift"])
    optimum = Fraction(values["optimum"])
    assert abs(optimum**2 - square) <= square / 10**59
    assert isinstance(values["optimum"], Approximate) == (optimum**2 != square)
    assert optimum - 1 < values["steps"] < optimum + Fraction(3, 2)


@settings(max_examples=100, deadline=None)
@given(question=questions())
def test_it_is_proved(question: dict[str, Any]) -> None:
    solved = derivation("sync-interval", **_stated(question))
    proofs = ["".join(map(str, check.words)) for check in solved.commentary().checks]
    steps, slope = solved.answer.value, question["weight"] * question["drift"]
    assert isinstance(steps, int)
    tied = steps * (steps + 1) * slope == question["communication"]
    assert ("one step more costs more" in proofs) != tied
    assert ("one step fewer costs more" in proofs) == (steps > 1)


def test_huge_and_tiny_numbers_stay_exact() -> None:
    values = results("sync-interval", communication="1e40 s", drift="1e-20", weight="1e-20 s")
    assert (values["optimum"], values["steps"]) == (10**40, 10**40)
    values = results("sync-interval", communication="1e-40 s", drift=1, weight="1 s")
    assert (values["optimum"], values["steps"]) == (Fraction(1, 10**20), 1)
