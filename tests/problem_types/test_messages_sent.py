"""All-reduces and other messages: published numbers, conventions, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from stating import derivation, results

from ddcalc.problem.steps import Solve, Table

ALGEBRA: dict[str, Any] = {"latency": "10 us", "bandwidth": "100 GB/s", "size": "100 MB"}


@pytest.mark.parametrize("p", [2, 3, 12, 16])
def test_where_the_order_changes(p: int) -> None:
    question = ALGEBRA | {"workers": p, "algorithm": "all"}
    solution = derivation("allreduce", **question)
    tables = {step.title: step for step in solution.steps if isinstance(step, Table)}
    order = tables["Ranking"]
    changed = tables["Where the order changes"].rows if p > 2 else ()
    if p == 2:
        assert "are fastest at every size above 0" in order.why
    answers = results("allreduce", **question)
    titles = {q.title: name for name, q in solution.problem.quantities.items()}
    times: list[Any] = [answers[titles[str(row[1])]] for row in order.rows]
    assert times == sorted(times)
    assert min(times) == answers["time"]
    solved = [step for step in solution.steps if isinstance(step, Solve)]
    assert len(solved) <= len(changed)
    for step in solved:
        (left, right) = step.title.split(" and ")
        at = results("allreduce", **question | {"size": f"{step.value} B"})
        assert at[titles[left]] == at[titles[right]] == at["time"]
        assert isinstance(step.value, int | Fraction)
        after: Any = results("allreduce", **question | {"size": f"{step.value * 2} B"})
        assert after[titles[right]] < after[titles[left]]
