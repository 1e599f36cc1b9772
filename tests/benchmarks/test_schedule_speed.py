"""What a command answers with (a run counted, exactly) against SimPy, which plays the same schedule
and counts the same. Run with ``pytest tests/benchmarks/test_schedule_speed.py --benchmark-only``:
the numbers in brackets are the ratios. Both take their times from lists that are made beforehand.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle
from random import Random
from typing import Any

import pytest
import simpy

from ddcalc.schedule.counting import Task
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.times import Fixed

GRADIENTS = 40_000
UNIT = 10**9  # parts of a second, so many that no two events fall together
DOWN, UP, AGGREGATE = 3 * UNIT // 10, UNIT // 5, UNIT // 20
BOUND, STEPS = 2, 4

Process = Generator[simpy.Event, Any, None]


@cache
def _rows(workers: int) -> list[list[int]]:
    """Computation times of each worker: at least half a second, 1.5 s on average."""
    chance, length = Random(7), 800 // workers + 11
    return [
        [round((0.5 + chance.expovariate(1)) * UNIT) for _ in range(length)] for _ in range(workers)
    ]


@dataclass
class Statistics:
    """What both count: gradients by staleness, and the time of the last one."""

    gradients: int = 0
    last: float = 0
    staleness: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class Case:
    """A scheme with so many workers, with transfers and a serial server or without."""

    name: str
    workers: int
    queues: bool

    @property
    def scheme(self) -> Scheme:
        workers = self.workers
        return {
            "sync": sync(workers),
            "local": local_sgd(workers, STEPS),
            "ssp": ssp(BOUND),
            "async": asynchronous(),
            "drop": k_of_n(workers * 3 // 4, "drop"),
            "reuse": k_of_n(workers * 3 // 4, "reuse"),
            "cancel": k_of_n(workers * 3 // 4, "cancel"),
        }[self.name]

    @property
    def updates(self) -> int:
        """How many are made, of all the gradients."""
        scheme = self.scheme
        if not scheme.rounds:
            return GRADIENTS
        return GRADIENTS // (scheme.wait_for * scheme.local_steps)

    @property
    def lengths(self) -> tuple[int, int, int]:
        """Of what is not computing."""
        return (DOWN, UP, AGGREGATE) if self.queues else (0, 0, 0)

    def ours(self) -> Statistics:
        down, up, aggregate = self.lengths
        machine = Machine([0] * self.workers, down=down, up=up, aggregate=aggregate)
        times = Fixed([tuple(row) for row in _rows(self.workers)])
        task = Task(
            self.scheme, machine, times, 1, None, self.updates, None, 10 * GRADIENTS, GRADIENTS
        )
        counted = task.counted()
        return Statistics(counted.used, counted.end, counted.staleness)

    def theirs(self) -> Statistics:
        return Theirs(self).play()


class Theirs:
    """Workers as SimPy processes, written for speed: no more events than the schedule has."""

    def __init__(self, case: Case) -> None:
        self.env = simpy.Environment()
        self.case, self.end = case, self.env.event()
        self.workers, self.wanted = case.workers, case.updates
        self.counted, self.updates = Statistics(), 0
        self.down, self.up, self.aggregate = case.lengths
        self.server = simpy.Resource(self.env)
        self.slowest, self.passed = 0, Counter[int]()
        self.gates: dict[int, simpy.Event] = {}
        self.updated, self.handed = self.env.event(), list[int]()
        self.timely, self.wait_for = 0, case.scheme.wait_for
        self.computing: dict[int, Any] = {}

    def play(self) -> Statistics:
        work = {"sync": self.round, "local": self.local, "ssp": self.ssp, "async": self.free}.get(
            self.case.name, self.fastest
        )
        self.processes = [
            self.env.process(work(i, cycle(row))) for i, row in enumerate(_rows(self.case.workers))
        ]
        self.env.run(self.end)
        return self.counted

    def serve(self) -> Process:
        with self.server.request() as turn:
            yield turn
            yield self.env.timeout(self.aggregate)

    def count(self, *seen: int) -> None:
        """Make an update of gradients taken at these."""
        counted = self.counted
        counted.gradients += len(seen)
        counted.last = self.env.now
        for each in seen:
            counted.staleness[self.updates - each] += 1
        self.updates += 1
        if self.updates == self.wanted:
            self.end.succeed()

    def free(self, worker: int, times: Iterator[int]) -> Process:
        env = self.env
        while True:
            seen = self.updates
            if self.down:
                yield env.timeout(self.down)
            yield env.timeout(next(times) + self.up)
            if self.aggregate:
                yield from self.serve()
            self.count(seen)

    def ssp(self, worker: int, times: Iterator[int]) -> Process:
        env, clock = self.env, 0
        while True:
            clock += 1
            if clock - 1 - BOUND > self.slowest:
                yield self.gates.setdefault(clock - 1 - BOUND, env.event())
            seen = self.updates
            if self.down:
                yield env.timeout(self.down)
            yield env.timeout(next(times) + self.up)
            if self.aggregate:
                yield from self.serve()
            self.count(seen)
            self.passed[clock] += 1
            if self.passed[clock] == self.workers:
                self.slowest = clock
                del self.passed[clock]
                if clock in self.gates:
                    self.gates.pop(clock).succeed()

    def round(self, worker: int, times: Iterator[int], steps: int = 1) -> Process:
        env = self.env
        while True:
            seen = self.updates
            if self.down:
                yield env.timeout(self.down)
            for _ in range(steps - 1):
                yield env.timeout(next(times))
            yield env.timeout(next(times) + self.up)
            self.handed += [seen] * steps
            updated = self.updated
            if self.aggregate:
                yield from self.serve()
            self.timely += 1
            if self.timely < self.workers:
                yield updated
            else:
                self.update()

    def local(self, worker: int, times: Iterator[int]) -> Process:
        return self.round(worker, times, STEPS)

    def update(self) -> None:
        """Make an update of what has been handed in; all who wait go on."""
        self.count(*self.handed)
        self.handed.clear()
        self.timely = 0
        updated, self.updated = self.updated, self.env.event()
        updated.succeed()

    def fastest(self, worker: int, times: Iterator[int]) -> Process:
        """k of n without a server that takes time."""
        env, late = self.env, self.case.name
        while True:
            seen = self.updates
            self.computing[worker] = True
            try:
                yield env.timeout(next(times))
            except simpy.Interrupt:
                continue
            del self.computing[worker]
            if seen != self.updates:
                if late == "reuse":
                    self.handed.append(seen)
                continue
            self.handed.append(seen)
            self.timely += 1
            if self.timely < self.wait_for:
                yield self.updated
                continue
            self.update()
            if late == "cancel":
                for other in list(self.computing):
                    self.processes[other].interrupt()


FREE = [Case(name, 8, queues=False) for name in ("local", "drop", "reuse", "cancel")]
FREE += [Case(name, n, queues=False) for name in ("sync", "ssp", "async") for n in (8, 100, 1000)]
SERVED = [Case(name, n, queues=True) for name in ("sync", "ssp", "async") for n in (8, 100, 1000)]
CASES = {
    f"{case.name} of {case.workers}{', queue' if case.queues else ''}": case
    for case in (*FREE, Case("local", 8, queues=True), *SERVED)
}


@pytest.mark.parametrize("who", ["ddcalc", "SimPy"])
@pytest.mark.parametrize("name", CASES)
def test_schedule(benchmark: Any, name: str, who: str) -> None:
    benchmark.group = f"{name}: {GRADIENTS} gradients"
    case = CASES[name]
    run: Callable[[], Statistics] = case.ours if who == "ddcalc" else case.theirs
    benchmark.pedantic(run, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("name", CASES)
def test_both_count_the_same(name: str) -> None:
    assert CASES[name].ours() == CASES[name].theirs()
