"""How long searches take. Run with ``pytest tests/benchmarks --benchmark-only``."""

from __future__ import annotations

from typing import Any

import pytest

from ddcalc.ask.find import find
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts

GIVEN: Texts = {
    "samples": "76800", "batch": "1536", "epochs": "10", "download": "1.5 s", "compute": "4 s",
    "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip
LARGE = {**GIVEN, "samples": "10^9", "batch": "1"}  # ten thousand million batches


@pytest.mark.benchmark(group="find")
@pytest.mark.parametrize(
    ("texts", "where", "least"),
    [
        (GIVEN, "total <= 300 s", 13),
        (GIVEN, "last_workers = 2", 3),
        (LARGE, "total <= 2000 d", 3071),
    ],
)
def test_a_whole_number(benchmark: Any, texts: Texts, where: str, least: int) -> None:
    problem = problem_named("epoch-time")
    solved = benchmark(find, problem, "workers", [where], texts)
    assert solved.answer.value == least


@pytest.mark.benchmark(group="find")
def test_a_closed_form_with_its_steps(benchmark: Any) -> None:
    problem = problem_named("epoch-time")
    texts = {**GIVEN, "workers": "6"}
    del texts["compute"]
    steps = benchmark(lambda: find(problem, "compute", ["total <= 300 s"], texts).steps)
    assert len(steps) == 16
