"""Long runs in rounds, counted on arrays: synchronous ones, local steps, and k of n."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain
from typing import NamedTuple

import numpy as np

from ddcalc.schedule.engine import Rounds
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Hold, Machine, Sent, Worker
from ddcalc.schedule.leap import BLOCK, FAR, Leap, Mask, add_counts, sums
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.streams import Stream, Whole
from ddcalc.schedule.tally import BARS, Tally


class Played(NamedTuple):
    """Rounds as rows of the workers, times from the beginning of each round; *close* and *end* are
    columns of one time each.

    Gradients *arrive* or are interrupted; the last one that the update waits for, by its worker's
    place (*closer*), arrives at *close*, and the update is made at the *end*.
    """

    time: Whole
    arrived: Whole
    close: Whole
    closer: Whole
    end: Whole
    dropped: Mask
    interrupted: Mask

    def until(self, rounds: int) -> Played:
        """The first *rounds*."""
        return Played._make(column[:rounds] for column in self)

    def of(self, place: int) -> Played:
        """The round at this *place*."""
        return Played._make(column[place : place + 1] for column in self)

    @property
    def requested(self) -> Whole:
        """When each worker begins to wait."""
        return np.where(self.interrupted, self.end, self.arrived)


class Lockstep(Leap):
    """Every worker begins anew with every update: synchronous runs, local steps, and k of n whose
    late computations are interrupted. Nothing that happens in a round depends on earlier ones."""

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        self.now = int(self.starts.min())  # when the last update was made
        self.last: Played | None = None  # the round before it
        self.unused = [np.empty(0, np.int64) for _ in streams]  # times of later rounds
        self.period = max(stream.mean for stream in streams) * scheme.local_steps

    def play(self, horizon: int | None, nth: int | None) -> Iterator[int]:
        end = FAR if horizon is None else self.fitting(horizon)
        steps = self.scheme.local_steps
        while True:
            left = max(BLOCK // (self.workers * steps), 1)
            if horizon is None:
                left = min(left, (nth or 0) - 1 - self.updates)
            else:
                left = min(left, int((end - self.now) / self.period * 1.05) + 2)
            if left <= 0:
                return
            rounds = self._rounds(left)
            ends = self.now + np.cumsum(rounds.end[:, 0])
            self.fitting(int(ends[-1]))
            many = int(np.searchsorted(ends, end))
            if many:
                self._count(rounds.until(many), ends[:many], nth)
                yield self.counted.played
            if many < left:
                return

    def _rounds(self, many: int) -> Played:
        """The next rounds."""
        steps, n, k = self.scheme.local_steps, self.workers, self.scheme.wait_for
        taken = [stream.take(many * steps) for stream in self.streams]
        self.unused = taken
        time = np.stack(taken, axis=1).reshape(many, steps, n).sum(axis=1)
        arrived = time + (self.down + self.up)
        if not self.updates:
            arrived[0] += self.starts - self.now
        keys = arrived * n + np.arange(n)
        queue = self.machine.serial and self.aggregate
        if queue or k < n:
            keys.sort(axis=1)
        close = keys[:, k - 1 : k] if queue or k < n else keys.max(axis=1, keepdims=True)
        closed, closer = close // n, close % n
        end = closed + self.aggregate
        if queue:
            behind = np.arange(k, 0, -1) * self.aggregate
            end = (keys[:, :k] // n + behind).max(axis=1, keepdims=True)
        end = end + self.update
        made = np.where(end > closed, end * n + closer, close)
        keys = arrived * n + np.arange(n)
        late = keys > close
        return Played(
            time, arrived, closed, closer, end, late & (keys < made), late & (keys > made)
        )

    def _count(self, rounds: Played, ends: Whole, nth: int | None) -> None:
        """Count *rounds*, whose updates are made at the *ends*."""
        counted, steps, k = self.counted, self.scheme.local_steps, self.scheme.wait_for
        many = len(ends)
        self.note(ends, k * steps, nth)
        stopped = np.minimum(rounds.arrived - self.up, rounds.end)  # where computing ends
        cut = np.where(rounds.interrupted, rounds.arrived - self.up - stopped, 0)
        computes = rounds.time - cut
        wasted = np.where(rounds.dropped | rounds.interrupted, computes, 0)
        moves = np.where(rounds.interrupted, rounds.end - stopped, self.up) + self.down
        clocks = ~rounds.interrupted | (stopped < rounds.end)
        columns = (clocks, computes, wasted, moves, ~rounds.interrupted)
        totals = (column.sum(axis=0).tolist() for column in columns)
        for day, clock, computing, waste, moving, upload in zip(counted.days, *totals, strict=True):
            day.clocks += clock * steps
            day.computes += computing
            day.wasted += waste
            day.moves += moving
            day.downloads += many
            day.uploads += upload
        self._draw(rounds, ends)
        self._wait(rounds)
        counted.used += many * k * steps
        counted.dropped += int(rounds.dropped.sum())
        counted.interrupted += int(rounds.interrupted.sum())
        counted.staleness[0] += many * k * steps
        self.updates = counted.updates = self.updates + many
        self.now, self.last = int(ends[-1]), rounds.of(many - 1)
        self.unused = [taken[many * steps :] for taken in self.unused]

    def _draw(self, rounds: Played, ends: Whole) -> None:
        """Keep what may be drawn of *rounds*, whose updates are made at the *ends*."""
        drawn = self.counted.drawn
        missing = min(BARS + 1 - len(drawn[0]), len(ends)) if drawn else 0
        last, now = self.last, self.now
        for place in range(missing):
            played, update = rounds.of(place), self.updates + place + 1
            for worker in range(min(self.workers, len(drawn))):
                self.counted.draw(self._gradient(worker, played, last, now, update))
            last, now = played, int(ends[place])

    def _gradient(
        self, worker: int, played: Played, last: Played | None, now: int, update: int
    ) -> Gradient:
        """That of one *worker* in a round, which is *played* from *now* on after the *last* one."""
        requested = released = int(self.starts[worker])
        hold = None
        if last is not None:
            begun, released = now - int(last.end[0, 0]), now
            requested = begun + int(last.requested[0, worker])
            closed = begun + int(last.close[0, 0])
            if requested < closed:
                hold = Hold(requested, closed, int(last.closer[0, 0]) + 1)
        steps = self.scheme.local_steps
        arrived, start, made = now + int(played.arrived[0, worker]), released + self.down, update
        end, written = arrived - self.up, now + int(played.end[0, 0])
        ends: tuple[int, ...] = ()
        if steps > 1:
            first = (update - 1 - self.updates) * steps
            ends = tuple((start + np.cumsum(self.unused[worker][first : first + steps])).tolist())
        if played.dropped[0, worker]:
            made, written = DROPPED, arrived
        elif played.interrupted[0, worker]:
            made, arrived, end = INTERRUPTED, written, min(end, written)
        return Gradient(
            worker + 1, update * steps, update * self.workers, requested, released, hold, start,
            ends, end, arrived, update - 1, 0, written, made,
        )  # fmt: skip

    def _wait(self, rounds: Played) -> None:
        """Count the waits before each of the *rounds*, which are those after the one before."""
        before = rounds.until(len(rounds.end) - 1)
        if self.last is not None:
            pairs = zip(self.last, before, strict=True)
            before = Played._make(np.concatenate(columns) for columns in pairs)
        requested = before.requested
        held = np.maximum(before.close - requested, 0)
        served = (before.end - requested - held).sum(axis=0)
        for day, time in zip(self.counted.days, served.tolist(), strict=True):
            day.served += time
        shape = held.T.shape
        worker = np.broadcast_to(np.arange(self.workers)[:, None], shape).ravel()
        by = np.broadcast_to(before.closer.T + 1, shape).ravel()
        self.waits(worker, by, held.T.ravel())

    def engine(self) -> Rounds:
        """The engine with everybody waiting for the last update, which is made."""
        times = [
            chain(unused.tolist(), stream)
            for unused, stream in zip(self.unused, self.streams, strict=True)
        ]
        run = Rounds(self.scheme, self.machine, times)
        if self.last is None:
            return run
        begun = self.now - int(self.last.end[0, 0])
        requested = (begun + self.last.requested[0]).tolist()
        for worker, since in zip(run.workers, requested, strict=True):
            worker.doing, worker.requested = "waits", since
            worker.clock = self.updates * self.scheme.local_steps
        closed = begun + int(self.last.close[0, 0])
        clocks = [worker.clock for worker in run.workers]
        run.resume(self.updates, clocks, [], self.now)
        run.go_on_after(Hold(closed, closed, int(self.last.closer[0, 0]) + 1), self.now)
        return run


class Begun(NamedTuple):
    """How computations begin, as columns: parameters are *requested* and, after a wait for the
    worker of number *by* until *closed*, *released*; by then one is so far *ahead*. The last event
    before they are read is *read*; far away where it is not known.
    """

    requested: Whole
    closed: Whole
    by: Whole
    released: Whole
    read: Whole
    ahead: Whole

    def of(self, rows: Mask | Whole) -> Begun:
        """Some of the *rows*."""
        return Begun(*(column[rows] for column in self))

    def beside(self, other: Begun) -> Begun:
        """These rows, and those of the *other*."""
        return Begun(*map(np.concatenate, zip(self, other, strict=True)))


class Arrived(NamedTuple):
    """Gradients that have arrived, as columns: how they were *begun*, after which update (*seen*),
    and the *update* that they become part of (0: they are dropped)."""

    worker: Whole
    clock: Whole
    time: Whole
    key: Whole
    seen: Whole
    update: Whole
    begun: Begun

    def of(self, rows: Mask | Whole) -> Arrived:
        """Some of the *rows*."""
        *columns, begun = self
        return Arrived._make([*(column[rows] for column in columns), begun.of(rows)])

    def beside(self, other: Arrived) -> Arrived:
        """These rows, and those of the *other*."""
        *mine, begun = self
        *theirs, begun_too = other
        columns = map(np.concatenate, zip(mine, theirs, strict=True))
        return Arrived._make([*columns, begun.beside(begun_too)])


class Overlapping(Leap):
    """k of n whose late gradients are dropped, or used in the next update: who is late computes on
    while updates are made. One turn of a heap for each gradient; the rest on arrays.
    """

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        n = self.workers
        self.computing = [iter(stream) for stream in streams]
        self.spent = [0] * n  # for what is under way
        self.seen = [-1] * n  # the update that it is taken at; -1 before a worker starts
        self.heap = [start * n + worker for worker, start in enumerate(self.starts.tolist())]
        heapify(self.heap)
        self.waiting: list[int] = []
        self.timely = self.free = self.made = 0
        self.closing = -1  # who has closed the update that is being made
        self.closes: list[int] = []  # events that close an update which was not made before
        self.finished = np.zeros(n, np.int64)
        none = np.zeros(n, np.int64)
        starts = self.starts
        self.begun = Begun(starts, starts, none, starts, starts * n, none)
        self.rows = Arrived._make([*[none[:0]] * 6, self.begun.of(none[:0])])

    def play(self, horizon: int | None, nth: int | None) -> Iterator[int]:
        end = FAR // self.workers if horizon is None else self.fitting(horizon)
        last = FAR if horizon is not None else (nth or 0) - 1
        while self.made < last and self.heap[0] < end * self.workers:
            columns = self._arrivals(end, last)
            self.fitting(max(self.heap) // self.workers)
            key, time, seen, mades = (np.array(column, np.int64) for column in columns)
            self._count(key, time, seen, mades, nth)
            yield self.counted.played

    def _arrivals(self, end: int, last: int) -> tuple[list[int], list[int], list[int], list[int]]:
        """The next gradients that arrive: the events, their times, and the updates that they are
        taken at; and the events by which updates are made, up to the *last* one."""
        heap, n, seen, waiting = self.heap, self.workers, self.seen, self.waiting
        keys: list[int] = []
        times: list[int] = []
        taken: list[int] = []
        mades: list[int] = []
        stop, full = end * n, False
        while (key := heap[0]) < stop:
            worker = key % n
            if worker == self.closing:
                heappop(heap)
                self._make(key, mades)
            elif seen[worker] < 0:
                self._begin_at(key)
            else:
                keys.append(key)
                times.append(self.spent[worker])
                taken.append(seen[worker])
                if seen[worker] == self.made and self.closing < 0:
                    heappop(heap)
                    waiting.append(worker)
                    self._hand_in(key, mades)
                else:
                    self._come_late(key)
            if not full and (len(keys) >= BLOCK or self.made >= last):
                full, stop = True, min(stop, (key // n + 1) * n)  # to the end of this instant
        return keys, times, taken, mades

    def _begin_at(self, key: int) -> None:
        """Let a worker begin, or begin again, by its event *key*."""
        worker, now = key % self.workers, key // self.workers
        self.seen[worker] = self.made
        self.spent[worker] = time = next(self.computing[worker])
        arrival = now + self.down + self.up + time
        heapreplace(self.heap, arrival * self.workers + worker)

    def _hand_in(self, key: int, mades: list[int]) -> None:
        """Add a gradient to the open round, which it may close."""
        self.timely += 1
        done = self._served(key // self.workers, self.aggregate)
        if self.timely == self.scheme.wait_for:
            self._close(key, done, mades)

    def _come_late(self, key: int) -> None:
        """Drop a gradient, or keep it for a later update; its worker goes on if none is under
        way."""
        if self.scheme.late == "reuse":
            self._served(key // self.workers, self.aggregate)
        if self.closing < 0:
            self._begin_at(key)
        else:
            heappop(self.heap)
            self.waiting.append(key % self.workers)

    def _served(self, now: int, length: int) -> int:
        """When the server is done with something that takes *length* and comes *now*."""
        if not length or not self.machine.serial:
            return now + length
        self.free = max(now, self.free) + length
        return self.free

    def _close(self, key: int, done: int, mades: list[int]) -> None:
        """Begin the update for which all gradients have arrived, by event *key*."""
        self.timely = 0
        self.closes.append(key)
        done = self._served(done, self.update)
        if done == key // self.workers:
            self._make(key, mades)
        else:
            self.closing = key % self.workers
            heappush(self.heap, done * self.workers + self.closing)

    def _make(self, key: int, mades: list[int]) -> None:
        """Make the update by event *key*; all who wait for it begin again."""
        self.made += 1
        self.closing = -1
        mades.append(key)
        n, since = self.workers, key // self.workers + self.down + self.up
        for worker in self.waiting:
            self.seen[worker] = self.made
            self.spent[worker] = time = next(self.computing[worker])
            heappush(self.heap, (since + time) * n + worker)
        self.waiting.clear()

    def _count(self, key: Whole, time: Whole, seen: Whole, mades: Whole, nth: int | None) -> None:
        """Count what is made of gradients that arrived by the events *key*."""
        n, closes = self.workers, np.array(self.closes, np.int64)
        order = np.argsort((key % n).astype(np.int16), kind="stable")
        key, seen = key[order], seen[order]
        made, closed = np.searchsorted(mades, key), np.searchsorted(closes, key)
        stale, closing = seen < self.updates + made, closed > made
        dropped = (stale | closing) & (self.scheme.late == "drop")
        worker = key % n
        counts = np.bincount(worker, minlength=n)
        firsts = np.cumsum(counts) - counts
        clock = np.arange(1, len(key) + 1) + (self.finished - firsts)[worker]
        numbers = np.arange(n)
        done = np.concatenate([self.finished, clock])
        events = np.concatenate([self.begun.requested * n + numbers, key])
        place = np.concatenate([np.zeros(n, np.int64), np.where(stale & ~closing, -1, made)])
        begun = self._begin(events, done, place, (mades, closes), self._finish(clock, key, counts))
        known = np.flatnonzero(self.begun.read < FAR)
        for column, before in zip(begun, self.begun, strict=True):
            column[known] = before[known]
        some = counts > 0
        before = np.arange(n - 1, n - 1 + len(key))
        before[firsts[some]] = np.flatnonzero(some)
        self.begun = begun.of(np.where(some, n + firsts + counts - 1, numbers))
        update = np.where(dropped, 0, self.updates + closed + 1)
        rows = Arrived(worker, clock, time[order], key, seen, update, begun.of(before))
        rows = self.rows.beside(rows)
        written = rows.update <= self.updates + len(mades)
        self.rows = rows.of(~written)
        self._tally(rows.of(written), mades // n, nth)
        self.closes = self.closes[len(mades) :]

    def _finish(self, clock: Whole, key: Whole, counts: Whole) -> tuple[int, Whole]:
        """How many clocks everybody had finished before, and the events by which more were."""
        before = int(self.finished.min())
        self.finished = self.finished + counts
        last = np.zeros(int(self.finished.min()) - before, np.int64)
        place = clock - before - 1
        some = (place >= 0) & (place < len(last))
        np.maximum.at(last, place[some], key[some])
        return before, last

    def _begin(
        self,
        key: Whole,
        done: Whole,
        place: Whole,
        events: tuple[Whole, Whole],
        finished: tuple[int, Whole],
    ) -> Begun:
        """How the computations after those begin that arrived by the events *key*, and were the
        last of so many *done*: at once where *place* is -1, else when the update at that place is
        made, of whose *events* the first ones make and the second ones close it."""
        n, (mades, closes) = self.workers, events
        worker, requested = key % n, key // n
        far = np.array([FAR // n * n])
        made = np.concatenate([mades, far])[np.minimum(place, len(mades))]
        close = np.concatenate([closes, far])[np.minimum(place, len(closes))]
        waits, known = place >= 0, place < len(mades)
        held = waits & known & (close // n > requested)
        closed = np.where(held, close // n, requested)
        released = np.where(waits, made // n, requested)
        read = np.where(waits, np.maximum(made, made // n * n + worker - 1), key)
        read = np.where(known, read, FAR)
        before, over = finished
        ahead = done - before - np.searchsorted(over, read, "right")
        return Begun(requested, closed, np.where(held, close % n + 1, 0), released, read, ahead)

    def _tally(self, rows: Arrived, mades: Whole, nth: int | None) -> None:
        """Count *rows* that are written or dropped, with the updates *mades*."""
        counted, n, begun = self.counted, self.workers, rows.begun
        used = rows.update > 0
        sizes = np.bincount(rows.update[used] - self.updates - 1, minlength=len(mades))
        self.note(mades, sizes, nth)
        self._draw(rows, mades)
        self.updates = counted.updates = self.updates + len(mades)
        many = int(np.count_nonzero(used))
        counted.used += many
        counted.dropped += len(used) - many
        add_counts(counted.staleness, (rows.update - 1 - rows.seen)[used])
        counted.ahead = int(begun.ahead.max(initial=counted.ahead))
        totals = (
            sums(rows.worker, column, n).tolist()
            for column in (
                np.ones(len(used), np.int64),
                rows.time,
                np.where(used, 0, rows.time),
                begun.released - begun.closed,
            )
        )
        for day, count, computes, wasted, served in zip(counted.days, *totals, strict=True):
            day.clocks += count
            day.downloads += count
            day.uploads += count
            day.computes += computes
            day.wasted += wasted
            day.served += served
            day.moves += count * (self.down + self.up)
        self.waits(rows.worker, begun.by, begun.closed - begun.requested)

    def _draw(self, rows: Arrived, mades: Whole) -> None:
        """Keep those of *rows* that may be drawn, with updates that are made at *mades*."""
        places = self.undrawn(rows.worker)
        for update, sent in self._sent(rows.of(np.array(places, np.int64))) if places else ():
            written = int(mades[update - self.updates - 1]) if update else sent[9]
            self.counted.draw(Gradient._make((*sent, written, update)))

    def engine(self) -> Rounds:
        """The engine with everybody where the last event has left them."""
        run = Rounds(self.scheme, self.machine, self.computing)
        events = {key % self.workers: key // self.workers for key in self.heap}
        table = np.stack([*self.begun, self.finished], axis=1).tolist()
        for worker, row in zip(run.workers, table, strict=True):
            if self.seen[worker.number - 1] >= 0:
                self._stand(worker, row, events.get(worker.number - 1))
        turns = [turn for worker in run.workers if (turn := run.turn(worker))]
        run.resume(self.updates, self.finished.tolist(), turns, self.free)
        sents = list(self._sent(self.rows.of(np.argsort(self.rows.key))))
        handed = [sent for update, sent in sents if update == self.updates + 1]
        if self.closes:
            run.closing = handed
            handed = [sent for update, sent in sents if update == self.updates + 2]
            time, closer = divmod(self.closes[0], self.workers)
            run.closer = Hold(time, time, closer + 1)
        run.resume_round(handed, self.timely, [worker + 1 for worker in self.waiting])
        return run

    def _stand(self, worker: Worker, row: list[int], event: int | None) -> None:
        """Let *worker*, who has begun like that and comes to an *event* next, stand there."""
        requested, closed, by, released, _, ahead, worker.clock = row
        worker.requested = requested
        worker.data = len(self.rows.key) + worker.number
        if event is None:
            worker.doing = "waits"
        elif worker.number - 1 == self.closing:
            worker.doing, worker.written = "writes", event
        else:
            worker.doing = "computes"
            worker.clock += 1
            worker.seen, worker.ahead = self.seen[worker.number - 1], ahead
            worker.released, worker.start = released, released + self.down
            worker.hold = Hold(requested, closed, by) if by else None
            worker.end = event - self.up

    def _sent(self, rows: Arrived) -> Iterator[tuple[int, Sent]]:
        """The gradients of *rows*, with the updates that they become part of."""
        *columns, begun = rows
        for data, row in enumerate(np.stack([*columns, *begun], axis=1).tolist(), 1):
            worker, clock, time, key, seen, update, requested, closed, by, released, _, ahead = row
            start, arrived = released + self.down, key // self.workers
            hold = Hold(requested, closed, by) if by else None
            yield update, (
                worker + 1, clock, data, requested, released, hold, start, (), start + time,
                arrived, seen, ahead,
            )  # fmt: skip
