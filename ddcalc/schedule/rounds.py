"""An update is made of several gradients: synchronous runs, local steps, and k of n."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import (
    DROPPED,
    INTERRUPTED,
    Gradient,
    Hold,
    Machine,
    Sent,
    Time,
    Worker,
    record,
)
from ddcalc.schedule.scheme import Scheme


class Rounds(Engine):
    """The server waits for enough gradients taken at its parameters, and their workers for it."""

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        super().__init__(scheme, machine, times)
        self._timely = 0  # gradients of the open round
        self._waiting: list[int] = []  # the numbers of those who wait for an update
        self.closing: list[Sent] | None = None  # what the update under way is made of
        self.closer = Hold(0, 0, 0)  # who closed the last round, and when

    def gradients(self) -> Iterator[Gradient]:
        queue, workers = self._queue, self.workers
        self._assemble()
        while queue:
            now, _, number = heappop(queue)
            worker, before = workers[number - 1], self.updates
            if worker.doing == "gets":
                self._begin(worker, now)
                continue
            yield from (self._arrive if worker.doing == "computes" else self._write)(worker, now)
            if self.updates != before:
                self.closing = None
                self._go_on_together(now)
            elif worker.seen != before and self.closing is None:
                self._waiting.pop()
                self._go_on(worker, now)

    def _arrive(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        """The gradient of *worker* arrives at the server; what is written or dropped by that."""
        sent = worker.send(now)
        self._waiting.append(worker.number)
        self._finish(worker)
        late = worker.seen != self.updates or self.closing is not None
        if late and self._scheme.late != "reuse":
            return (record(Gradient, (*sent, now, DROPPED)),)
        self.handed.append(sent)
        done = self._served(now, self.machine.aggregate)
        if late:
            return ()
        self._timely += 1
        if self._timely < self._scheme.wait_for:
            return ()
        return self._close(worker, now, done)

    def _close(self, worker: Worker, now: Time, done: Time) -> Iterable[Gradient]:
        """The *worker* has sent the last gradient that the update waits for; it is *done* then."""
        self.closing, self.handed = self.handed, []
        self.closer = Hold(now, now, worker.number)
        self._timely = 0
        done = self._served(done, self.machine.update)
        if done == now:
            return self._write(worker, now)
        worker.doing = "writes"
        heappush(self._queue, (done, 0, worker.number))
        return ()

    def _write(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        """The server is done with the update that *worker* has closed; what is written by that."""
        worker.doing = "waits"
        self.updates = update = self.updates + 1
        written = now, update
        gradients = [record(Gradient, sent + written) for sent in self.closing or ()]
        if self._scheme.late == "cancel":
            gradients.extend(self._interrupted(now))
        return gradients

    def _interrupted(self, now: Time) -> Iterator[Gradient]:
        """The gradients that nobody waits for any more; their workers wait for the update."""
        stopped = [worker for worker in self.workers if worker.doing == "computes"]
        for worker in stopped:
            worker.start, worker.end = min(worker.start, now), min(worker.end, now)
            yield record(Gradient, (*worker.send(now), now, INTERRUPTED))
            self._finish(worker)
        numbers = {worker.number for worker in stopped}
        self._waiting.extend(numbers)
        self._queue[:] = [turn for turn in self._queue if turn[2] not in numbers]
        heapify(self._queue)

    def _go_on_together(self, now: Time) -> None:
        """Give the new parameters to all who wait for them."""
        closed, _, by = self.closer
        waiting, self._waiting = sorted(self._waiting), []
        for number in waiting:
            worker = self.workers[number - 1]
            since = worker.asked
            hold = record(Hold, (since, closed, by)) if since < closed else None
            self._release(worker, now, hold)
