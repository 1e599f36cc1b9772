"""Workers and a parameter server, played event by event; what they wait for, a scheme says.

A worker gets the parameters (*down*), computes a gradient, and sends it (*up*); the server works
it in (*aggregate*, then *update* once for every update) and the worker gets the parameters again.
One worker from time 0 on, without transfers, is sequential SGD.

All times are whole numbers of one part of a second, so a turn is one number, too: its time, then
whether all that is written then comes before it, then the number of the worker. The turns to come
are one heap of such numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush
from math import inf

from ddcalc.errors import OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.schedule import gradient
from ddcalc.schedule.gradient import PENDING, Computed, Gradient, Hold, Machine, Time, Worker
from ddcalc.schedule.scheme import Scheme

EXPLAINED = 100_000  # updates of a run that is kept whole
PLAYED = 5_000_000  # computations of a run that is only counted, in some ten seconds


def check_length(count: int, parameter: str, most: int = EXPLAINED, what: str = "updates") -> None:
    """Refuse, with OverLimit, to play more than *most*; *parameter* asks for *count*."""
    if count > most:
        wanted, limit = count_text(count), count_text(most)
        reason = f"{wanted} {what} are too many; at most {limit} are played"
        raise OverLimit(reason).about(parameter)


def engine(scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> Engine:
    """A run of *scheme* on *machine*, whose worker i computes for the i-th endless *times*.

    >>> from itertools import islice, repeat
    >>> from ddcalc.schedule.scheme import asynchronous
    >>> run = engine(asynchronous(), Machine([0, 1]), [repeat(2), repeat(2)])
    >>> [(g.worker, g.data, g.end, g.seen) for g in islice(run.gradients(), 4)]
    [(1, 1, 2, 0), (2, 2, 3, 0), (1, 3, 4, 1), (2, 4, 5, 2)]
    """
    return (Rounds if scheme.rounds else GradientByGradient)(scheme, machine, times)


class Engine(ABC):
    """One run of *scheme* on a *machine* whose worker i computes for the *times* of its number.

    *times* must not end. :meth:`play` plays; in the meantime *updates* and *workers* say how far
    the run is.
    """

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        self.scheme, self.machine, self.updates = scheme, machine, 0
        self._up, self._steps = machine.up, scheme.local_steps
        together = [zip(*[x] * self._steps, strict=True) if self._steps > 1 else x for x in times]
        self.workers = [
            Worker(number, start, row)
            for number, (start, row) in enumerate(zip(machine.starts, together, strict=True), 1)
        ]
        count = len(self.workers)
        self._span = 2 * count  # between the turns of one instant and those of the next
        self._phase = 0 if machine.order == "in_turn" else count
        self._before_read = machine.down if machine.read == "start" else 0
        self._after_read = machine.down - self._before_read
        self._at_once = machine.order == "in_turn" and not self._before_read
        self._queue = [self._reading(worker) for worker in self.workers]
        heapify(self._queue)
        self._limit: float = inf  # turns before it are taken
        self._begun = 0  # how many gradients have been
        self.ahead = 0  # the largest lead
        self._finished = [0] * count  # clocks
        self._slowest, self._last = 0, count  # the fewest, and how many have no more
        self._free: Time = 0  # when the serial server is
        self.handed: list[Computed] = []  # whose gradients wait for an update
        self.closing: list[Computed] = []  # whose gradients the update under way is made of

    @abstractmethod
    def play(self) -> Iterator[Sequence[Computed]]:
        """Those whose gradients are written together, or dropped, or interrupted, in this order, as
        they are before they go on; without end, or until :meth:`stop`."""

    @abstractmethod
    def hold(self, worker: Worker, now: Time) -> Hold | None:
        """How long *worker*, which waits *now*, has waited for others."""

    def gradients(self) -> Iterator[Gradient]:
        """The gradients in the same order."""
        return (worker.gradient for workers in self.play() for worker in workers)

    def stop(self, horizon: Time) -> None:
        """Play no turn after the *horizon*."""
        self._limit = (horizon + 1) * self._span

    def _reading(self, worker: Worker) -> int:
        """The turn at which *worker*, which is released, reads the parameters."""
        return (worker.released + self._before_read) * self._span + self._phase + worker.place

    def _release(self, released: Sequence[Worker], now: Time) -> None:
        """Give the parameters to those *released*, who read them when their turns come."""
        queue = self._queue
        if self._at_once and (not queue or queue[0] >= (now + 1) * self._span):
            self._read(released, now)
            return
        for worker in released:
            worker.doing, worker.released = "gets", now
            heappush(queue, self._reading(worker))

    def _read(self, readers: Iterable[Worker], now: Time) -> None:
        """The *readers* read the parameters, one after the other, and compute on them."""
        queue, span, up, steps = self._queue, self._span, self._up, self._steps
        updates, slowest, begun, ahead = self.updates, self._slowest, self._begun, self.ahead
        released, start = now - self._before_read, now + self._after_read
        for worker in readers:
            begun += 1
            clock = worker.clock
            lead = clock - slowest
            if lead > ahead:
                ahead = lead
            worker.requested, worker.released = worker.arrived, released
            worker.data, worker.seen, worker.ahead = begun, updates, lead
            worker.doing, worker.update, worker.start = "computes", PENDING, start
            worker.clock = clock + steps
            length = next(worker.times)
            if steps > 1:
                worker.steps, length = length, sum(length)
            worker.computes += length
            worker.end = end = start + length
            heappush(queue, (end + up) * span + worker.place)
        self._begun, self.ahead = begun, ahead

    def _served(self, now: Time, length: Time) -> Time:
        """When the server is done with something that takes *length* and comes *now*."""
        if not length:
            return now
        if self.machine.serial:
            now = max(now, self._free)
            self._free = now + length
        return now + length

    def _pass(self) -> bool:
        """One of the slowest workers has finished a clock more; whether it was the last of them."""
        self._last -= 1
        if self._last:
            return False
        self._slowest += self._steps
        self._last = self._finished.count(self._slowest)
        return True


class GradientByGradient(Engine):
    """Every gradient is an update of its own: asynchronous and stale-synchronous runs.

    A worker goes on when its gradient is written, and none is too far behind it.
    """

    def play(self) -> Iterator[Sequence[Computed]]:
        queue, workers, span, bound = self._queue, self.workers * 2, self._span, self.scheme.bound
        finished, serving = self._finished, self.machine.aggregate + self.machine.update
        go_on = self._read if self._at_once else self._release
        while queue[0] < self._limit:
            now, place = divmod(heappop(queue), span)
            worker = workers[place]
            if worker.doing == "computes":
                worker.arrived = now
                if serving:
                    worker.doing = "writes"
                    heappush(queue, self._served(now, serving) * span + place)
                    continue
            elif worker.doing == "gets":
                self._read((worker,), now)
                continue
            worker.doing, worker.written = "waits", now
            self.updates = worker.update = self.updates + 1
            finished[place] = clock = worker.clock
            moved = clock - 1 == self._slowest and self._pass()
            done = (worker,)
            yield done
            if moved and bound is not None:
                self._release_all(worker.number, bound, now)
            elif bound is None or clock - self._slowest <= bound:
                worker.held = None
                if serving:
                    worker.served += now - worker.arrived
                go_on(done, now)

    def _release_all(self, last: int, bound: int, now: Time) -> None:
        """Release all who may go on now that the *last* one has finished its clock."""
        most = self._slowest + bound
        released = [w for w in self.workers if w.doing == "waits" and w.clock <= most]
        for worker in released:
            since = worker.written
            worker.served += since - worker.arrived
            worker.held = None
            if since < now:
                worker.held = since, now, last
                worker.waits[last] = worker.waits.get(last, 0) + now - since
        self._release(released, now)

    def hold(self, worker: Worker, now: Time) -> Hold | None:
        return None if worker.doing == "writes" else Hold(worker.written, now, 0)


class Rounds(Engine):
    """An update is made of several gradients: synchronous runs, local steps, and k of n.

    The server waits for enough gradients taken at its parameters, and their workers for it.
    """

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        super().__init__(scheme, machine, times)
        self._waiting: list[int] = []  # the places of those who wait for an update
        self._closed, self._closer = 0, 0  # when the last round was closed, and by whom

    def play(self) -> Iterator[Sequence[Computed]]:
        queue, workers, span = self._queue, self.workers * 2, self._span
        finished, steps, reuses = self._finished, self._steps, self.scheme.late == "reuse"
        handed, waiting, timely = self.handed, self._waiting, 0
        wait_for, aggregate = self.scheme.wait_for, self.machine.aggregate
        go_on = self._read if self._at_once else self._release
        while queue[0] < self._limit:
            now, place = divmod(heappop(queue), span)
            worker = workers[place]
            if worker.doing == "computes":
                worker.doing, worker.arrived = "waits", now
                finished[place] = clock = worker.clock
                if clock - steps == self._slowest:
                    self._pass()
                if worker.seen == self.updates and not self.closing:
                    handed.append(worker)
                    waiting.append(place)
                    done = self._served(now, aggregate) if aggregate else now
                    timely += 1
                    if timely == wait_for:
                        timely = 0
                        if self._close(worker, now, done):
                            yield from self._write(worker, now)
                    continue
                late = (worker,)
                if reuses:
                    handed.append(worker.kept())
                    self._served(now, aggregate)
                else:
                    worker.update, worker.written = gradient.DROPPED, now
                    yield late
                if self.closing:
                    waiting.append(place)
                else:
                    worker.held = None
                    go_on(late, now)
            elif worker.doing == "gets":
                self._read((worker,), now)
            else:
                yield from self._write(worker, now)

    def _write(self, worker: Worker, now: Time) -> Iterator[Sequence[Computed]]:
        """Make the update that *worker* has closed; all who wait for it go on."""
        worker.doing = "waits"
        self.updates = update = self.updates + 1
        stopped = self._interrupt(now) if self.scheme.late == "cancel" else ()
        for writer in self.closing:
            writer.update, writer.written = update, now
        yield self.closing
        if stopped:
            yield stopped
        self.closing = []
        self._release_all(now)

    def _close(self, worker: Worker, now: Time, done: Time) -> bool:
        """The *worker* has sent the last gradient that the update waits for, which the server has
        *done* then; whether that makes the update at once."""
        self.closing, self._closed, self._closer = self.handed.copy(), now, worker.number
        self.handed.clear()
        done = self._served(done, self.machine.update)
        if done == now:
            return True
        worker.doing = "writes"
        heappush(self._queue, done * self._span + worker.place)
        return False

    def _interrupt(self, now: Time) -> list[Worker]:
        """Stop those who compute what nobody waits for any more; they wait for the update."""
        stopped = [worker for worker in self.workers if worker.doing == "computes"]
        for worker in stopped:
            worker.computes -= worker.end - worker.start
            worker.start, worker.end = min(worker.start, now), min(worker.end, now)
            worker.computes += worker.end - worker.start
            worker.stopped += 1
            worker.cut += worker.end == now
            worker.doing, worker.update = "waits", gradient.INTERRUPTED
            worker.arrived = worker.written = now
            self._finished[worker.place] = worker.clock
            if worker.clock - self._steps == self._slowest:
                self._pass()
        places = {worker.place for worker in stopped}
        self._waiting.extend(places)
        self._queue[:] = [turn for turn in self._queue if turn % self._span not in places]
        heapify(self._queue)
        return stopped

    def _release_all(self, now: Time) -> None:
        """Give the new parameters to all who wait for them."""
        closed, by, workers = self._closed, self._closer, self.workers
        released = [workers[place] for place in sorted(self._waiting)]
        self._waiting.clear()
        for worker in released:
            since = worker.arrived
            if since < closed:
                worker.held, waits = (since, closed, by), worker.waits
                waits[by] = waits.get(by, 0) + closed - since
                since = closed
            else:
                worker.held = None
            if since < now:
                worker.served += now - since
        self._release(released, now)

    def hold(self, worker: Worker, now: Time) -> Hold | None:
        closed, by = (self._closed, self._closer) if self.closing else (now, 0)
        return Hold(worker.arrived, closed, by) if worker.arrived < closed else None
