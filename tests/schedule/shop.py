"""The schemes as SimPy processes, in the way of its manual: resources, events, interrupts."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

import simpy

Process = Generator[simpy.Event, Any, None]


class Shop:
    """A parameter server and its workers, which :meth:`play` starts.

    *written* gets (worker, clock, seen, start, end, arrived, written, update) for each gradient.
    """

    def __init__(
        self,
        rows: Sequence[Sequence[int]],
        down: int = 0,
        up: int = 0,
        aggregate: int = 0,
        update: int = 0,
    ) -> None:
        self.env: Any = simpy.Environment()  # SimPy declares floats only, but adds what it gets
        self.server = simpy.Resource(self.env)
        self.rows, self.down, self.up = rows, down, up
        self.aggregate, self.update = aggregate, update
        self.workers, self.updates = len(rows), 0
        self.written: list[tuple[Any, ...]] = []

    def play(self, work: Callable[[int], Process], horizon: int) -> list[tuple[Any, ...]]:
        """What is found until shortly before the *horizon*, if every worker does its *work*."""
        for worker in range(1, self.workers + 1):
            self.start(worker, work(worker))
        self.env.run(until=horizon)
        return sorted(self.written)

    def start(self, worker: int, work: Process) -> None:
        self.env.process(work)

    def compute(self, worker: int, clock: int, steps: int = 1) -> Generator[simpy.Event, Any, Any]:
        """Down, computations up to number *clock*, and up again."""
        row, env = self.rows[worker - 1], self.env
        yield env.timeout(self.down)
        start, seen = env.now, self.updates
        for step in range(clock - steps, clock):
            yield env.timeout(row[step % len(row)])
        end = env.now
        yield env.timeout(self.up)
        return worker, clock, seen, start, end, env.now

    def serve(self, *lengths: int) -> Process:
        """Have the server for itself for such a time."""
        with self.server.request() as turn:
            yield turn
            for length in lengths:
                yield self.env.timeout(length)


class Free(Shop):
    """Asynchronous, and stale-synchronous with a *bound*: a gate for each clock."""

    bound: int | None = None

    def work(self, worker: int) -> Process:
        clock = 0
        while True:
            clock += 1
            if self.bound is not None and clock - 1 - self.bound > 0:
                yield self.gate(clock - 1 - self.bound)
            sent = yield from self.compute(worker, clock)
            yield from self.serve(self.aggregate, self.update)
            self.updates += 1
            self.written.append((*sent, self.env.now, self.updates))
            self.pass_(clock)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.gates: dict[int, simpy.Event] = {}
        self.passed: dict[int, int] = {}

    def gate(self, clock: int) -> simpy.Event:
        """Opens when everybody has finished *clock*."""
        return self.gates.setdefault(clock, self.env.event())

    def pass_(self, clock: int) -> None:
        self.passed[clock] = self.passed.get(clock, 0) + 1
        if self.passed[clock] == self.workers:
            self.gate(clock).succeed()


class Barrier(Shop):
    """Synchronous, and local SGD: everybody waits at a barrier after so many *steps*."""

    steps = 1

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.barrier = self.env.event()
        self.batch: list[Any] = []

    def work(self, worker: int) -> Process:
        clock = 0
        while True:
            clock += self.steps
            sent = yield from self.compute(worker, clock, self.steps)
            barrier = self.barrier
            yield from self.serve(self.aggregate)
            self.batch.append(sent)
            if len(self.batch) == self.workers:
                yield from self.serve(self.update)
                self.updates += 1
                self.written += [(*gradient, self.env.now, self.updates) for gradient in self.batch]
                self.batch, self.barrier = [], self.env.event()
                barrier.succeed()
            else:
                yield barrier


class Fastest(Shop):
    """k of n: *late* gradients are dropped, reused or interrupted."""

    wait_for = 1
    late = "drop"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.updated = self.env.event()
        self.processes: dict[int, Any] = {}
        self.computing: set[int] = set()
        self.batch: list[Any] = []
        self.timely, self.closing = 0, False

    def start(self, worker: int, work: Process) -> None:
        self.processes[worker] = self.env.process(work)

    def work(self, worker: int) -> Process:
        clock = 0
        while True:
            clock += 1
            self.computing.add(worker)
            try:
                sent = yield from self.compute(worker, clock)
            except simpy.Interrupt:
                continue
            self.computing.discard(worker)
            yield from self.hand_in(sent)

    def hand_in(self, sent: Any) -> Process:
        updated, late = self.updated, self.closing or sent[2] != self.updates
        if late and self.late != "reuse":
            self.written.append((*sent, self.env.now, 0))
        else:
            self.batch.append(sent)
        if late and self.late == "reuse":
            self.env.process(self.serve(self.aggregate))
        if late:
            if self.closing:
                yield updated
            return
        self.timely += 1
        if self.timely < self.wait_for:
            yield from self.serve(self.aggregate)
            yield updated
        else:
            yield from self.close(updated)

    def close(self, updated: simpy.Event) -> Process:
        made, self.batch = self.batch, []
        self.closing, self.timely = True, 0
        yield from self.serve(self.aggregate, self.update)
        self.updates += 1
        self.written += [(*gradient, self.env.now, self.updates) for gradient in made]
        self.closing, self.updated = False, self.env.event()
        updated.succeed()
        if self.late == "cancel":
            for worker in sorted(self.computing):
                self.processes[worker].interrupt()
