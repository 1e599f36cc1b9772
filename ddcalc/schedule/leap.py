"""Long runs counted on arrays, not played event by event: what they have in common, and the runs
in which every gradient is an update.

A leap counts everything that happens before an instant (its *reach*) and hands the workers over, as
they stand then, to the event engine, which plays the end of the run. All rules for what happens at
one instant are those of :mod:`ddcalc.schedule.engine`: there an event is known by its time and its
worker, here by one whole number, time · workers + worker.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heapify, heappop, heappush, heapreplace
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ddcalc.schedule.engine import Engine, engine
from ddcalc.schedule.gradient import Gradient, Hold, Machine, Worker
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.streams import LARGEST, Stream, TooLarge, Whole
from ddcalc.schedule.tally import BARS, Tally

Mask = npt.NDArray[np.bool_]

BLOCK = 2**14  # gradients that are counted at once, about: they stay in the processor's cache
CLOCKS = 64  # of each worker that are, where these are not more than four times as many gradients
PAIRS = 2**16  # of workers, above which only those that wait for each other are looked at
FAR = LARGEST  # a time that no run reaches
EXACT = 2**53  # up to which floats hold all whole numbers


class Leap(ABC):
    """The part of a run of *scheme* on *machine* that is counted into *counted* on arrays."""

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        self.scheme, self.machine, self.streams, self.counted = scheme, machine, streams, counted
        self.workers = len(streams)
        self.block = min(max(BLOCK, CLOCKS * self.workers), 4 * BLOCK)
        self.starts = np.array([self.fitting(start) for start in machine.starts], np.int64)
        lengths = (machine.down, machine.up, machine.aggregate, machine.update)
        self.down, self.up, self.aggregate, self.update = map(self.fitting, lengths)
        self.updates = 0

    def fitting(self, time: float) -> int:
        """A *time*, if it can be joined with the number of a worker in 64 bits."""
        if time * (self.workers + 1) >= LARGEST:
            raise TooLarge
        return int(time)

    @abstractmethod
    def play(self, horizon: int | None, nth: int | None) -> Iterator[int]:
        """Count what happens before the *horizon* or, without one, before update number *nth*;
        after every block, how many computations have been counted."""

    @abstractmethod
    def engine(self) -> Engine:
        """The engine, which goes on from there."""

    def note(self, updates: Whole, gradients: Whole | int, nth: int | None) -> None:
        """Take note of when update *nth* and the wanted number of gradients are reached, if they
        are: at the times of these *updates*, with so many *gradients* each."""
        counted = self.counted
        place = (nth or 0) - self.updates - 1
        if 0 <= place < len(updates):
            counted.nth = int(updates[place])
        if counted.goal is not None and counted.reached is None and len(updates):
            made = np.cumsum(np.broadcast_to(gradients, updates.shape)) + counted.used
            place = int(np.searchsorted(made, counted.goal))
            if place < len(made):
                counted.reached = int(updates[place])

    def waits(self, worker: Whole, by: Whole, held: Whole) -> None:
        """Count how long each *worker* is *held* by which other one; rows in order of time."""
        waiting = np.flatnonzero(held)
        pairs, times = worker[waiting] * (self.workers + 1) + by[waiting], held[waiting]
        size = self.workers * (self.workers + 1)
        if size > PAIRS:
            distinct, pairs = np.unique(pairs, return_inverse=True)
            size = len(distinct)
        else:
            distinct = np.arange(size)
        first = np.full(size, len(pairs))
        np.minimum.at(first, pairs, np.arange(len(pairs)))
        order = np.argsort(first)[: np.count_nonzero(first < len(pairs))]
        number, other = np.divmod(distinct[order], self.workers + 1)
        by_worker = np.argsort(number, kind="stable")
        length = sums(pairs, times, size)[order][by_worker].tolist()
        ends = np.cumsum(np.bincount(number, minlength=self.workers)).tolist()
        whom, start = other[by_worker].tolist(), 0
        for day, end in zip(self.counted.days, ends, strict=True):
            day.held += sum(length[start:end])
            mine = day.waits
            for place in range(start, end):
                mine[whom[place]] = mine.get(whom[place], 0) + length[place]
            start = end

    def undrawn(self, worker: Whole) -> list[int]:
        """The first of these rows, by *worker*, that may be drawn."""
        lanes = self.counted.drawn[: self.workers]
        missing = [(i, BARS + 1 - len(lane)) for i, lane in enumerate(lanes) if len(lane) <= BARS]
        return [row for i, many in missing for row in np.flatnonzero(worker == i)[:many].tolist()]


def sums(place: Whole, values: Whole, size: int) -> Whole:
    """The sum of the *values* at each of *size* places, exactly."""
    total = np.zeros(size, np.int64)
    np.add.at(total, place, values)
    return total


def add_counts(counter: dict[int, int], values: Whole) -> None:
    """Count whole *values* that are not negative."""
    if values.max(initial=0) < PAIRS:
        counts = np.bincount(values)
        distinct = np.flatnonzero(counts)
        counts = counts[distinct]
    else:
        distinct, counts = np.unique(values, return_counts=True)
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        counter[value] = counter.get(value, 0) + count


class Computed(NamedTuple):
    """Computations as columns, worker by worker.

    *requested* parameters, had the last one written (*since*), computed for *time*, *arrived*, was
    *written*; *seen* is -1 where the parameters are not yet read.
    """

    worker: Whole
    clock: Whole
    requested: Whole
    since: Whole
    time: Whole
    arrived: Whole
    written: Whole
    seen: Whole
    ahead: Whole

    def of(self, rows: Mask | Whole) -> Computed:
        """Some of the *rows*."""
        return Computed(*(column[rows] for column in self))

    def beside(self, other: Computed) -> Computed:
        """These rows, and those of the *other*."""
        if not len(self.worker):
            return other
        return Computed(*map(np.concatenate, zip(self, other, strict=True)))


class SingleGradients(Leap):
    """Asynchronous and stale-synchronous runs: every gradient is an update.

    A supply makes ever more computations, whatever is known of the updates; then those before the
    next reach are counted.
    """

    def __init__(
        self, scheme: Scheme, machine: Machine, streams: Sequence[Stream], counted: Tally
    ) -> None:
        super().__init__(scheme, machine, streams, counted)
        self.supply = supply(self)
        self.finished = np.zeros(self.workers, np.int64)
        self.slowest = 0
        self.reach = 0
        self.free = 0  # when the serial server is
        self.together = np.empty(0, np.int64)  # the events by which all have finished each clock
        self.rows = Computed(*(np.empty(0, np.int64) for _ in Computed._fields))
        self.before = self.down if machine.read == "start" else 0

    def play(self, horizon: int | None, nth: int | None) -> Iterator[int]:
        end = FAR if horizon is None else self.fitting(horizon)
        while self.reach < end:
            left = self.block if horizon is not None else min((nth or 0) - self.updates, self.block)
            rows = self.supply.more(self.rows, end, left)
            self.reach = self.fitting(min(self.supply.reach, end))
            done = rows.written < self.reach
            ends = horizon is None and self.updates + np.count_nonzero(done) >= (nth or 0)
            if ends:
                written = np.sort(rows.written[done])
                self.reach = int(written[(nth or 0) - self.updates - 1])
                done = rows.written < self.reach
            self._count(rows, done, nth)
            yield self.counted.used
            if ends:
                return

    def _count(self, rows: Computed, done: Mask, nth: int | None) -> None:
        """Count the *rows* that are *done* before the reach, and keep the others."""
        worker = rows.worker[done]
        keys = rows.written[done] * self.workers + worker
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        before = self.slowest
        self.finished += np.bincount(worker, minlength=self.workers)
        self._finish(rows.clock[done][order], keys)
        released, by, read = self._released(rows)
        new = np.flatnonzero((rows.seen < 0) & (read < self.reach * self.workers))
        rows.seen[new] = self.updates + np.searchsorted(keys, read[new], "right")
        finished = self.together[len(self.together) - (self.slowest - before) :]
        behind = before + np.searchsorted(finished, read[new], "right")
        rows.ahead[new] = rows.clock[new] - 1 - behind
        out = np.flatnonzero(done)[order]
        self.note(keys // self.workers, 1, nth)
        self._tally(rows.of(out), released[out], by[out])
        arrived = rows.arrived < self.reach
        self.free = int(rows.written[arrived].max(initial=self.free))
        self.rows = rows.of(~done)
        kept = 0 if self.scheme.bound is None else self.scheme.bound + 2
        self.together = self.together[max(len(self.together) - kept, 0) :]

    def _finish(self, clock: Whole, keys: Whole) -> None:
        """Note by which events everybody has finished one *clock* more."""
        before, self.slowest = self.slowest, int(self.finished.min())
        last = np.zeros(self.slowest - before, np.int64)
        place = clock - before - 1
        counts = (place >= 0) & (place < len(last))
        np.maximum.at(last, place[counts], keys[counts])
        self.together = np.concatenate([self.together, last])

    def _released(self, rows: Computed) -> tuple[Whole, Whole, Whole]:
        """When each gets its parameters, the number of the worker that it waits for (0: none), and
        the last event before they are read. Far away where that is not known."""
        n, since = self.workers, rows.since
        released, by, read = since, np.zeros(len(since), np.int64), since * n + rows.worker
        if self.scheme.bound is not None:
            opened = self._opened(rows.clock - 1 - self.scheme.bound)
            time = opened // n
            held = time > since
            released = np.where(held, time, since)
            by = np.where(held, opened % n + 1, 0)
            later = np.maximum(opened, time * n + rows.worker - 1)
            read = np.where(opened > read, later, read)
        if self.machine.order == "in_turn" and not self.before:
            return released, by, read
        last = n - 1 if self.machine.order == "writes_first" else rows.worker
        return released, by, (released + self.before) * n + last

    def _opened(self, clock: Whole) -> Whole:
        """The event by which everybody has finished a *clock*."""
        least = self.slowest - len(self.together)  # clocks up to it are long past
        far = FAR // self.workers // 2 * self.workers
        past = np.concatenate([np.array([-1]), self.together, np.array([far])])
        return past[np.clip(clock - least, 0, len(past) - 1)]

    def _tally(self, rows: Computed, released: Whole, by: Whole) -> None:
        """Count *rows* that are written, in this order."""
        counted, n = self.counted, self.workers
        self._draw(rows, released, by)
        updates = np.arange(self.updates, self.updates + len(rows.worker))
        self.updates += len(updates)
        counted.used = counted.updates = self.updates
        add_counts(counted.staleness, updates - rows.seen)
        counted.ahead = int(rows.ahead.max(initial=counted.ahead))
        clocks = np.bincount(rows.worker, minlength=n).tolist()
        computes = sums(rows.worker, rows.time, n).tolist()
        served = sums(rows.worker, rows.since - rows.requested, n).tolist()
        for day, many, computing, waiting in zip(
            counted.days, clocks, computes, served, strict=True
        ):
            day.clocks += many
            day.downloads += many
            day.uploads += many
            day.computes += computing
            day.served += waiting
            day.moves += many * (self.down + self.up)
        self.waits(rows.worker, by, released - rows.since)

    def _draw(self, rows: Computed, released: Whole, by: Whole) -> None:
        """Keep those of *rows* that may be drawn."""
        if not (places := self.undrawn(rows.worker)):
            return
        columns = (column[np.array(places)] for column in (*rows, released, by))
        table = np.stack(list(columns), axis=1).tolist()
        for place, row in zip(places, table, strict=True):
            worker, clock, requested, since, _, arrived, written, seen, ahead, start, whom = row
            update = self.updates + place + 1
            hold = Hold(since, start, whom) if whom else None
            self.counted.draw(
                Gradient(
                    worker + 1, clock, update, requested, start, hold, start + self.down, (),
                    arrived - self.up, arrived, seen, ahead, written, update,
                )
            )  # fmt: skip

    def engine(self) -> Engine:
        """The engine with every worker at its first computation that is not written."""
        rows = self.rows.of(np.lexsort((self.rows.clock, self.rows.worker)))
        released, by, _ = self._released(rows)
        table = np.stack([*rows, released, by], axis=1)
        ends = np.searchsorted(rows.worker, np.arange(self.workers), "right").tolist()
        spans = list(zip([0, *ends], ends, strict=False))
        times: list[Iterator[int]] = []
        for (first, last), stream in zip(spans, self.supply.times(), strict=True):
            unused = rows.time[first:last][rows.seen[first:last] < 0]
            times.append(chain(unused[unused > 0].tolist(), stream))
        run = engine(self.scheme, self.machine, times)
        for worker, (first, last) in zip(run.workers, spans, strict=True):
            if first < last:
                self._stand(worker, table[first].tolist())
        turns = [turn for worker in run.workers if (turn := run.turn(worker))]
        run.resume(self.updates, self.finished.tolist(), turns, self.free)
        return run

    def _stand(self, worker: Worker, row: list[int]) -> None:
        """Let *worker* stand where it stands at the reach."""
        _, clock, requested, since, _, arrived, written, seen, ahead, released, by = row
        worker.requested, worker.written, worker.clock = requested, since, clock - 1
        hold = Hold(since, released, by) if by else None
        if hold and released >= self.reach:
            worker.doing = "waits"
            return
        worker.released, worker.hold = released, hold
        if seen < 0:
            return
        worker.doing, worker.clock = "computes", clock
        worker.data = self.updates + worker.number
        worker.seen, worker.ahead = seen, ahead
        worker.start, worker.end = released + self.down, arrived - self.up
        if arrived < self.reach:
            worker.send(arrived)
            worker.doing, worker.written = "writes", written


def supply(leap: SingleGradients) -> Supply:
    """What makes the computations of *leap*."""
    if leap.machine.serial and leap.aggregate + leap.update:
        return QueuedSupply(leap)
    return FreeSupply(leap) if leap.scheme.bound is None else BoundedSupply(leap)


class Supply(ABC):
    """The computations of a run, made some at a time: all that is written before the *reach*, and
    what each worker does then."""

    def __init__(self, leap: SingleGradients) -> None:
        self.streams, self.workers = leap.streams, leap.workers
        self.trip, self.delay = leap.down + leap.up, leap.aggregate + leap.update
        self.clocks = np.zeros(self.workers, np.int64)  # of the last computations that were made
        self.arrived, self.written = leap.starts.copy(), leap.starts.copy()
        self.periods = np.array([stream.mean + self.trip + self.delay for stream in leap.streams])
        self.reach = 0

    @abstractmethod
    def more(self, rows: Computed, end: int, count: int) -> Computed:
        """The *rows* that are not yet written, and about *count* more, if that are so many before
        the *end*."""

    def times(self) -> Iterable[Iterator[int]]:
        """The times that each worker goes on with."""
        return map(iter, self.streams)

    def columns(self, counts: Whole, time: Whole, arrived: Whole, written: Whole) -> Computed:
        """So many computations of each worker, one worker after the other."""
        worker = np.repeat(np.arange(self.workers), counts)
        firsts = np.cumsum(counts) - counts
        some = counts > 0
        clock = np.arange(1, len(worker) + 1) + (self.clocks - firsts)[worker]
        requested, since = np.roll(arrived, 1), np.roll(written, 1)
        requested[firsts[some]] = self.arrived[some]
        since[firsts[some]] = self.written[some]
        none = np.full(len(worker), -1)
        return Computed(worker, clock, requested, since, time, arrived, written, none, none.copy())

    def advance(self, counts: Whole, arrived: Whole, written: Whole) -> None:
        """Note that so many computations of each worker are made."""
        some = counts > 0
        lasts = np.cumsum(counts)[some] - 1
        self.clocks += counts
        self.arrived[some], self.written[some] = arrived[lasts], written[lasts]

    def made(self, counts: Whole, time: Whole, written: Whole) -> Computed:
        """The same where nobody waits at the server."""
        columns = self.columns(counts, time, written - self.delay, written)
        self.advance(counts, columns.arrived, written)
        return columns


class FreeSupply(Supply):
    """Nobody waits for anybody: each worker's times are added up."""

    def more(self, rows: Computed, end: int, count: int) -> Computed:
        length = int(count / np.sum(1 / self.periods)) + 1
        reach = min(int(self.written.min()) + length, end)
        made = [self._until(i, reach) for i in range(self.workers)]
        counts = np.array([len(time) for time, _ in made])
        time, written = (np.concatenate(column) for column in zip(*made, strict=True))
        new = self.made(counts, time, written)
        self.reach = int(self.written.min())
        return rows.beside(new)

    def _until(self, worker: int, reach: int) -> tuple[Whole, Whole]:
        """The times of *worker*, and when its gradients are written, until one is at the *reach*
        or later."""
        last, stream = int(self.written[worker]), self.streams[worker]
        cycle, period = self.trip + self.delay, self.periods[worker] / 1.02
        times, ends = [], []
        while last < reach:
            times.append(stream.take(int((reach - last) / period) + 2))
            ends.append((times[-1] + cycle).cumsum() + last)
            last = int(ends[-1][-1])
        if len(times) == 1:
            return times[0], ends[0]
        none = np.empty(0, np.int64)
        return np.concatenate([none, *times]), np.concatenate([none, *ends])


