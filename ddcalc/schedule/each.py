"""Every gradient is an update of its own: asynchronous and stale-synchronous runs."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import Gradient, Hold, Time, Worker, record


class Each(Engine):
    """A worker goes on when its gradient is written, and none is too far behind it."""

    def gradients(self) -> Iterator[Gradient]:
        queue, workers, bound = self._queue, self.workers, self._scheme.bound
        at_once = not (self.machine.aggregate or self.machine.update)
        self._assemble()
        while queue:
            now, _, number = heappop(queue)
            worker = workers[number - 1]
            if worker.doing == "gets":
                self._begin(worker, now)
                continue
            if worker.doing == "computes":
                worker.send(now)
                if not at_once:
                    self._serve(worker, now)
                    continue
            worker.doing, worker.written = "waits", now
            self.updates = update = self.updates + 1
            moved = self._finish(worker)
            written = now, update
            yield record(Gradient, worker.sent + written)
            if bound is None:
                self._go_on(worker, now)
            elif moved:
                self._go_on_together(worker, bound, now)
            elif worker.clock - self._slowest <= bound:
                self._go_on(worker, now)

    def _serve(self, worker: Worker, now: Time) -> None:
        """The server works in what *worker* has sent, when it comes to that."""
        worker.doing = "writes"
        done = self._served(self._served(now, self.machine.aggregate), self.machine.update)
        heappush(self._queue, (done, 0, worker.number))

    def _go_on_together(self, last: Worker, bound: int, now: Time) -> None:
        """Release all who may go on now that the *last* one has finished its clock."""
        for worker in self.workers:
            if worker.doing == "waits" and worker.clock - self._slowest <= bound:
                since = worker.written
                hold = record(Hold, (since, now, last.number)) if since < now else None
                self._release(worker, now, hold)
