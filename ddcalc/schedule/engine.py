"""Workers and a parameter server, played event by event; what they wait for, a scheme says.

A worker gets the parameters (*down*), computes a gradient, and sends it (*up*); the server works
it in (*aggregate*, then *update* once for every update) and the worker gets the parameters again.
One worker from time 0 on, without transfers, is sequential SGD.

Times are whole numbers of some unit where they are to be exact, floats where speed counts more:
with floats 0.2 + 0.2 + 0.2 lies after 0.6, and an update that ends exactly at the horizon is lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush

from ddcalc.schedule.gradient import Gradient, Hold, Machine, Sent, Time, Worker
from ddcalc.schedule.scheme import Scheme


class Engine(ABC):
    """One run of *scheme* on a *machine* whose worker i computes for the *times* of its number.

    *times* must not end. :meth:`gradients` plays; in the meantime *updates* and *workers* tell
    how far the run is, and *handed* which gradients wait for an update.
    """

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        self.updates = 0
        self.handed: list[Sent] = []
        self.workers = [
            Worker(number, start, own)
            for number, (start, own) in enumerate(zip(machine.starts, times, strict=True), 1)
        ]
        self.machine = machine
        self._scheme = scheme
        self._before_read = machine.down if machine.read == "start" else 0
        self._after_read = 0 if machine.read == "start" else machine.down
        self._phase = 0 if machine.order == "in_turn" else 1
        self._at_once = self._phase == 0 and not self._before_read
        self._more = range(scheme.local_steps - 1)
        self._queue: list[tuple[Time, int, int, int]] = []  # when, phase, worker, its ticket
        self._begun = 0  # how many gradients have been
        self._finished = {0: len(self.workers)}  # how many workers have finished how many clocks
        self._slowest = 0
        self._free: Time = 0  # when the serial server is

    def gradients(self) -> Iterator[Gradient]:
        """The gradients in the order in which they are written or dropped, without end."""
        queue, workers = self._queue, self.workers
        for worker in workers:
            start = worker.start + self._before_read
            heappush(queue, (start, self._phase, worker.number, worker.ticket))
        while queue:
            now, _, number, ticket = heappop(queue)
            worker = workers[number - 1]
            if worker.ticket != ticket:
                continue  # it has been interrupted
            if worker.doing == "gets":
                self._begin(worker, now)
                continue
            yield from (self._arrive if worker.doing == "computes" else self._write)(worker, now)
            self._go_on(worker, now)

    @abstractmethod
    def _arrive(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        """The gradient of *worker* arrives at the server; what is written or dropped by that."""

    @abstractmethod
    def _write(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        """The server is done with what *worker* sent; what is written by that."""

    @abstractmethod
    def _go_on(self, worker: Worker, now: Time) -> None:
        """Release whom the last event, one of *worker*, lets go on."""

    def _release(self, worker: Worker, now: Time, hold: Hold | None) -> None:
        """Give *worker* the parameters."""
        worker.released, worker.hold = now, hold
        queue, turn = self._queue, (now + self._before_read, self._phase, worker.number)
        if self._at_once and not (queue and queue[0] < turn):
            self._begin(worker, now)
        else:
            worker.doing = "gets"
            heappush(queue, (*turn, worker.ticket))

    def _begin(self, worker: Worker, now: Time) -> None:
        """The *worker* reads the parameters and computes on them."""
        self._begun = worker.data = self._begun + 1
        worker.seen, worker.ahead = self.updates, worker.clock - self._slowest
        worker.clock += 1
        worker.start = now + self._after_read
        worker.end = worker.start + next(worker.times)
        if self._more:
            self._local_steps(worker)
        worker.doing = "computes"
        arrival = worker.end + self.machine.up
        heappush(self._queue, (arrival, 0, worker.number, worker.ticket))

    def _local_steps(self, worker: Worker) -> None:
        ends = [worker.end]
        for _ in self._more:
            ends.append(ends[-1] + next(worker.times))
        worker.ends, worker.end = tuple(ends), ends[-1]
        worker.clock += len(self._more)

    def _worked_in(self, now: Time, length: Time) -> Time:
        """When the server is done with something that takes *length* and comes *now*."""
        if not self.machine.serial:
            return now + length
        self._free = done = max(self._free, now) + length
        return done

    def _finish(self, worker: Worker) -> bool:
        """Count the clocks of *worker* as finished; whether the slowest one's number changed."""
        finished, before = self._finished, worker.clock - self._scheme.local_steps
        finished[worker.clock] = finished.get(worker.clock, 0) + 1
        finished[before] -= 1
        if finished[before]:
            return False
        del finished[before]
        if before != self._slowest:
            return False
        self._slowest = min(finished)
        return True