class BoundedSupply(Supply):
    """Nobody begins a clock before everybody has finished the one that the bound asks for."""

    def __init__(self, leap: SingleGradients) -> None:
        super().__init__(leap)
        bound = leap.scheme.bound
        assert bound is not None
        self.begin = int(self.written.max())
        self.pace = 0.0  # how long a clock takes, where that is known
        self.opened: deque[float] = deque([-1], maxlen=bound + 1)  # when a clock is over for all

    def more(self, rows: Computed, end: int, count: int) -> Computed:
        least = int(self.written.min())
        pace = self.pace or 4 * self.periods.max()  # a first part shows how much they wait
        many = int(min(count / self.workers, (end - least) / pace) * 1.02) + 4
        time = np.stack([stream.take(many) for stream in self.streams])
        cycles = (time + (self.trip + self.delay)).T
        last, opened = self.written, self.opened
        written: list[float] = []
        if int(last.max()) + int(cycles.sum(axis=0).max()) * many < EXACT:
            cycles, last = cycles.astype(float), last.astype(float)  # floats are added faster
        row = last.tolist()
        for cycle in cycles.tolist():
            gate = opened[0] if len(opened) == opened.maxlen else -1
            row = [
                (end if end > gate else gate) + time for end, time in zip(row, cycle, strict=True)
            ]
            opened.append(max(row))
            written += row
        counts = np.full(self.workers, many)
        ends = np.array(written).reshape(many, self.workers).T.astype(np.int64)
        new = self.made(counts, time.ravel(), ends.ravel())
        self.reach = int(self.written.min())
        self.pace = max((self.reach - self.begin) / int(self.clocks[0]), 1)
        return rows.beside(new)


