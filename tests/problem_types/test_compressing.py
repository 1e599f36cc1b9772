"""Compressed gradients: published numbers, draws, what the steps say, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any

import pytest
from stating import results


def quantized(vector: Sequence[Fraction | int | str], **more: Any) -> dict[str, Any]:
    return results("quantize", vector=list(vector), **{"bits": 8, **more})


# Bounds and draws


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
