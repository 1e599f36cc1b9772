"""compressed-step against the clock of two devices, the published case, and its limits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stating import readings, refusals, results, times

TYPE = "compressed-step"


def clock(computing: Fraction, sending: Fraction, overlap: str) -> Fraction:
    """When both are done, sending from the start or from the end of computing."""
    start = Fraction(0) if overlap == "full" else computing
    return max(computing, start + sending)


@given(
    compute=times(least=1),
    exchange=times(),
    ratio=st.fractions(min_value=Fraction(1, 10), max_value=1000, max_denominator=10),
    overhead=times(),
    overlap=st.sampled_from(["none", "full"]),
)
def test_steps_take_as_long_as_by_the_clock(
    compute: Fraction, exchange: Fraction, ratio: Fraction, overhead: Fraction, overlap: str
) -> None:
    found: dict[str, Any] = results(
        TYPE, compute=f"{compute} s", exchange=f"{exchange} s", ratio=ratio,
        overhead=f"{overhead} s", overlap=overlap,
    )  # fmt: skip
    before = clock(compute, exchange, overlap)
    after = clock(compute + overhead, exchange / ratio, overlap)
    assert (found["before"], found["after"], found["saved"]) == (before, after, before - after)
    assert found["speedup"] == before / after
    assert found["speedup"] <= found["limit"]
    assert (found["saved"] > 0) == (found["speedup"] > 1)


def test_published() -> None:
    """be-19: 315 ms between nodes, 100 ms of computation, ten times fewer bytes."""
    found = results(TYPE, compute="100 ms", exchange="2*63/64*2/12.5 s", ratio=10)
    assert found["speedup"] == Fraction(830, 263)
    assert found["limit"] == Fraction(415, 100)


def test_overlap_hides_what_is_saved() -> None:
    told = readings(TYPE, compute="100 ms", exchange="80 ms", ratio=10)
    assert told["overlap", "full"] == 1


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({"compute": 0, "exchange": 1, "ratio": 2}, "compute", "computing takes some"),
        ({"compute": 1, "exchange": 1, "ratio": 0}, "ratio", "more than 0"),
        ({"compute": -1, "exchange": 1, "ratio": 2}, "compute", "at least 0"),
        ({"compute": 1, "exchange": "1 MB", "ratio": 2}, "exchange", "time is wanted"),
        ({"compute": 1, "ratio": 2}, None, "exchange"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    told = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in told), told
