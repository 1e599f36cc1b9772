"""What links carry, and what nccl-tests tells of it: published numbers, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import refusals, results

SEND, BUS = "transfer", "bus-bandwidth"


@pytest.mark.parametrize(
    ("question", "name", "value"),
    [
        # The Algebra of Distributed Training, chapter 4, exercise 3
        ({"size": "1 B", "latency": "1 us", "bandwidth": "900 GB/s"}, "balance", 900_000),
        ({"size": "1 B", "latency": "2 us", "bandwidth": "50 GB/s"}, "balance", 100_000),
        # How to Scale Your Model, tpus.md, question 5
        ({"size": "16777216 B", "latency": "1 us", "hops": "3 + 3", "links": 2,
          "bandwidth": "45 GB/s"}, "time", Fraction(16777216, 90 * 10**9) + Fraction(6, 10**6)),
        # Bekman, network/README.md
        ({"parameters": "80B", "bytes_per_parameter": 4, "bandwidth": "200 Gbit/s"},
         "time", Fraction("12.8")),
        ({"parameters": "80B", "bytes_per_parameter": 4, "bandwidth": "1600 Gbit/s"},
         "time", Fraction("1.6")),
    ],
)  # fmt: skip
def test_published_transfers(question: dict[str, Any], name: str, value: Any) -> None:
    assert results(SEND, **question)[name] == value


def test_published_bandwidths() -> None:
    answers = results(BUS, workers=8, algorithm_bandwidth="275.58 GB/s", wire="450 GB/s")
    assert answers["bus_bandwidth"] == Fraction("482.265") * 10**9
    assert answers["share"] == Fraction("482.265") / 450
    for bus, wire in ((Fraction("234.89"), 300), (Fraction("367.61"), 450)):
        listed = {"listed_bus_bandwidth": f"{bus} GB/s", "wire": f"{wire} GB/s"}
        assert results(BUS, **listed, workers=8)["share"] == bus / wire
    measured = {"size": "1 GB", "time": "80 ms", "workers": 8, "wire": "400 Gbit/s"}
    answers = results(BUS, **measured)
    assert (answers["quotient"], answers["share"]) == (Fraction(25, 2) * 10**9, Fraction(7, 16))
    for size, time, message in ((2097152, "113.2", "18.526"), (33554432, "812.3", "41.308")):
        answers = results(BUS, size=f"{size} B", time=f"{time} us", workers=2)
        assert answers["quotient"] == answers["bus_bandwidth"]
        assert round(Fraction(str(message)), 2) == round(answers["quotient"] / Fraction(10**9), 2)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("slug", "question", "message"),
    [
        (SEND, {"bandwidth": "1 GB/s"}, (None, "missing: size or parameters")),
        (SEND, {"size": "1 GB"}, (None, "missing: bandwidth")),
        (BUS, {}, (None, "missing: algorithm_bandwidth or size, workers")),
        (BUS, {"workers": 2, "size": "1 GB"}, (None, "missing: time")),
    ],
)
def test_missing(slug: str, question: dict[str, Any], message: tuple[None, str]) -> None:
    assert refusals(slug, **question) == [message]


@pytest.mark.parametrize(
    ("slug", "question", "parameter"),
    [
        (SEND, {"size": "1 GB", "bandwidth": "0 GB/s"}, "bandwidth"),
        (SEND, {"size": "-1 GB", "bandwidth": "1 GB/s"}, "size"),
        (SEND, {"size": "1 GB", "bandwidth": "1 GB/s", "hops": 0}, "hops"),
        (BUS, {"workers": 0, "algorithm_bandwidth": "1 GB/s"}, "workers"),
        (BUS, {"workers": 2, "size": "1 GB", "time": 0}, "time"),
    ],
)
def test_refused(slug: str, question: dict[str, Any], parameter: str) -> None:
    assert [about for about, _ in refusals(slug, **question)] == [parameter]
