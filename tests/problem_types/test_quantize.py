"""quantize against the published numbers, and what its bounds and its steps say."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from statistics import fmean, stdev
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Define, DefineEach, Table

TYPE = "quantize"
VALUES = st.fractions(min_value=-5, max_value=5, max_denominator=8)
VECTORS = st.lists(VALUES, min_size=1, max_size=6)
SCHEMES = st.sampled_from(["qsgd", "qsgd_max", "terngrad", "sign", "one_bit"])
WHOLE_LENGTHS = [[3, -4], [1, 2, 2], [-2, 3, 6], [1, 1, 1, 1], [0, -5, 0, 12], [2, 4, 5, -6]]

Vector = Sequence[Fraction | int]


def worked(vector: Vector, **more: Any) -> dict[str, Any]:
    return results(TYPE, vector=list(vector), **{"bits": 8, **more})


# Witnesses that share no code with the solver


@given(VECTORS, SCHEMES, st.integers(2, 5), st.integers(1, 7))
@settings(deadline=None, max_examples=150)
def test_no_vector_expects_more_than_the_bound(
    vector: list[Fraction], scheme: str, bits: int, bucket: int
) -> None:
    values = worked(vector, scheme=scheme, bits=bits, bucket=bucket)
    assert values["expected_error"] <= values["allowed"]
    assert values["bound"] == values["vector_bound"]
    assert values["allowed"] == values["vector_bound"] * values["square"]


@pytest.mark.parametrize("size", [2, 4, 9, 100])
def test_the_bound_of_terngrad_is_reached(size: int) -> None:
    """One value is 1 + √d times as large as all others."""
    near = Fraction(isqrt(size * 10**20), 10**10)
    values = worked([1 + near] + [1] * (size - 1), scheme="terngrad")
    assert Fraction(values["allowed"]) - values["expected_error"] <= Fraction(1, 10**9)
    assert abs(2 * Fraction(values["bound"]) - (near - 1)) <= Fraction(1, 10**9)


@pytest.mark.parametrize(("size", "levels"), [(2, 1), (5, 2), (17, 4), (100, 15)])
def test_the_bound_for_the_largest_value_is_reached(size: int, levels: int) -> None:
    """All others are t levels, t = s·(√(s² + D − 1) − s)/(D − 1); found to lie at a maximum."""
    top = levels**2 + size - 1
    t = levels * (Fraction(isqrt(top * 10**40), 10**20) - levels) / (size - 1)
    values = worked([levels] + [t] * (size - 1), scheme="qsgd_max", levels=levels)
    assert 0 <= Fraction(values["allowed"]) - values["expected_error"] <= Fraction(1, 10**15)
    ratio = values["expected_error"] / values["square"]
    for near in (t * Fraction(99, 100), t * Fraction(101, 100)):
        beside = worked([levels] + [near] * (size - 1), scheme="qsgd_max", levels=levels)
        assert beside["expected_error"] / beside["square"] < ratio
    if levels == 1:
        ternary = worked([1] * size, scheme="terngrad")["bound"]
        assert abs(Fraction(values["bound"]) - Fraction(ternary)) < Fraction(1, 10**50)


@pytest.mark.parametrize("scheme", ["sign", "one_bit"])
@pytest.mark.parametrize("size", [1, 2, 7])
def test_the_bound_of_signs_is_reached(scheme: str, size: int) -> None:
    values = worked([-3] + [0] * (size - 1), scheme="sign")
    assert values["error"] == values["allowed"] == 9 * (1 - Fraction(1, size))
    assert worked([-3] + [0] * (size - 1), scheme=scheme)["error"] <= values["error"]


@given(VECTORS)
@settings(deadline=None, max_examples=60)
def test_two_means_lose_no_more_than_one(vector: list[Fraction]) -> None:
    one, two = (worked(vector, scheme=scheme)["error"] for scheme in ("sign", "one_bit"))
    assert two <= one


@pytest.mark.parametrize("scheme", ["qsgd", "terngrad"])
def test_many_seeds_come_near_the_expectation(scheme: str) -> None:
    """The mean error of many draws is within four standard errors of what is expected."""
    vector = ["0.3", "-0.4", "1.1", "0.7"]
    values = [worked(vector, bits=2, scheme=scheme, seed=seed) for seed in range(400)]
    errors = [float(item["error"]) for item in values]
    off = abs(fmean(errors) - float(values[0]["expected_error"]))
    assert off <= 4 * stdev(errors) / 400**0.5
    assert len({tuple(item["quantized"]) for item in values}) > 4


def test_a_seed_draws_the_same_always() -> None:
    """Written down once; Python draws these numbers alike in all its versions."""
    values = results(TYPE, dimension=4, bits=3, seed=7)
    assert values["drawn"] == results(TYPE, dimension=4, bits=8, seed=7)["drawn"]
    assert values["drawn"] == DRAWN
    assert values["drawn"] != results(TYPE, dimension=4, bits=3)["drawn"]
    assert all(100 % value.denominator == 0 for value in values["drawn"])


DRAWN = [Fraction(item) for item in ("0.69", "0.78", "-1.49", "1.33")]


# What it saves


@pytest.mark.parametrize("levels", [1, 2, 3, 4, 7, 8, 16, 127, 128])
def test_bits_tell_all_levels_apart(levels: int) -> None:
    values = results(TYPE, values=100, levels=levels)
    assert values["width"] == len(f"{2 * levels:b}")
    assert values["sent"] == results(TYPE, values=100, levels=levels, bits=values["width"])["sent"]  # type: ignore[arg-type]


def test_ternary_values_and_signs_have_their_bits() -> None:
    widths = {
        scheme: results(TYPE, values=8, scheme=scheme)["width"]
        for scheme in ("terngrad", "sign", "one_bit")
    }
    assert widths == {"terngrad": 2, "sign": 1, "one_bit": 1}


@pytest.mark.parametrize(
    ("values", "bits", "bucket", "bound"),
    [(512, 4, 512, 2 ** Fraction(1, 2)), (10**6, 2, 10_000, 25), (16, 4, 16, Fraction(1, 16))],
)
def test_bounds_of_the_paper(values: int, bits: int, bucket: int, bound: Any) -> None:
    """√512/2^4 of section 4; √D/s and D/s² of Lemma 3.1, with s = 2^b."""
    answer = results(TYPE, values=values, bits=bits, bucket=bucket, bit_count="sign_apart")
    assert float(answer["bound"]) == pytest.approx(float(bound), rel=1e-12)  # type: ignore[arg-type]


def test_both_branches_of_the_bound_meet() -> None:
    at = [results(TYPE, values=d, levels=10, bits=8)["bound"] for d in (99, 100, 101)]
    assert at[:2] == [Fraction(99, 100), 1]
    assert 1 < at[2] < Fraction(101, 100)  # type: ignore[operator]


def test_the_other_readings() -> None:
    text = readings(TYPE, values=8000, bits=4)
    assert text["bit_count", "sign_apart"] == Fraction(8000 * 32, 8000 * 5 + 32)
    assert text["scheme", "one_bit"] == Fraction(8000 * 32, 8000 * 4 + 64)


def test_nothing_to_encode_has_no_break_even() -> None:
    assert results(TYPE, values=100, bits=8)["break_even"] is None
    assert results(TYPE, values=1, bits=32, encode="1 s")["break_even"] == 0  # a scale more


# What is told


def test_the_steps_tell_the_draws() -> None:
    steps = derivation(TYPE, vector=[3, -4], bits=3).steps
    table = next(step for step in steps if isinstance(step, Table))
    assert table.header == ("i", "v_i", "levels up", "chance", "draw", "level", "arrives")
    assert [row[1:4] for row in table.rows] == [("3", "1.8", "0.8"), ("−4", "2.4", "0.4")]
    named = {step.name: step for step in steps if isinstance(step, Define)}
    assert "keeps to it, as it has to" in named["allowed"].why


def test_every_bucket_has_its_scale() -> None:
    steps = derivation(TYPE, vector=[3, -4, 8, 6], bits=3, bucket=2).steps
    table = next(step for step in steps if isinstance(step, Table))
    assert [row[1] for row in table.rows] == ["5", "5", "10", "10"]


@pytest.mark.parametrize(
    ("stated", "parameter", "text"),
    [
        ({"bits": 4}, None, "values or vector or dimension"),
        ({"values": 4}, None, "bits"),
        ({"values": 4, "bits": 1}, "bits", "holds a sign and no level"),
        ({"values": 4, "bits": 4, "levels": 8}, "bits", "cannot tell"),
        ({"values": 4, "bits": 1, "scheme": "terngrad"}, "bits", "cannot tell"),
        ({"vector": [1, 2], "dimension": 3, "bits": 4}, "dimension", "does not fit the vector"),
    ],
)
def test_what_is_wrong_is_said(stated: dict[str, Any], parameter: str | None, text: str) -> None:
    texts = refusals(TYPE, **stated)
    assert any(name == parameter and text in said for name, said in texts), texts


def test_numbers_that_add_up_too_slowly_are_refused() -> None:
    vector = [f"1/{n}" for n in range(10**6 + 1, 10**6 + 400, 2)]
    [(parameter, text)] = refusals(TYPE, vector=vector, bits=4)
    assert (parameter, "common denominator" in text) == ("vector", True)


def test_a_zero_vector_stays_zero() -> None:
    for scheme in ("qsgd", "terngrad", "sign", "one_bit"):
        values = worked([0, 0], scheme=scheme)
        assert (values["quantized"], values["error"], values["allowed"]) == ([0, 0], 0, 0)


def test_many_levels_stay_sure() -> None:
    values = worked(["0.3", "0.1", "0.7"], bits=32)
    assert 0 <= values["expected_error"] < Fraction(1, 10**17)


def test_negative_values_on_the_command_line() -> None:
    ran = ddcalc(TYPE, "--vector=-0.5,0.25", "--bits", "3", "--steps", "none")
    assert (ran.code, ran.out[:9]) == (0, "≈ 0.01853")


def test_bytes_of_a_value_lose_with_more_than_eight_workers() -> None:
    """A quarter of the bytes, gathered p − 1 times, beside a ring of whole gradients."""
    stated: dict[str, Any] = {"values": 8_000, "bits": 8, "scale_bits": 1, "bandwidth": "1 MB/s"}
    saved = {p: results(TYPE, workers=p, **stated)["saved_time"] for p in (1, 2, 7, 9, 64)}
    assert [(time > 0) - (time < 0) for time in saved.values()] == [0, 1, 1, -1, -1]  # type: ignore[operator]
    one = results(TYPE, **stated)
    assert one["saved_time"] == saved[2]  # two workers swap one message
    assert one.keys().isdisjoint({"gathered", "most_workers"})
    alone = results(TYPE, workers=64, aggregation="server", **stated)
    assert alone["saved_time"] == one["saved_time"]


def test_without_workers_one_message_is_said_to_be_timed() -> None:
    steps = derivation(TYPE, values=8, bits=8, bandwidth="1 MB/s", encode="1 us").steps
    whys = {step.name: step.why for step in steps if isinstance(step, Define)}
    for name in ("saved", "dense_time", "sent_time", "break_even"):
        assert "one message" in whys[name]


@pytest.mark.parametrize(
    ("bits", "says"),
    [(2, "ω_v ≥ 1, error feedback is not safe"), (4, "error feedback could add it to")],
)
def test_error_feedback_is_for_what_it_can_feed_back(bits: int, says: str) -> None:
    """Four values and s levels: ω = √4/1 and 4/7²."""
    text = derivation(TYPE, vector=[1, 2, 3, 4], bits=bits).steps
    assert any(says in step.why for step in text if isinstance(step, DefineEach))
    signs = derivation(TYPE, vector=[1, 2], scheme="sign").steps
    assert any("adds it to" in step.why for step in signs if isinstance(step, DefineEach))


def test_a_scale_of_nothing_divides_nothing() -> None:
    for vector in ([0, 0], [0, 0, 1, 2]):
        steps = derivation("quantize", vector=vector, bucket=2, bits=2, scheme="terngrad").steps
        (table,) = (step for step in steps if isinstance(step, Table))
        assert "where it is 0, so are all values, and they arrive as 0" in table.why
