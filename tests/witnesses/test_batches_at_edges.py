"""Batches that grow and runs in any order, at edges that random questions seldom reach."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_witnesses import witnessed

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Compare

STAGES = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 9)), min_size=1, max_size=4)


@settings(max_examples=80, deadline=None)
@given(
    stages=STAGES, samples=st.integers(1, 3000), constant=st.integers(1, 90),
    ending=st.sampled_from(["whole", "cut"]), part_of=st.sampled_from(["samples", "updates"]),
)  # fmt: skip
def test_a_ramp_in_stages(
    stages: list[tuple[int, int]], samples: int, constant: int, ending: str, part_of: str
) -> None:
    batches, parts = [size for size, _ in stages], [part for _, part in stages]
    posed: dict[str, Any] = {"samples": samples, "batches": batches, "parts": parts}
    witnessed("batch-ramp", **posed, constant=constant, ending=ending, part_of=part_of)


@settings(max_examples=80, deadline=None)
@given(
    first=st.integers(1, 60), more=st.integers(1, 40), increments=st.integers(1, 60),
    ramp=st.integers(1, 4000), samples=st.integers(1, 6000),
    ending=st.sampled_from(["whole", "cut"]),
)  # fmt: skip
def test_a_ramp_by_increments(
    first: int, more: int, increments: int, ramp: int, samples: int, ending: str
) -> None:
    posed = {"batches": [first, first + more * increments], "increment": more}
    witnessed("batch-ramp", **posed, samples=samples, ramp_samples=ramp, ending=ending)


def test_a_linear_ramp_of_millions_of_batches() -> None:
    """The batch rises by the same part in every update: ln(100)/ln(1 + 3 168 000/4·10^9) of them,
    but for the rounding down to whole batches."""
    posed = {"samples": "300B", "batches": ["32k", "3200k"], "increment": "1"}
    answers = solve(problem_named("batch-ramp"), {**posed, "ramp_samples": "4B"})
    assert answers.values["stage_updates"] == (5817, 92_500)


@settings(max_examples=60, deadline=None)
@given(
    runs=st.lists(
        st.tuples(st.sampled_from([8, 16, 32, 64]), st.integers(0, 9)), min_size=2, max_size=5
    ).filter(lambda runs: len({batch for batch, _ in runs}) > 1),
    fit=st.sampled_from(["samples", "steps"]), batch=st.integers(1, 99),
)  # fmt: skip
def test_runs_in_any_order(runs: list[tuple[int, int]], fit: str, batch: int) -> None:
    batches = [size for size, _ in runs]
    steps = [1000 * (64 + 4096 // size) + miss for size, miss in runs]
    answers = witnessed("critical-batch", batches=batches, step_counts=steps, fit=fit, batch=batch)
    assert 0 < answers.values["efficiency"] < 1  # type: ignore[operator]


@settings(max_examples=60, deadline=None)
@given(
    best=st.integers(1, 100), more=st.sampled_from([Fraction(0), Fraction(1, 10**15), Fraction(1)]),
    item=st.integers(1, 100), workers=st.integers(1, 50), critical=st.integers(1, 10**5),
    others=st.fixed_dictionaries(
        {}, optional={"largest_batch": st.integers(50, 120), "batch": st.integers(1, 50)}
    ),
)  # fmt: skip
def test_two_batches_that_are_equally_good(
    best: int, more: Fraction, item: int, workers: int, critical: int, others: dict[str, int]
) -> None:
    """Exactly, or but for a little: where b·n·B(B + 1) is a·B_crit."""
    fixed = (best * (best + 1) + more) * item * workers / critical
    posed = {"overhead": fixed, "per_sample": item, "workers": workers, "least_steps": 7}
    answers = witnessed("batch-size", **posed, critical_batch=critical, **others)
    proofs = [step for step in answers.steps if isinstance(step, Compare)]
    unlimited = answers.values.get("unlimited", answers.values["best"])
    assert {(proof.at, proof.holds) for proof in proofs} >= {(unlimited, True)}


@pytest.mark.parametrize("alpha", ["1/4", "1/4 + 1/1000", "1/2", "1/2 - 1/1000", "1"])
@pytest.mark.parametrize("slug", ["stale-sum", "staleness"])
def test_a_step_at_the_limits_of_the_theorems(slug: str, alpha: str) -> None:
    witnessed(slug, low="1", high="4", alpha=alpha, ages="3", beta="1/10")


@pytest.mark.parametrize("bound", ["theorem", "trace"])
@pytest.mark.parametrize("inputs", ["1, 1, 1/2", "1, 1, 1", "1, 1, 2", "0, 0, 0"])
def test_rows_at_the_limit_of_theorem_3(inputs: str, bound: str) -> None:
    rows, targets = inputs.split(", "), ["1", "2", "3"]
    witnessed("ridge", inputs=rows, targets=targets, eta="1", bound=bound)
