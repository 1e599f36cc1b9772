"""The small types on batches, against counting one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, readings_by_hand, refusals, results

RATES = st.fractions(Fraction(1, 1000), 10, max_denominator=1000)
SIZES = st.integers(1, 500)


# learning-rate


@settings(max_examples=60, deadline=None)
@given(rate=RATES, batch=SIZES, times=st.integers(1, 40))
def test_rules_for_a_batch_so_many_times_as_large(rate: Fraction, batch: int, times: int) -> None:
    asked: dict[str, Any] = {"rate": rate, "batch": batch, "new_batch": batch * times**2}
    linear = sum([rate] * times**2, Fraction(0))  # one step for every one that is no longer made
    assert results("learning-rate", **asked)["new_rate"] == linear
    rooted = results("learning-rate", **asked, rule="square-root")["new_rate"]
    assert rooted == rate * times
    assert readings("learning-rate", **asked) == readings_by_hand("learning-rate", **asked)


@settings(max_examples=60, deadline=None)
@given(rate=RATES, batch=SIZES, new=SIZES, critical=RATES)
def test_saturating(rate: Fraction, batch: int, new: int, critical: Fraction) -> None:
    """η = η_max/(1 + B_crit/B) at both batches, with one η_max."""
    asked: dict[str, Any] = {"rate": rate, "batch": batch, "new_batch": new}
    asked |= {"critical_batch": critical, "rule": "saturating"}
    found: Any = results("learning-rate", **asked)["new_rate"]
    assert found * (1 + critical / new) == rate * (1 + critical / batch)


@settings(max_examples=40, deadline=None)
@given(each=SIZES, workers=st.integers(1, 60), new=st.integers(1, 60))
def test_workers_keep_their_batch(each: int, workers: int, new: int) -> None:
    asked: dict[str, Any] = {"rate": 1, "batch": each * workers, "workers": workers}
    found = results("learning-rate", **asked, new_workers=new)
    assert (found["worker_batch"], found["scaled_batch"]) == (each, each * new)
    assert found["new_rate"] == Fraction(new, workers)
    same = results("learning-rate", **asked, new_workers=new, new_batch=each * new)
    assert same["new_rate"] == found["new_rate"]
    ((name, told),) = refusals("learning-rate", **asked, new_workers=new, new_batch=each * new + 1)
    assert name == "new_batch"
    assert "leave one out" in told


# accumulation


@settings(max_examples=80, deadline=None)
@given(
    workers=st.integers(1, 9), small=st.integers(1, 40), target=st.integers(1, 2000),
    seconds=RATES, exchange=RATES,
)  # fmt: skip
def test_pass_after_pass(
    workers: int, small: int, target: int, seconds: Fraction, exchange: Fraction
) -> None:
    asked: dict[str, Any] = {"workers": workers, "small_batch": small, "pass_time": seconds}
    asked |= {"target": target, "exchange": exchange}
    gathered, passed, rounds = 0, Fraction(0), 0
    while gathered < target:
        gathered += workers * small
        passed += seconds
        rounds += 1
    found: dict[str, Any] = results("accumulation", **asked)
    assert (found["needed"], found["batch"]) == (rounds, gathered)
    assert found["step_time"] == passed + exchange
    assert found["rate"] == gathered / (passed + exchange)
    each: dict[str, Any] = results("accumulation", **asked, exchanged="each")
    assert each["step_time"] == passed + rounds * exchange
    assert each["share"] == rounds * exchange / each["step_time"]
    del asked["target"]
    assert results("accumulation", **asked, passes=rounds)["step_time"] == found["step_time"]


def test_too_few_passes() -> None:
    asked: dict[str, Any] = {"small_batch": 8, "pass_time": "1 s", "target": 17, "passes": 2}
    ((name, told),) = refusals("accumulation", **asked)
    assert name == "passes"
    assert "too few for a target of 17" in told


# batch-ramp


STAGES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 9)), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(stages=STAGES, samples=st.integers(1, 3000))
def test_a_ramp_by_samples(stages: list[tuple[int, int]], samples: int) -> None:
    batches, parts = [size for size, _ in stages], [part for _, part in stages]
    counted = []
    for size, part in stages:
        left, updates = Fraction(samples * part, sum(parts)), 0
        while left > 0:
            left -= size
            updates += 1
        counted.append(updates)
    constant = len(range(0, samples, batches[0]))
    found: dict[str, Any] = results("batch-ramp", samples=samples, batches=batches, parts=parts)
    assert found["stage_updates"] == counted
    assert found["updates"] == sum(counted)
    assert found["constant_updates"] == constant
    assert found["saved"] == 1 - Fraction(sum(counted), constant)


@settings(max_examples=80, deadline=None)
@given(stages=STAGES, cycles=st.integers(1, 20))
def test_a_ramp_by_updates(stages: list[tuple[int, int]], cycles: int) -> None:
    """Stages of so many updates each, played: their samples take as many updates again."""
    batches, parts = [size for size, _ in stages], [part for _, part in stages]
    samples = sum(size for size, part in stages for _ in range(part * cycles))
    asked: dict[str, Any] = {"samples": samples, "batches": batches, "parts": parts}
    found = results("batch-ramp", **asked, part_of="updates", constant=1)
    assert found["updates"] == sum(parts) * cycles
    assert found["constant_updates"] == samples


# critical-batch


@settings(max_examples=60, deadline=None)
@given(
    least=st.integers(1, 1000), critical=st.integers(0, 2000),
    batches=st.lists(st.integers(1, 60), min_size=2, max_size=5, unique=True),
    fit=st.sampled_from(["samples", "steps"]),
)  # fmt: skip
def test_runs_that_obey_the_rule(least: int, critical: int, batches: list[int], fit: str) -> None:
    scale = 1
    for batch in batches:
        scale *= batch
    steps = [least * (scale + scale * critical // batch) for batch in batches]
    asked: dict[str, Any] = {"batches": batches, "step_counts": steps, "fit": fit}
    found: dict[str, Any] = results("critical-batch", **asked, batch=critical or 1)
    assert found["least_steps"] == least * scale
    assert found["critical"] == critical
    assert found["least_samples"] == least * scale * critical
    if critical:  # at the critical batch: twice the fewest of both
        assert found["predicted"] == 2 * found["least_steps"]
        assert found["predicted_samples"] == 2 * found["least_samples"]


@settings(max_examples=60, deadline=None)
@given(fit=st.sampled_from(["samples", "steps"]), misses=st.lists(st.integers(-9, 9), min_size=4,
       max_size=4))  # fmt: skip
def test_noisy_runs_by_the_normal_equations(fit: str, misses: list[int]) -> None:
    batches = [10, 20, 40, 80]
    steps = [1000 * (80 + 50 * 80 // b) + miss for b, miss in zip(batches, misses, strict=True)]
    asked: dict[str, Any] = {"batches": batches, "step_counts": steps, "fit": fit}
    found: dict[str, Any] = results("critical-batch", **asked)
    s, e = found["least_steps"], found["least_samples"]
    if fit == "samples":
        left = [b * n - e - s * b for b, n in zip(batches, steps, strict=True)]
        along = [Fraction(b) for b in batches]
    else:
        left = [n - s - e / b for b, n in zip(batches, steps, strict=True)]
        along = [Fraction(1, b) for b in batches]
    assert sum(left) == 0
    assert sum(x * y for x, y in zip(along, left, strict=True)) == 0


@pytest.mark.parametrize(
    ("batches", "steps", "parameter", "message"),
    [
        (["512", "512"], ["10", "5"], "batches", "all alike"),
        (["512", "1024"], ["10", "11"], "step_counts", "do not fall"),
        (["512", "1024"], ["10", "5"], "step_counts", "fall so fast"),
        (["512", "1024"], ["10", "4"], "step_counts", "fall so fast"),
        (["512", "1024"], ["10"], "step_counts", "does not fit batches"),
        (["512", "0"], ["10", "8"], "batches[2]", "at least 1"),
    ],
)
def test_runs_refused(batches: list[str], steps: list[str], parameter: str, message: str) -> None:
    ((name, told),) = refusals("critical-batch", batches=batches, step_counts=steps)
    assert name == parameter
    assert message in told
