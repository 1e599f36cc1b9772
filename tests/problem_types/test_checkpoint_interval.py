"""checkpoint-interval: failures drawn, hardly any failures, and how flat its minimum is."""

from __future__ import annotations

from math import exp
from typing import Any

import pytest
from stating import derivation, results


@pytest.mark.parametrize(
    ("write", "failures"), [(1, 600), (60, 10**4), (900, 10**4), (5000, 600), (60, 10**6)]
)
def test_the_exact_interval_is_best_and_its_minimum_as_flat_as_is_said(
    write: int, failures: int
) -> None:
    losses = {}
    for formula in ("exact", "young", "daly"):
        stated = {"write": f"{write} s", "failures": f"{failures} s", "formula": formula}
        found: dict[str, Any] = results("checkpoint-interval", **stated)
        losses[formula] = found["loss"]

        def wall(tau: float) -> float:
            return failures * (exp((tau + write) / failures) - 1) / tau

        tau = float(found["interval"])
        beside = max(wall(tau / 2), wall(2 * tau)) / wall(tau)
        words = derivation("checkpoint-interval", **stated).commentary().insights
        said = " ".join("".join(map(str, one)) for one in words)
        assert ("is flat" in said) == (beside <= 1.05 and wall(tau / 2) >= wall(tau))
    assert losses["exact"] == min(losses.values())
