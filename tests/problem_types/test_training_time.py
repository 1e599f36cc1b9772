"""training-time: what is computed again, and what is refused.

The published cases are those of problems/training.yaml.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest
from running import ddcalc
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


# 10^15 operations a second for 6 · 10^9 parameters and 10^12 tokens: 36 · 10^6 s of computation
STEPS: dict[str, Any] = {"parameters": "6B", "tokens": "1T", "devices": 10, "batch": "1B"}
SPEED: dict[str, Any] = {"peak": "200 TFLOP/s", "utilization": "0.5"}
COMPUTED = 36 * 10**6


@pytest.mark.parametrize(
    ("more", "longer"),
    [
        ({}, 0),
        ({"communication": 0}, 0),
        ({"communication": "5 s"}, 5000),
        ({"communication": "5 s", "overlapped": 0}, 5000),
        ({"communication": "5 s", "overlapped": "0.6"}, 2000),
        ({"communication": "5 s", "overlapped": 1}, 0),
        ({"communication": "5 s", "batch": "1T"}, 5),
        ({"communication": "5 s", "batch": "2T"}, 5),
        ({"communication": "5 s", "batch": "999B"}, 10),
        ({"communication": "36001 s", "overlapped": "36000/36001"}, 1000),
    ],
)
@pytest.mark.parametrize("speed", [SPEED, {"achieved": "100 TFLOP/s", "peak": "200 TFLOP/s"}])
def test_communication_comes_on_top_in_every_step(
    more: dict[str, Any], speed: dict[str, Any], longer: int
) -> None:
    answers: dict[str, Any] = results("training-time", **STEPS | speed | more)
    assert answers["time"] == COMPUTED + longer
    assert answers["together"] == Fraction(10**12, COMPUTED + longer)
    if "reached" in answers:
        assert answers["reached"] == Fraction(COMPUTED, 2 * (COMPUTED + longer))


def test_the_hfu_is_that_of_the_whole_training_too() -> None:
    more = {"recomputed": 2, "counts": "hardware", "communication": "12000 s"}
    answers: dict[str, Any] = results("training-time", **STEPS | SPEED | more)
    assert answers["time"] == COMPUTED * Fraction(8, 6) + 12 * 10**6  # a fifth of it sends
    assert answers["hardware"] == Fraction("0.4")
    assert answers["reached"] == Fraction("0.3")


@pytest.mark.parametrize(
    ("given", "parameter", "message"),
    [
        (
            STEPS | SPEED | {"communication": "36001 s", "overlapped": 1}, "overlapped",
            "hides more than a step computes",
        ),
        (
            STEPS | {"rate": "10 tokens/s", "communication": "5 s"}, "communication",
            "is in the stated speed already",
        ),
        (
            STEPS | {"step_time": "10 s", "communication": "5 s", "overlapped": "0.5"},
            "communication", "is in the stated speed already",
        ),
        (STEPS | SPEED | {"overlapped": "0.5"}, None, "missing: communication"),
        (MODEL | PEAK | {"communication": "5 s"}, None, "missing: batch"),
        (
            PEAK | {"compute": "1e24", "batch": "1M", "communication": "5 s"}, None,
            "missing: tokens",
        ),
        (
            STEPS | SPEED | {"communication": "5 s", "achieved": "99 TFLOP/s"}, "achieved",
            "does not fit what utilization says",
        ),
    ],
)  # fmt: skip
def test_communication_refused(given: dict[str, Any], parameter: str | None, message: str) -> None:
    [(name, text)] = refusals("training-time", **given)
    assert name == parameter
    assert message in text


def test_what_is_stated_twice_may_fit_with_communication() -> None:
    more = {"communication": "5 s", "achieved": "100 TFLOP/s", "device_time": "360050000 s"}
    answers = results("training-time", **STEPS | SPEED | more)
    assert answers["time"] == COMPUTED + 5000


@pytest.mark.parametrize(
    ("communication", "said"),
    [("36000 s", ["Communication takes about 417 d, 50 % of it all."]), ("0 s", [])],
)
def test_communication_is_said(communication: str, said: list[str]) -> None:
    stated = STEPS | SPEED | {"communication": communication}
    options = [word for name, value in stated.items() for word in (f"--{name}", str(value))]
    page = " ".join(ddcalc("training-time", *options).out.split())
    assert re.findall(r"Communication takes[^.]*\.", page) == said
