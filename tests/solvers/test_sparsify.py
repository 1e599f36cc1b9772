"""sparsify against every set of values that may be sent, NumPy, and rings played part by part."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, readings, refusals, results

from ddcalc.steps import Define, Table

TYPE = "sparsify"
VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=8)
VECTORS = st.lists(VALUES, min_size=1, max_size=7)
METHODS = st.sampled_from(["top_k", "random_k", "unbiased"])

Vector = Sequence[Fraction | int]


def worked(vector: Vector, kept: int, **more: Any) -> dict[str, Any]:
    return results(TYPE, vector=list(vector), kept=kept, **more)


# Witnesses that share no code with the solver


def errors(vector: Vector, kept: int, factor: Fraction | int = 1) -> list[Fraction]:
    """The square of the error for every set of so many values."""
    return [
        sum((Fraction(v) - factor * v * (i in chosen)) ** 2 for i, v in enumerate(vector))
        for chosen in combinations(range(len(vector)), kept)
    ]


def ring(workers: int, size: Fraction) -> Fraction:
    """What worker 0 receives when parts go round twice, added up on the first round."""
    received = Fraction(0)
    for _ in ("reduce-scatter", "all-gather"):
        for _ in range(workers - 1):
            received += size / workers
    return received


@given(VECTORS, st.data())
@settings(deadline=None, max_examples=60)
def test_no_set_of_values_loses_less_than_the_largest(
    vector: list[Fraction], data: st.DataObject
) -> None:
    kept = data.draw(st.integers(1, len(vector)))
    found = worked(vector, kept)
    assert found["error"] == found["expected_error"] == min(errors(vector, kept))
    assert found["error"] <= found["allowed"]
    assert sum(value != 0 for value in found["sparse"]) <= kept


@given(VECTORS, st.data(), st.sampled_from(["random_k", "unbiased"]), st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_random_values_expect_the_mean_over_all_sets(
    vector: list[Fraction], data: st.DataObject, method: str, seed: int
) -> None:
    kept = data.draw(st.integers(1, len(vector)))
    factor = Fraction(len(vector), kept) if method == "unbiased" else 1
    every = errors(vector, kept, factor)
    found = worked(vector, kept, method=method, seed=seed)
    assert found["expected_error"] == found["allowed"] == sum(every) / len(every)
    assert found["error"] in every
    arrives = {Fraction(0), *(factor * value for value in vector)}
    assert {*found["sparse"]} <= arrives


@given(VECTORS, METHODS, st.integers(0, 99))
@settings(deadline=None, max_examples=60)
def test_numpy_measures_the_same_error(vector: list[Fraction], method: str, seed: int) -> None:
    found = worked(vector, 1, method=method, seed=seed)
    values, sent = (np.array(list(map(float, each))) for each in (vector, found["sparse"]))
    assert float(found["error"]) == pytest.approx(float(np.sum((values - sent) ** 2)), abs=1e-12)
    assert list(map(float, found["memory"])) == pytest.approx(list(values - sent), abs=1e-12)


def test_the_bound_of_top_k_is_reached_by_equal_values() -> None:
    found = worked([2, -2, 2, 2], 3)
    assert found["error"] == found["allowed"] == 4
    assert found["sparse"] == [2, -2, 2, 0]  # of equal ones the first


def test_many_seeds_come_near_the_expectation() -> None:
    vector = ["0.3", "-0.4", "1.1", "0.7", "2"]
    found = [worked(vector, 2, method="unbiased", seed=seed) for seed in range(400)]
    each = [float(result["error"]) for result in found]
    assert abs(fmean(each) - float(found[0]["expected_error"])) <= 4 * stdev(each) / 400**0.5
    chosen = {tuple(i for i, v in enumerate(result["sparse"]) if v) for result in found}
    assert len(chosen) == 10  # every pair of five


@pytest.mark.parametrize(
    ("kept", "values", "part"), [(25_000, 25_000_000, 1), (1, 2, 5), (6, 10, 6), (10, 10, 10)]
)
def test_as_large_a_part_of_the_vector_is_kept(kept: int, values: int, part: int) -> None:
    found = results(TYPE, values=values, kept=kept, dimension=10)
    assert found["kept_values"] == part
    assert sum(value != 0 for value in found["sparse"]) == part
    assert found["bound"] == 1 - Fraction(kept, values)


# What it saves


@given(
    values=st.integers(1, 10**6),
    part=st.fractions(min_value=0, max_value=1, max_denominator=1000),
    width=st.integers(0, 64),
    workers=st.integers(1, 64),
    encode=st.fractions(min_value=0, max_value=1, max_denominator=1000),
)
@settings(deadline=None, max_examples=80)
def test_bytes_times_and_the_all_gather(
    values: int, part: Fraction, width: int, workers: int, encode: Fraction
) -> None:
    kept, link = max(1, int(part * values)), 10**8
    found: dict[str, Any] = results(
        TYPE, values=values, kept=kept, index="stated", index_bits=width, workers=workers,
        bandwidth=f"{link} B/s", encode=f"{encode} s", decode="1 ms",
    )  # fmt: skip
    before, after = Fraction(values * 32, 8), Fraction(kept * (32 + width), 8)
    assert (found["dense"], found["sent"]) == (before, after)
    assert found["reduced"] == ring(workers, before)
    assert found["gathered"] == sum([after] * (workers - 1))
    saved = found["reduced"] - found["gathered"]
    assert found["saved"] == saved
    assert found["saved_time"] == saved / link - encode - Fraction(1, 1000)
    assert found["break_even"] == max(saved, 0) / (encode + Fraction(1, 1000))
    assert (saved < 0) == (workers > found["most_workers"])
    if workers > 1:
        assert (saved < 0) == (kept > found["most_kept"])
        assert found["density"] == found["most_kept"] / values
    else:  # nothing is gathered, whatever is kept
        assert found["most_kept"] is found["density"] is None


@settings(max_examples=60, deadline=None)
@given(
    values=st.integers(1, 10**9), share=st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6)
)
def test_a_part_of_all_values_is_rounded_up(values: int, share: Fraction) -> None:
    found = results(TYPE, values=values, share=share, workers=3)
    chosen = -(-values * share.numerator // share.denominator)
    stated = results(TYPE, values=values, kept=chosen, workers=3)
    assert (found.pop("chosen"), found.pop("share")) == (stated.pop("kept"), share)
    assert found == stated


@pytest.mark.parametrize("values", [1, 2, 3, 4, 5, 1023, 1024, 1025, 25_000_000])
def test_an_index_numbers_all_values(values: int) -> None:
    found = results(TYPE, values=values, kept=1)
    assert found["index_width"] == (values - 1).bit_length()
    assert found["sent"] == Fraction(32 + (values - 1).bit_length(), 8)


@pytest.mark.parametrize("workers", [2, 3, 8, 64])
def test_a_bitmap_may_lose_whatever_is_sent(workers: int) -> None:
    found: dict[str, Any] = results(TYPE, values=1000, kept=10, index="bitmap", workers=workers)
    assert found["sent"] == Fraction(10 * 32 + 1000, 8)
    at = found["most_kept"]
    if at:
        assert workers * (at * 32 + 1000) == 2 * 1000 * 32
    else:
        assert workers * 1000 >= 2 * 1000 * 32


def test_with_many_workers_a_bitmap_alone_is_too_much() -> None:
    found = results(TYPE, values=1000, kept=1, index="bitmap", workers=100)
    assert (found["most_kept"], found["density"]) == (0, 0)
    assert found["gathered"] > found["reduced"]  # type: ignore[operator]


def test_the_other_readings() -> None:
    told = readings(TYPE, values=1000, kept=10, index="stated")
    assert told["index", "bitmap"] == Fraction(32_000, 1320)
    told = readings(TYPE, vector=[3, -1, 2], kept=1)
    assert told["method", "unbiased"] in errors([3, -1, 2], 1, Fraction(3))


# What is told


def test_the_steps_tell_which_values_are_sent() -> None:
    steps = derivation(TYPE, vector=["0.3", "-4", "1.2"], kept=2).steps
    table = next(step for step in steps if isinstance(step, Table))
    assert [row[1:] for row in table.rows] == [
        ("−4", "4", "−4"),
        ("1.2", "1.2", "1.2"),
        ("0.3", "0.3", "0"),
    ]
    named = {step.name: step for step in steps if isinstance(step, Define)}
    assert "e keeps to it" in named["allowed"].why


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({"kept": 4}, None, "values or vector or dimension"),
        ({"values": 4}, None, "kept"),
        ({"values": 4, "share": "1.5"}, "share", "at most 1"),
        ({"values": 4, "kept": 3, "share": "1/2"}, "share", "does not fit kept"),
        ({"values": 4, "kept": 5}, "kept", "is more than there are values"),
        ({"vector": [1, 2], "kept": 3}, "kept", "is more than there are values"),
        ({"values": 4, "kept": 0}, "kept", "at least 1"),
        ({"values": 4, "kept": "0.5"}, "kept", "not a whole number"),
        ({"values": 4, "kept": 2, "workers": 0}, "workers", "at least 1"),
        ({"values": 4, "kept": 2, "index_bits": -1}, "index_bits", "at least 0"),
        ({"vector": [1, 2], "dimension": 3, "kept": 1}, "dimension", "does not fit the vector"),
        ({"values": 4, "kept": 2, "bandwidth": "10 Gb/s"}, "bandwidth", "write bits as Gbit"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    told = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in told), told
