"""epoch-time against a server that hands out batches round by round."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import served
from stating import readings, refusals, results, times

from ddcalc.problem.catalog import problem_named

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
LINKS = ("one-each", "shared")
DURATIONS = ("download", "compute", "upload", "aggregate")
QUEUE, LAST_BATCH, LAST_ROUND = ("carry", "per-epoch"), ("keep", "drop"), ("partial", "drop", "pad")


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    samples = draw(st.integers(1, 400))
    return {
        "samples": samples,
        "batch": draw(st.integers(1, samples)),
        "epochs": draw(st.integers(1, 6)),
        "workers": draw(st.integers(1, 40)),
        **{name: draw(times()) for name in DURATIONS},
        "queue": draw(st.sampled_from(QUEUE)),
        "last_batch": draw(st.sampled_from(LAST_BATCH)),
        "last_round": draw(st.sampled_from(LAST_ROUND)),
        "server_link": draw(st.sampled_from(LINKS)),
    }


@settings(max_examples=500, deadline=None)
@given(stated=questions())
def test_as_served(stated: dict[str, Any]) -> None:
    server, answers = served(stated), results("epoch-time", **stated)
    assert answers["total"] == server.clock
    assert answers["batches"] == server.batches
    full = [busy for busy in server.rounds if busy == stated["workers"]]
    times_over = stated["epochs"] if stated["queue"] == "per-epoch" else 1
    assert answers["full_rounds"] == Fraction(len(full), times_over)
    if stated["queue"] == "per-epoch":
        assert answers["epoch"] == server.clock / stated["epochs"]
    else:
        assert "epoch" not in answers


@settings(max_examples=200, deadline=None)
@given(stated=questions())
def test_last_workers_are_those_left_over(stated: dict[str, Any]) -> None:
    server = served({**stated, "last_round": "partial"})
    short = [busy for busy in server.rounds if busy < stated["workers"]]
    assert results("epoch-time", **stated)["last_workers"] == (short[-1] if short else 0)


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
        ("queue", "per_epoch"): Fraction("637.5"),
        ("last_round", "drop"): Fraction("588.47"),
        ("last_round", "pad"): Fraction("595.56"),
        ("server_link", "shared"): 83 * Fraction("22.09") + Fraction("10.03"),
    }


def test_defaults() -> None:
    stated = {"samples": 12, "batch": 3, "workers": 2, "download": 1, "compute": 2, "upload": 3}
    answers = results("epoch-time", **stated)
    assert (answers["epochs"], answers["aggregate"], answers["total"]) == (1, 0, 12)
    assert "cost" not in answers
    assert "worker_hours" not in answers


def test_a_batch_as_large_as_the_data_is_the_limit() -> None:
    assert results("epoch-time", **{**EXAM, "samples": 1536})["batches_per_epoch"] == 1
    problem = "'1536' is a batch larger than the data (1 535 samples)"
    assert refusals("epoch-time", **{**EXAM, "samples": 1535}) == [("batch", problem)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("workers", "0"),
        ("workers", "-6"),
        ("workers", "1.5"),
        ("workers", "6 s"),
        ("samples", "76,800"),
        ("epochs", "0"),
        ("compute", "-1 s"),
        ("compute", "4 GB"),
        ("price", "2.5"),
        ("price", "2.5 USD"),
        ("queue", "percarry"),
        ("last_round", "keep"),
        ("last_batch", ""),
    ],
)
def test_refused(name: str, text: str) -> None:
    assert [parameter for parameter, _ in refusals("epoch-time", **{**EXAM, name: text})] == [name]


def test_missing_are_told_at_once() -> None:
    assert refusals("epoch-time", samples=1) == [
        (None, "missing: batch, workers, download, compute, upload")
    ]


def fairly(loads: list[Fraction]) -> list[Fraction]:
    """When each of *loads* that set out together is through a link that they share fairly."""
    now, done, through = Fraction(0), Fraction(0), []
    left = sorted(loads)
    while left:
        now += (left[0] - done) * len(left)
        done = left.pop(0)
        through.append(now)
    return through


@pytest.mark.parametrize("workers", [1, 4])
def test_a_shared_link_is_shared_fairly(workers: int) -> None:
    """One model after the other would let the first worker compute while others wait for theirs."""
    computing = [time + 4 for time in fairly([Fraction(1)] * workers)]
    assert len(set(computing)) == 1
    full = computing[0] + fairly([Fraction(1)] * workers)[-1] + workers * Fraction("0.01")
    texts = {"samples": "8", "batch": "1", "workers": str(workers), "download": "1 s"}
    texts |= {"compute": "4 s", "upload": "1 s", "aggregate": "10 ms", "server_link": "shared"}
    assert results("epoch-time", **texts)["full_round"] == full
    message = f"{problem_named('epoch-time').__doc__} {problem_named('breakeven').__doc__}"
    assert "share it fairly" in message
    assert "carries" not in message
