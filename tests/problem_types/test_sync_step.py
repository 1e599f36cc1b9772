"""sync-step against a sorted list of the workers' times."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stating import readings, refusals, results, times, written

EXAM: dict[str, Any] = {
    "finish": ["0.15 s", "0.2 s", "0.25 s", "0.5 s"],
    "aggregate": "0.3 s",
    "update": "0.25 s",
}
questions = st.fixed_dictionaries(
    {
        "finish": st.lists(times(), min_size=1, max_size=12),
        "aggregate": times(),
        "update": times(),
    }
)


@settings(max_examples=500, deadline=None)
@given(stated=questions)
def test_as_sorted(stated: dict[str, Any]) -> None:
    in_order = sorted((time, worker) for worker, time in enumerate(stated["finish"], 1))
    last = in_order[-1][0]
    first_of_the_last = next(worker for time, worker in in_order if time == last)
    found = results("sync-step", **stated)
    assert found["slowest"] == last
    assert found["straggler"] == first_of_the_last
    assert found["total"] == last + stated["aggregate"] + stated["update"]
    ready = [time + wait for time, wait in zip(stated["finish"], found["idle"], strict=True)]  # type: ignore[arg-type]
    assert ready == [last] * len(ready)


@settings(max_examples=100, deadline=None)
@given(stated=questions, data=st.data())
def test_the_order_of_workers_does_not_matter(stated: dict[str, Any], data: st.DataObject) -> None:
    shuffled = {**stated, "finish": data.draw(st.permutations(stated["finish"]))}
    ours, theirs = results("sync-step", **stated), results("sync-step", **shuffled)
    assert ours["total"] == theirs["total"]
    assert sorted(ours["idle"]) == sorted(theirs["idle"])  # type: ignore[arg-type, type-var]


@settings(max_examples=100, deadline=None)
@given(stated=questions, more=times())
def test_another_worker_never_helps(stated: dict[str, Any], more: Fraction) -> None:
    larger = {**stated, "finish": [*stated["finish"], more]}
    total = results("sync-step", **stated)["total"]
    assert results("sync-step", **larger)["total"] >= total  # type: ignore[operator]


@settings(max_examples=100, deadline=None)
@given(stated=questions, factor=st.fractions(Fraction(1, 100), 100, max_denominator=100))
def test_scaling_all_times_scales_the_total(stated: dict[str, Any], factor: Fraction) -> None:
    scaled = {
        "finish": [time * factor for time in stated["finish"]],
        "aggregate": stated["aggregate"] * factor,
        "update": stated["update"] * factor,
    }
    total = results("sync-step", **stated)["total"]
    assert results("sync-step", **scaled)["total"] == total * factor  # type: ignore[operator]


@settings(max_examples=100, deadline=None)
@given(stated=questions, unit=st.sampled_from(["us", "ms", "s", "min", "h", "d"]))
def test_units_change_nothing(stated: dict[str, Any], unit: str) -> None:
    other = {
        "finish": [written(time, unit) for time in stated["finish"]],
        "aggregate": written(stated["aggregate"], unit),
        "update": written(stated["update"], unit),
    }
    assert results("sync-step", **other) == results("sync-step", **stated)


def test_the_exam_by_name() -> None:
    found = results("sync-step", **EXAM)
    assert found["slowest"] == Fraction("0.5")
    assert found["straggler"] == 4
    assert found["idle"] == [Fraction(text) for text in ("0.35", "0.3", "0.25", "0")]
    assert found["total"] == Fraction("1.05")
    assert readings("sync-step", **EXAM) == {}


def test_one_worker() -> None:
    found = results("sync-step", **{**EXAM, "finish": "0.5 s"})
    assert (found["idle"], found["straggler"], found["total"]) == ([0], 1, Fraction("1.05"))


def test_bare_numbers_are_seconds() -> None:
    bare = {"finish": ["0.15", "0.2", "0.25", "0.5"], "aggregate": "0.3", "update": "0.25"}
    assert results("sync-step", **bare) == results("sync-step", **EXAM)


@pytest.mark.parametrize(
    ("name", "value", "parameter"),
    [
        ("finish", [], "finish"),
        ("finish", ["0.15 s", "-0.2 s"], "finish[2]"),
        ("finish", ["0.15 s", "0.2 GB", "x"], "finish[2]"),
        ("aggregate", ["0.3 s", "0.3 s"], "aggregate"),
        ("update", "-1 s", "update"),
    ],
)
def test_refused(name: str, value: Any, parameter: str) -> None:
    wrong = refusals("sync-step", **{**EXAM, name: value})
    assert wrong[0][0] == parameter
    assert len(wrong) == (2 if "x" in value else 1)


@pytest.mark.parametrize("left_out", list(EXAM))
def test_missing(left_out: str) -> None:
    stated = {name: value for name, value in EXAM.items() if name != left_out}
    assert refusals("sync-step", **stated) == [(None, f"missing: {left_out}")]
