"""Which gradients a worker reads: the review questions, limiting cases, and refusals."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from stating import derivation, refusals, results

from ddcalc.ask.solve import Derivation, solve
from ddcalc.formula.expression import Expr, Fun, Num, Sym
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.steps import Table

W, ETA, J, K = Sym("w_0"), Sym("eta"), Sym("j"), Sym("k")
ISSUE: dict[str, str | Sequence[str]] = {
    "scheme": "ssp",
    "workers": "3",
    "worker": "2",
    "clock": "4",
    "staleness": "1",
}
COUNTS = ("common", "own", "guaranteed", "possible")


def g(worker: int, clock: int) -> Expr:
    return Fun("indexed", (Sym("G"), Num(worker), Num(clock)))


def lucky(name: str = "S_2") -> Expr:
    return Fun("sum_over", (Fun("indexed", (Sym("G"), J, K)), Sym(name), J, K))


def _solved(**more: str | Sequence[str]) -> Derivation:
    return solve(problem_named("update-rule"), {**ISSUE, **more})


def _counts(**more: str | Sequence[str]) -> tuple[object, ...]:
    values = _solved(**more).values
    return tuple(values[name] for name in COUNTS)


@pytest.mark.parametrize(
    ("more", "counts"),
    [
        ({}, (2, 3, 7, 4)),
        ({"staleness": "0"}, (3, 3, 9, 0)),
        ({"staleness": "infinity"}, (0, 3, 3, None)),
        ({"clock": "1", "staleness": "infinity"}, (0, 0, 0, 0)),
        ({"workers": "1", "worker": "1", "staleness": "infinity"}, (3, 3, 3, 0)),
        ({"scheme": "local-sgd", "local_steps": "2"}, (2, 3, 7, 0)),
        ({"scheme": "k-of-n", "wait_for": "2"}, (0, 0, 6, None)),
        ({"scheme": "k-of-n", "wait_for": "2", "late": "reuse"}, (0, 2, 6, None)),
        ({"scheme": "k-of-n", "wait_for": "2", "late": "cancel"}, (0, 0, 6, 0)),
        ({"scheme": "k-of-n", "wait_for": "3"}, (3, 3, 9, 0)),
        ({"scheme": "k-of-n", "wait_for": "1", "clock": "1"}, (0, 0, 0, 0)),
    ],
)
def test_counts(more: dict[str, str], counts: tuple[int | None, ...]) -> None:
    assert _counts(**more) == counts


@pytest.mark.parametrize(
    ("one", "other", "limit"),
    [
        ({"staleness": "0"}, {"scheme": "sync"}, "exactly the synchronous rule"),
        ({"staleness": "infinity"}, {"scheme": "async"}, "holds nobody back"),
        ({"scheme": "k-of-n", "wait_for": "3"}, {"scheme": "sync"}, "leaves nobody late"),
    ],
)
def test_limiting_cases_are_told_as_such(
    one: dict[str, str], other: dict[str, str], limit: str
) -> None:
    mine, theirs = _solved(**one), _solved(**other)
    assert mine.answer.value == theirs.answer.value
    assert limit in str(mine.commentary().insights)


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


def test_a_schedule_names_what_has_arrived() -> None:
    solved = _solved(periods=["1s", "2s", "4s"])
    assert solved.values["actual"] == 8
    clock = Fun("sum", (Fun("indexed", (Sym("G"), J, K)), J, Num(1), Num(3)))
    both = Fun("sum", (clock, K, Num(1), Num(2)))
    assert solved.answer.value == W - ETA * (both + g(1, 3) + g(2, 3))
    said = solved.commentary()
    assert "worker 2 reads at 8 s, when 8 gradients are in" in str(said.conclusion)
    assert "it had waited for worker 3 since 6 s" in str(said.insights)
    table = next(step for step in solved.shown_steps() if step.title.startswith("What has arrived"))
    assert isinstance(table, Table)
    assert [[str(cell) for cell in row] for row in table.rows] == [
        ["1", "3", "3"], ["2", "3", "3"], ["3", "2", "2"],
    ]  # fmt: skip


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


@pytest.mark.parametrize(
    ("stated", "parameter", "message"),
    [
        ({"workers": 3, "worker": 4, "clock": 2, "staleness": 1}, "worker", "not one of the 3"),
        ({"workers": 3, "clock": 2, "staleness": "none"}, "staleness", "the word infinity"),
        ({"workers": 3, "clock": 2}, None, "missing: staleness"),
        ({"clock": 2, "staleness": 1}, None, "missing: workers or periods"),
        ({"workers": 3, "staleness": 1}, None, "missing: clock"),
        ({"workers": 3, "clock": 2, "scheme": "local-sgd"}, None, "missing: local_steps"),
        ({"workers": 3, "clock": 2, "scheme": "k-of-n"}, None, "missing: wait_for"),
        (
            {"workers": 3, "clock": 2, "scheme": "k-of-n", "wait_for": 4},
            "wait_for",
            "more than all 3 workers",
        ),
        (
            {"workers": 3, "clock": 2, "staleness": 1, "periods": ["1 s", "2 s"]},
            "workers",
            "does not fit the 2 times",
        ),
        (
            {"clock": 10**6, "scheme": "async", "periods": ["1 s", "1 s"]},
            "clock",
            "999 999 gradients are too many",
        ),
    ],
)
def test_refusals(stated: dict[str, str], parameter: str | None, message: str) -> None:
    [(about, text)] = refusals("update-rule", **stated)
    assert about == parameter
    assert message in text


def test_a_schedule_that_changes_nothing_is_not_played() -> None:
    text = results("update-rule", scheme="sync", clock=10**9, periods=["1 s", "3 s"])
    assert text["actual"] == text["guaranteed"] == 2 * (10**9 - 1)
    solved = derivation("update-rule", scheme="sync", clock=10**9, periods=["1 s", "3 s"])
    assert "worker 1 reads at about 34 722 d" in str(solved.commentary().conclusion)
