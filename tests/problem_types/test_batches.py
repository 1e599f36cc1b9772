"""The types on batches: what their witnesses do not say, what they show, and what they refuse."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from running import ddcalc
from stating import derivation, readings, refusals, results

from ddcalc.problem.steps import Define, State, Table
from ddcalc.render.story import spoken

# critical-batch, learning-rate, training-steps


def test_no_batch_takes_twice_the_fewest_steps_where_all_take_the_fewest() -> None:
    call = ["critical-batch", "--batches", "1,2", "--step-counts"]
    equal, falling = (ddcalc(*call, steps).out for steps in ("10,10", "10,9"))
    assert "B_crit = 0\n" in equal
    assert "twice the fewest" not in equal
    assert "every batch, however small, takes the fewest steps" in " ".join(equal.split())
    assert "there it takes twice the fewest steps" in falling


def test_the_other_optimizer_is_a_reading() -> None:
    question: dict[str, Any] = {"rate": 1, "batch": 3, "new_batch": 12}
    assert readings("learning-rate", **question) == {("optimizer", "adam"): 2}
    assert readings("learning-rate", **question, rule="linear") == {("rule", "square_root"): 2}


def test_warm_up_as_a_part_of_all_steps_is_rounded_up() -> None:
    stated = {"samples": 1001, "batch": 10, "epochs": 3}
    assert results("training-steps", **stated, warmup_part="10 %")["warmup_steps"] == 31  # of 303


# batch-size

FITTED: dict[str, Any] = {"communication": "10 ms", "least_steps": 1000, "critical_batch": 4000}
FITTED |= {"workers": 8}
STATED = FITTED | {"overhead": "30 ms", "per_sample": "2 ms"}


def test_numbers_stated_beside_measurements_are_kept() -> None:
    answers = results("batch-size", **STATED, batches=[10, 20], times=["51 ms", "69 ms"])
    assert answers["residuals"] == [Fraction(1, 1000), Fraction(-1, 1000)]
    assert answers["best"] == results("batch-size", **STATED)["best"]


def test_no_batch_reaches_the_peak() -> None:
    question: dict[str, Any] = {"overhead": "1 s", "per_sample": "1 s", "batch": 1, "share": 1}
    assert results("batch-size", **question)["wanted"] is None
    assert results("batch-size", **question | {"overhead": "0 s"})["wanted"] == 1


# batch-workers

CREW: dict[str, Any] = {"overhead": "30 ms", "per_sample": "0.1 ms", "least_steps": 3000}
CREW |= {"critical_batch": 8192, "most_workers": 128}
PRICES = {"price": "2 USD/h", "waiting": "50 USD/h"}


def test_one_number_of_workers_is_a_batch_size() -> None:
    answers = results("batch-workers", **CREW | {"most_workers": 9})
    same = {name: value for name, value in CREW.items() if name != "most_workers"}
    one = results("batch-size", **same, workers=9)
    assert answers["best_workers"] == 9  # all of them, since nothing grows with the workers
    assert (answers["batch"], answers["time"]) == (one["best"], one["time"])


def test_the_best_is_near_the_optimum_in_parts() -> None:
    answers: dict[str, Any] = results("batch-workers", **CREW, per_worker="0.5 ms")
    z = answers["balance"]
    assert float(z**3) == pytest.approx(float(Fraction(8192, 2 * 10**7) * (z + Fraction("0.03"))))
    assert abs(answers["best_workers"] - z * 2000) < 1
    assert abs(answers["batch"] - z * 10000) < 1
    answers = results("batch-workers", **CREW, **PRICES, goal="cost")
    assert abs(answers["best_workers"] - answers["cheapest"]) < 1


def test_one_worker_is_cheapest_unless_waiting_costs() -> None:
    answers = results("batch-workers", **CREW, price="2 USD/h", goal="cost")
    assert answers["best_workers"] == 1
    assert "cheapest" not in answers


def test_a_deadline_that_nothing_meets() -> None:
    solved = derivation("batch-workers", **CREW, deadline="1 s")
    assert solved.answer.value is None
    assert "time" not in solved.quantities
    says = spoken(solved.commentary().conclusion)
    assert says.startswith("No number of workers meets the deadline of 1 s: of those up to 128")


def test_the_table_marks_the_best() -> None:
    steps = derivation("batch-workers", **CREW, per_worker="0.5 ms").shown_steps()
    (table,) = (step for step in steps if isinstance(step, Table))
    assert [str(row[0]) for row in table.rows if row[-1] == "best"] == ["58"]
    assert len(table.rows) <= 12


def test_prices_are_put_in_by_the_hour() -> None:
    """As they are stated, not 1/1 800 USD a second."""
    steps = derivation("batch-workers", **CREW, **PRICES).steps
    (cost,) = (s for s in steps if isinstance(s, Define) and s.name == "cost")
    assert [str(cost.numbers[letter]) for letter in "pw"] == ["2 USD/h", "50 USD/h"]


# crossbow


def test_momentum_is_told_only_where_the_average_has_moved() -> None:
    """In its first step nothing rests on it, so its usual value is not among the givens."""
    question: dict[str, Any] = {"models": [1, 2], "gradients": [1, 1], "average": [2], "eta": 1}
    for stated, text in ((question, False), ({**question, "previous": [1]}, True)):
        steps = derivation("crossbow", **stated).steps
        assert ("momentum" in [step.name for step in steps if isinstance(step, State)]) == text


# noise-scale

VECTORS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=4)


def mean_square(vectors: list[tuple[int, int]], batch: int) -> Fraction:
    """The mean squared length of a batch's gradient, over all batches that may be drawn."""
    squares = [
        Fraction(sum(v[0] for v in drawn) ** 2 + sum(v[1] for v in drawn) ** 2, batch**2)
        for drawn in product(vectors, repeat=batch)
    ]
    return sum(squares, Fraction(0)) / len(squares)


