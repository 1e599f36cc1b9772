"""collective: published numbers, readings and refusals."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import readings, readings_by_hand, refusals, results

TYPE = "collective"
SIZE = 720720
LINKS: dict[str, Any] = {"latency": "3 us", "bandwidth": "7 GB/s", "size": f"{SIZE} B"}
LINKS |= {"reduce": "11 GB/s"}

V5E: dict[str, Any] = {"workers": 4, "bandwidth": "45 GB/s"}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        # How to Scale Your Model, sharding.md, Pop Quiz 2 and Question 3
        (V5E | {"size": "33554432 B", "algorithm": "bidirectional", "factor": "whole"},
         Fraction(33554432, 90 * 10**9)),
        (V5E | {"size": "33554432 B", "algorithm": "ring"}, Fraction(3 * 8388608, 45 * 10**9)),
        (V5E | {"size": "131072 B", "algorithm": "ring", "latency": "1 us", "together": "larger"},
         Fraction(3, 10**6)),
        (V5E | {"size": "256 B", "algorithm": "bidirectional", "latency": "1 us",
                "together": "larger"}, Fraction(2, 10**6)),
        # the same, gpus.md, Pop Quiz 1 and Quiz 2
        ({"workers": 8, "bandwidth": "450 GB/s", "size": "33554432 B", "factor": "whole"},
         Fraction(33554432, 450 * 10**9)),
        ({"workers": 8, "bandwidth": "450 GB/s", "size": "33554432 B"},
         Fraction(33554432 * 7, 8 * 450 * 10**9)),
        # The Algebra of Distributed Training, chapter 13, exercise 1
        ({"workers": 16, "bandwidth": "100 GB/s", "size": "100 MB", "latency": "10 us"},
         Fraction("0.0010875")),
    ],
)  # fmt: skip
def test_published(question: dict[str, Any], value: Fraction) -> None:
    assert results(TYPE, **question)["time"] == value


def test_both_bandwidths() -> None:
    answers: dict[str, Any] = results(TYPE, workers=8, size="1 GB", bandwidth="50 GB/s", calls=3)
    assert answers["bus_bandwidth"] == 50 * 10**9
    assert answers["algorithm_bandwidth"] * Fraction(7, 8) == 50 * 10**9
    assert answers["volume"] == 3 * answers["moved"]
    alone = results(TYPE, **LINKS, workers=1)
    assert (alone["time"], alone["bus_bandwidth"]) == (0, None)


@pytest.mark.parametrize("operation", ["all_gather", "reduce", "all_to_all"])
def test_readings_are_the_questions_read_otherwise(operation: str) -> None:
    question = LINKS | {"workers": 6, "operation": operation}
    by_hand = readings_by_hand(TYPE, **question)
    text = {key: value for key, value in by_hand.items() if key[0] != "operation"}
    assert readings(TYPE, **question) == text


@pytest.mark.parametrize(
    ("more", "parameter", "message"),
    [
        ({"workers": 6, "algorithm": "tree", "operation": "reduce_scatter"}, "workers", "power"),
    ],
)
def test_refusals(more: dict[str, Any], parameter: str, message: str) -> None:
    ((about, text),) = refusals(TYPE, **LINKS | more)
    assert about == parameter
    assert message in text
