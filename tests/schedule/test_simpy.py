"""SimPy plays the same schedules: all times are identical."""

from collections.abc import Generator
from random import Random
from typing import Any

import pytest
import shop
import simpy
from hypothesis import given
from hypothesis import strategies as st
from playing import played

from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync

WORKERS, HORIZON = 5, 30_000_000


@pytest.fixture(params=range(4))
def chance(request: pytest.FixtureRequest) -> Random:
    return Random(request.param)


def _check(chance: Random, scheme: Scheme, theirs: type[Any], **fields: object) -> None:
    """Both play the same random times, of which no two fall together."""
    rows = [[chance.randint(10**5, 10**6) for _ in range(7)] for _ in range(WORKERS)]
    short = [chance.randint(1, 10**5) for _ in range(4)]
    running = theirs(rows, *short)
    for name, value in fields.items():
        setattr(running, name, value)
    expected = running.play(running.work, HORIZON)
    down, up, aggregate, update = short
    machine = Machine([0] * WORKERS, down, up, aggregate, update)
    ours = [
        (g.worker, g.clock, g.seen, g.start, g.end, g.arrived, g.written, g.update)
        for g in played(scheme, machine, rows, HORIZON)
        if g.update >= 0  # SimPy's list has nothing of what is interrupted
    ]
    assert len(ours) > 50
    assert sorted(ours) == expected


def test_asynchronous_with_a_serial_server(chance: Random) -> None:
    _check(chance, asynchronous(), shop.Free)


@pytest.mark.parametrize("bound", [0, 1, 3])
def test_ssp(chance: Random, bound: int) -> None:
    _check(chance, ssp(bound), shop.Free, bound=bound)


def test_sync(chance: Random) -> None:
    _check(chance, sync(WORKERS), shop.Barrier)


def test_local_sgd(chance: Random) -> None:
    _check(chance, local_sgd(WORKERS, 3), shop.Barrier, steps=3)


@pytest.mark.parametrize("late", ["drop", "reuse", "cancel"])
@pytest.mark.parametrize("wait_for", [1, 3, 5])
def test_k_of_n(chance: Random, wait_for: int, late: Late) -> None:
    scheme = k_of_n(wait_for, late)
    _check(chance, scheme, shop.Fastest, wait_for=wait_for, late=late)


times = st.integers(0, 36)


@given(st.lists(st.tuples(times, st.integers(2, 24)), min_size=1, max_size=5), times)
def test_lock_free_workers_that_meet_at_one_instant(
    speeds: list[tuple[int, int]], horizon: int
) -> None:
    theirs: list[tuple[Any, int, Any]] = []

    def work(
        env: simpy.Environment, worker: int, start: int, duration: int
    ) -> Generator[simpy.Event, None, None]:
        yield env.timeout(start)
        while True:
            began = env.now
            yield env.timeout(duration)
            theirs.append((env.now, worker, began))

    env = simpy.Environment()
    for worker, (start, duration) in enumerate(speeds, 1):
        env.process(work(env, worker, start, duration))
    env.run(until=horizon + 0.5)

    machine = Machine([start for start, _ in speeds], order="writes_first")
    ours = played(asynchronous(), machine, [[duration] for _, duration in speeds], horizon)
    assert [(g.written, g.worker, g.start) for g in ours] == sorted(theirs)
