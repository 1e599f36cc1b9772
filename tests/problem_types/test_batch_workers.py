"""batch-workers against trying every pair of workers and batch, and against nearby slopes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, refusals, results

from ddcalc.formula.evaluation import evaluate
from ddcalc.problem.steps import Define, Table
from ddcalc.types.batch.batch_workers.model import Training

TYPE = "batch-workers"
PARTS = st.fractions(0, 3, max_denominator=20)
SOME = st.fractions(Fraction(1, 20), 3, max_denominator=20)

STATED: dict[str, Any] = {
    "overhead": "30 ms",
    "per_sample": "0.1 ms",
    "least_steps": 3000,
    "critical_batch": 8192,
    "most_workers": 128,
}


@st.composite
def questions(draw: st.DrawFn) -> dict[str, Any]:
    """Questions in seconds whose best batch is at most 40."""
    answers: dict[str, Any] = {
        "overhead": draw(PARTS),
        "per_sample": draw(SOME),
        "per_worker": draw(st.one_of(st.just(Fraction(0)), SOME)),
        "least_steps": draw(st.integers(1, 1000)),
        "critical_batch": draw(st.integers(1, 200)),
        "most_workers": draw(st.integers(1, 12)),
        "price": f"{draw(SOME)} USD/h",
        "waiting": f"{draw(PARTS)} USD/h",
    }
    step = answers["overhead"] + answers["per_worker"] * answers["most_workers"]
    while step * answers["critical_batch"] > 1500 * answers["per_sample"]:
        answers["critical_batch"] = max(answers["critical_batch"] // 2, 1)
        answers["per_sample"] *= 2
    if draw(st.booleans()):
        answers["largest_batch"] = draw(st.integers(1, 40))
    return answers


def trained(question: dict[str, Any], workers: int, batch: int) -> tuple[Fraction, Fraction]:
    """The time (s) and cost (USD) of one pair, step after step in whole samples."""
    samples = question["least_steps"] * (Fraction(workers * batch) + question["critical_batch"])
    steps = samples / (workers * batch)
    step = question["overhead"]
    for _ in range(batch):
        step += question["per_sample"]
    for _ in range(workers):
        step += question["per_worker"]
    hourly = workers * Fraction(question["price"].split()[0]) + Fraction(
        question["waiting"].split()[0]
    )
    return steps * step, hourly / 3600 * steps * step


@settings(max_examples=60, deadline=None)
@given(question=questions(), goal=st.sampled_from(["time", "cost"]), data=st.data())
def test_every_pair(question: dict[str, Any], goal: str, data: st.DataObject) -> None:
    most = question.get("largest_batch", 60)
    pairs = {
        (n, b): trained(question, n, b)
        for n in range(1, question["most_workers"] + 1)
        for b in range(1, most + 1)
    }
    times = sorted(time for time, _ in pairs.values())
    stated = dict(question)
    if data.draw(st.booleans()):
        limit = data.draw(st.sampled_from(times[:20]))
        stated["deadline"] = f"{limit} s"
        pairs = {pair: worth for pair, worth in pairs.items() if worth[0] <= limit}
    rank = 0 if goal == "time" else 1
    best = min(pairs, key=lambda pair: (pairs[pair][rank], pair[0], pair[1]))
    answers = results(TYPE, **stated, goal=goal)
    assert (answers["best_workers"], answers["batch"]) == best
    assert (answers["time"], answers["cost"]) == pairs[best]
    assert answers.get("fastest_time", times[0]) == times[0]


@settings(max_examples=60, deadline=None)
@given(fixed=PARTS, item=SOME, grows=SOME, critical=st.integers(1, 10**6))
def test_no_time_nearby_is_less(
    fixed: Fraction, item: Fraction, grows: Fraction, critical: int
) -> None:
    """At n = z/g and B = z/b, for real n and B around them."""
    training = Training(1, critical, fixed, item, grows)
    z = Fraction(training.balance or 0)

    def time(n: Fraction, b: Fraction) -> Fraction:
        return (1 + critical / (n * b)) * (fixed + item * b + grows * n)

    least, step = time(z / grows, z / item), Fraction(1, 10**6)
    for up in (-step, step):
        assert time(z / grows * (1 + up), z / item) > least
        assert time(z / grows, z / item * (1 + up)) > least
        assert time(z / grows * (1 + up), z / item * (1 + up)) > least


@settings(max_examples=60, deadline=None)
@given(fixed=SOME, item=SOME, price=SOME, waiting=SOME, critical=st.integers(1, 10**6))
def test_no_cost_nearby_is_less(
    fixed: Fraction, item: Fraction, price: Fraction, waiting: Fraction, critical: int
) -> None:
    """With the best real batch the time is (√a + √(b·B_crit/n))²: by squares of whole roots."""
    training = Training(1, critical, fixed, item, 0, price, waiting)
    n = float(training.cheapest or 0)

    def cost(workers: float) -> float:
        root = float(fixed) ** 0.5 + (float(item) * critical / workers) ** 0.5
        return (workers * float(price) + float(waiting)) * root**2

    assert all(cost(n * (1 + up)) > cost(n) for up in (-1e-3, 1e-3))


def test_one_number_of_workers_is_a_batch_size() -> None:
    answers = results(TYPE, **{**STATED, "most_workers": 9})
    same = {name: value for name, value in STATED.items() if name != "most_workers"}
    one = results("batch-size", **same, workers=9)
    assert answers["best_workers"] == 9  # all of them, since nothing grows with the workers
    assert (answers["batch"], answers["time"]) == (one["best"], one["time"])


def test_the_best_is_near_the_optimum_in_parts() -> None:
    answers: dict[str, Any] = results(TYPE, **STATED, per_worker="0.5 ms")
    assert abs(answers["best_workers"] - answers["balance"] * 2000) < 1
    assert abs(answers["batch"] - answers["balance"] * 10000) < 1
    prices = {"price": "2 USD/h", "waiting": "50 USD/h", "goal": "cost"}
    answers = results(TYPE, **STATED, **prices)
    assert abs(answers["best_workers"] - answers["cheapest"]) < 1


def test_one_worker_is_cheapest_unless_waiting_costs() -> None:
    answers = results(TYPE, **STATED, price="2 USD/h", goal="cost")
    assert answers["best_workers"] == 1
    assert "cheapest" not in answers


def test_a_deadline_that_nothing_meets() -> None:
    solved = derivation(TYPE, **STATED, deadline="1 s")
    assert solved.answer.value is None
    assert "time" not in solved.quantities
    ran = ddcalc(TYPE, *_options(STATED), "--deadline", "1 s")
    assert ran.code == 0
    assert "none of 1 to 128 meets the deadline" in ran.out


def test_the_table_marks_the_best() -> None:
    steps = derivation(TYPE, **STATED, per_worker="0.5 ms").steps
    (table,) = (step for step in steps if isinstance(step, Table))
    assert [str(row[0]) for row in table.rows if row[-1] == "best"] == ["58"]
    assert len(table.rows) <= 12


def _options(stated: dict[str, Any]) -> list[str]:
    pairs = ((f"--{name.replace('_', '-')}", str(value)) for name, value in stated.items())
    return [part for pair in pairs for part in pair]


@pytest.mark.parametrize(
    ("changed", "parameter", "message"),
    [
        ({"goal": "cost"}, None, "missing: price"),
        ({"price": "2 USD"}, "price", "money per time is wanted"),
    ],
)
def test_refused(changed: dict[str, Any], parameter: str | None, message: str) -> None:
    ((name, text),) = refusals(TYPE, **{**STATED, **changed})
    assert name == parameter
    assert message in text


def test_prices_are_put_in_by_the_hour() -> None:
    """As they are stated, not 1/1 800 USD a second."""
    prices = {"price": "2 USD/h", "waiting": "50 USD/h"}
    steps = derivation(TYPE, **STATED, **prices).steps
    (cost,) = (s for s in steps if isinstance(s, Define) and s.name == "cost")
    assert (cost.numbers["p"], cost.numbers["w"]) == (2, 50)
    assert evaluate(cost.applied, cost.numbers) == cost.value
