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
from heapq import heapify, heappop, heappush
from itertools import accumulate, islice

from ddcalc.errors import OverLimit
from ddcalc.numbers.amounts import count_text
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

Turn = tuple[Time, int, int]
"""When a worker's turn comes, in which phase of that instant, and the number of the worker."""

EXPLAINED = 100_000  # updates of a run that is kept whole
PLAYED = 200_000_000  # computations of a run that is only counted
EVENTS = 10_000_000  # computations of one that only the engine can count


def check_length(count: int, parameter: str, most: int = EXPLAINED, what: str = "updates") -> None:
    """Refuse, with OverLimit, to play more than *most*; *parameter* asks for *count*."""
    if count > most:
        wanted, limit = count_text(count), count_text(most)
        reason = f"{wanted} {what} are too many; at most {limit} are played"
        raise OverLimit(reason).about(parameter)


def engine(scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> Engine:
    """A run of *scheme* on *machine*, whose worker i computes for the i-th endless *times*.

    >>> from itertools import repeat
    >>> from ddcalc.schedule.scheme import asynchronous
    >>> run = engine(asynchronous(), Machine([0, 1]), [repeat(2), repeat(2)])
    >>> [(g.worker, g.data, g.end, g.seen) for g in islice(run.gradients(), 4)]
    [(1, 1, 2, 0), (2, 2, 3, 0), (1, 3, 4, 1), (2, 4, 5, 2)]
    """
    return (Rounds if scheme.rounds else GradientByGradient)(scheme, machine, times)


class Engine(ABC):
    """One run of *scheme* on a *machine* whose worker i computes for the *times* of its number.

    *times* must not end. :meth:`gradients` plays; in the meantime *updates* and *workers* say
    how far the run is, *handed* which gradients wait for an update, and *closing* what the update
    under way is made of.
    """

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        self.updates = 0
        self.handed: list[Sent] = []
        self.closing: list[Sent] | None = None
        self.workers = [
            Worker(number, start, computing)
            for number, (start, computing) in enumerate(zip(machine.starts, times, strict=True), 1)
        ]
        self.machine = machine
        self._scheme = scheme
        self._before_read = machine.down if machine.read == "start" else 0
        self._after_read = machine.down - self._before_read
        self._up = machine.up
        self._phase = 0 if machine.order == "in_turn" else 1
        self._at_once = self._phase == 0 and not self._before_read
        self._steps = scheme.local_steps
        self._queue: list[Turn] = []
        self._begun = 0  # how many gradients have been
        self._finished = [0] * len(self.workers)  # clocks
        self._slowest, self._last = 0, len(self.workers)  # the fewest, and how many have no more
        self._free: Time = 0  # when the serial server is

    @abstractmethod
    def gradients(self) -> Iterator[Gradient]:
        """The gradients in the order in which they are written or dropped, without end."""

    def _assemble(self) -> None:
        """Send the workers for their first parameters, if the run begins now."""
        if not self._queue:
            self._queue += [turn for worker in self.workers if (turn := self.turn(worker))]
            heapify(self._queue)

    def turn(self, worker: Worker) -> Turn | None:
        """When the turn of *worker* comes next; None where it waits for another one."""
        match worker.doing:
            case "gets":
                return worker.released + self._before_read, self._phase, worker.number
            case "computes":
                return worker.end + self._up, 0, worker.number
            case "writes":
                return worker.written, 0, worker.number
        return None

    def resume(self, updates: int, finished: list[int], turns: list[Turn], free: Time) -> None:
        """Go on, from the workers as they stand, in the middle of a run that has made *updates*.

        They have *finished* so many clocks, and their next *turns* are known; the serial server is
        *free* from such a time on.
        """
        self.updates, self._finished, self._free = updates, finished, free
        self._slowest = min(finished)
        self._last = finished.count(self._slowest)
        self._begun = max(worker.data for worker in self.workers)
        self._queue = turns
        heapify(turns)

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
        """Compute several times in a row; the time at which that is over."""
        steps = islice(worker.times, self._steps)
        _, *ends = accumulate(steps, initial=worker.start)
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


class GradientByGradient(Engine):
    """Every gradient is an update of its own: asynchronous and stale-synchronous runs.

    A worker goes on when its gradient is written, and none is too far behind it.
    """

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


class Rounds(Engine):
    """An update is made of several gradients: synchronous runs, local steps, and k of n.

    The server waits for enough gradients taken at its parameters, and their workers for it.
    """

    def __init__(self, scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> None:
        super().__init__(scheme, machine, times)
        self._timely = 0  # gradients of the open round
        self._waiting: list[int] = []  # the numbers of those who wait for an update
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

    def resume_round(self, handed: list[Sent], timely: int, waiting: list[int]) -> None:
        """Go on in the middle of a round, for which gradients were *handed* in, some of them
        *timely*; these workers are *waiting*."""
        self.handed, self._timely, self._waiting = handed, timely, waiting

    def go_on_after(self, closer: Hold, now: Time) -> None:
        """Go on with an update that is made *now* and was closed by *closer*, for whom all wait."""
        self.closer = closer
        self._waiting = [worker.number for worker in self.workers]
        self._go_on_together(now)

    def _go_on_together(self, now: Time) -> None:
        """Give the new parameters to all who wait for them."""
        closed, _, by = self.closer
        waiting, self._waiting = sorted(self._waiting), []
        for number in waiting:
            worker = self.workers[number - 1]
            since = worker.requested
            hold = record(Hold, (since, closed, by)) if since < closed else None
            self._release(worker, now, hold)
