"""training-time against devices that work token by token, and asked for the part of the peak.

The published cases are those of problems/training.yaml.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, refusals, results

from ddcalc.problem.catalog import problem_named

TERA = 10**12
PART = st.fractions(Fraction(1, 100), 1, max_denominator=100)


def worked(ops: Fraction, tokens: int, devices: int, speed: Fraction) -> Fraction:
    """The time in which *devices* work off all tokens, dealt out in turn, *speed* each."""
    share = [tokens // devices + (worker < tokens % devices) for worker in range(devices)]
    assert sum(share) == tokens
    busy = sum((Fraction(mine) * ops / speed for mine in share), Fraction(0))
    return busy / devices


@settings(max_examples=200, deadline=None)
@given(
    parameters=st.integers(1, 10**12),
    tokens=st.integers(1, 500),
    devices=st.integers(1, 20),
    peak=st.integers(1, 2000),
    utilization=PART,
    factor=st.sampled_from([6, 8]),
)
def test_the_devices_work_it_off(
    parameters: int, tokens: int, devices: int, peak: int, utilization: Fraction, factor: int
) -> None:
    stated = {"parameters": parameters, "tokens": tokens, "devices": devices}
    stated |= {"peak": f"{peak} TFLOP/s", "operations": factor}
    answers: dict[str, Any] = results(
        "training-time", **stated, utilization=utilization, price="3 USD/h"
    )
    ops = Fraction(factor * parameters)
    assert answers["time"] == worked(ops, tokens, devices, peak * TERA * utilization)
    assert answers["cost"] == answers["time"] / 3600 * devices * 3
    assert answers["device_hours"] == answers["time"] * devices

    measured: dict[str, Any] = {n: v for n, v in stated.items() if n != "tokens"}
    for speed in (
        {"rate": answers["together"]},
        {"device_rate": answers["together"] / devices},
        {"batch": tokens, "step_time": answers["time"]},
        {"tokens": tokens, "device_time": f"{answers['device_hours']} s"},
    ):
        assert results("training-time", **measured, **speed)["reached"] == utilization

    again: dict[str, Any] = results("training-time", **stated, rate=answers["together"])
    assert (again["time"], again["reached"]) == (answers["time"], utilization)
    hours = f"{answers['device_hours']} s"
    whole: dict[str, Any] = results("training-time", **stated, device_time=hours)
    assert (whole["time"], whole["reached"]) == (answers["time"], utilization)


@settings(max_examples=100, deadline=None)
@given(
    tokens=st.integers(1, 10**6),
    batch=st.integers(1, 10**5),
    step=st.fractions(Fraction(1, 100), 100, max_denominator=100),
)
def test_steps_follow_each_other(tokens: int, batch: int, step: Fraction) -> None:
    answers: dict[str, Any] = results("training-time", tokens=tokens, batch=batch, step_time=step)
    left, steps, time = tokens, 0, Fraction(0)
    while left > 0:
        steps, time = steps + 1, time + step * min(Fraction(left, batch), 1)
        left -= batch
    assert (answers["steps"], answers["time"]) == (steps, time)


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
        ("training-time", MODEL | PEAK | {"peak": "989 TFLOPS"}, "peak", "TFLOP/s"),
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
        ("training-time", MFU | {"rate": "10 GB/s"}, "rate", "measures data"),
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


def test_half_of_the_scores_is_told_as_about_those_before() -> None:
    """A token attends to itself too: (s + 1)/2 of s tokens, 1 of 1; half is a reading."""
    message = problem_named("training-time").choices["scores"].options["causal"]
    assert message.startswith("half of the scores count, about")
