"""Compressed gradients: published numbers, draws, what the steps say, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import pytest
from stating import results


def quantized(vector: Sequence[Fraction | int | str], **more: Any) -> dict[str, Any]:
    return results("quantize", vector=list(vector), **{"bits": 8, **more})


@pytest.mark.parametrize(
    ("slug", "arrives", "how", "kinds"),
    [("quantize", "quantized", {"bits": 2}, 5),
     ("sparsify", "sparse", {"kept": 2, "method": "unbiased"}, 6)],
)  # fmt: skip
def test_many_seeds_come_near_the_expectation(
    slug: str, arrives: str, how: dict[str, Any], kinds: int
) -> None:
    """The mean error of many draws is within four standard errors of what is expected."""
    vector = ["0.3", "-0.4", "1.1", "0.7"]
    values: list[Any] = [results(slug, vector=vector, seed=seed, **how) for seed in range(200)]
    errors = [float(item["error"]) for item in values]
    off = abs(fmean(errors) - float(values[0]["expected_error"]))
    assert off <= 4 * stdev(errors) / 200**0.5
    assert len({tuple(item[arrives]) for item in values}) >= kinds


def test_a_seed_draws_the_same_always() -> None:
    """Written down once; Python draws these numbers alike in all its versions."""
    drawn = results("quantize", dimension=4, bits=3, seed=7)["drawn"]
    assert drawn == [Fraction(item) for item in ("0.69", "0.78", "-1.49", "1.33")]
    assert drawn == results("quantize", dimension=4, bits=8, seed=7)["drawn"]
    assert drawn != results("quantize", dimension=4, bits=3)["drawn"]


@pytest.mark.parametrize("kept", [2, 3])
def test_what_unbiased_values_lose_cannot_be_fed_back_from_omega_1_on(kept: int) -> None:
    """All draws of three steps: does the mean square of what is kept grow by less each step?"""
    vector, draws = [3, -1, 2, 5], [*combinations(range(4), kept)]
    kinds, means = [[Fraction(0)] * 4], []
    for _ in range(3):
        wanted = [[v + m for v, m in zip(vector, memory, strict=True)] for memory in kinds]
        kinds = [
            [w - Fraction(4, kept) * w * (i in chosen) for i, w in enumerate(item)]
            for item in wanted
            for chosen in draws
        ]
        means.append(sum(value**2 for memory in kinds for value in memory) / len(kinds))
    settles = means[2] - means[1] < means[1] - means[0]
    omega: Any = results("sparsify", vector=vector, kept=kept, method="unbiased")["vector_bound"]
    assert settles == (omega < 1)
