"""Schedules played by SimPy with the same tally: a witness of what is counted, and of speed.

The programs have one event for each arrival, and only what a scheme needs. They count what a
command answers with: staleness, and how long each worker computes and waits; not, as ddcalc does
besides, who waits for whom, leads, transfers. Neither keeps what is drawn; times are from lists.
"""

from collections import Counter
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import cycle, islice
from random import Random
from typing import Any, NamedTuple

import simpy

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, k_of_n, local_sgd, ssp, sync
from ddcalc.schedule.tally import tally
from ddcalc.schedule.times import Fixed

GRADIENTS, CLOCKS = 40_000, 200  # at least so many, and so many of each worker
UNIT = 10**9  # parts of a second, so many that no two events fall together
DOWN, UP, AGGREGATE = 3 * UNIT // 10, UNIT // 5, UNIT // 20
BOUND, STEPS = 2, 4

Process = Generator[simpy.Event, Any, None]


@cache
def _rows(workers: int) -> list[list[int]]:
    """Computation times of each worker: at least half a second, 1.5 s on average."""
    chance, length = Random(7), range(800 // workers + 11)
    times = [[0.5 + chance.expovariate(1) for _ in length] for _ in range(workers)]
    return [[round(time * UNIT) for time in row] for row in times]


class Statistics(NamedTuple):
    """What both count: gradients by staleness, the last time, what each computes and waits."""

    gradients: int
    last: float
    staleness: Counter[int]
    computes: list[float]
    waits: list[float]


@dataclass(frozen=True)
class Case:
    """A scheme with so many workers, with transfers and a serial server or without."""

    name: str
    workers: int
    queues: bool

    @property
    def scheme(self) -> Scheme:
        workers, name = self.workers, self.name
        if name in ("drop", "reuse", "cancel"):
            return k_of_n(workers * 3 // 4, name)
        made = {"sync": sync(workers), "local": local_sgd(workers, STEPS), "ssp": ssp(BOUND)}
        return made.get(name) or asynchronous()

    @property
    def updates(self) -> int:
        """How many are made, of about as many gradients as are wanted."""
        gradients, scheme = max(GRADIENTS, CLOCKS * self.workers), self.scheme
        return gradients // (scheme.wait_for * scheme.local_steps) if scheme.rounds else gradients

    @property
    def lengths(self) -> tuple[int, int, int]:
        """Of what is not computing."""
        return (DOWN, UP, AGGREGATE) if self.queues else (0, 0, 0)

    def ours(self) -> Statistics:
        down, up, aggregate = self.lengths
        machine = Machine([0] * self.workers, down=down, up=up, aggregate=aggregate)
        times = Fixed([tuple(row) for row in _rows(self.workers)]).exact(1)
        counted = tally(engine(self.scheme, machine, times), None, self.updates, kept=False)
        computes = [day.computes for day in counted.days]
        waits = [day.held + day.served for day in counted.days]
        return Statistics(counted.used, counted.end, counted.staleness, computes, waits)

    def theirs(self) -> Statistics:
        return Theirs(self).play()


class Theirs:
    """Workers as SimPy processes, written for speed: no more events than the schedule has."""

    def __init__(self, case: Case) -> None:
        self.env = simpy.Environment()
        self.case, self.end = case, self.env.event()
        self.workers, self.wanted = case.workers, case.updates
        self.steps, self.wait_for = case.scheme.local_steps, case.scheme.wait_for
        self.gradients, self.last, self.staleness, self.updates = 0, 0.0, Counter[int](), 0
        self.down, self.up, self.aggregate = case.lengths
        self.server = simpy.Resource(self.env)
        self.slowest, self.passed, self.timely = 0, Counter[int](), 0
        self.gates: dict[int, simpy.Event] = {}
        self.updated, self.handed = self.env.event(), list[int]()
        self.computing: dict[int, Any] = {}
        nothing = [0.0] * self.workers
        self.computes, self.waits = nothing[:], nothing[:]
        self.ends = nothing[:]  # when each worker has computed
        self.since = nothing[:]  # when it began to wait, if it does

    def play(self) -> Statistics:
        """The run, with what is under way at the end."""
        ways = {"sync": self.round, "local": self.round, "ssp": self.alone, "async": self.alone}
        work, rows = ways.get(self.case.name, self.fastest), _rows(self.case.workers)
        self.processes = [self.env.process(work(i, cycle(row))) for i, row in enumerate(rows)]
        self.env.run(self.end)
        now, pairs = self.env.now, zip(self.computes, self.ends, strict=True)
        computes = [computes - max(end - now, 0) for computes, end in pairs]
        pairs = zip(self.waits, self.since, strict=True)
        waits = [waited + (now - since if since else 0) for waited, since in pairs]
        return Statistics(self.gradients, self.last, self.staleness, computes, waits)

    def serve(self) -> Process:
        with self.server.request() as turn:
            yield turn
            yield self.env.timeout(self.aggregate)

    def compute(self, worker: int, time: int) -> simpy.Event:
        """The *worker* computes, and sends its gradient."""
        self.computes[worker] += time
        self.ends[worker] = self.env.now + time
        return self.env.timeout(time + self.up)

    def wait(self, worker: int) -> None:
        self.since[worker] = self.env.now

    def go_on(self, worker: int) -> None:
        self.waits[worker] += self.env.now - self.since[worker]
        self.since[worker] = 0

    def count(self, *seen: int) -> None:
        """Make an update of gradients taken at these."""
        self.gradients += len(seen) * self.steps
        self.last = self.env.now
        for each in seen:
            self.staleness[self.updates - each] += self.steps
        self.updates += 1
        if self.updates == self.wanted:
            self.end.succeed()

    def alone(self, worker: int, times: Iterator[int]) -> Process:
        """Asynchronous, or no further ahead of the slowest than the bound."""
        env, clock, bounded = self.env, 0, self.case.name == "ssp"
        while True:
            clock += 1
            if bounded and clock - 1 - BOUND > self.slowest:
                self.wait(worker)
                yield self.gates.setdefault(clock - 1 - BOUND, env.event())
                self.go_on(worker)
            seen = self.updates
            if self.down:
                yield env.timeout(self.down)
            yield self.compute(worker, next(times))
            if self.aggregate:
                self.wait(worker)
                yield from self.serve()
                self.go_on(worker)
            self.count(seen)
            self.passed[clock] += bounded
            if self.passed[clock] == self.workers:
                self.slowest = clock
                del self.passed[clock]
                if clock in self.gates:
                    self.gates.pop(clock).succeed()

    def round(self, worker: int, times: Iterator[int]) -> Process:
        env = self.env
        while True:
            seen = self.updates
            if self.down:
                yield env.timeout(self.down)
            yield self.compute(worker, sum(islice(times, self.steps)))
            self.wait(worker)
            self.handed.append(seen)
            updated = self.updated
            if self.aggregate:
                yield from self.serve()
            self.timely += 1
            if self.timely < self.workers:
                yield updated
            else:
                self.update()
            self.go_on(worker)

    def update(self) -> None:
        """Make an update of what has been handed in; all who wait go on."""
        self.count(*self.handed)
        self.handed.clear()
        self.timely = 0
        updated, self.updated = self.updated, self.env.event()
        updated.succeed()

    def fastest(self, worker: int, times: Iterator[int]) -> Process:
        """k of n without a server that takes time."""
        late = self.case.name
        while True:
            seen, time = self.updates, next(times)
            self.computing[worker] = True
            try:
                yield self.compute(worker, time)
            except simpy.Interrupt:
                self.interrupt(worker)
                continue
            del self.computing[worker]
            if seen != self.updates:
                if late == "reuse":
                    self.handed.append(seen)
                continue
            self.handed.append(seen)
            self.timely += 1
            if self.timely < self.wait_for:
                self.wait(worker)
                yield self.updated
                self.go_on(worker)
                continue
            self.update()
            if late == "cancel":
                for other in list(self.computing):
                    self.processes[other].interrupt()

    def interrupt(self, worker: int) -> None:
        """Take back what the *worker* does not compute any more."""
        self.computes[worker] -= self.ends[worker] - self.env.now


FREE = [Case(name, 8, queues=False) for name in ("local", "drop", "reuse", "cancel")]
FREE += [Case("drop", n, queues=False) for n in (100, 1000)]
FREE += [Case(name, n, queues=False) for name in ("sync", "ssp", "async") for n in (8, 100, 1000)]
SERVED = [Case(name, n, queues=True) for name in ("sync", "ssp", "async") for n in (8, 100, 1000)]
CASES = {
    f"{case.name} of {case.workers}{', queue' if case.queues else ''}": case
    for case in (*FREE, Case("local", 8, queues=True), *SERVED)
}
