"""Which gradients a worker reads: the review questions, limiting cases, and refusals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from stating import derivation, results

from ddcalc.ask.solve import Derivation, solve
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.problem.catalog import problem_named

W, ETA, J, K = Sym("w_0"), Sym("eta"), Sym("j"), Sym("k")
ISSUE: dict[str, str | Sequence[str]] = {
    "scheme": "ssp", "workers": "3", "worker": "2", "clock": "4", "staleness": "1",
}  # fmt: skip


def g(worker: int, clock: int) -> Expr:
    return Fun("indexed", (Sym("G"), Num(worker), Num(clock)))


def _solved(**more: str | Sequence[str]) -> Derivation:
    return solve(problem_named("update-rule"), {**ISSUE, **more})


def test_who_acts_first_at_one_instant_is_a_reading() -> None:
    stated = {"periods": ["1s", "2s"], "workers": "2", "worker": "1", "staleness": "2"}
    solved = _solved(**stated, clock="3")
    (reading,) = [item for item in solved.readings if item.choice == "order"]
    assert solved.answer.value == W - ETA * (g(1, 1) + g(1, 2))
    assert reading.answer.value == W - ETA * (g(1, 1) + g(2, 1) + g(1, 2))
    assert "order" in {item.choice for item in solved.assumptions}
    assert "order" not in {item.choice for item in _solved().assumptions}


@pytest.mark.parametrize("scheme", ["ssp", "sync", "async", "local-sgd", "k-of-n"])
def test_a_billion_clocks_are_counted_and_not_played(scheme: str) -> None:
    solved = _solved(
        scheme=scheme, clock="1e9", workers="1e9", staleness="12345", local_steps="77", wait_for="3"
    )
    assert len(solved.steps) > 5
    assert solved.values["guaranteed"]


def test_a_schedule_that_changes_nothing_is_not_played() -> None:
    text = results("update-rule", scheme="sync", clock=10**9, periods=["1 s", "3 s"])
    assert text["actual"] == text["guaranteed"] == 2 * (10**9 - 1)
    solved = derivation("update-rule", scheme="sync", clock=10**9, periods=["1 s", "3 s"])
    assert "worker 1 reads at about 34 722 d" in str(solved.commentary().conclusion)
