"""checkpoint-interval: failures drawn, hardly any failures, and how flat its minimum is."""

from __future__ import annotations

from math import exp
from random import Random
from typing import Any

import pytest
from stating import derivation, results

STATED: dict[str, Any] = {"write": "120 s", "failures": "6000 s", "restart": "300 s"}


def drawn(interval: float, intervals: int, random: Random) -> tuple[float, int]:
    """How long it takes until so many *intervals* are done, and how many failures came."""
    time, failed, fails_at = 0.0, 0, random.expovariate(1 / 6000)
    for _ in range(intervals):
        end = time + interval + 120
        while end > fails_at:  # during work, checkpoint or restart: a restart, and all of it again
            failed += 1
            end = fails_at + 300 + interval + 120
            fails_at += random.expovariate(1 / 6000)
        time = end
    return time, failed


def test_time_and_failures_of_a_whole_training_are_those_of_drawn_failures() -> None:
    found: dict[str, Any] = results(
        "checkpoint-interval", **STATED, work="240000 s", compared="2400 s"
    )
    random = Random("failures")
    runs = [drawn(2400, 100, random) for _ in range(200)]
    time = sum(time for time, _ in runs) / len(runs)
    assert time == pytest.approx(float(found["compared_total"]), rel=0.01)
    assert sum(failed for _, failed in runs) / len(runs) == pytest.approx(time / 6000, rel=0.02)
    assert float(found["expected"]) == pytest.approx(float(found["total"]) / 6000)
    assert float(found["saved"]) == pytest.approx(time - float(found["total"]), rel=0.1)


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
