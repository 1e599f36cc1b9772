"""The small types on batches, against counting one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import readings, refusals, results

RATES = st.fractions(Fraction(1, 1000), 10, max_denominator=1000)
SIZES = st.integers(1, 500)


# learning-rate


@settings(max_examples=60, deadline=None)
@given(rate=RATES, batch=SIZES, times=st.integers(1, 40))
def test_rules_for_a_batch_so_many_times_as_large(rate: Fraction, batch: int, times: int) -> None:
    question: dict[str, Any] = {"rate": rate, "batch": batch, "new_batch": batch * times**2}
    linear = sum([rate] * times**2, Fraction(0))  # one step for every one that is no longer made
    assert results("learning-rate", **question)["new_rate"] == linear
    rooted = results("learning-rate", **question, rule="square-root")["new_rate"]
    assert rooted == rate * times
    adam = results("learning-rate", **question, optimizer="adam")["new_rate"]
    assert adam == rooted
    other = {("optimizer", "adam"): rooted} if times > 1 else {}
    assert readings("learning-rate", **question) == other
    assert readings("learning-rate", **question, rule="linear").keys() == {
        ("rule", "square_root") for _ in other
    }


@settings(max_examples=60, deadline=None)
@given(rate=RATES, batch=SIZES, new=SIZES, critical=RATES)
def test_saturating(rate: Fraction, batch: int, new: int, critical: Fraction) -> None:
    """η = η_max/(1 + B_crit/B) at both batches, with one η_max."""
    question: dict[str, Any] = {"rate": rate, "batch": batch, "new_batch": new}
    question |= {"critical_batch": critical, "rule": "saturating"}
    answers: Any = results("learning-rate", **question)["new_rate"]
    assert answers * (1 + critical / new) == rate * (1 + critical / batch)


@settings(max_examples=40, deadline=None)
@given(item=SIZES, workers=st.integers(1, 60), new=st.integers(1, 60))
def test_workers_keep_their_batch(item: int, workers: int, new: int) -> None:
    question: dict[str, Any] = {"rate": 1, "batch": item * workers, "workers": workers}
    answers = results("learning-rate", **question, new_workers=new)
    assert (answers["worker_batch"], answers["scaled_batch"]) == (item, item * new)
    assert answers["new_rate"] == Fraction(new, workers)
    same = results("learning-rate", **question, new_workers=new, new_batch=item * new)
    assert same["new_rate"] == answers["new_rate"]
    ((name, shown),) = refusals(
        "learning-rate", **question, new_workers=new, new_batch=item * new + 1
    )
    assert name == "new_batch"
    assert "leave one out" in shown


@pytest.mark.parametrize(
    ("stated", "parameter", "shown"),
    [
        ({"workers": 3, "new_workers": 4}, "batch", "not divisible by the 3 workers that shared"),
        ({"workers": 3, "new_batch": 512}, "new_batch", "not divisible by 3 workers"),
    ],
)
def test_no_part_of_a_sample(stated: dict[str, Any], parameter: str, shown: str) -> None:
    ((name, text),) = refusals("learning-rate", rate=1, batch=256, **stated)
    assert name == parameter
    assert shown in text


# accumulation


def test_too_few_passes() -> None:
    question: dict[str, Any] = {"small_batch": 8, "pass_time": "1 s", "target": 17, "passes": 2}
    ((name, shown),) = refusals("accumulation", **question)
    assert name == "passes"
    assert "too few for a target of 17" in shown


# batch-ramp


RAMP: dict[str, Any] = {"samples": 100, "batches": [3, 8], "increment": 5, "ramp_samples": 9}


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"increment": 2}, "increment", "does not divide"),
        ({"batches": [8, 3]}, "batches", "do not grow"),
        ({"batches": [3, 3]}, "batches", "do not grow"),
        ({"batches": [3, 5, 8]}, "batches", "state two"),
        ({"parts": [1, 1]}, "parts", "leave them or the increment out"),
        ({"batches": [1, 10**6], "increment": 1, "ramp_samples": 10**9, "samples": 10**9},
         "increment", "state a larger one"),
    ],
)  # fmt: skip
def test_increments_refused(changed: dict[str, Any], parameter: str, message: str) -> None:
    ((name, shown),) = refusals("batch-ramp", **{**RAMP, **changed})
    assert name == parameter
    assert message in shown


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
    question: dict[str, Any] = {"batches": batches, "step_counts": steps, "fit": fit}
    answers: dict[str, Any] = results("critical-batch", **question, batch=critical or 1)
    assert answers["least_steps"] == least * scale
    assert answers["critical"] == critical
    assert answers["least_samples"] == least * scale * critical
    if critical:  # at the critical batch: twice the fewest of both
        assert answers["predicted"] == 2 * answers["least_steps"]
        assert answers["predicted_samples"] == 2 * answers["least_samples"]


@pytest.mark.parametrize(
    ("batches", "steps", "parameter", "message"),
    [
        (["512"], ["1000"], "batches", "is one run"),
        (["512", "512"], ["10", "5"], "batches", "all alike"),
        (["512", "1024"], ["10", "11"], "step_counts", "do not fall"),
        (["512", "1024"], ["10", "5"], "step_counts", "fall so fast"),
        (["512", "1024"], ["10", "4"], "step_counts", "fall so fast"),
        (["512", "1024"], ["10"], "step_counts", "does not fit batches"),
    ],
)
def test_runs_refused(batches: list[str], steps: list[str], parameter: str, message: str) -> None:
    ((name, shown),) = refusals("critical-batch", batches=batches, step_counts=steps)
    assert name == parameter
    assert message in shown


def test_the_order_of_runs_does_not_matter() -> None:
    up = results("critical-batch", batches=[512, 1024], step_counts=[50000, 28000])
    down = results("critical-batch", batches=[1024, 512], step_counts=[28000, 50000])
    assert up["efficiency"] == down["efficiency"] == Fraction(25, 28)


def test_no_batch_takes_twice_the_fewest_steps_where_all_take_the_fewest() -> None:
    call = ["critical-batch", "--batches", "1,2", "--step-counts"]
    equal, falling = (ddcalc(*call, steps).out for steps in ("10,10", "10,9"))
    assert "B_crit = E_min/S_min = 0/10 = 0" in equal
    assert "twice" not in equal
    assert "every batch, however small, takes the fewest steps" in " ".join(equal.split())
    assert "there it takes twice the fewest steps" in falling


# batch-size by its rate


@settings(max_examples=60, deadline=None)
@given(fixed=RATES, item=RATES, batch=SIZES, part=st.integers(1, 99))
def test_a_rate_that_saturates(fixed: Fraction, item: Fraction, batch: int, part: int) -> None:
    question: dict[str, Any] = {"overhead": fixed, "per_sample": item, "batch": batch}
    answers: dict[str, Any] = results("batch-size", **question, share=f"{part} %")
    passed = fixed + sum([item] * batch, Fraction(0))
    assert answers["rate"] == batch / passed
    assert answers["peak"] > answers["rate"]
    half = answers["half"]  # any number of samples may take half of its time for them
    assert half / (fixed + item * half) * 2 == answers["peak"]
    wanted, goal = answers["wanted"], answers["peak"] * part / 100
    assert wanted / (fixed + item * wanted) >= goal
    assert wanted == 1 or (wanted - 1) / (fixed + item * (wanted - 1)) < goal


def test_no_batch_reaches_the_peak() -> None:
    question: dict[str, Any] = {"overhead": "1 s", "per_sample": "1 s", "batch": 1, "share": 1}
    assert results("batch-size", **question)["wanted"] is None
    none: dict[str, Any] = {**question, "overhead": "0 s"}
    assert results("batch-size", **none)["wanted"] == 1


@settings(max_examples=60, deadline=None)
@given(
    points=st.lists(st.tuples(SIZES, RATES), min_size=2, max_size=5, unique_by=lambda p: p[0]),
    data=st.data(),
)
def test_a_table_by_going_along_it(points: list[tuple[int, Fraction]], data: st.DataObject) -> None:
    points = sorted(points)
    batch = data.draw(st.integers(points[0][0], points[-1][0]))
    along = {}
    for (x, y), (u, v) in pairwise(points):
        for i in range(u - x + 1):
            along[x + i] = y + (v - y) * Fraction(i, u - x)
    answers: dict[str, Any] = results(
        "batch-size", batch=batch, model="table",
        batches=[x for x, _ in points], times=[y for _, y in points],
    )  # fmt: skip
    assert answers["batch_time"] == along[batch]
    rates = [x / y for x, y in points]
    assert answers["best_measured"] == rates.index(max(rates)) + 1


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"batch": "63"}, "batch", "beyond the table"),
        ({"batch": "257"}, "batch", "beyond the table"),
        ({"batches": ["64", "256", "128"]}, "batches", "not in order"),
        ({"batches": ["64", "64", "128"]}, "batches", "not in order"),
    ],
)
def test_table_refused(changed: dict[str, Any], parameter: str, message: str) -> None:
    stated: dict[str, Any] = {"batches": ["64", "128", "256"], "times": ["1 s", "2 s", "3 s"]}
    stated |= {"batch": "100", "model": "table"}
    ((name, shown),) = refusals("batch-size", **{**stated, **changed})
    assert name == parameter
    assert message in shown


# compute-optimal


def test_a_compute_that_is_another_one() -> None:
    question: dict[str, Any] = {"parameters": 10, "tokens": 10}
    assert results("compute-optimal", **question, compute=600, ratio=1)["oversize"] == 1
    ((name, shown),) = refusals("compute-optimal", **question, compute=601)
    assert name == "compute"
    assert "is not that of the model" in shown
