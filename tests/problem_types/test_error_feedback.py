"""error-feedback against NumPy and the bounds of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Table

TYPE = "error-feedback"
VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=8)
VECTORS = st.lists(VALUES, min_size=1, max_size=6)

Vector = Sequence[Fraction | int]


def worked(vector: Vector, **more: Any) -> dict[str, Any]:
    return results(TYPE, vector=list(vector), **more)


@pytest.mark.parametrize("method", ["sign", "one_bit", "top_k"])
def test_numpy_keeps_the_same(method: str) -> None:
    vector = [Fraction(n, 10) for n in (3, -4, 12, 7, -1)]
    memory, gradient = np.zeros(5), np.array(list(map(float, vector)))
    for _ in range(40):
        wanted = memory + gradient
        if method == "sign":
            sent = np.abs(wanted).mean() * np.where(wanted < 0, -1, 1)
        elif method == "one_bit":
            low, high = wanted[wanted < 0], wanted[wanted >= 0]
            sent = np.where(wanted < 0, low.mean() if low.size else 0, high.mean())
        else:
            sent = np.where(np.abs(wanted) >= np.sort(np.abs(wanted))[-2], wanted, 0)
        memory = wanted - sent
    values = worked(vector, rounds=40, method=method, kept=2)
    assert list(map(float, values["memory"])) == pytest.approx(list(memory), abs=1e-9)


def test_the_bound_is_that_of_the_contraction() -> None:
    """4·(1 − δ)/δ²·‖v‖² with δ = k/d, and 1/d for signs."""
    assert worked([1, 2, 3, 4], method="top_k", kept=2)["bound"] == 4 * Fraction(1, 2) * 4 * 30
    assert worked([1, 2, 3, 4])["bound"] == 4 * Fraction(3, 4) * 16 * 30
    assert worked([3, 4], method="top_k", kept=2)["bound"] == 0  # all is sent


def test_without_error_feedback_more_and_more_is_missing() -> None:
    values = [worked([3, 2, 1], method="top_k", kept=1, rounds=t) for t in (1, 10, 100)]
    assert [item["without"] for item in values] == [5, 500, 50_000]
    assert [item["missing"] for item in values] == [5, 25, 25]


def test_the_steps_show_each_sending() -> None:
    steps = derivation(TYPE, vector=[3, 2, 1], method="top_k", kept=1, rounds=2).steps
    table = next(step for step in steps if isinstance(step, Table))
    assert [row[1:] for row in table.rows] == [
        ("3, 2, 1", "3, 0, 0", "0, 2, 1"),
        ("3, 4, 2", "0, 4, 0", "3, 0, 2"),
    ]


def test_the_other_readings() -> None:
    assert ("method", "top_k") not in readings(TYPE, vector=[3, 2, 1])  # it needs a number
    assert ("method", "top_k") in readings(TYPE, vector=[3, 2, 1], kept=1)


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({}, None, "vector"),
        ({"vector": [1, 2], "method": "top_k"}, None, "kept"),
        ({"vector": [1, 2], "method": "top_k", "kept": 3}, "kept", "more than the 2 values"),
        ({"vector": [1, 2], "rounds": 101}, "rounds", "at most 100"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    texts = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts


def test_a_long_vector_is_quick() -> None:
    ran = ddcalc(
        TYPE, "--vector", ",".join(str(i % 7) for i in range(200)), "--rounds", "100",
        "--steps", "none",
    )  # fmt: skip
    assert ran.code == 0
