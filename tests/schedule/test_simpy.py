"""SimPy plays the same schedules: with floats and with fractions all times are identical."""

from collections.abc import Callable, Generator, Sequence
from fractions import Fraction
from random import Random
from typing import Any, cast

import pytest
import shop
import simpy
from hypothesis import given
from hypothesis import strategies as st
from playing import played

from ddcalc.schedule.gradient import Machine, Time
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync

WORKERS, HORIZON = 5, 100

Kind = Callable[[int, int], Any]  # a quotient: as a float, or as a fraction


def _float(above: int, below: int) -> float:
    return above / below


@pytest.fixture(params=[_float, Fraction], ids=["floats", "fractions"])
def kind(request: pytest.FixtureRequest) -> Kind:
    return cast(Kind, request.param)


@pytest.fixture(params=range(4))
def chance(request: pytest.FixtureRequest) -> Random:
    return Random(request.param)


def _check(chance: Random, kind: Kind, scheme: Scheme, theirs: type[Any], **fields: object) -> None:
    """Both play the same random times, of which no two fall together."""
    rows = [[kind(chance.randint(10**5, 10**6), 300_007) for _ in range(7)] for _ in range(WORKERS)]
    short = [kind(chance.randint(1, 10**5), 400_009) for _ in range(4)]
    running = theirs(rows, *short)
    for name, value in fields.items():
        setattr(running, name, value)
    expected = running.play(running.work, HORIZON)
    machine = Machine([0] * WORKERS, *short)
    ours = [
        (g.worker, g.clock, g.seen, g.start, g.end, g.arrived, g.written, g.update)
        for g in played(scheme, machine, rows, HORIZON)
        if g.update >= 0  # SimPy's list has nothing of what is interrupted
    ]
    assert len(ours) > 50
    assert sorted(ours) == expected


def test_asynchronous_with_a_serial_server(chance: Random, kind: Kind) -> None:
    _check(chance, kind, asynchronous(), shop.Free)


@pytest.mark.parametrize("bound", [0, 1, 3])
def test_ssp(chance: Random, kind: Kind, bound: int) -> None:
    _check(chance, kind, ssp(bound), shop.Free, bound=bound)


def test_sync(chance: Random, kind: Kind) -> None:
    _check(chance, kind, sync(WORKERS), shop.Barrier)


def test_local_sgd(chance: Random, kind: Kind) -> None:
    _check(chance, kind, local_sgd(WORKERS, 3), shop.Barrier, steps=3)


@pytest.mark.parametrize("late", ["drop", "reuse", "cancel"])
@pytest.mark.parametrize("wait_for", [1, 3, 5])
def test_k_of_n(chance: Random, kind: Kind, wait_for: int, late: Late) -> None:
    scheme = k_of_n(wait_for, late)
    _check(chance, kind, scheme, shop.Fastest, wait_for=wait_for, late=late)


times = st.fractions(min_value=0, max_value=3, max_denominator=12)
durations = st.fractions(min_value=Fraction(1, 6), max_value=2, max_denominator=12)


@given(st.lists(st.tuples(times, durations), min_size=1, max_size=5), times)
def test_lock_free_workers_that_meet_at_one_instant(
    speeds: list[tuple[Fraction, Fraction]], horizon: Fraction
) -> None:
    theirs: list[tuple[Any, int, Any]] = []

    def work(
        env: simpy.Environment, worker: int, start: Any, duration: Any
    ) -> Generator[simpy.Event, None, None]:
        yield env.timeout(start)
        while True:
            began = env.now
            yield env.timeout(duration)
            theirs.append((env.now, worker, began))

    env = simpy.Environment()
    for worker, (start, duration) in enumerate(speeds, 1):
        env.process(work(env, worker, start, duration))
    just_after: Any = horizon + Fraction(1, 10**6)
    env.run(until=just_after)

    starts = cast(Sequence[Time], [start for start, _ in speeds])
    rows = cast(Sequence[Sequence[Time]], [[duration] for _, duration in speeds])
    machine = Machine(starts, order="writes_first")
    ours = played(asynchronous(), machine, rows, cast(Time, horizon))
    assert [(g.written, g.worker, g.start) for g in ours] == sorted(theirs)
