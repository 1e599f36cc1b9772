"""Long runs in rounds that overlap, counted on arrays: k of n whose late gradients are dropped, or
used in the next update."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from ddcalc.schedule.engine import Rounds
from ddcalc.schedule.gradient import Gradient, Hold, Machine, Sent, Worker
from ddcalc.schedule.leap import EXACT, FAR, Leap, Mask, add_counts, sums
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.streams import Floats, Stream, TooLarge, Whole
from ddcalc.schedule.tally import Tally

MANY = 256  # workers, from which on it is quicker to look at all of them at once
AHEAD = 64  # lengths of each of many workers that are drawn ahead


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


class Arrivals(NamedTuple):
    """The events by which gradients arrive (*key*), those of a worker in order, and the updates
    that they are taken at (*seen*); the events by which rounds close, and updates are made."""

    key: Whole
    seen: Whole
    closes: Whole
    mades: Whole


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
        if not len(self.key):
            return other
        *mine, begun = self
        *theirs, begun_too = other
        columns = map(np.concatenate, zip(mine, theirs, strict=True))
        return Arrived._make([*columns, begun.beside(begun_too)])


class Overlapping(Leap):
    """k of n whose late gradients are dropped, or used in the next update: who is late computes on
    while updates are made.

    Gradients are made to arrive, some at a time; what becomes of them is counted on arrays.
    """

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        n = self.workers
        self.trip = self.down + self.up
        self.computing = [iter(stream) for stream in streams]
        self.seen = [-1] * n  # the update that what is under way is taken at; -1 before a start
        self.heap = [start * n + worker for worker, start in enumerate(self.starts.tolist())]
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
        while self.made < last:
            arrivals = self.arrivals(end, last)
            if not len(arrivals.key) + len(arrivals.mades):
                return
            self._count(arrivals, nth)
            yield self.counted.played

    @abstractmethod
    def arrivals(self, end: int, last: int) -> Arrivals:
        """What comes next, before the *end* and up to the *last* update."""

    def _count(self, arrivals: Arrivals, nth: int | None) -> None:
        """Count what is made of gradients that arrived."""
        n, (key, seen, closes, mades) = self.workers, arrivals
        order = np.argsort((key % n).astype(np.int16), kind="stable")
        key, seen = key[order], seen[order]
        made = np.searchsorted(mades, key)
        closed = made if closes is mades else np.searchsorted(closes, key)
        stale, closing = seen < self.updates + made, closed > made
        dropped = (stale | closing) & (self.scheme.late == "drop")
        numbers = np.arange(n)
        counts = np.bincount(key % n, minlength=n)
        worker, firsts = np.repeat(numbers, counts), np.cumsum(counts) - counts
        clock = np.arange(1, len(key) + 1) + np.repeat(self.finished - firsts, counts)
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
        self.begun, begun = (
            begun.of(np.where(some, n + firsts + counts - 1, numbers)),
            begun.of(before),
        )
        update = np.where(dropped, 0, self.updates + closed + 1)
        time = key // n - begun.released - self.trip
        rows = self.rows.beside(Arrived(worker, clock, time, key, seen, update, begun))
        written = rows.update <= self.updates + len(mades)
        self.rows = rows.of(np.flatnonzero(~written))
        if len(self.rows.key):
            rows = rows.of(np.flatnonzero(written))
        self._tally(rows, mades // n, nth)

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
        requested = key // n
        worker = key - requested * n
        waits, known = place >= 0, place < len(mades)
        place = np.minimum(place, len(mades))  # the last one is far away
        released, made = (
            np.where(waits, np.append(column, FAR // n)[place], requested)
            for column in (mades // n, mades)
        )
        by, closed = (
            np.append(column[: len(mades)], 0)[place] for column in (closes % n + 1, closes // n)
        )
        held = waits & known & (closed > requested)
        read = np.where(waits, np.maximum(made, released * n + worker - 1), key)
        read = np.where(known, read, FAR)
        before, over = finished
        ahead = done - before - np.searchsorted(over, read, "right")
        return Begun(
            requested,
            np.where(held, closed, requested),
            np.where(held, by, 0),
            released,
            read,
            ahead,
        )

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
            day.moves += count * self.trip
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


class OneByOne(Overlapping):
    """Such a run in which gradients wait for each other at the server, or few of many workers are
    waited for: one turn of a heap for each gradient."""

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        heapify(self.heap)

    def arrivals(self, end: int, last: int) -> Arrivals:
        heap, n, seen, waiting = self.heap, self.workers, self.seen, self.waiting
        keys: list[int] = []
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
                taken.append(seen[worker])
                if seen[worker] == self.made and self.closing < 0:
                    heappop(heap)
                    waiting.append(worker)
                    self._hand_in(key, mades)
                else:
                    self._come_late(key)
            if not full and (len(keys) >= self.block or self.made >= last):
                full, stop = True, min(stop, (key // n + 1) * n)  # to the end of this instant
        self.fitting(max(heap) // n)
        closes, self.closes = self.closes, self.closes[len(mades) :]
        return Arrivals._make(np.array(column, np.int64) for column in (keys, taken, closes, mades))

    def _begin_at(self, key: int) -> None:
        """Let a worker begin, or begin again, by its event *key*."""
        worker, now = key % self.workers, key // self.workers
        self.seen[worker] = self.made
        arrival = now + self.trip + next(self.computing[worker])
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
        n, since = self.workers, key // self.workers + self.trip
        for worker in self.waiting:
            self.seen[worker] = self.made
            heappush(self.heap, (since + next(self.computing[worker])) * n + worker)
        self.waiting.clear()


class RoundByRound(Overlapping):
    """Such a run without a queue at the server: what all workers do in a round, at once.

    Of each worker one computation counts in a round: the first one that begins in it. Where it
    arrives before the update, the worker begins again with the update, else when it has arrived;
    where it has not begun when the round closes, it is that of the next round too. *begins* and
    *arrives* are the events of these computations, from event *since* on.
    """

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        n = self.workers
        self.delay = (self.aggregate + self.update) * n
        longest = max(stream.mean for stream in streams) + self.trip + self.delay
        self.most = EXACT if 16 * longest * self.block < EXACT else FAR
        self.lengths = [self._lengths(worker) for worker in range(n)]
        self.since, self.stop = int(self.starts.min()) * n, 0
        self.begins: list[float] = [event - self.since for event in self.heap]
        self.arrives: list[float] = [
            begin - worker + next(self.lengths[worker]) for worker, begin in enumerate(self.begins)
        ]
        self.drawn = np.empty((n, 0))  # lengths, for many workers
        self.taken = np.zeros(n, np.int64)  # how many of these are used up
        none = np.empty(0, np.int64)
        self.late = none, none  # events after the stop, and the updates that these are taken at

    def _lengths(self, worker: int) -> Iterator[float]:
        """By how much the events are later by which computations of *worker* arrive than those of
        worker 0 by which they begin; as floats, which are added faster, where these are exact."""
        numbers = float if self.most == EXACT else object
        for times in self.streams[worker].blocks():
            yield from ((times.astype(numbers) + self.trip) * self.workers + worker).tolist()

    def arrivals(self, end: int, last: int) -> Arrivals:
        n = self.workers
        most = min(max(self.block // n, 1), last - self.made)
        at_once = n >= MANY and self.most == EXACT
        rounds = self._rounds_at_once if at_once else self._rounds
        rows, closes, void = rounds(most, end * n - self.since)
        if max(self.arrives) >= self.most:
            raise TooLarge
        self.fitting((int(max(self.arrives)) + self.since) // n)
        table = np.array(rows + self.arrives).reshape(-1, n)
        ended = table[1:] != table[:-1]
        ended.ravel()[void] = False
        close = np.array(closes).astype(np.int64) + self.since
        key = np.concatenate([self.late[0], table[:-1][ended].astype(np.int64) + self.since])
        seen = np.concatenate([self.late[1], np.nonzero(ended)[0] + self.made])
        self.made += len(closes)
        if closes:
            self._begin_at(int(close[-1]) + self.delay)
        before = key < self.stop  # the end of that instant
        self.late = key[~before], seen[~before]
        mades = close + self.delay if self.delay else close
        return Arrivals(key[before], seen[before], close, mades)

    def _rounds(self, most: int, end: int) -> tuple[list[float], list[float], list[int]]:
        """Play rounds, at *most* so many, whose updates are made before the *end*: the events by
        which their computations arrive, row by row; those by which they close; and the places in
        the rows of computations that begin later, with the update."""
        begins, arrives, lengths = self.begins, self.arrives, self.lengths
        n, last, delay = self.workers, self.scheme.wait_for - 1, self.delay
        rows: list[float] = []
        closes: list[float] = []
        void: list[int] = []
        for _ in range(most):
            close = sorted(arrives)[last]
            made = close + delay
            if made >= end:
                break
            closes.append(close)
            rows += arrives
            now = made - made % n
            for worker, arrival in enumerate(arrives):
                if arrival <= close:
                    arrives[worker] = now + next(lengths[worker])
                elif begins[worker] <= close:
                    if arrival < made:
                        arrives[worker] = now + next(lengths[worker])
                    else:
                        begins[worker] = arrival
                        arrives[worker] = arrival - worker + next(lengths[worker])
                elif begins[worker] < made:
                    void.append(len(rows) - n + worker)
                    arrives[worker] += now - begins[worker] + worker
                    begins[worker] = made
        return rows, closes, void

    def _rounds_at_once(self, most: int, end: int) -> tuple[list[float], list[float], list[int]]:
        """The same for many workers, all of them at once."""
        n, last, delay = self.workers, self.scheme.wait_for - 1, self.delay
        begins, arrives, numbers = np.array(self.begins), np.array(self.arrives), np.arange(n)
        rows, closes = [arrives[:0]], []
        void: list[int] = []
        for place in range(most):
            close = np.partition(arrives, last)[last].item()
            made = close + delay
            if made >= end:
                break
            closes.append(close)
            rows.append(arrives)
            now = made - made % n
            begun, back = begins <= close, arrives < made
            back |= arrives == close
            if delay:
                later = np.flatnonzero(~begun & (begins < made))
                void += (later + place * n).tolist()
                arrives = arrives.copy()
                arrives[later] += now - begins[later] + later
                begins[later] = made
            lengths = self._next_lengths(begun)
            again = np.where(back, now, arrives - numbers) + lengths
            begins = np.where(begun & ~back, arrives, begins)
            arrives = np.where(begun, again, arrives)
        self.begins, self.arrives = begins.tolist(), arrives.tolist()
        return np.concatenate(rows).tolist(), closes, void

    def _next_lengths(self, begun: Mask) -> Floats:
        """The next length of each worker, which those use up that have *begun*."""
        if self.taken.max() >= self.drawn.shape[1]:
            rest = (row[taken:].tolist() for row, taken in zip(self.drawn, self.taken, strict=True))
            rows = [
                [*left, *islice(lengths, AHEAD - len(left))]
                for left, lengths in zip(rest, self.lengths, strict=True)
            ]
            self.drawn, self.taken = np.array(rows), np.zeros(self.workers, np.int64)
        lengths = self.drawn[np.arange(self.workers), self.taken]
        self.taken += begun
        return lengths

    def _begin_at(self, made: int) -> None:
        """Count events from the instant of the last update on, which is *made* by that event."""
        n = self.workers
        since, self.since = self.since, made // n * n
        self.stop = self.since + n
        self.begins = [max(begin + (since - self.since), 0) for begin in self.begins]
        self.arrives = [arrival + (since - self.since) for arrival in self.arrives]

    def engine(self) -> Rounds:
        late = {key % self.workers: (key, seen) for key, seen in np.stack(self.late, 1).tolist()}
        for worker, (begin, arrival) in enumerate(zip(self.begins, self.arrives, strict=True)):
            times = self._times(worker)
            if int(begin) + self.since < self.stop:
                self.heap[worker], self.seen[worker] = int(arrival) + self.since, self.made
            else:
                times = chain([int(arrival - begin) // self.workers - self.trip], times)
                self.heap[worker], self.seen[worker] = late.get(worker, (self.heap[worker], -1))
            self.computing[worker] = times
        return super().engine()

    def _times(self, worker: int) -> Iterator[int]:
        """The times that *worker* goes on with."""
        for length in chain(
            self.drawn[worker, self.taken[worker] :].tolist(), self.lengths[worker]
        ):
            yield int(length) // self.workers - self.trip
