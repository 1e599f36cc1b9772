"""pipeline, model-memory and checkpoint-interval: published cases, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import pytest
from running import ddcalc
from stating import refusals, results


def test_rates_of_components_add_up() -> None:
    answers: dict[str, Any] = results(
        "checkpoint-interval", write="30 s", components=[4096, 512, 32],
        lifetimes=["25000 h", "8000 h", "100000 h"], compared="1 h",
    )  # fmt: skip
    hours = 1 / (4096 / 25000 + 512 / 8000 + 32 / 100000)
    assert isclose(float(answers["between"]) / 3600, hours)
    assert sum(answers["blamed"]) == 1
    assert isclose(float(answers["interval"]), sqrt(2 * 30 * hours * 3600))
    assert answers["writes"] == Fraction(30, 3600)


WRITE = {"write": "30 s", "failures": "2 h"}
MODEL = {"parameters": "7B"}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("pipeline", {"stages": "4", "micro_batches": "4", "samples": "2"}, "", "forward"),
        ("pipeline", {"stages": "4", "micro_batches": "4", "forward": "1 MB"}, "forward", "data"),
        (
            "model-memory", MODEL | {"weight": "0", "gradient": "0", "optimizer": "0"}, "weight",
            "is nothing",
        ),
        ("checkpoint-interval", {"write": "30 s"}, "", "failures or lifetimes"),
        ("checkpoint-interval", WRITE | {"write": "62 h"}, "write", "hardly ever get finished"),
        ("checkpoint-interval", WRITE | {"compared": "62 h"}, "compared", "over 30 failures"),
        (
            "pipeline",
            {"stages": "4", "micro_batches": "6", "chunks": "2", "rounds": "megatron"},
            "micro_batches", "not divisible",
        ),
        ("checkpoint-interval", {"size": "1 GB", "failures": "1 h"}, "", "bandwidth"),
        (
            "checkpoint-interval", WRITE | {"size": "1 GB", "bandwidth": "1 GB/s"}, "write",
            "one of the two",
        ),
        (
            "checkpoint-interval",
            WRITE | {"components": ["2"], "lifetimes": ["2 h"]}, "failures", "one of the two",
        ),
        (
            "checkpoint-interval",
            {"write": "1 s", "components": ["2", "3"], "lifetimes": ["2 h"]}, "lifetimes", "lists",
        ),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, Any], parameter: str, message: str) -> None:
    [(name, text)] = refusals(slug, **given)
    assert (name or "") == parameter
    assert message in text


@pytest.mark.parametrize(("micro_batches", "gains"), [("1", False), ("2", True)])
def test_more_chunks_are_named_where_they_gain(micro_batches: str, gains: bool) -> None:
    """One micro-batch passes all devices alone, however small the chunks are."""
    call = ("pipeline", "--stages", "8", "--micro-batches", micro_batches, "--chunks", "2")
    assert ("Twice as many chunks" in ddcalc(*call).out) is gains
