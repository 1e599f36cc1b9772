"""compressed-step: the published case, and its limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import readings, refusals, results

TYPE = "compressed-step"


def test_published() -> None:
    """be-19: 315 ms between nodes, 100 ms of computation, ten times fewer bytes."""
    values = results(TYPE, compute="100 ms", exchange="2*63/64*2/12.5 s", ratio=10)
    assert values["speedup"] == Fraction(830, 263)
    assert values["limit"] == Fraction(415, 100)


def test_overlap_hides_what_is_saved() -> None:
    text = readings(TYPE, compute="100 ms", exchange="80 ms", ratio=10)
    assert text["overlap", "full"] == 1


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({"compute": 0, "exchange": 0, "ratio": 2}, "compute", "a step of no time"),
        ({"compute": 1, "ratio": 2}, None, "exchange"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    texts = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts


def test_signs_of_many_workers_are_slower() -> None:
    """32 times fewer bytes, but 95 messages: 1.5 times the exchange of whole gradients."""
    stated: dict[str, Any] = {"compute": "100 ms", "exchange": "1.98 s", "ratio": 32}
    values = results(TYPE, workers=96, **stated)
    assert values["compressed"] == Fraction("2.97")
    assert values["speedup"] < 1  # type: ignore[operator]
    assert values["most_workers"] == 64
    added = results(TYPE, workers=96, aggregation="added", **stated)
    assert added["compressed"] == results(TYPE, **stated)["compressed"] == Fraction("0.061875")
    assert readings(TYPE, workers=96, **stated)["aggregation", "added"] == added["speedup"]


def test_latency_is_not_divided() -> None:
    stated: dict[str, Any] = {"compute": 1, "exchange": 1, "latency": "100 ms"}
    tiny = results(TYPE, ratio=10**9, **stated)["compressed"]
    assert Fraction("0.1") < tiny < Fraction("0.100001")  # type: ignore[operator]
    gathered = results(TYPE, ratio=10**9, workers=2, **stated)["compressed"]
    assert Fraction("0.05") < gathered < Fraction("0.050001")  # type: ignore[operator]


@pytest.mark.parametrize("overlap", ["none", "full"])
def test_nothing_to_compute_leaves_a_step_to_speed_up(overlap: str) -> None:
    values = results(TYPE, compute=0, exchange="315 ms", ratio=10, overlap=overlap)
    assert (values["speedup"], values["limit"]) == (10, None)
