"""Workers and a parameter server, played event by event; what they wait for, a scheme says.

A worker gets the parameters (*down*), computes a gradient, and sends it (*up*); the server works
it in (*aggregate*, then *update* once for every update) and the worker gets the parameters again.
One worker from time 0 on, without transfers, is sequential SGD.

Times are whole numbers of some unit where they are to be exact, floats where speed counts more:
with floats 0.2 + 0.2 + 0.2 lies after 0.6, and an update that ends exactly at the horizon is lost.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from heapq import heappush
from itertools import accumulate, islice

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
        self._after_read = machine.down - self._before_read
        self._up = machine.up
        self._phase = 0 if machine.order == "in_turn" else 1
        self._at_once = self._phase == 0 and not self._before_read
        self._steps = scheme.local_steps
        self._queue: list[tuple[Time, int, int]] = []  # when, phase, worker
        self._begun = 0  # how many gradients have been
        self._finished = [0] * len(self.workers)  # clocks
        self._slowest, self._last = 0, len(self.workers)  # the fewest, and how many have no more
        self._free: Time = 0  # when the serial server is

    @abstractmethod
    def gradients(self) -> Iterator[Gradient]:
        """The gradients in the order in which they are written or dropped, without end."""

    def _assemble(self) -> None:
        """Send the workers for their first parameters."""
        for worker in self.workers:
            heappush(self._queue, (worker.start + self._before_read, self._phase, worker.number))

    def _release(self, worker: Worker, now: Time, hold: Hold | None) -> None:
        """Give *worker* the parameters when its turn comes."""
        worker.released, worker.hold = now, hold
        queue, turn = self._queue, (now + self._before_read, self._phase, worker.number)
        if self._at_once and not (queue and queue[0] < turn):
            self._begin(worker, now)
        else:
            worker.doing = "gets"
            heappush(queue, turn)

    def _go_on(self, worker: Worker, now: Time) -> None:
        """Give *worker*, whose turn it is, the parameters."""
        if self._at_once:
            worker.released, worker.hold = now, None
            self._begin(worker, now)
        else:
            self._release(worker, now, None)

    def _begin(self, worker: Worker, now: Time) -> None:
        """The *worker* reads the parameters and computes on them."""
        self._begun = worker.data = self._begun + 1
        worker.seen = self.updates
        worker.ahead = worker.clock - self._slowest
        worker.start = start = now + self._after_read
        if self._steps == 1:
            worker.clock += 1
            worker.end = end = start + next(worker.times)
        else:
            end = self._local_steps(worker)
        worker.doing = "computes"
        heappush(self._queue, (end + self._up, 0, worker.number))

    def _local_steps(self, worker: Worker) -> Time:
        """Compute several times in a row, and tell when that is over."""
        own = islice(worker.times, self._steps)
        _, *ends = accumulate(own, initial=worker.start)
        worker.ends, worker.end = tuple(ends), ends[-1]
        worker.clock += self._steps
        return worker.end

    def _served(self, now: Time, length: Time) -> Time:
        """When the server is done with something that takes *length* and comes *now*."""
        if not length:
            return now
        if self.machine.serial:
            if now < self._free:
                now = self._free
            self._free = now + length
        return now + length

    def _finish(self, worker: Worker) -> bool:
        """Count the clocks of *worker* as finished; whether the slowest one's number changed."""
        finished, place = self._finished, worker.number - 1
        before, finished[place] = finished[place], worker.clock
        if before != self._slowest:
            return False
        self._last -= 1
        if self._last:
            return False
        self._slowest = slowest = min(finished)
        self._last = finished.count(slowest)
        return True
