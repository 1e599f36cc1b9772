"""All-reduces: the fastest of all algorithms."""

from __future__ import annotations

from typing import Any

import pytest
from stating import results

from ddcalc.ask.find import find
from ddcalc.problem.catalog import problem_named

ALGEBRA: dict[str, Any] = {"latency": "10 us", "bandwidth": "100 GB/s", "size": "100 MB"}


@pytest.mark.parametrize("p", [2, 3, 12, 16])
def test_the_fastest_algorithm_is_found(p: int) -> None:
    kind, asked = problem_named("allreduce"), {**ALGEBRA, "workers": str(p)}
    ways = [way for way in kind.choices["algorithm"].options if way != "two_level"]
    times: Any = {way: results("allreduce", **asked, algorithm=way)["time"] for way in ways}
    found = find(kind, "algorithm", ["time is least"], asked)
    assert {*found.outcome.options} == {x for x in ways if times[x] == min(times.values())}
