"""The witnesses of schedules on questions that are seldom drawn: transfers, ties, late rounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import compute_witness
import pytest
import schedules_witness
from hypothesis import given, settings
from hypothesis import strategies as st
from test_witnesses import agrees, posed

from ddcalc.ask.solve import solve
from ddcalc.problem.catalog import problem_named

SHORT = st.integers(0, 4).map(lambda halves: f"{Fraction(halves, 2)} s")
WORK = st.lists(st.sampled_from(["1 s", "1.5 s", "2 s", "4 s"]), min_size=1, max_size=4)


def holds(kind: str, witness: Any, **texts: Any) -> None:
    answers = solve(problem_named(kind), texts)
    expected = witness(posed(answers))
    assert answers.answer.name in expected
    for name, value in expected.items():
        assert agrees(answers.values[name], value), (
            f"{name} = {answers.values[name]} against {value}"
        )


@settings(max_examples=150, deadline=None)
@given(
    periods=WORK,
    download=SHORT,
    upload=SHORT,
    serving=st.tuples(SHORT, SHORT),
    scheme=st.sampled_from(["sync", "ssp", "async", "local-sgd", "k-of-n", "all"]),
    late=st.sampled_from(["drop", "reuse", "cancel"]),
    read=st.sampled_from(["arrival", "start"]),
    server=st.sampled_from(["serial", "lock-free"]),
)
def test_timelines_with_transfers(
    periods: list[str], serving: tuple[str, str], scheme: str, **more: str
) -> None:
    takes = {"ssp": {"staleness": "1"}, "local-sgd": {"local_steps": "2"}}
    takes |= {"k-of-n": {"wait_for": str(max(len(periods) - 1, 1))}}
    texts: dict[str, Any] = {"periods": periods, "horizon": "30 s", "scheme": scheme, **more}
    texts["model_size"] = "1 B"  # many transfers end exactly at the horizon
    texts |= {"aggregation": serving[0], "update_time": serving[1], **takes.get(scheme, {})}
    holds("timeline", schedules_witness.timeline, **texts)


@settings(max_examples=60, deadline=None)
@given(
    law=st.sampled_from(["exponential", "shifted-exponential", "uniform", "normal", "pareto"]),
    workers=st.integers(1, 6),
    data=st.data(),
)
def test_rounds_that_are_late(law: str, workers: int, data: st.DataObject) -> None:
    takes = {"shifted-exponential": {"shift": "2 s"}, "uniform": {"spread": "2 s"}}
    takes |= {"normal": {"spread": "0.5 s"}, "pareto": {"tail": "2.5"}}
    texts: dict[str, Any] = {"means": "3 s", "workers": str(workers), "distribution": law}
    texts |= {"wait_for": str(data.draw(st.integers(1, workers))), "fixed": data.draw(SHORT)}
    texts |= {"longer_than": f"{data.draw(st.integers(3, 12))} s", **takes.get(law, {})}
    holds("backup-workers", schedules_witness.backup_workers, **texts)


@pytest.mark.parametrize("sampling", ["with", "without"])
@pytest.mark.parametrize("times", [["1 s"] * 3, ["1 s", "2 s", "2 s", "5 s"]])
def test_measured_times(times: list[str], sampling: str) -> None:
    for wait_for in range(1, 4):
        texts: dict[str, Any] = {"times": times, "workers": "3", "wait_for": str(wait_for)}
        texts |= {"sampling": sampling, "longer_than": "2 s"}
        holds("backup-workers", schedules_witness.backup_workers, **texts)


@settings(max_examples=60, deadline=None)
@given(
    means=st.lists(st.sampled_from(["1 s", "2 s", "1/3 s", "5/4 s"]), min_size=1, max_size=5),
    data=st.data(),
)
def test_unlike_workers(means: list[str], data: st.DataObject) -> None:
    texts: dict[str, Any] = {"means": means, "fixed": data.draw(SHORT)}
    texts |= {"wait_for": str(data.draw(st.integers(1, len(means)))), "longer_than": "4 s"}
    holds("backup-workers", schedules_witness.backup_workers, **texts)


@pytest.mark.parametrize("staleness", ["0", "1", "2", "3", "infinity"])
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_every_order_of_events(workers: int, staleness: str) -> None:
    for worker, clock in product(range(1, workers + 1), range(1, 5)):
        texts: dict[str, Any] = {"workers": str(workers), "staleness": staleness}
        texts |= {"worker": str(worker), "clock": str(clock)}
        holds("update-rule", compute_witness.update_rule, **texts)
