"""The event engine against known answers, SimPy and plain counting."""

from collections.abc import Generator
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
import simpy
from hypothesis import given
from hypothesis import strategies as st

from ddcalc.errors import OverLimit
from ddcalc.number import Number
from ddcalc.schedule.engine import (
    MOST,
    Operation,
    Order,
    check_length,
    until,
    updates,
    updates_until,
)

EXAM: list[Number] = [Fraction(15, 100), Fraction(1, 5), Fraction(1, 4), Fraction(1, 2)]
FIFTH = Fraction(1, 5)

times = st.fractions(min_value=0, max_value=3, max_denominator=12)
durations = st.fractions(min_value=Fraction(1, 6), max_value=2, max_denominator=12)
workers = st.lists(st.tuples(times, durations), min_size=1, max_size=5)


def test_exam_sheet() -> None:
    played = list(until(updates(EXAM, [FIFTH] * 4), Fraction(3, 5)))
    assert [(op.worker, op.data, float(op.start), op.seen) for op in played] == [
        (1, 1, 0.15, 0),
        (2, 2, 0.2, 0),
        (3, 3, 0.25, 0),
        (1, 4, 0.35, 1),
        (2, 5, 0.4, 2),
    ]


def test_floats_lose_the_update_that_ends_exactly_at_the_horizon() -> None:
    played = until(updates([float(start) for start in EXAM], [0.2] * 4), 0.6)
    assert len(list(played)) == 4


def test_the_horizon_is_included() -> None:
    end = Fraction(3, 5)
    assert len(list(until(updates([Fraction(0)], [FIFTH]), end))) == 3
    assert len(list(until(updates([Fraction(0)], [FIFTH]), end - Fraction(1, 10**50)))) == 2


def test_ties_go_by_worker() -> None:
    first = list(islice(updates([1, 1, 0], [2, 2, 3]), 4))
    assert [(op.worker, op.data, op.end) for op in first] == [
        (1, 2, 3),
        (2, 3, 3),
        (3, 1, 3),
        (1, 4, 5),
    ]


def test_reads_at_an_instant_see_its_writes_or_those_of_earlier_workers() -> None:
    def seen(order: Order) -> list[tuple[int, int]]:
        return [(op.data, op.seen) for op in islice(updates([0, 0, 1], [1, 1, 1], order), 5)]

    assert seen("writes-first") == [(1, 0), (2, 0), (3, 2), (4, 2), (5, 2)]
    assert seen("in-turn") == [(1, 0), (2, 0), (3, 1), (4, 2), (5, 2)]


@pytest.mark.parametrize(
    ("order", "mean"), [("in-turn", Fraction(27, 14)), ("writes-first", Fraction(10, 7))]
)
def test_mean_staleness_of_three_speeds(order: Order, mean: Fraction) -> None:
    """Periods 1, 2 and 4 s over 24 s give 24, 12 and 6 updates."""
    played = list(until(updates([0, 0, 0], [1, 2, 4], order), 24))
    assert [sum(op.worker == worker for op in played) for worker in (1, 2, 3)] == [24, 12, 6]
    stale = [before - op.seen for before, op in enumerate(played)]
    assert Fraction(sum(stale), len(played)) == mean


@given(workers, times)
def test_times_are_those_of_simpy(
    speeds: list[tuple[Fraction, Fraction]], horizon: Fraction
) -> None:
    found: list[tuple[Any, int, Any]] = []

    def work(
        env: simpy.Environment, worker: int, start: Any, duration: Any
    ) -> Generator[simpy.Event, None, None]:
        yield env.timeout(start)
        while True:
            began = env.now
            yield env.timeout(duration)
            found.append((env.now, worker, began))

    env = simpy.Environment()
    for worker, (start, duration) in enumerate(speeds, 1):
        env.process(work(env, worker, start, duration))
    just_after: Any = horizon + Fraction(1, 10**6)
    env.run(until=just_after)

    starts, paces = zip(*speeds, strict=True)
    played = [(op.end, op.worker, op.start) for op in until(updates(starts, paces), horizon)]
    assert played == sorted(found)


@given(workers)
def test_data_are_numbered_by_start_then_worker(speeds: list[tuple[Fraction, Fraction]]) -> None:
    starts, paces = zip(*speeds, strict=True)
    played: list[Operation[Number]] = list(until(updates(starts, paces), 6))
    by_start = sorted(played, key=lambda op: (op.start, op.worker))
    numbers = [op.data for op in by_start]
    assert numbers == sorted(set(numbers))
    for op in played:
        assert op.seen == sum(other.end <= op.start for other in played)


@given(st.lists(times, min_size=1, max_size=5), durations, times)
def test_counting_agrees_with_playing(
    starts: list[Fraction], duration: Fraction, horizon: Fraction
) -> None:
    played = list(until(updates(starts, [duration] * len(starts)), horizon))
    assert updates_until(starts, duration, horizon) == len(played)


def test_limit_on_updates() -> None:
    check_length(MOST, "horizon")
    with pytest.raises(OverLimit, match="100 001 updates are too many; at most 100 000") as caught:
        check_length(MOST + 1, "horizon")
    assert (caught.value.parameter, caught.value.kind) == ("horizon", "limit")


def test_no_workers_make_no_updates() -> None:
    assert list(updates([], [])) == []
