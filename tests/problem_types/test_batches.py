"""The types on batches: what their witnesses do not say, what they show, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stating import results

# critical-batch, learning-rate, training-steps


# batch-workers

CREW: dict[str, Any] = {"overhead": "30 ms", "per_sample": "0.1 ms", "least_steps": 3000}
CREW |= {"critical_batch": 8192, "most_workers": 128}
PRICES = {"price": "2 USD/h", "waiting": "50 USD/h"}


def test_the_best_is_near_the_optimum_in_parts() -> None:
    answers: dict[str, Any] = results("batch-workers", **CREW, per_worker="0.5 ms")
    z = answers["balance"]
    assert float(z**3) == pytest.approx(float(Fraction(8192, 2 * 10**7) * (z + Fraction("0.03"))))
    assert abs(answers["best_workers"] - z * 2000) < 1
    assert abs(answers["batch"] - z * 10000) < 1
    answers = results("batch-workers", **CREW, **PRICES, goal="cost")
    assert abs(answers["best_workers"] - answers["cheapest"]) < 1


# noise-scale

VECTORS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=4)


def mean_square(vectors: list[tuple[int, int]], batch: int) -> Fraction:
    """The mean squared length of a batch's gradient, over all batches that may be drawn."""
    squares = [
        Fraction(sum(v[0] for v in drawn) ** 2 + sum(v[1] for v in drawn) ** 2, batch**2)
        for drawn in product(vectors, repeat=batch)
    ]
    return sum(squares, Fraction(0)) / len(squares)


@settings(max_examples=25, deadline=None)
@given(vectors=VECTORS, sizes=st.sampled_from([(1, 2), (1, 4), (2, 3), (3, 4)]))
def test_two_batches_tell_gradient_and_noise(
    vectors: list[tuple[int, int]], sizes: tuple[int, int]
) -> None:
    count = len(vectors)
    mean = [Fraction(sum(v[i] for v in vectors), count) for i in (0, 1)]
    square = mean[0] ** 2 + mean[1] ** 2
    variance = sum(((v[i] - mean[i]) ** 2 for v in vectors for i in (0, 1)), Fraction(0)) / count
    assume(square and variance)
    small, large = sizes
    measured = {"small_square": mean_square(vectors, small), "small": small, "large": large}
    answers = results("noise-scale", **measured, large_square=mean_square(vectors, large))
    assert (answers["true_square"], answers["noise"]) == (square, variance)
