"""split-batch against trying every number of workers, and against rounds added up by hand."""

from __future__ import annotations

from fractions import Fraction
from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results, times

from ddcalc.approximate import Approximate
from ddcalc.steps import Compare

MOST = 80  # workers that are tried
SLUG = "split-batch"


def round_time(compute: Fraction, aggregate: Fraction, rest: Fraction, workers: int) -> Fraction:
    """A round in which *workers* compute side by side and are then served one after the other."""
    now = compute / workers
    for _ in range(workers):
        now += aggregate
    return now + rest


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
def test_as_tried(question: dict[str, Fraction]) -> None:
    tried = {m: round_time(**question, workers=m) for m in range(1, MOST + 1)}
    best = min(tried, key=lambda m: (tried[m], m))
    found = results(SLUG, **_stated(question))
    assert (found["workers"], found["time"]) == (best, tried[best])
    assert found["more"] == tried[best + 1]
    assert found["fewer"] == tried.get(best - 1)
    assert found["single"] == tried[1]
    assert found["speedup"] == tried[1] / tried[best]


@settings(max_examples=200, deadline=None)
@given(question=questions())
def test_the_best_is_a_neighbour_of_the_root(question: dict[str, Fraction]) -> None:
    found: dict[str, Any] = results(SLUG, **_stated(question))
    square, best = question["compute"] / question["aggregate"], found["workers"]
    floor = next(n for n in count() if (n + 1) ** 2 > square)
    assert best in {max(floor, 1), floor + 1}
    assert best * (best - 1) < square <= best * (best + 1)
    root = Fraction(found["optimum"])
    assert abs(root**2 - square) <= square / 10**59
    assert isinstance(found["optimum"], Approximate) == (root**2 != square)


@settings(max_examples=100, deadline=None)
@given(question=questions(), workers=st.integers(1, MOST))
def test_a_stated_number_is_no_better(question: dict[str, Fraction], workers: int) -> None:
    found: dict[str, Any] = results(SLUG, **_stated(question), compared=workers)
    assert found["compared_time"] == round_time(**question, workers=workers)
    assert found["excess"] == found["compared_time"] - found["time"] >= 0


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
    found = results(SLUG, compute="24 s", aggregate="15 ms", rest="3 s", compared=6)
    assert (found["optimum"], found["workers"], found["time"]) == (40, 40, Fraction(21, 5))
    assert found["compared_time"] == Fraction(709, 100)


def test_huge_numbers_stay_exact() -> None:
    found = results(SLUG, compute="1e40 s", aggregate="1e-20 s")
    assert (found["optimum"], found["workers"]) == (10**30, 10**30)
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
