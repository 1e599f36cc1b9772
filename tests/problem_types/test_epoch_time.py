"""epoch-time: huge counts, its readings, its limits, and what it refuses."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import readings, refusals, results

EXAM: dict[str, Any] = {
    "samples": 76800,
    "batch": 1536,
    "epochs": 10,
    "workers": 6,
    "download": "1.5 s",
    "compute": "4 s",
    "upload": "1.5 s",
    "aggregate": "15 ms",
}


def test_huge_counts_stay_exact() -> None:
    # 10^30 samples in batches of 3 leave one over; 7 workers share ⌈10^30/3⌉ batches
    stated: dict[str, Any] = {"samples": "1e30", "batch": 3, "workers": 7}
    answers = results("epoch-time", **stated, download=0, upload=0, compute="1 s", aggregate="1 ms")
    batches = (10**30 + 2) // 3
    assert answers["batches"] == batches
    assert answers["last_workers"] == batches % 7
    assert answers["total"] == batches // 7 + (batches % 7 > 0) + Fraction(batches, 1000)


def test_the_exam_read_otherwise() -> None:
    assert readings("epoch-time", **EXAM) == {
        ("batch_for", "all_workers"): 500 * Fraction("7.09"),
        ("queue", "per_epoch"): Fraction("637.5"),
        ("last_round", "drop"): Fraction("588.47"),
        ("last_round", "pad"): Fraction("595.56"),
        ("server_link", "shared"): 83 * Fraction("22.09") + Fraction("10.03"),
    }


def test_a_batch_as_large_as_the_data_is_the_limit() -> None:
    assert results("epoch-time", **{**EXAM, "samples": 1536})["batches_per_epoch"] == 1
    problem = "'1536' is a batch larger than the data (1 535 samples)"
    assert refusals("epoch-time", **{**EXAM, "samples": 1535}) == [("batch", problem)]


@pytest.mark.parametrize("more", [{}, {"queue": "per_epoch"}, {"last_round": "drop"}])
def test_workers_that_share_a_batch_run_a_round_for_each(more: dict[str, str]) -> None:
    # 500 of 10 epochs; one sample more makes an incomplete batch in each
    shared = {**EXAM, **more, "batch_for": "all_workers"}
    assert results("epoch-time", **shared)["total"] == 500 * Fraction("7.09")
    assert results("epoch-time", **{**shared, "samples": 76801})["total"] == 510 * Fraction("7.09")
    dropped = {**shared, "samples": 76801, "last_batch": "drop"}
    assert results("epoch-time", **dropped)["total"] == 500 * Fraction("7.09")
    alone = {**shared, "workers": 1}
    assert results("epoch-time", **alone)["total"] == 500 * Fraction("7.015")
    owned = {**alone, "batch_for": "worker"}
    assert results("epoch-time", **owned)["total"] == 500 * Fraction("7.015")


def test_a_batch_has_a_sample_for_each_of_the_workers_that_share_it() -> None:
    shared: dict[str, Any] = {**EXAM, "batch": 4, "batch_for": "all_workers"}
    problem = "'6' are more than the samples of the batch that they share (4)"
    assert refusals("epoch-time", **shared) == [("workers", problem)]
    assert results("epoch-time", **{**shared, "workers": 4})["full_rounds"] == 192_000


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("workers", "0"),
        ("workers", "1.5"),
        ("compute", "4 GB"),
        ("price", "2.5 USD"),
        ("queue", "percarry"),
    ],
)
def test_refused(name: str, text: str) -> None:
    assert [parameter for parameter, _ in refusals("epoch-time", **{**EXAM, name: text})] == [name]


def test_missing_are_told_at_once() -> None:
    assert refusals("epoch-time", samples=1) == [
        (None, "missing: batch, workers, download, compute, upload")
    ]
