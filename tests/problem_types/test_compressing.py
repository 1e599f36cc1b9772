"""Compressed gradients: published numbers, draws, what the steps say, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Table
from ddcalc.types.compression import _quantize

VECTORS = st.lists(st.fractions(-5, 5, max_denominator=8), min_size=1, max_size=6)
SCHEMES = ["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"]
EDGE = {"values": "25M", "kept": 250_000, "index": "stated", "bandwidth": "10 Gbit/s"}


def quantized(vector: Sequence[Fraction | int | str], **more: Any) -> dict[str, Any]:
    return results("quantize", vector=list(vector), **{"bits": 8, **more})


def table_of(slug: str, **stated: Any) -> Table:
    shown = derivation(slug, **stated).shown_steps()
    (table,) = (step for step in shown if isinstance(step, Table))
    return table


def test_all_values_are_not_fewer() -> None:
    assert not derivation("sparsify", values=1000, kept=1000).commentary().checks


# Bounds and draws


@given(VECTORS, st.sampled_from(SCHEMES), st.integers(2, 5), st.integers(1, 7))
@settings(deadline=None, max_examples=50)
def test_no_vector_expects_more_than_the_bound(
    vector: list[Fraction], scheme: str, bits: int, bucket: int
) -> None:
    values = quantized(vector, scheme=scheme, bits=bits, bucket=bucket)
    assert values["expected_error"] <= values["allowed"]
    assert values["bound"] == values["vector_bound"]
    assert values["allowed"] == values["vector_bound"] * values["square"]


def test_bounds_are_reached() -> None:
    values = quantized([-3, 0, 0], scheme="sign")
    assert values["error"] == values["allowed"] == 6
    values = results("sparsify", vector=[2, -2, 2, 2], kept=3)
    assert values["error"] == values["allowed"] == 4
    assert values["sparse"] == [2, -2, 2, 0]  # of equal ones the first


@pytest.mark.parametrize(
    ("values", "bits", "bucket", "bound"),
    [(512, 4, 512, 2 ** Fraction(1, 2)), (10**6, 2, 10_000, 25), (16, 4, 16, Fraction(1, 16))],
)
def test_bounds_of_the_paper(values: int, bits: int, bucket: int, bound: Any) -> None:
    """√512/2^4 of section 4; √D/s and D/s² of Lemma 3.1, with s = 2^b."""
    answer = results("quantize", values=values, bits=bits, bucket=bucket, bit_count="sign_apart")
    assert float(answer["bound"]) == pytest.approx(float(bound), rel=1e-12)  # type: ignore[arg-type]


def test_both_branches_of_the_bound_meet() -> None:
    at: Any = [results("quantize", values=d, levels=10, bits=8)["bound"] for d in (99, 100, 101)]
    assert at[:2] == [Fraction(99, 100), 1]
    assert 1 < at[2] < Fraction(101, 100)


@pytest.mark.parametrize(
    ("slug", "arrives", "how", "kinds"),
    [("quantize", "quantized", {"bits": 2}, 5),
     ("sparsify", "sparse", {"kept": 2, "method": "unbiased"}, 6)],
)  # fmt: skip
def test_many_seeds_come_near_the_expectation(
    slug: str, arrives: str, how: dict[str, Any], kinds: int
) -> None:
    """The mean error of many draws is within four standard errors of what is expected."""
    vector = ["0.3", "-0.4", "1.1", "0.7"]
    values: list[Any] = [results(slug, vector=vector, seed=seed, **how) for seed in range(200)]
    errors = [float(item["error"]) for item in values]
    off = abs(fmean(errors) - float(values[0]["expected_error"]))
    assert off <= 4 * stdev(errors) / 200**0.5
    assert len({tuple(item[arrives]) for item in values}) >= kinds


def test_a_seed_draws_the_same_always() -> None:
    """Written down once; Python draws these numbers alike in all its versions."""
    drawn = results("quantize", dimension=4, bits=3, seed=7)["drawn"]
    assert drawn == [Fraction(item) for item in ("0.69", "0.78", "-1.49", "1.33")]
    assert drawn == results("quantize", dimension=4, bits=8, seed=7)["drawn"]
    assert drawn != results("quantize", dimension=4, bits=3)["drawn"]


def test_a_vector_is_quantized_once_for_all_numbers_that_are_tried() -> None:
    _quantize.quantized.cache_clear()
    stated = ("--bits", "4", "--bandwidth", "1 MB/s", "--dimension", "37")
    wanted = ("--find", "values", "--where", "gathered < 200 GB")
    assert "from 1 to 200, one by one" in ddcalc("quantize", *stated, *wanted).out
    assert _quantize.quantized.cache_info().misses == 1


def test_edges_of_vectors() -> None:
    for scheme in SCHEMES:
        values = quantized([0, 0], scheme=scheme)
        assert (values["quantized"], values["error"], values["allowed"]) == ([0, 0], 0, 0)
    values = quantized(["0.3", "0.1", "0.7"], bits=32)
    assert 0 <= values["expected_error"] < Fraction(1, 10**17)
    ran = ddcalc("quantize", "--vector=-0.5,0.25", "--bits", "3", "--steps", "none")
    assert ran.code == 0
    assert "error is about 0.01853 as drawn here, 5.9 % of" in " ".join(ran.out.split())


@pytest.mark.parametrize(
    ("kept", "values", "part"), [(25_000, 25_000_000, 1), (6, 10, 6), (10, 10, 10)]
)
def test_as_large_a_part_of_the_vector_is_kept(kept: int, values: int, part: int) -> None:
    answer: Any = results("sparsify", values=values, kept=kept, dimension=10)
    assert answer["kept_values"] == part == sum(value != 0 for value in answer["sparse"])
    assert answer["bound"] == 1 - Fraction(kept, values)


# What it saves


def test_nothing_to_encode_has_no_break_even() -> None:
    assert results("quantize", values=100, bits=8)["break_even"] is None
    one = results("quantize", values=1, bits=32, encode="1 s")
    assert one["break_even"] == 0  # a scale more


def test_bytes_of_a_value_lose_with_more_than_eight_workers() -> None:
    """A quarter of the bytes, gathered p − 1 times, beside a ring of whole gradients."""
    stated: dict[str, Any] = {"values": 8_000, "bits": 8, "scale_bits": 1, "bandwidth": "1 MB/s"}
    saved: Any = {
        p: results("quantize", workers=p, **stated)["saved_time"] for p in (1, 2, 7, 9, 64)
    }
    assert [(time > 0) - (time < 0) for time in saved.values()] == [0, 1, 1, -1, -1]
    one = results("quantize", **stated)
    assert one["saved_time"] == saved[2]  # two workers swap one message
    assert one.keys().isdisjoint({"gathered", "most_workers"})
    alone = results("quantize", workers=64, aggregation="server", **stated)
    assert alone["saved_time"] == one["saved_time"]


def test_all_on_a_screen_counts_the_workers_that_are_stated() -> None:
    """1 of 100 values with an index of 32 bits: with 200 workers it loses, with 64 it pays."""
    many: Any = results("sparsify", workers=200, **EDGE)  # type: ignore[arg-type]
    assert many["dense_time"] == Fraction("0.1592")  # 2·199/200·100 MB over 1.25 GB/s
    assert many["sent_time"] == Fraction("0.3184")  # 199·2 MB
    assert many["saved_time"] < 0 > many["saved"]
    assert (many["break_even"], many["most_workers"]) == (0, 100)
    few: Any = results("sparsify", workers=64, **EDGE)  # type: ignore[arg-type]
    assert few["dense_time"] / few["sent_time"] == Fraction(25, 16)  # not the 50 of a message


def test_with_many_workers_a_bitmap_alone_is_too_much() -> None:
    values: Any = results("sparsify", values=1000, kept=1, index="bitmap", workers=100)
    assert (values["most_kept"], values["density"]) == (0, 0)
    assert values["gathered"] > values["reduced"]


def test_random_values_that_all_workers_draw_need_no_index() -> None:
    stated: dict[str, Any] = {"values": 1000, "kept": 10, "workers": 64, "aggregation": "added"}
    values = results("sparsify", method="random-k", **stated)
    assert (values["ratio"], values["sent"]) == (100, 40)
    assert "index_width" not in values


def test_a_single_worker_gathers_nothing() -> None:
    values = results("sparsify", values=1000, kept=10, workers=1, bandwidth="1 B/s")
    text = [values[name] for name in ("gathered", "reduced", "saved", "sent_time", "saved_time")]
    assert text == [0] * 5
    assert values["density"] is values["most_kept"] is None


def test_published_ranks() -> None:
    """cp-04."""
    values = results("low-rank", rows=4096, columns=4096, rank=20, wanted=100)
    assert (values["ratio"], values["wanted_rank"]) == (Fraction("102.4"), Fraction("20.48"))
    call = ("--rows", "4096", "--columns", "4096", "--find", "rank", "--where", "ratio >= 100")
    ran = ddcalc("low-rank", *call, "--steps", "none")
    assert "must be at most 20: then the compression is 102.4; with\nr = 21" in ran.out


def test_the_break_even_is_that_of_the_exchange() -> None:
    """Both rings move 2(p − 1)/p of a message: nearly twice the bandwidth pays."""
    stated: dict[str, Any] = {"rows": 64, "columns": 64, "rank": 4, "encode": "1 ms"}
    one: dict[str, Any] = results("low-rank", **stated)
    many = results("low-rank", **stated, workers=64)
    assert many["break_even"] == Fraction(63, 32) * one["break_even"]
    assert many["added"] == Fraction(63, 32) * one["sent"]
    svd = results("low-rank", workers=64, aggregation="gathered", **stated)
    assert (svd["break_even"], svd["most_workers"]) == (0, 16)  # 8 times fewer bytes


# Error feedback


def test_without_error_feedback_more_and_more_is_missing() -> None:
    feedback: dict[str, Any] = {"vector": [3, 2, 1], "method": "top_k", "kept": 1}
    values = [results("error-feedback", **feedback, rounds=t) for t in (1, 10, 100)]
    assert [item["without"] for item in values] == [5, 500, 50_000]
    assert [item["missing"] for item in values] == [5, 25, 25]
    assert [row[1:] for row in table_of("error-feedback", **feedback, rounds=2).rows] == [
        ("3, 2, 1", "3, 0, 0", "0, 2, 1"),
        ("3, 4, 2", "0, 4, 0", "3, 0, 2"),
    ]


@pytest.mark.parametrize("kept", [2, 3])
def test_what_unbiased_values_lose_cannot_be_fed_back_from_omega_1_on(kept: int) -> None:
    """All draws of three steps: does the mean square of what is kept grow by less each step?"""
    vector, draws = [3, -1, 2, 5], [*combinations(range(4), kept)]
    kinds, means = [[Fraction(0)] * 4], []
    for _ in range(3):
        wanted = [[v + m for v, m in zip(vector, memory, strict=True)] for memory in kinds]
        kinds = [
            [w - Fraction(4, kept) * w * (i in chosen) for i, w in enumerate(item)]
            for item in wanted
            for chosen in draws
        ]
        means.append(sum(value**2 for memory in kinds for value in memory) / len(kinds))
    settles = means[2] - means[1] < means[1] - means[0]
    omega: Any = results("sparsify", vector=vector, kept=kept, method="unbiased")["vector_bound"]
    assert settles == (omega < 1)


@pytest.mark.parametrize(
    ("call", "safe"),
    [
        ("quantize --bits 2", False),  # √4/1
        ("quantize --bits 4", True),  # 4/7²
        ("quantize --scheme sign", True),
        ("sparsify --kept 2", True),
        ("sparsify --kept 2 --method unbiased", False),
        ("sparsify --kept 3 --method unbiased", True),
    ],
)
def test_error_feedback_is_for_what_it_can_feed_back(call: str, safe: bool) -> None:
    page = " ".join(ddcalc(*call.split(), "--vector=3,-1,2,4").out.split())
    assert ("as ω_v ≥ 1, error feedback is not safe" in page) != safe


# What is told


def test_the_other_readings() -> None:
    text = readings("quantize", values=8000, bits=4)
    assert text["bit_count", "sign_apart"] == Fraction(8000 * 32, 8000 * 5 + 32)
    assert ("scheme", "one_bit") not in text  # which has no bits of choice
    text = readings("sparsify", values=1000, kept=10, index="stated")
    assert text["index", "bitmap"] == Fraction(32_000, 1320)
    text = readings("sparsify", vector=[3, -1, 2], kept=1)
    assert text["method", "random_k"] in (5, 10, 13)  # 9, 1 and 4, less one of them
    assert ("method", "top_k") not in readings("error-feedback", vector=[3, 2, 1])  # without kept
    assert ("method", "top_k") in readings("error-feedback", vector=[3, 2, 1], kept=1)


def test_the_tables_tell_what_becomes_of_each_value() -> None:
    table = table_of("quantize", vector=[3, -4], bits=3)
    columns = ("i", "value", "levels up", "chance", "draw", "level", "arrives", "lost")
    assert tuple(head.partition(", ")[0] for head in table.header) == columns
    assert [row[1:4] for row in table.rows] == [("3", "1.8", "0.8"), ("−4", "2.4", "0.4")]
    table = table_of("quantize", vector=[3, -4, 8, 6], bits=3, bucket=2)
    assert [row[1] for row in table.rows] == ["5", "5", "10", "10"]  # a scale for each bucket
    table = table_of("sparsify", vector=["0.3", "-4", "1.2"], kept=2)
    rows = [("0.3", "0", "0.3", ""), ("−4", "−4", "0", "sent"), ("1.2", "1.2", "0", "sent")]
    assert [row[1:] for row in table.rows] == rows


def test_without_workers_one_message_is_said_to_be_timed() -> None:
    call = ["--values", "8", "--bits", "8", "--bandwidth", "1 MB/s", "--encode", "1 us"]
    ran = ddcalc("quantize", *call)
    assert "sending the gradient takes 13 µs instead of" in ran.out


SLOW = [f"1/{n}" for n in range(10**6 + 1, 10**6 + 400, 2)]  # to add up
ALIKE = {"values": 9, "kept": 1, "workers": 4, "aggregation": "added"}


@pytest.mark.parametrize(
    ("slug", "stated", "parameter", "text"),
    [
        ("quantize", {"bits": 4}, None, "values or vector or dimension"),
        ("quantize", {"values": 4}, None, "bits"),
        ("quantize", {"values": 4, "bits": 1}, "bits", "holds a sign and no level"),
        ("quantize", {"values": 4, "bits": 4, "levels": 8}, "bits", "cannot tell"),
        ("quantize", {"values": 4, "bits": 1, "scheme": "terngrad"}, "bits", "cannot tell"),
        ("quantize", {"vector": [1, 2], "dimension": 3, "bits": 4}, "dimension", "does not fit"),
        ("quantize", {"vector": SLOW, "bits": 4}, "vector", "common denominator"),
        ("sparsify", {"kept": 4}, None, "values or vector or dimension"),
        ("sparsify", {"values": 4}, None, "kept"),
        ("sparsify", {"values": 4, "kept": 3, "share": "1/2"}, "share", "does not fit kept"),
        ("sparsify", {"values": 4, "kept": 5}, "kept", "is more than there are values"),
        ("sparsify", {"vector": [1, 2], "kept": 3}, "kept", "is more than there are values"),
        ("sparsify", {"vector": [1, 2], "dimension": 3, "kept": 1}, "dimension", "does not fit"),
        ("sparsify", ALIKE, "aggregation", "'added' needs"),
        ("low-rank", {"rows": 4, "columns": 8, "rank": 5}, "rank", "more than there are rows"),
        ("low-rank", {"rows": 8, "columns": 4, "rank": 5}, "rank", "more than there are columns"),
        ("error-feedback", {"vector": [1, 2], "method": "top_k"}, None, "kept"),
        ("error-feedback", {"vector": [1, 2], "method": "top_k", "kept": 3}, "kept",
         "more than the 2 values"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    slug: str, stated: dict[str, Any], parameter: str | None, text: str
) -> None:
    texts = refusals(slug, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts
