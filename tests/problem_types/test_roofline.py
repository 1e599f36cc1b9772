"""What roofline refuses."""

from __future__ import annotations

import pytest
from stating import refusals

SLUG = "roofline"


TPU = {"peak": "197 TFLOP/s", "bandwidth": "820 GB/s"}


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        (TPU | {"peak": "197e12"}, "peak", "needs a unit, for example 197 TFLOP/s"),
        (TPU | {"peak": "197 tflops"}, "peak", "write TFLOP/s"),
        (TPU | {"peak": "197 TFLOP"}, "peak", "measures operations; operations per time"),
        (TPU | {"intensity": "0.5"}, "intensity", "for example 0.5 FLOP/B"),
        (TPU | {"parts": "8", "inside": "8"}, "parts", "no more than those"),
        (TPU | {"inside": "8"}, None, "size or parts"),
    ],
)
def test_refused(given: dict[str, str], parameter: str | None, message: str) -> None:
    [(name, text)] = refusals(SLUG, **given)
    assert parameter in (name, None)
    assert message in text
