"""sparsify: what is rounded, drawn, and said; the bytes and errors have a witness of their own."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Define, DefineEach, Table

TYPE = "sparsify"
VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=8)
VECTORS = st.lists(VALUES, min_size=1, max_size=7)
METHODS = st.sampled_from(["top_k", "random_k", "unbiased"])

Vector = Sequence[Fraction | int]


def worked(vector: Vector, kept: int, **more: Any) -> dict[str, Any]:
    return results(TYPE, vector=list(vector), kept=kept, **more)


# Witnesses that share no code with the solver


def test_the_bound_of_top_k_is_reached_by_equal_values() -> None:
    values = worked([2, -2, 2, 2], 3)
    assert values["error"] == values["allowed"] == 4
    assert values["sparse"] == [2, -2, 2, 0]  # of equal ones the first


def test_many_seeds_come_near_the_expectation() -> None:
    vector = ["0.3", "-0.4", "1.1", "0.7", "2"]
    values = [worked(vector, 2, method="unbiased", seed=seed) for seed in range(400)]
    item = [float(result["error"]) for result in values]
    assert abs(fmean(item) - float(values[0]["expected_error"])) <= 4 * stdev(item) / 400**0.5
    chosen = {tuple(i for i, v in enumerate(result["sparse"]) if v) for result in values}
    assert len(chosen) == 10  # every pair of five


@pytest.mark.parametrize(
    ("kept", "values", "part"), [(25_000, 25_000_000, 1), (1, 2, 5), (6, 10, 6), (10, 10, 10)]
)
def test_as_large_a_part_of_the_vector_is_kept(kept: int, values: int, part: int) -> None:
    answer = results(TYPE, values=values, kept=kept, dimension=10)
    assert answer["kept_values"] == part
    assert sum(value != 0 for value in answer["sparse"]) == part
    assert answer["bound"] == 1 - Fraction(kept, values)


# What it saves


@settings(max_examples=60, deadline=None)
@given(
    values=st.integers(1, 10**9), share=st.fractions(Fraction(1, 10**6), 1, max_denominator=10**6)
)
def test_a_part_of_all_values_is_rounded_up(values: int, share: Fraction) -> None:
    answer = results(TYPE, values=values, share=share, workers=3)
    chosen = -(-values * share.numerator // share.denominator)
    stated = results(TYPE, values=values, kept=chosen, workers=3)
    assert (answer.pop("chosen"), answer.pop("share")) == (stated.pop("kept"), share)
    assert answer == stated


@pytest.mark.parametrize("values", [1, 2, 3, 4, 5, 1023, 1024, 1025, 25_000_000])
def test_an_index_numbers_all_values(values: int) -> None:
    answer = results(TYPE, values=values, kept=1)
    assert answer["index_width"] == (values - 1).bit_length()
    assert answer["sent"] == Fraction(32 + (values - 1).bit_length(), 8)


@pytest.mark.parametrize("workers", [2, 3, 8, 64])
def test_a_bitmap_may_lose_whatever_is_sent(workers: int) -> None:
    values: dict[str, Any] = results(TYPE, values=1000, kept=10, index="bitmap", workers=workers)
    assert values["sent"] == Fraction(10 * 32 + 1000, 8)
    at = values["most_kept"]
    if at:
        assert workers * (at * 32 + 1000) == 2 * 1000 * 32
    else:
        assert workers * 1000 >= 2 * 1000 * 32


def test_with_many_workers_a_bitmap_alone_is_too_much() -> None:
    values = results(TYPE, values=1000, kept=1, index="bitmap", workers=100)
    assert (values["most_kept"], values["density"]) == (0, 0)
    assert values["gathered"] > values["reduced"]  # type: ignore[operator]


def test_the_other_readings() -> None:
    text = readings(TYPE, values=1000, kept=10, index="stated")
    assert text["index", "bitmap"] == Fraction(32_000, 1320)
    text = readings(TYPE, vector=[3, -1, 2], kept=1)
    assert text["method", "random_k"] in (5, 10, 13)  # 9, 1 and 4, less one of them


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
        ({"values": 4, "kept": 3, "share": "1/2"}, "share", "does not fit kept"),
        ({"values": 4, "kept": 5}, "kept", "is more than there are values"),
        ({"vector": [1, 2], "kept": 3}, "kept", "is more than there are values"),
        ({"vector": [1, 2], "dimension": 3, "kept": 1}, "dimension", "does not fit the vector"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    texts = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts


def test_all_on_a_screen_counts_the_workers_that_are_stated() -> None:
    """1 of 100 values with an index of 32 bits: with 200 workers it loses, with 64 it pays."""
    stated = {"values": "25M", "kept": 250_000, "index": "stated", "bandwidth": "10 Gbit/s"}
    many: dict[str, Any] = results(TYPE, workers=200, **stated)  # type: ignore[arg-type]
    assert many["dense_time"] == Fraction("0.1592")  # 2·199/200·100 MB over 1.25 GB/s
    assert many["sent_time"] == Fraction("0.3184")  # 199·2 MB
    assert many["saved_time"] < 0 > many["saved"]
    assert many["break_even"] == 0  # on no link
    assert many["most_workers"] == 100
    few: dict[str, Any] = results(TYPE, workers=64, **stated)  # type: ignore[arg-type]
    assert few["dense_time"] / few["sent_time"] == Fraction(25, 16)  # not the 50 of a message


def test_random_values_that_all_workers_draw_need_no_index() -> None:
    stated: dict[str, Any] = {"values": 1000, "kept": 10, "workers": 64, "aggregation": "added"}
    values = results(TYPE, method="random-k", **stated)
    assert (values["ratio"], values["sent"]) == (100, 40)
    assert "index_width" not in values
    [(parameter, text)] = refusals(TYPE, **stated)
    assert (parameter, text.split(" needs")[0]) == ("aggregation", "'added'")


def test_a_single_worker_gathers_nothing() -> None:
    values = results(TYPE, values=1000, kept=10, workers=1, bandwidth="1 B/s")
    text = [values[name] for name in ("gathered", "reduced", "saved", "sent_time", "saved_time")]
    assert text == [0] * 5
    assert values["density"] is values["most_kept"] is None


@pytest.mark.parametrize(
    ("method", "kept", "says"),
    [
        ("top_k", 2, "error feedback adds it to the next gradient"),
        ("random_k", 2, "error feedback adds it to the next gradient"),
        ("unbiased", 2, "as ω_v ≥ 1, error feedback is not safe"),
        ("unbiased", 3, "as ω_v < 1, error feedback could add it to the next gradient"),
    ],
)
def test_error_feedback_is_for_what_it_can_feed_back(method: str, kept: int, says: str) -> None:
    steps = derivation(TYPE, vector=[3, -1, 2, 5], kept=kept, method=method).steps
    lost = next(step for step in steps if isinstance(step, DefineEach) and step.name == "memory")
    assert lost.why.endswith(says)


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
    omega = results(TYPE, vector=vector, kept=kept, method="unbiased")["vector_bound"]
    assert settles == (omega < 1)  # type: ignore[operator]