class QueuedSupply(Supply):
    """Gradients wait for each other at a serial server: one turn of a heap for each."""

    def __init__(self, leap: SingleGradients) -> None:
        super().__init__(leap)
        self.bound = -1 if leap.scheme.bound is None else leap.scheme.bound
        self.free = self.slowest = 0
        self.computing = [iter(stream) for stream in leap.streams]
        self.spent = [next(times) for times in self.computing]  # for what is under way
        starts = leap.starts.tolist()
        self.heap = [
            (start + self.trip + time) * self.workers + worker
            for worker, (start, time) in enumerate(zip(starts, self.spent, strict=True))
        ]
        heapify(self.heap)
        self.finished = [0] * self.workers  # clocks
        self.held: list[int] = []
        self.last = self.workers  # how many have not finished a clock more than the slowest

    def times(self) -> Iterable[Iterator[int]]:
        return self.computing

    def more(self, rows: Computed, end: int, count: int) -> Computed:
        n = self.workers
        keys, times, written = self._served(end, count)
        key = np.array(keys, np.int64)
        self.reach = self.heap[0] // n
        open_key = np.full(n, FAR // n // 2 * n) + np.arange(n)
        for under_way in self.heap:
            open_key[under_way % n] = under_way
        worker = np.concatenate([key % n, np.arange(n)])
        order = np.argsort(worker.astype(np.int16), kind="stable")
        arrived = np.concatenate([key, open_key])[order] // n
        time = np.concatenate([np.array(times, np.int64), np.array(self.spent)])[order]
        done = np.concatenate([np.array(written, np.int64), np.full(n, FAR)])[order]
        counts = np.bincount(worker, minlength=n)
        new = self.columns(counts, time, arrived, done)
        closed = done < FAR
        self.advance(counts - 1, arrived[closed], done[closed])
        known = rows.written < FAR
        if len(rows.worker):
            firsts = np.cumsum(counts) - counts
            again = rows.of(~known)
            new.seen[firsts[again.worker]] = again.seen
            new.ahead[firsts[again.worker]] = again.ahead
        return rows.of(known).beside(new)

    def _served(self, end: int, count: int) -> tuple[list[int], list[int], list[int]]:
        """The next gradients that arrive: by worker and arrival, their times, and when they are
        written."""
        heap, n, trip, length = self.heap, self.workers, self.trip, self.delay
        computing, spent, free, stop = self.computing, self.spent, self.free, end * n
        keys, times, written = [], [], []
        bounded = self.bound >= 0
        for _ in range(count):
            key = heap[0]
            if key >= stop:
                break
            worker = key % n
            now = key // n
            free = (now if now > free else free) + length
            keys.append(key)
            times.append(spent[worker])
            written.append(free)
            if bounded and not self._goes_on(worker, free):
                heappop(heap)
                continue
            spent[worker] = time = next(computing[worker])
            heapreplace(heap, (free + trip + time) * n + worker)
        self.free = free
        return keys, times, written

    def _goes_on(self, worker: int, now: int) -> bool:
        """Whether *worker*, whose gradient is written *now*, may begin the next one."""
        finished = self.finished
        finished[worker] += 1
        if finished[worker] - 1 == self.slowest:
            self.last -= 1
            if not self.last:
                self.slowest += 1
                self.last = finished.count(self.slowest)
                self._release(now)
        if finished[worker] - self.slowest <= self.bound:
            return True
        self.held.append(worker)
        self.spent[worker] = 0
        return False

    def _release(self, now: int) -> None:
        """Let those begin the next clock who may, now that the slowest has finished one."""
        held, self.held = self.held, []
        for worker in held:
            if self.finished[worker] - self.slowest > self.bound:
                self.held.append(worker)
                continue
            self.spent[worker] = time = next(self.computing[worker])
            heappush(self.heap, (now + self.trip + time) * self.workers + worker)
