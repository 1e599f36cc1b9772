"""Every gradient is an update of its own: asynchronous and stale-synchronous runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import Gradient, Hold, Machine, Time, Worker
from ddcalc.schedule.scheme import Scheme


class Each(Engine):
    """A worker goes on when its gradient is written, and none is too far behind it."""

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        super().__init__(scheme, machine, times)
        self._held: list[Worker] = []
        self._moved = False  # whether the slowest worker's last gradient let others go on

    def _arrive(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        worker.send(now)
        machine = self.machine
        done = self._worked_in(now, machine.aggregate)
        if machine.update:
            done = self._worked_in(done, machine.update)
        if done == now:
            return self._write(worker, now)
        worker.doing = "writes"
        heappush(self._queue, (done, 0, worker.number, worker.ticket))
        return ()

    def _write(self, worker: Worker, now: Time) -> Iterable[Gradient]:
        worker.doing, worker.written = "waits", now
        self.updates += 1
        self._moved = self._finish(worker)
        return (Gradient._make((*worker.sent, now, self.updates)),)

    def _go_on(self, worker: Worker, now: Time) -> None:
        if worker.doing == "writes":
            return
        bound = self._scheme.bound
        if bound is None:
            self._release(worker, now, None)
        elif not self._moved and worker.clock - self._slowest > bound:
            self._held.append(worker)
        elif not self._moved:
            self._release(worker, now, None)
        else:
            self._go_on_together(worker, bound, now)

    def _go_on_together(self, worker: Worker, bound: int, now: Time) -> None:
        """Release those who have waited for *worker* and may go on, and itself if it may."""
        asking = sorted([*self._held, worker], key=lambda each: each.number)
        self._held = [each for each in asking if each.clock - self._slowest > bound]
        for each in asking:
            if each.clock - self._slowest <= bound:
                waited = each.written < now
                hold = Hold(each.written, now, worker.number) if waited else None
                self._release(each, now, hold)