@settings(max_examples=25, deadline=None)
@given(vectors=VECTORS, sizes=st.sampled_from([(1, 2), (1, 4), (2, 3), (3, 4)]))
def test_two_batches_tell_gradient_and_noise(
    vectors: list[tuple[int, int]], sizes: tuple[int, int]
) -> None:
    count = len(vectors)
    mean = [Fraction(sum(v[i] for v in vectors), count) for i in (0, 1)]
    square = mean[0] ** 2 + mean[1] ** 2
    variance = sum(((v[i] - mean[i]) ** 2 for v in vectors for i in (0, 1)), Fraction(0)) / count
    assume(square and variance)
    small, large = sizes
    measured = {"small_square": mean_square(vectors, small), "small": small, "large": large}
    answers = results("noise-scale", **measured, large_square=mean_square(vectors, large))
    assert (answers["true_square"], answers["noise"]) == (square, variance)


# Refusals

RAMP: dict[str, Any] = {"samples": 100, "batches": [3, 8], "increment": 5, "ramp_samples": 9}
LONG = {"batches": [1, 10**6], "increment": 1, "ramp_samples": 10**9, "samples": 10**9}
RATE = {"rate": 1, "batch": 256}
TABLE: dict[str, Any] = {"batches": [64, 128, 256], "times": ["1 s", "2 s", "3 s"], "batch": 100}
TABLE |= {"model": "table"}
STEP: dict[str, Any] = {"models": [1, 2, 4], "gradients": [1, 1, 1], "average": [2], "eta": "0.1"}
MEASURED = {"small": "2", "large": "4", "small_square": "3", "large_square": "2"}
STEPS = {"samples": "100", "batch": "10"}


def runs(batches: list[int], steps: list[int]) -> dict[str, Any]:
    return {"batches": batches, "step_counts": steps}


def line(batches: list[int], *seconds: int) -> dict[str, Any]:
    return FITTED | {"batches": batches, "times": [f"{second} s" for second in seconds]}


