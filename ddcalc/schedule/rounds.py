"""An update is made of several gradients: synchronous runs, local steps, and k of n."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush

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
)
from ddcalc.schedule.scheme import Scheme


class Rounds(Engine):
    """The server waits for enough gradients taken at its parameters, and their workers for it."""

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        super().__init__(scheme, machine, times)
        self._timely = 0  # gradients of the open round
        self._done: Time | None = None  # when the last of the gradients handed in is worked in
        self.closing: list[Sent] | None = None  # what the update under way is made of
        self.closer: Hold | None = None  # who closed the round, and when
        self._updated = False

    def _arrive(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        sent = worker.send(now)
        self._finish(worker)
        self._updated = False
        late = self.closing is not None or worker.seen != self.updates
        if late and self._scheme.late != "reuse":
            return (Gradient._make((*sent, now, DROPPED)),)
        self.handed.append(sent)
        done = self._worked_in(now, self.machine.aggregate)
        self._done = done if self._done is None else max(self._done, done)
        if late:
            return ()
        self._timely += 1
        if self._timely < self._scheme.wait_for:
            return ()
        return self._close(worker, now, self._done)

    def _close(self, worker: Worker, now: Time, done: Time) -> Iterable[Gradient]:
        """The *worker* has sent the last gradient that the update waits for."""
        self.closing, self.handed = self.handed, []
        self.closer = Hold(now, now, worker.number)
        self._timely, self._done = 0, None
        if self.machine.update:
            done = self._worked_in(done, self.machine.update)
        if done == now:
            return self._write(worker, now)
        worker.doing = "writes"
        heappush(self._queue, (done, 0, worker.number, worker.ticket))
        return ()

    def _write(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        self.updates += 1
        self._updated = True
        written = [Gradient._make((*sent, now, self.updates)) for sent in self.closing or ()]
        worker.doing = "waits"
        if self._scheme.late == "cancel":
            written.extend(self._interrupted(now))
        return written

    def _interrupted(self, now: Time) -> Iterator[Gradient]:
        """The gradients that nobody waits for any more; their workers wait for the update."""
        for worker in self.workers:
            if worker.doing == "computes":
                worker.ticket += 1
                worker.start, worker.end = min(worker.start, now), min(worker.end, now)
                yield Gradient._make((*worker.send(now), now, INTERRUPTED))
                self._finish(worker)

    def _go_on(self, worker: Worker, now: Time) -> None:
        if self._updated:
            self._updated, self.closing = False, None
            for each in self.workers:
                if each.doing == "waits":
                    self._release(each, now, self._waited(each, now))
        elif self.closing is None and worker.sent[-2] != self.updates:
            self._release(worker, now, None)

    def _waited(self, worker: Worker, now: Time) -> Hold | None:
        """How long *worker* has waited for the one that closed the round."""
        closer = self.closer
        if closer is None or not worker.asked < closer.start:
            return None
        return Hold(worker.asked, closer.start, closer.by)
