"""crossbow: what its manual says, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results

from ddcalc.problem.steps import State

WEIGHTS = st.fractions(-20, 20, max_denominator=12)


@st.composite
def crews(draw: st.DrawFn) -> dict[str, Any]:
    learners, width = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    vector = st.lists(WEIGHTS, min_size=width, max_size=width)
    many = st.lists(WEIGHTS, min_size=learners * width, max_size=learners * width)
    answers = {"models": draw(many), "gradients": draw(many), "average": draw(vector)}
    if draw(st.booleans()):
        answers["previous"] = draw(vector)
    answers["eta"] = draw(st.fractions(Fraction(1, 100), 2, max_denominator=100))
    if draw(st.booleans()):
        answers["alpha"] = draw(st.fractions(0, 1, max_denominator=9))
    answers["momentum"] = draw(st.fractions(0, 1, max_denominator=10))
    return answers


@settings(max_examples=50, deadline=None)
@given(crew=crews())
def test_the_average_is_the_mean_of_the_models_before(crew: dict[str, Any]) -> None:
    """As the manual says, without momentum and with a share of 1/k."""
    crew = {**crew, "momentum": 0}
    crew.pop("alpha", None)
    width = len(crew["average"])
    answers: dict[str, Any] = results("crossbow", **crew)
    columns = [crew["models"][i::width] for i in range(width)]
    assert answers["new_average"] == [sum(item) / Fraction(len(item)) for item in columns]
    still: dict[str, Any] = results("crossbow", **crew, alpha=0)
    assert still["new_average"] == crew["average"]


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"average": ["1", "2"]}, "models", "do not make whole models of 2"),
        ({"gradients": ["1", "2"]}, "gradients", "does not fit models"),
        ({"average": ["1"], "previous": ["1", "2"]}, "previous", "does not fit average"),
        ({"models": ["1", "x", "2"]}, "models[2]", "'x'"),
    ],
)
def test_refused(changed: dict[str, Any], parameter: str, message: str) -> None:
    stated = {"models": ["1", "2", "4"], "gradients": ["1", "1", "1"], "average": ["2"]}
    ((name, text),) = refusals("crossbow", **{**stated, "eta": "0.1", **changed})
    assert name == parameter
    assert message in text


def test_momentum_is_told_only_where_the_average_has_moved() -> None:
    """In its first step nothing rests on it, so its usual value is not among the givens."""
    question: dict[str, Any] = {"models": [1, 2], "gradients": [1, 1], "average": [2], "eta": 1}
    for stated, text in ((question, False), ({**question, "previous": [1]}, True)):
        steps = derivation("crossbow", **stated).steps
        assert ("momentum" in [step.name for step in steps if isinstance(step, State)]) == text


def test_unlike_lists_are_refused() -> None:
    question: dict[str, Any] = {"samples": 1, "batch": 1, "round_times": ["1 s", "2 s"]}
    ((name, text),) = refusals("crossbow", **question, epochs=[1])
    assert name == "epochs"
    assert "does not fit round_times" in text
