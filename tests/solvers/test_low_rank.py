"""low-rank against the shapes of real factors, the published ranks, and what may not be asked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import ddcalc
from stating import refusals, results

TYPE = "low-rank"


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_bytes_are_those_of_the_factors(rows: int, columns: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, min(rows, columns)))
    left, right = np.zeros((rows, rank), np.float32), np.zeros((rank, columns), np.float32)
    whole = left @ right
    found: dict[str, Any] = results(TYPE, rows=rows, columns=columns, rank=rank)
    assert (found["dense"], found["sent"]) == (whole.nbytes, left.nbytes + right.nbytes)
    assert found["ratio"] == Fraction(whole.nbytes, left.nbytes + right.nbytes)
    assert (found["saved"] > 0) == (rank < found["most_rank"])


def test_published_ranks() -> None:
    """cp-04."""
    found = results(TYPE, rows=4096, columns=4096, rank=20, wanted=100)
    assert (found["ratio"], found["wanted_rank"]) == (Fraction("102.4"), Fraction("20.48"))
    assert results(TYPE, rows=4096, columns=4096, rank=21)["ratio"] == Fraction(2048, 21)


def test_the_largest_rank_that_saves_enough_is_found() -> None:
    ran = ddcalc(
        TYPE, "--rows", "4096", "--columns", "4096", "--find", "rank", "--where", "ratio >= 100",
        "--steps", "none",
    )  # fmt: skip
    assert ran.code == 0
    assert "1 ≤ r ≤ 20" in ran.out


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({"rows": 4, "columns": 8, "rank": 5}, "rank", "more than there are rows"),
        ({"rows": 8, "columns": 4, "rank": 5}, "rank", "more than there are columns"),
        ({"rows": 8, "columns": 4, "rank": 0}, "rank", "at least 1"),
        ({"rows": 8, "columns": 4, "rank": 1, "wanted": 0}, "wanted", "more than 0"),
        ({"rows": 8, "columns": 4}, None, "rank"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    told = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in told), told