@pytest.mark.parametrize(
    ("slug", "given", "parameter", "message"),
    [
        ("learning-rate", RATE | {"workers": 3, "new_workers": 4}, "batch",
         "not divisible by the 3 workers that shared"),
        ("learning-rate", RATE | {"workers": 3, "new_batch": 512}, "new_batch",
         "not divisible by 3 workers"),
        ("learning-rate", RATE | {"workers": 2, "new_workers": 4, "new_batch": 511}, "new_batch",
         "leave one out"),
        ("learning-rate", RATE | {"new_batch": 2, "step": 1}, None, "warmup"),
        ("accumulation", {"small_batch": 8, "pass_time": "1 s", "target": 17, "passes": 2},
         "passes", "too few for a target of 17"),
        ("batch-ramp", RAMP | {"increment": 2}, "increment", "does not divide"),
        ("batch-ramp", RAMP | {"batches": [3, 3]}, "batches", "do not grow"),
        ("batch-ramp", RAMP | {"batches": [3, 5, 8]}, "batches", "state two"),
        ("batch-ramp", RAMP | {"parts": [1, 1]}, "parts", "leave them or the increment out"),
        ("batch-ramp", LONG, "increment", "state a larger one"),
        ("critical-batch", runs([512], [1000]), "batches", "is one run"),
        ("critical-batch", runs([512, 512], [10, 5]), "batches", "all alike"),
        ("critical-batch", runs([512, 1024], [10, 11]), "step_counts", "do not fall"),
        ("critical-batch", runs([512, 1024], [10, 4]), "step_counts", "fall faster than the batch"),
        ("critical-batch", runs([512, 1024], [10]), "step_counts", "does not fit batches"),
        ("batch-size", TABLE | {"batch": 63}, "batch", "beyond the table"),
        ("batch-size", TABLE | {"batch": 257}, "batch", "beyond the table"),
        ("batch-size", TABLE | {"batches": [64, 64, 128]}, "batches", "not in order"),
        ("batch-size", STATED | {"batch": 65, "largest_batch": 64}, "batch", "does not fit"),
        ("batch-size", line([64, 64], 1, 2), "batches", "are all alike"),
        ("batch-size", line([64, 128], 1, 1), "times", "do not grow"),
        ("batch-size", line([64, 128], 1, 3), "times", "leave a fixed part below 0"),
        ("batch-size", line([64, 128], 1), "times", "does not fit batches"),
        ("batch-workers", CREW | {"goal": "cost"}, None, "missing: price"),
        ("batch-workers", CREW | {"price": "2 USD"}, "price", "money per time is wanted"),
        ("compute-optimal", {"parameters": 10, "tokens": 10, "compute": 601}, "compute",
         "is not that of the model"),
        ("crossbow", STEP | {"average": [1, 2]}, "models", "do not make whole models of 2"),
        ("crossbow", STEP | {"gradients": [1, 2]}, "gradients", "does not fit models"),
        ("crossbow", STEP | {"previous": [1, 2]}, "previous", "does not fit average"),
        ("crossbow", {"samples": 1, "batch": 1, "round_times": ["1 s", "2 s"], "epochs": [1]},
         "epochs", "does not fit round_times"),
        ("training-steps", {"samples": "100"}, None, "batch or small_batch"),
        ("training-steps", STEPS | {"small_batch": "4"}, "batch", "leave it out"),
        ("training-steps", STEPS | {"batch": "101", "last_batch": "drop"}, "samples",
         "do not fill one batch"),
        ("training-steps", STEPS | {"warmup_epochs": "2"}, "warmup_epochs", "more than all"),
        ("noise-scale", MEASURED | {"large": "2"}, "small", "is not smaller"),
        ("noise-scale", MEASURED | {"large_square": "3"}, "large_square", "no noise"),
        ("noise-scale", MEASURED | {"large_square": "1.5"}, "large_square", "no gradient"),
        ("noise-scale", {"variance": "1"}, None, "square"),
        ("noise-scale", MEASURED | {"noise_scale": "3"}, "noise_scale", "in one way"),
    ],
)  # fmt: skip
def test_refused(slug: str, given: dict[str, Any], parameter: str | None, message: str) -> None:
    ((name, text),) = refusals(slug, **given)
    assert name == parameter
    assert message in text
