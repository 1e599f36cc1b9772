"""noise-scale against all batches there are; the warm-up of learning-rate against a loop."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from stating import refusals, results


def test_warm_up_as_a_part_of_all_steps_is_rounded_up() -> None:
    stated = {"samples": 1001, "batch": 10, "epochs": 3}
    assert results("training-steps", **stated, warmup_part="10 %")["warmup_steps"] == 31  # of 303


VECTORS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=4)


def mean_square(vectors: list[tuple[int, int]], batch: int) -> Fraction:
    """The mean squared length of a batch's gradient, over all batches that may be drawn."""
    squares = [
        Fraction(sum(v[0] for v in drawn) ** 2 + sum(v[1] for v in drawn) ** 2, batch**2)
        for drawn in product(vectors, repeat=batch)
    ]
    return sum(squares, Fraction(0)) / len(squares)


@settings(max_examples=100, deadline=None)
@given(vectors=VECTORS, sizes=st.sampled_from([(1, 2), (1, 4), (2, 3), (3, 4)]))
def test_two_batches_tell_gradient_and_noise(
    vectors: list[tuple[int, int]], sizes: tuple[int, int]
) -> None:
    count = len(vectors)
    mean = [Fraction(sum(v[i] for v in vectors), count) for i in (0, 1)]
    square = mean[0] ** 2 + mean[1] ** 2
    spread = [sum(((v[i] - mean[i]) ** 2 for v in vectors), Fraction(0)) / count for i in (0, 1)]
    variance = spread[0] + spread[1]
    assume(square and variance)
    small, large = sizes
    answers = results(
        "noise-scale", small=small, large=large, small_square=mean_square(vectors, small),
        large_square=mean_square(vectors, large), batch=7, least_steps=100,
    )  # fmt: skip
    assert (answers["true_square"], answers["noise"]) == (square, variance)
    assert answers["scale"] == variance / square
    again = results("noise-scale", variance=variance, square=square, batch=7, least_steps=100)
    known = results("noise-scale", noise_scale=variance / square, batch=7, least_steps=100)
    for name in ("scale", "steps", "samples", "steps_factor", "samples_factor"):
        assert again[name] == known[name] == answers[name]
    steps, samples = Fraction(str(answers["steps"])), Fraction(str(answers["samples"]))
    least = Fraction(str(answers["least_samples"]))
    assert (steps / 100 - 1) * (samples / least - 1) == 1  # McCandlish et al., equation of 2.3


@pytest.mark.parametrize("start", ["old", "zero"])
def test_a_warm_up_rises_in_equal_steps(start: str) -> None:
    stated: dict[str, Any] = {"rate": "0.1", "batch": 256, "new_batch": 8192, "warmup_steps": 5}
    rate = Fraction(1, 10) if start == "old" else Fraction(0)
    rise = (Fraction(32, 10) - rate) / 5
    for step in range(9):
        answers = results("learning-rate", **stated, step=step, warmup=start)
        assert (answers["step_rate"], answers["rise"]) == (rate, rise)
        rate += rise if step < 5 else 0


MEASURED = {"small": "2", "large": "4", "small_square": "3", "large_square": "2"}
STEPS = {"samples": "100", "batch": "10"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("training-steps", {"samples": "100"}, "", "batch or small_batch"),
        ("training-steps", STEPS | {"small_batch": "4"}, "batch", "leave it out"),
        (
            "training-steps", STEPS | {"batch": "101", "last_batch": "drop"}, "samples",
            "do not fill one batch",
        ),
        ("training-steps", STEPS | {"warmup_epochs": "2"}, "warmup_epochs", "more than all"),
        ("noise-scale", MEASURED | {"large": "2"}, "small", "is not smaller"),
        ("noise-scale", MEASURED | {"large_square": "3"}, "large_square", "no noise"),
        ("noise-scale", MEASURED | {"large_square": "1.5"}, "large_square", "no gradient"),
        ("noise-scale", {"variance": "1"}, "", "square"),
        ("noise-scale", MEASURED | {"noise_scale": "3"}, "noise_scale", "in one way"),
        ("learning-rate", {"rate": "1", "batch": "1", "new_batch": "2", "step": "1"}, "", "warmup"),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, str], parameter: str, message: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert (name or "") == parameter
    assert message in text
