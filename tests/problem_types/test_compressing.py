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
from stating import derivation, results

from ddcalc.problem.steps import Table
from ddcalc.types.compression import _quantize

VECTORS = st.lists(st.fractions(-5, 5, max_denominator=8), min_size=1, max_size=6)
SCHEMES = ["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"]


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


@pytest.mark.parametrize(
    ("kept", "values", "part"), [(25_000, 25_000_000, 1), (6, 10, 6), (10, 10, 10)]
)
def test_as_large_a_part_of_the_vector_is_kept(kept: int, values: int, part: int) -> None:
    answer: Any = results("sparsify", values=values, kept=kept, dimension=10)
    assert answer["kept_values"] == part == sum(value != 0 for value in answer["sparse"])
    assert answer["bound"] == 1 - Fraction(kept, values)


# What it saves


# Error feedback


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


# What is told


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
