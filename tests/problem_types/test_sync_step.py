"""sync-step against a sorted list of the workers' times."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import refusals, results, times

EXAM: dict[str, Any] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"],
    "aggregate": "0.3 s",
    "update": "0.25 s",
}
questions = st.fixed_dictionaries(
    {
        "finish": st.lists(times(), min_size=1, max_size=12),
        "aggregate": times(),
        "update": times(),
    }
)


@settings(max_examples=500, deadline=None)
@given(stated=questions)
def test_as_sorted(stated: dict[str, Any]) -> None:
    in_order = sorted((time, worker) for worker, time in enumerate(stated["finish"], 1))
    last = in_order[-1][0]
    first_of_the_last = next(worker for time, worker in in_order if time == last)
    answers = results("sync-step", **stated)
    assert answers["slowest"] == last
    assert answers["straggler"] == first_of_the_last
    assert answers["total"] == last + stated["aggregate"] + stated["update"]
    ready = [time + wait for time, wait in zip(stated["finish"], answers["idle"], strict=True)]  # type: ignore[arg-type]
    assert ready == [last] * len(ready)


@pytest.mark.parametrize(
    ("name", "value", "parameter"),
    [
        ("finish", [], "finish"),
        ("finish", ["0.15 s", "-0.2 s"], "finish[2]"),
        ("finish", ["0.15 s", "0.2 GB", "x"], "finish[2]"),
        ("aggregate", ["0.3 s", "0.3 s"], "aggregate"),
        ("update", "-1 s", "update"),
    ],
)
def test_refused(name: str, value: Any, parameter: str) -> None:
    wrong = refusals("sync-step", **{**EXAM, name: value})
    assert wrong[0][0] == parameter
    assert len(wrong) == (2 if "x" in value else 1)


@pytest.mark.parametrize("left_out", list(EXAM))
def test_missing(left_out: str) -> None:
    stated = {name: value for name, value in EXAM.items() if name != left_out}
    assert refusals("sync-step", **stated) == [(None, f"missing: {left_out}")]
