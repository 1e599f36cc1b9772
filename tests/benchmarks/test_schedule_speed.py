"""The engine against SimPy, which plays the same schedules. Run with
``pytest tests/benchmarks/test_schedule_speed.py --benchmark-only``: the numbers in brackets are
the ratios. Floats against floats, and both give the same statistics.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest
import simpy

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, ssp, sync

WORKERS, GRADIENTS, BOUND = 8, 40_000, 2
DOWN, UP, AGGREGATE = 0.3, 0.2, 0.05

Process = Generator[simpy.Event, Any, None]


@dataclass
class Statistics:
    """What both count: gradients by staleness, and the time of the last one."""

    gradients: int = 0
    last: float = 0
    staleness: Counter[int] = field(default_factory=Counter)

    def add(self, staleness: int, now: float) -> None:
        self.gradients += 1
        self.last = now
        self.staleness[staleness] += 1


def _times() -> list[Iterator[float]]:
    """Computation times of each worker: at least half a second, 1.5 s on average."""
    chance = Random(7)
    rows = [[0.5 + chance.expovariate(1) for _ in range(997)] for _ in range(WORKERS)]
    return [cycle(row) for row in rows]


def _ours(scheme: Scheme, machine: Machine) -> Statistics:
    counted = Statistics()
    for gradient in islice(engine(scheme, machine, _times()).gradients(), GRADIENTS):
        counted.add(gradient.staleness, gradient.written)
    return counted


class Theirs:
    """Workers as SimPy processes, written for speed: no more events than the schedule has."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.end = self.env.event()
        self.counted, self.updates = Statistics(), 0
        self.server = simpy.Resource(self.env)
        self.slowest, self.passed = 0, Counter[int]()
        self.gates: dict[int, simpy.Event] = {}
        self.barrier, self.handed = self.env.event(), list[int]()

    def play(self, work: Callable[["Theirs", Iterator[float]], Process]) -> Statistics:
        for own in _times():
            self.env.process(work(self, own))
        self.env.run(self.end)
        return self.counted

    def count(self, seen: int) -> None:
        self.counted.add(self.updates - seen, self.env.now)
        if self.counted.gradients == GRADIENTS:
            self.end.succeed()

    def served(self, own: Iterator[float]) -> Process:
        """A parameter server that works in one gradient after the other."""
        env, server = self.env, self.server
        while True:
            seen = self.updates  # as it is sent
            yield env.timeout(DOWN)
            yield env.timeout(next(own))
            yield env.timeout(UP)
            with server.request() as turn:
                yield turn
                yield env.timeout(AGGREGATE)
            self.count(seen)
            self.updates += 1

    def free(self, own: Iterator[float]) -> Process:
        """Asynchronous workers."""
        while True:
            seen = self.updates
            yield self.env.timeout(next(own))
            self.count(seen)
            self.updates += 1

    def bounded(self, own: Iterator[float]) -> Process:
        """Stale-synchronous workers: a gate opens when everybody has finished its clock."""
        gates, passed, clock = self.gates, self.passed, 0
        while True:
            clock += 1
            if clock - 1 - BOUND > self.slowest:
                yield gates.setdefault(clock - 1 - BOUND, self.env.event())
            seen = self.updates
            yield self.env.timeout(next(own))
            self.count(seen)
            self.updates += 1
            passed[clock] += 1
            if passed[clock] == WORKERS:
                self.slowest = clock
                del passed[clock]
                if clock in gates:
                    gates.pop(clock).succeed()

    def together(self, own: Iterator[float]) -> Process:
        """Synchronous workers: the last one at the barrier makes the update."""
        while True:
            seen = self.updates
            yield self.env.timeout(next(own))
            self.handed.append(seen)
            if len(self.handed) < WORKERS:
                yield self.barrier
                continue
            for each in self.handed:
                self.count(each)
            self.handed.clear()
            self.updates += 1
            barrier, self.barrier = self.barrier, self.env.event()
            barrier.succeed()


STARTS = [0.0] * WORKERS
CASES = {
    "parameter server": (
        asynchronous(),
        Machine(STARTS, down=DOWN, up=UP, aggregate=AGGREGATE),
        Theirs.served,
    ),
    "asynchronous": (asynchronous(), Machine(STARTS), Theirs.free),
    "stale-synchronous": (ssp(BOUND), Machine(STARTS), Theirs.bounded),
    "synchronous": (sync(WORKERS), Machine(STARTS), Theirs.together),
}


def _benchmarks() -> Iterator[object]:
    for name, (scheme, machine, work) in CASES.items():
        group = pytest.mark.benchmark(group=f"{name}, {GRADIENTS} gradients")
        yield pytest.param(lambda s=scheme, m=machine: _ours(s, m), marks=group, id="ddcalc")
        yield pytest.param(lambda w=work: Theirs().play(w), marks=group, id="SimPy")


@pytest.mark.parametrize("run", list(_benchmarks()))
def test_schedule(benchmark, run):
    benchmark.pedantic(run, rounds=7, warmup_rounds=1)


@pytest.mark.parametrize("name", CASES)
def test_both_count_the_same(name: str) -> None:
    scheme, machine, work = CASES[name]
    assert _ours(scheme, machine) == Theirs().play(work)
