"""Long runs in rounds that all begin anew, counted on arrays: synchronous ones, local steps, and k
of n whose late computations are interrupted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from ddcalc.schedule.engine import Rounds
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient, Hold, Machine
from ddcalc.schedule.leap import FAR, Leap, Mask
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
            left = max(self.block // (self.workers * steps), 1)
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
