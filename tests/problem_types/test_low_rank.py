"""low-rank: the published ranks, and what may not be asked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from running import ddcalc
from stating import refusals, results

TYPE = "low-rank"


def test_published_ranks() -> None:
    """cp-04."""
    values = results(TYPE, rows=4096, columns=4096, rank=20, wanted=100)
    assert (values["ratio"], values["wanted_rank"]) == (Fraction("102.4"), Fraction("20.48"))
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
        ({"rows": 8, "columns": 4}, None, "rank"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    texts = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts


def test_the_break_even_is_that_of_the_exchange() -> None:
    """Both rings move 2(p − 1)/p of a message: nearly twice the bandwidth pays."""
    stated: dict[str, Any] = {"rows": 64, "columns": 64, "rank": 4, "encode": "1 ms"}
    one, many = (results(TYPE, **stated, **more) for more in ({}, {"workers": 64}))
    assert many["break_even"] == Fraction(63, 32) * one["break_even"]  # type: ignore[operator]
    assert many["added"] == Fraction(63, 32) * one["sent"]  # type: ignore[operator]
    svd = results(TYPE, workers=64, aggregation="gathered", **stated)
    assert (svd["break_even"], svd["most_workers"]) == (0, 16)  # 8 times fewer bytes
