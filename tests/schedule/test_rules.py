"""Formulas of the update rules, and those that some sheets print, by the gradients in them."""

from __future__ import annotations

from fractions import Fraction

import pytest
import rules_witness as witness
from rules_witness import MAYBE, Models, worth

from ddcalc.errors import OverLimit
from ddcalc.problem.steps import Bound, Table
from ddcalc.types.schedules.update_rule.model import arrivals
from ddcalc.types.schedules.update_rule.question import Read, ruled
from ddcalc.types.schedules.update_rule.rules import Rule, rule_of


def _rule(scheme: str, read: Read, number: int | None = None) -> Rule:
    return rule_of(ruled(read, scheme, number))


@pytest.mark.parametrize(
    "rule",
    [
        *(_rule("ssp", Read(3, 2, clock), s) for clock in (1, 2, 4, 5) for s in (0, 1, 9)),
        *(_rule("sync", Read(3, 2, clock)) for clock in (1, 2, 4)),
        *(_rule("async", Read(3, 2, clock)) for clock in (1, 2, 4)),
        *(_rule("local_sgd", Read(3, 2, clock), 4) for clock in (1, 3, 5)),
        _rule("sync", Read(1, 1, 4)),
        _rule("k_of_n", Read(3, 2, 4), 3),
    ],
)
def test_all_formulas_of_a_rule_say_the_same(rule: Rule) -> None:
    """In letters, as sums, and written out."""
    read = rule.read
    letters = {"n": read.workers, "i": read.worker, "c": read.clock, "K": rule.common().value}
    sums = worth(rule.sums())
    assert worth(rule.written_out()) == sums
    assert worth(rule.weights()) == (sums if read.clock > 1 else {})
    assert worth(rule.formula(), letters).keys() - {MAYBE} == sums.keys() - {MAYBE}
    if rule.possible().value:
        assert worth(rule.formula(), letters) == sums


def test_schedules_that_take_too_long_are_refused() -> None:
    late = _rule("async", Read(2, 2, 3))
    with pytest.raises(OverLimit, match="at most 100 000 gradients are played") as caught:
        arrivals(late.ruled, [Fraction(1, 10**6), 1], "in_turn")
    assert caught.value.parameter == "clock"
    with pytest.raises(OverLimit, match="1 001 workers are too many"):
        arrivals(_rule("async", Read(1001, 2, 2)).ruled, [1] * 1001, "in_turn")
    early = arrivals(_rule("async", Read(2, 2, 1)).ruled, [Fraction(1, 10**6), 1], "in_turn")
    assert (early.when, early.count) == (0, 0)


# Rules as some sheets print them


@pytest.mark.parametrize(("clock", "staleness"), [(2, 0), (4, 1), (4, 0), (5, 2), (3, 7)])
def test_the_printed_ssp_rule_counts_these_twice(clock: int, staleness: int) -> None:
    printed, table = _rule("ssp", Read(3, 2, clock), staleness).slip()
    assert isinstance(printed, Bound)
    assert isinstance(table, Table)
    t = clock - 1
    in_letters, counted = (
        worth(link.expr, {"n": 3, "i": 2, "t": t, "s": min(staleness, t - 1)})
        for link in printed.links
    )
    first = max(1, t - staleness)
    assert {pair for pair, times in counted.items() if times == 2} == {
        (2, k) for k in range(first, t + 1)
    }
    assert {pair: in_letters[pair] for pair in counted} == counted
    assert counted.keys() - {MAYBE} == {(j, k) for j in (1, 2, 3) for k in range(1, t + 1)}
    clocks = str(first) if first == t else f"{first} to {t}"
    assert table.rows[0] == ("worker 2", clocks, "twice", "once")
    assert len(table.rows) == (2 if staleness else 1)


@pytest.mark.parametrize(("workers", "worker", "local_steps"), [(2, 1, 2), (3, 2, 2), (3, 3, 4)])
def test_the_printed_average_never_makes_replicas_equal(
    workers: int, worker: int, local_steps: int
) -> None:
    wrong, right = _rule("local_sgd", Read(workers, worker, 3), local_steps).slip()
    assert isinstance(wrong, Bound)
    assert isinstance(right, Bound)
    other = 2 if worker == 1 else 1
    printed = _by_place(witness.printed_local_sgd(workers, local_steps, local_steps + 1))
    averaged = _by_place(witness.local_sgd(workers, local_steps, local_steps + 1))
    apart = worth(wrong.subject, printed)
    assert set(apart) == {(j, k) for j in (worker, other) for k in range(1, local_steps)}
    for link in wrong.links:
        assert worth(link.expr, printed) == apart
    assert worth(right.subject, averaged) == worth(right.links[0].expr, averaged) == {}


def _by_place(runs: list[Models]) -> dict[str, object]:
    """The models by worker and clock, as the letter w."""
    return {"w": {(j, k): m for k, models in enumerate(runs, 1) for j, m in enumerate(models, 1)}}
