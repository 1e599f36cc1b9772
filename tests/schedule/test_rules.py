"""Update rules against every possible order of events, and against schedules played otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import repeat
from typing import Any

import pytest
import rules_witness as witness
from hypothesis import given
from hypothesis import strategies as st
from rules_witness import Gradient, Models

from ddcalc.errors import OverLimit
from ddcalc.formula.expression import Add, Div, Expr, Fun, Mul, Neg, Num, Sym
from ddcalc.problem.steps import Bound, Table
from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine, Order
from ddcalc.schedule.scheme import local_sgd, sync
from ddcalc.types.schedules.update_rule.account import ByClock, Rule, rule_of
from ddcalc.types.schedules.update_rule.model import Arrived, arrivals
from ddcalc.types.schedules.update_rule.question import Read, ruled

Late = Any  # the name of what happens to late gradients

periods = st.lists(
    st.fractions(min_value=Fraction(1, 2), max_value=4, max_denominator=3), min_size=1, max_size=4
)
orders: st.SearchStrategy[Order] = st.sampled_from(["in_turn", "writes_first"])


def _rule(scheme: str, read: Read, number: int | None = None, late: Late = "drop") -> Rule:
    return rule_of(ruled(read, scheme, number, late))


# What a formula says


def coefficients(
    expr: Expr,
    known: Mapping[str, Any] | None = None,
    models: list[Models] | None = None,
) -> Any:
    """How much of each gradient is in *expr*, for w_0 = 0 and eta = -1; or a plain number.

    *known* has numbers for letters, and gradients for the names of sets; *models* the w_{j,k}.
    """
    values = {"eta": Fraction(-1), "w_0": {}, **(known or {})}

    def worth(part: Expr, values: Mapping[str, Any]) -> Any:
        match part:
            case Num(number):
                return Fraction(number)
            case Sym(name):
                return values[name]
            case Neg(arg):
                return _times(Fraction(-1), worth(arg, values))
            case Add(args):
                return _plus([worth(arg, values) for arg in args])
            case Mul(args):
                made: Any = Fraction(1)
                for arg in args:
                    made = _times(made, worth(arg, values))
                return made
            case Div(top, bottom):
                return worth(top, values) / worth(bottom, values)
            case Fun("indexed", (Sym("G"), j, k)):
                return {(int(worth(j, values)), int(worth(k, values))): Fraction(1)}
            case Fun("indexed", (Sym("w"), j, k)):
                assert models is not None
                return models[int(worth(k, values)) - 1][int(worth(j, values)) - 1]
            case Fun("sum", (body, Sym(index), first, last)):
                places = range(int(worth(first, values)), int(worth(last, values)) + 1)
                return _plus(
                    [worth(body, {**values, index: Fraction(at)}) for at in places] or [{}]
                )
            case Fun("sum_over", (body, Sym(name), Sym(j), Sym(k))):
                pairs = sorted(values[name])
                worths = [worth(body, {**values, j: Fraction(a), k: Fraction(b)}) for a, b in pairs]
                return _plus(worths or [{}])
        raise AssertionError(part)

    return worth(expr, values)


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, dict):
        left, right = right, left
    return (
        {g: left * times for g, times in right.items()} if isinstance(right, dict) else left * right
    )


def _plus(parts: list[Any]) -> Any:
    if not isinstance(parts[0], dict):
        return sum(parts)
    total: dict[Gradient, Fraction] = {}
    for part in parts:
        for gradient, times in part.items():
            total[gradient] = total.get(gradient, Fraction(0)) + times
    return {gradient: times for gradient, times in total.items() if times}


def _ones(gradients: set[Gradient] | frozenset[Gradient]) -> dict[Gradient, Fraction]:
    return dict.fromkeys(gradients, Fraction(1))


# The rules against every order of events


def _certain(rule: ByClock) -> frozenset[Gradient]:
    read, common = rule.read, rule.contents.common
    finished = [common] * read.workers
    finished[read.worker - 1] = read.before
    return witness.prefixes(finished)


def _perhaps(rule: ByClock, reach: int) -> frozenset[Gradient]:
    others = {j for j in range(1, rule.read.workers + 1) if j != rule.read.worker}
    clocks = range(rule.contents.common + 1, reach + 1)
    return frozenset((j, k) for j in others for k in clocks)


SMALL = [(1, 4, 0), (1, 4, 2), (2, 5, 0), (2, 5, 1), (2, 6, 3), (3, 4, 0), (3, 4, 1), (3, 4, 2)]


@pytest.mark.parametrize(("workers", "clocks", "staleness"), [*SMALL, (3, 3, 5), (4, 3, 1)])
def test_ssp_says_exactly_what_all_orders_of_events_allow(
    workers: int, clocks: int, staleness: int
) -> None:
    reads = witness.ssp_reads(workers, clocks, staleness, clocks + staleness + 1)
    assert len(reads) == workers * clocks
    for (worker, clock), possible in reads.items():
        rule = _rule("ssp", Read(workers, worker, clock), staleness)
        assert isinstance(rule, ByClock)
        certain, reach = frozenset.intersection(*possible), rule.contents.reach
        assert certain == _certain(rule)
        assert reach is not None
        assert frozenset.union(*possible) - certain == _perhaps(rule, reach)
        numbers = rule.guaranteed().value, rule.possible().value
        assert numbers == (
            min(map(len, possible)),
            max(map(len, possible)) - min(map(len, possible)),
        )
        assert rule.own_ones().value == sum(j == worker for j, _ in certain)


@pytest.mark.parametrize("staleness", [0, 1, 2])
def test_after_a_pause_a_worker_may_read_gradients_of_one_clock_more(staleness: int) -> None:
    for (worker, clock), possible in witness.ssp_reads_after_pauses(3, 4, staleness, 9).items():
        rule = _rule("ssp", Read(3, worker, clock), staleness)
        assert isinstance(rule, ByClock)
        assert frozenset.intersection(*possible) == _certain(rule)
        assert frozenset.union(*possible) - _certain(rule) == _perhaps(rule, clock + staleness)


def test_async_holds_nobody_back() -> None:
    most = 5
    for (worker, clock), possible in witness.ssp_reads(3, 3, None, most).items():
        rule = _rule("async", Read(3, worker, clock))
        assert isinstance(rule, ByClock)
        assert frozenset.intersection(*possible) == _certain(rule)
        beyond = _perhaps(rule, most if clock > 1 else 0)
        assert frozenset.union(*possible) - _certain(rule) == beyond
        assert rule.possible().value == (None if clock > 1 else 0)


@pytest.mark.parametrize("late", ["drop", "reuse", "cancel"])
@pytest.mark.parametrize(("workers", "wait_for"), [(2, 1), (3, 1), (3, 2)])
def test_k_of_n_says_how_many_are_in_whatever_the_order(
    workers: int, wait_for: int, late: Late
) -> None:
    versions = 4 if workers == 2 else 3
    reads = witness.k_of_n_reads(workers, wait_for, late, versions)
    for (worker, clock), possible in reads.items():
        if clock > versions:
            continue  # some of these reads come after the updates that are followed
        rule = _rule("k_of_n", Read(workers, worker, clock), wait_for, late)
        certain = frozenset.intersection(*possible)
        mine = {(j, k) for j, k in certain if j == worker}
        assert rule.guaranteed().value == min(map(len, possible))
        assert len(mine) == rule.own_ones().value
        if late != "reuse":
            assert certain == frozenset()
        most = max(map(len, possible))
        if rule.possible().value == 0:
            assert most == rule.guaranteed().value
        else:
            assert most >= wait_for * versions  # as many updates as are followed


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("local_steps", [1, 2, 3, 10])
def test_local_sgd_reads_what_averaging_gives(workers: int, local_steps: int) -> None:
    for clock, models in enumerate(witness.local_sgd(workers, local_steps, 8), 1):
        for worker, model in enumerate(models, 1):
            rule = _rule("local_sgd", Read(workers, worker, clock), local_steps)
            assert coefficients(rule.sums()) == model
            assert rule.guaranteed().value == len(model)
            assert rule.own_ones().value == sum(j == worker for j, _ in model)
            numbers = {"n": workers, "i": worker, "c": clock, "K": rule.common().value}
            if workers > 1:
                assert coefficients(rule.formula(), numbers) == model


# Formulas


RULES = [
    *(_rule("ssp", Read(3, 2, clock), s) for clock in (1, 2, 4, 5) for s in (0, 1, 9)),
    *(_rule("sync", Read(3, 2, clock)) for clock in (1, 2, 4)),
    *(_rule("async", Read(3, 2, clock)) for clock in (1, 2, 4)),
    _rule("sync", Read(1, 1, 4)),
    _rule("k_of_n", Read(3, 2, 4), 3, "drop"),
]


@pytest.mark.parametrize("rule", RULES)
def test_all_formulas_of_a_rule_say_the_same(rule: ByClock) -> None:
    lucky = _perhaps(rule, rule.contents.reach if rule.contents.reach is not None else 7)
    read = rule.read
    sets = {"S_2": lucky, "S_i": lucky}
    inside = _ones(_certain(rule) | lucky)
    assert coefficients(rule.sums(), sets) == inside
    assert coefficients(rule.written_out(), sets) == inside
    letters = {"n": read.workers, "i": read.worker, "c": read.clock, "K": rule.common().value}
    assert coefficients(rule.formula(), {**sets, **letters}) == inside
    assert coefficients(rule.weights(), sets) == inside


@pytest.mark.parametrize(
    "rule",
    [
        *RULES,
        *(_rule("k_of_n", Read(3, 2, c), 2, late) for c in (1, 5) for late in ("drop", "reuse")),
    ]
    + [_rule("local_sgd", Read(3, 2, clock), 4) for clock in (1, 4, 5, 8)],
)
def test_the_reasons_for_numbers_give_these_numbers(rule: Rule) -> None:
    for counted in (rule.common(), rule.own_ones(), rule.guaranteed(), rule.possible()):
        if counted.value is not None:
            assert _evaluated(counted.formula, counted.numbers) == counted.value


def _evaluated(expr: Expr, numbers: Mapping[str, Any]) -> Any:
    from ddcalc.formula.evaluation import evaluate

    return evaluate(expr, numbers)


# Schedules


def _inside(arrived: Arrived) -> frozenset[Gradient]:
    runs = arrived.runs.items()
    return frozenset(
        (worker, clock)
        for worker, spans in runs
        for first, last in spans
        for clock in range(first, last + 1)
    )


@given(periods, orders, st.sampled_from([0, 1, 2, 5, None]), st.integers(1, 6), st.data())
def test_ssp_and_async_on_schedules(
    times: list[Fraction], order: Order, staleness: int | None, clock: int, data: st.DataObject
) -> None:
    workers = len(times)
    read = Read(workers, data.draw(st.integers(1, workers)), clock)
    rule = _rule("ssp", read, staleness)
    if workers == 1:
        return
    run = witness.SSP(times, order == "writes_first", staleness)
    run.play(40 * workers)
    if (read.worker, clock) not in run.reads:
        return
    arrived = arrivals(rule.ruled, times, order)
    assert (arrived.when, _inside(arrived)) == run.reads[read.worker, clock]
    assert arrived.count == len(_inside(arrived))
    assert coefficients(arrived.weights()) == _ones(_inside(arrived))
    assert isinstance(rule, ByClock)
    lucky = _inside(arrived) - _certain(rule)
    assert _certain(rule) <= _inside(arrived)
    reach = rule.contents.reach
    assert reach is None or lucky <= _perhaps(rule, reach)


@given(periods, orders, st.sampled_from(["drop", "reuse", "cancel"]), st.integers(1, 6), st.data())
def test_k_of_n_on_schedules(
    times: list[Fraction], order: Order, late: Late, clock: int, data: st.DataObject
) -> None:
    workers = len(times)
    read = Read(workers, data.draw(st.integers(1, workers)), clock)
    wait_for = data.draw(st.integers(1, workers))
    rule = _rule("k_of_n", read, wait_for, late)
    run = witness.KofN(times, order == "writes_first", wait_for, late)
    run.play(40 * workers)
    if (read.worker, clock) not in run.reads:
        return
    arrived = arrivals(rule.ruled, times, order)
    assert (arrived.when, _inside(arrived)) == run.reads[read.worker, clock]
    assert coefficients(arrived.weights()) == _ones(_inside(arrived))
    least = rule.guaranteed().value
    assert least is not None
    assert arrived.count >= least


@given(periods, st.integers(1, 3), st.integers(1, 7), st.data())
def test_what_the_rule_alone_says_is_what_the_engine_plays(
    times: list[Fraction], local_steps: int, clock: int, data: st.DataObject
) -> None:
    workers = len(times)
    worker = data.draw(st.integers(1, workers))
    rule = _rule("local_sgd", Read(workers, worker, clock), local_steps)
    arrived = arrivals(rule.ruled, times, "in_turn")
    whole = [int(time * 6) for time in times]
    scheme = sync(workers) if workers == 1 else local_sgd(workers, local_steps)
    steps = 1 if workers == 1 else local_steps
    run = engine(scheme, Machine([0] * workers), [repeat(time) for time in whole])
    last = -(-clock // steps) * steps
    for gradient in run.gradients():
        if (gradient.worker, gradient.clock) == (worker, last):
            place = clock - (last - steps) - 1
            began = gradient.start if place == 0 else (gradient.ends or (gradient.end,))[place - 1]
            assert Fraction(int(began), 6) == arrived.when
            assert gradient.seen * steps == rule.common().value or workers == 1
            break
    assert arrived.count == rule.guaranteed().value


def test_schedules_that_take_too_long_are_refused() -> None:
    late = _rule("async", Read(2, 2, 3))
    with pytest.raises(OverLimit, match="at most 100 000 gradients are played") as caught:
        arrivals(late.ruled, [Fraction(1, 10**6), 1], "in_turn")
    assert caught.value.parameter == "clock"
    with pytest.raises(OverLimit, match="are too many"):
        arrivals(_rule("async", Read(2, 2, 10**9)).ruled, [1, 1], "in_turn")
    with pytest.raises(OverLimit, match="1 001 workers are too many"):
        arrivals(_rule("async", Read(1001, 2, 2)).ruled, [1] * 1001, "in_turn")
    early = arrivals(_rule("async", Read(2, 2, 1)).ruled, [Fraction(1, 10**6), 1], "in_turn")
    assert (early.when, early.count) == (0, 0)


# Rules as some sheets print them


@pytest.mark.parametrize(("clock", "staleness"), [(2, 0), (4, 1), (4, 0), (5, 2), (3, 7)])
def test_the_printed_ssp_rule_counts_these_twice(clock: int, staleness: int) -> None:
    rule = _rule("ssp", Read(3, 2, clock), staleness)
    assert isinstance(rule, ByClock)
    printed, table = rule.slip()
    assert isinstance(printed, Bound)
    assert isinstance(table, Table)
    t, lucky = clock - 1, frozenset({(1, clock - 1)} if staleness else ())
    sets = {"S_2": lucky, "S_i": lucky}
    counted = coefficients(printed.links[1].expr, sets)
    numbers = {"n": 3, "i": 2, "t": t, "s": min(staleness, t - 1)}
    assert coefficients(printed.links[0].expr, {**sets, **numbers}) == counted
    expected: dict[Gradient, int] = {(j, k): 1 for j in (1, 2, 3) for k in range(1, t + 1)}
    for k in range(max(1, t - staleness), t + 1):
        expected[2, k] += 1
    for pair in lucky:
        expected[pair] += 1
    assert counted == expected
    right = coefficients(rule.sums(), sets)
    twice = {pair for pair, times in counted.items() if times == 2 and pair not in lucky}
    first = max(1, t - staleness)
    assert twice == {(2, k) for k in range(first, t + 1)}
    clocks = str(first) if first == t else f"{first} to {t}"
    assert table.rows[0] == ("worker 2", clocks, "twice", "once")
    missing = {pair for pair in counted if pair not in right}
    assert (
        missing == {(j, k) for j in (1, 3) for k in range(max(0, t - staleness) + 1, t + 1)} - lucky
    )
    assert len(table.rows) == (2 if staleness else 1)


@pytest.mark.parametrize(("workers", "worker", "local_steps"), [(2, 1, 2), (3, 2, 2), (3, 3, 4)])
def test_the_printed_average_never_makes_replicas_equal(
    workers: int, worker: int, local_steps: int
) -> None:
    rule = _rule("local_sgd", Read(workers, worker, 3), local_steps)
    wrong, right = rule.slip()
    assert isinstance(wrong, Bound)
    assert isinstance(right, Bound)
    other = 2 if worker == 1 else 1
    printed = witness.printed_local_sgd(workers, local_steps, 6 * local_steps + 1)
    averaged = witness.local_sgd(workers, local_steps, 6 * local_steps + 1)
    apart = _apart(printed[local_steps], worker, other)
    for link in wrong.links:
        assert coefficients(link.expr, models=printed) == apart
    assert coefficients(wrong.subject, models=printed) == apart
    assert apart == _apart(printed[local_steps - 1], worker, other)
    for rounds in range(1, 6):
        assert _apart(printed[rounds * local_steps], worker, other) != {}
        assert _apart(averaged[rounds * local_steps], worker, other) == {}
    assert coefficients(right.subject, models=averaged) == {}
    assert coefficients(right.links[0].expr, models=averaged) == {}


def _apart(models: Models, one: int, other: int) -> dict[Gradient, Fraction]:
    return dict(_plus([models[one - 1], _times(Fraction(-1), dict(models[other - 1]))]))
