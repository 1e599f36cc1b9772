"""What is too long, empty, huge or tiny; what pages say stands in ``calls/sentences.txt``."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import refusals, results

SLOW = [f"1/{n}" for n in range(10**6 + 1, 10**6 + 400, 2)]  # to add up


@pytest.mark.parametrize(
    ("slug", "stated", "message"),
    [
        ("backup-workers", {"means": ["1 s"] * 1025}, "at most 1 024 are possible"),
        ("backup-workers", {"means": ["1 s"] * 64 + ["2 s"] * 63}, "make too many sets of workers"),
        ("backup-workers", {"times": ["1 s"] * 1000, "workers": 1000}, "too many to be exact"),
        ("quantize", {"vector": SLOW, "bits": 4}, "more than 300 digits"),
        ("data-parallel", {"targets": SLOW, "inputs": [1] * 200, "workers": 2, "eta": 1},
         "more than 300 digits"),
        ("ring-trace", {"vectors": SLOW, "processes": 4}, "more than 300 digits"),
        ("ring-trace", {"vectors": ["9" * 40] * 200, "processes": 40, "op": "prod"}, "1000 digits"),
        ("sync-step", {"finish": [], "aggregate": "1 s", "update": "1 s"}, "is an empty list"),
    ],
)  # fmt: skip
def test_what_is_too_long_or_empty(slug: str, stated: dict[str, Any], message: str) -> None:
    [(_, text)] = refusals(slug, **stated)
    assert message in text


@pytest.mark.parametrize("size", [Fraction(1, 3), 1, 10**15])
def test_huge_and_tiny_numbers_stay_exact(size: Fraction | int) -> None:
    split = results("split-batch", compute=f"{100 * size * size} s", aggregate="1 s")
    assert split["optimum"] == 10 * size
    told = results("breakeven", download=0, compute=f"{size} s", upload=0, aggregate="1e-9 s")
    assert told["balance"] == size * 10**9
