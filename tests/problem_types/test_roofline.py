"""roofline against products of matrices whose operations and bytes are counted one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import refusals, results

SLUG = "roofline"
SPEEDS = st.integers(1, 10**6)


def seconds(operations: Fraction, sent: Fraction, peak: int, bandwidth: int) -> tuple[Any, Any]:
    """How long computing takes, and how long the bytes take, each on its own."""
    return operations / peak, sent / bandwidth


@settings(max_examples=300, deadline=None)
@given(
    batch=st.integers(1, 10**4),
    matrix=st.integers(1, 100),
    width=st.sampled_from([1, 2, 4]),
    peak=SPEEDS,
    bandwidth=SPEEDS,
)
def test_a_product_with_weights_from_memory(
    batch: int, matrix: int, width: int, peak: int, bandwidth: int
) -> None:
    """B rows times a matrix whose weights, of some bytes each, come from memory."""
    operations, sent = Fraction(2 * batch * matrix**2), Fraction(width * matrix**2)
    computing, coming = seconds(operations, sent, peak, bandwidth)
    answers: dict[str, Any] = results(
        SLUG,
        peak=f"{peak} FLOP/s",
        bandwidth=f"{bandwidth} B/s",
        intensity=f"{Fraction(2, width)} FLOP/B",
        size=batch,
    )
    assert (batch >= answers["critical"]) == (computing >= coming) == (answers["used"] == 1)
    assert answers["attained"] == operations / max(computing, coming)
    assert answers["used"] == computing / max(computing, coming)
    assert answers["whole"] - 1 < answers["critical"] <= answers["whole"]
    alone = seconds(Fraction(answers["ridge"]), Fraction(1), peak, bandwidth)
    assert alone[0] == alone[1]


@settings(max_examples=200, deadline=None)
@given(
    tokens=st.integers(1, 10**6),
    parts=st.integers(1, 64),
    inside=st.integers(0, 8),
    peak=SPEEDS,
    bandwidth=SPEEDS,
)
def test_parts_that_share_the_size(
    tokens: int, parts: int, inside: int, peak: int, bandwidth: int
) -> None:
    parts += inside
    stated: dict[str, Any] = {"peak": f"{peak} FLOP/s", "bandwidth": f"{bandwidth} B/s"}
    answers: dict[str, Any] = results(SLUG, **stated, size=tokens, parts=parts, inside=inside)
    share, outside = Fraction(tokens, parts), Fraction(parts - inside, parts)
    computing, coming = seconds(share, outside, peak, bandwidth)
    assert (answers["share"], answers["crossing"]) == (share, outside)
    enough = computing >= coming
    assert enough == (parts <= answers["most_whole"]) == (parts <= answers["most"])
    assert enough == (tokens >= answers["needed"]) == (answers["used"] == 1)
    alone = results(SLUG, **stated, size=tokens, inside=inside)
    assert alone["most"] == answers["most"]
    assert "used" not in alone
    assert results(SLUG, **stated, parts=parts)["needed"] == answers["critical"] * parts


TPU = {"peak": "197 TFLOP/s", "bandwidth": "820 GB/s"}


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        (TPU | {"peak": "197e12"}, "peak", "needs a unit, for example 197 TFLOP/s"),
        (TPU | {"peak": "197 TFLOPS"}, "peak", "write TFLOP/s"),
        (TPU | {"peak": "197 TFLOP"}, "peak", "measures operations; operations per time"),
        (TPU | {"bandwidth": "1 Gb/s"}, "bandwidth", "Gbit"),
        (TPU | {"intensity": "0.5"}, "intensity", "for example 0.5 FLOP/B"),
        (TPU | {"parts": "8", "inside": "8"}, "parts", "no more than those"),
        (TPU | {"inside": "8"}, None, "size or parts"),
    ],
)
def test_refused(given: dict[str, str], parameter: str | None, message: str) -> None:
    [(name, text)] = refusals(SLUG, **given)
    assert parameter in (name, None)
    assert message in text
