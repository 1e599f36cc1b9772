"""What sync-step refuses."""

from __future__ import annotations

from typing import Any

import pytest
from stating import refusals

EXAM: dict[str, Any] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"],
    "aggregate": "0.3 s",
    "update": "0.25 s",
}


@pytest.mark.parametrize(
    ("name", "value", "parameter"),
    [
        ("finish", [], "finish"),
        ("finish", ["0.15 s", "-0.2 s"], "finish[2]"),
        ("finish", ["0.15 s", "0.2 GB", "x"], "finish[2]"),
    ],
)
def test_refused(name: str, value: Any, parameter: str) -> None:
    wrong = refusals("sync-step", **{**EXAM, name: value})
    assert wrong[0][0] == parameter
    assert len(wrong) == (2 if "x" in value else 1)
