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


def dealt_by_hand(samples: int, epochs: int, workers: int, *, apart: bool) -> Fraction:
    """The time of the rounds, samples dealt out one by one: 1 s for each sample, 100 s a round."""
    time = Fraction(0)
    left = epochs * [samples] if apart else [epochs * samples]
    for pool in left:
        while pool > 0:
            hands = [0] * workers
            for turn in range(min(pool, 8 * workers)):
                hands[turn % workers] += 1
            pool -= sum(hands)
            time += max(hands) + 100
    return time


@pytest.mark.parametrize("queue", ["carry", "per_epoch"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("samples", [8, 9, 47, 48, 49, 95, 97, 145])
@pytest.mark.parametrize("workers", [1, 2, 6])
def test_samples_left_over_are_dealt_out(
    samples: int, workers: int, queue: str, shared: bool
) -> None:
    stated = {"samples": samples, "batch": 8, "epochs": 3, "workers": workers, "compute": "8 s"}
    if shared and samples >= 8 * workers:  # the same round, as one batch of all workers
        stated |= {"batch": 8 * workers, "batch_for": "all_workers"}
    answers = results(
        "epoch-time", **stated, download="100 s", upload=0, aggregate=0, queue=queue,
        last_batch="deal",
    )  # fmt: skip
    assert answers["total"] == dealt_by_hand(samples, 3, workers, apart=queue == "per_epoch")


def test_all_workers_send_in_a_last_round_of_one_sample() -> None:
    stated = {**EXAM, "epochs": 1, "samples": 6 * 1536 + 1, "last_batch": "deal"}
    alone = Fraction(4, 1536)  # the one sample
    assert results("epoch-time", **stated)["last_round"] == 3 + alone + 6 * Fraction("0.015")
    linked = results("epoch-time", **stated, server_link="shared")
    assert linked["last_round"] == alone + 6 * Fraction("3.015")
