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
    "scheme": "ssp",
    "workers": "3",
    "worker": "2",
    "clock": "4",
    "staleness": "1",
}


def g(worker: int, clock: int) -> Expr:
    return Fun("indexed", (Sym("G"), Num(worker), Num(clock)))


def _solved(**more: str | Sequence[str]) -> Derivation:
    return solve(problem_named("update-rule"), {**ISSUE, **more})


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"workers": "1", "worker": "1", "clock": "2"}, "hold the one gradient that"),
        ({"scheme": "k_of_n", "wait_for": "1", "clock": "2"}, "decide whose it is."),
    ],
)
def test_one_gradient_is_told_as_one(more: dict[str, str], says: str) -> None:
    assert says in "".join(map(str, _solved(**more).commentary().conclusion))


def test_what_late_gradients_change_in_an_average() -> None:
    how = _solved(scheme="k_of_n", wait_for="2", late="reuse").commentary().premises
    assert "is divided by how many an update has" in str(how)


def test_who_acts_first_at_one_instant_is_a_reading() -> None:
    stated = {"periods": ["1s", "2s"], "workers": "2", "worker": "1", "staleness": "2"}
    solved = _solved(**stated, clock="3")
    (reading,) = [item for item in solved.readings if item.choice == "order"]
    assert solved.answer.value == W - ETA * (g(1, 1) + g(1, 2))
    assert reading.answer.value == W - ETA * (g(1, 1) + g(2, 1) + g(1, 2))
    assert "order" in {item.choice for item in solved.assumptions}
    assert "order" not in {item.choice for item in _solved().assumptions}


def test_schemes_stand_side_by_side() -> None:
    solved = _solved(local_steps="2", wait_for="2")
    options = [item.option for item in solved.readings]
    assert options == ["sync", "async", "local_sgd", "k_of_n"]
    assert [item.option for item in _solved().readings] == ["sync", "async"]


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
