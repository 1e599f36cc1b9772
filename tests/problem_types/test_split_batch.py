"""split-batch near its root, with its proof, on huge numbers, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results, times

from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.steps import Compare

SLUG = "split-batch"


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Fraction]:
    """Questions whose best number is within reach, often a tie of two or next to one."""
    aggregate = draw(times(1, 10**4))
    best = draw(st.integers(1, 60))
    products = [best * (best + 1), best * best, draw(st.integers(1, 3600))]
    tiny = Fraction(1, 10**20)
    part = draw(st.sampled_from([Fraction(0), tiny, -tiny, Fraction(1, 3)]))
    compute = (draw(st.sampled_from(products)) + part) * aggregate
    return {"compute": compute, "aggregate": aggregate, "rest": draw(times())}


def _stated(question: dict[str, Fraction]) -> dict[str, str]:
    return {name: f"{value} s" for name, value in question.items()}


@settings(max_examples=200, deadline=None)
@given(question=questions())
def test_the_best_is_a_neighbour_of_the_root(question: dict[str, Fraction]) -> None:
    answers: dict[str, Any] = results(SLUG, **_stated(question))
    square, best = question["compute"] / question["aggregate"], answers["workers"]
    floor = next(n for n in count() if (n + 1) ** 2 > square)
    assert best in {max(floor, 1), floor + 1}
    assert best * (best - 1) < square <= best * (best + 1)
    root = Fraction(answers["optimum"])
    assert abs(root**2 - square) <= square / 10**59
    assert isinstance(answers["optimum"], Approximate) == (root**2 != square)


@settings(max_examples=100, deadline=None)
@given(question=questions())
def test_it_is_proved(question: dict[str, Fraction]) -> None:
    solved = derivation(SLUG, **_stated(question))
    proofs = [step for step in solved.steps if isinstance(step, Compare)]
    best = solved.answer.value
    assert isinstance(best, int | Fraction)
    wanted = [(best, True), (best - 1, False)][: 2 if best != 1 else 1]
    assert [(proof.at, proof.holds) for proof in proofs] == wanted


def test_the_exam_machine() -> None:
    answers = results(SLUG, compute="24 s", aggregate="15 ms", rest="3 s", compared=6)
    assert (answers["optimum"], answers["workers"], answers["time"]) == (40, 40, Fraction(21, 5))
    assert answers["compared_time"] == Fraction(709, 100)


def test_huge_numbers_stay_exact() -> None:
    answers = results(SLUG, compute="1e40 s", aggregate="1e-20 s")
    assert (answers["optimum"], answers["workers"]) == (10**30, 10**30)
    assert results(SLUG, compute="1e-30 s", aggregate="1 s")["workers"] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compute", "0 s"),
        ("compute", "-1 s"),
        ("aggregate", "0 s"),
        ("aggregate", "15 m"),
        ("rest", "-1 s"),
        ("compared", "0"),
        ("compared", "1.5"),
    ],
)
def test_refused(name: str, text: str) -> None:
    stated = {"compute": "24 s", "aggregate": "15 ms", name: text}
    assert [parameter for parameter, _ in refusals(SLUG, **stated)] == [name]
