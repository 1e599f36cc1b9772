"""batch-workers: the whole numbers that are best beside the optimum of the formula in parts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import results

CREW: dict[str, Any] = {"overhead": "30 ms", "per_sample": "0.1 ms", "least_steps": 3000}
CREW |= {"critical_batch": 8192, "most_workers": 128}


def test_the_best_is_near_the_optimum_in_parts() -> None:
    answers: dict[str, Any] = results("batch-workers", **CREW, per_worker="0.5 ms")
    z = answers["balance"]
    assert float(z**3) == pytest.approx(float(Fraction(8192, 2 * 10**7) * (z + Fraction("0.03"))))
    assert abs(answers["best_workers"] - z * 2000) < 1
    assert abs(answers["batch"] - z * 10000) < 1
    prices = {"price": "2 USD/h", "waiting": "50 USD/h", "goal": "cost"}
    answers = results("batch-workers", **CREW, **prices)
    assert abs(answers["best_workers"] - answers["cheapest"]) < 1
