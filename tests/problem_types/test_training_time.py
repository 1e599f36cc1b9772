"""training-time: what is computed again, and what is refused.

The published cases are those of problems/training.yaml.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import derivation, refusals, results


def test_what_is_computed_again_is_hardware_alone() -> None:
    stated = {"parameters": "7B", "devices": 64, "peak": "989 TFLOP/s", "rate": "150k"}
    answers: dict[str, Any] = results("training-time", **stated, recomputed=2)
    assert answers["hardware"] == answers["reached"] * Fraction(8, 6)
    assert results("training-time", **stated)["reached"] == answers["reached"]


MODEL = {"parameters": "7B", "tokens": "1T"}
PEAK = {"peak": "989 TFLOP/s", "utilization": "0.5"}
MFU = {"parameters": "7B", "peak": "989 TFLOP/s"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("training-time", MODEL | PEAK | {"compute": "1e22"}, "compute", "leave it out"),
        (
            "training-time", MODEL | PEAK | {"achieved": "400 TFLOP/s"}, "achieved",
            "does not fit what utilization says",
        ),
        (
            "training-time", MODEL | {"rate": "10 tokens/s", "device_time": "1 h"}, "device_time",
            "does not fit what rate says",
        ),
        (
            "training-time", MFU | {"rate": "10 tokens/s", "device_rate": "11 tokens/s"},
            "device_rate", "does not fit what rate says",
        ),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, str], parameter: str, message: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert name == parameter
    assert message in text


@pytest.mark.parametrize("speed", [{"rate": "10 tokens/s"}, {"device_rate": "10 tokens/s"}])
def test_what_is_computed_again_is_not_counted_twice_in_silence(speed: dict[str, Any]) -> None:
    stated: dict[str, Any] = {"parameters": "7B", "peak": "989 TFLOP/s", "recomputed": 2}
    message = str(derivation("training-time", **stated, **speed, operations=8).steps)
    assert "not 8 and 2" in message
    assert "the MFU, if f is what the model needs alone" in message
