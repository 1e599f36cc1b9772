"""What a run comes to, counted while it is played: memory does not grow with its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Gradient, Hold, Time, Worker

KEPT = 400  # gradients of the beginning that are kept for tables
LANES = 12  # workers of whom gradients are kept for pictures
TOLD = 1000  # gradients between two times that it is told how many are played
BARS = 24  # gradients that are drawn of a worker; one more is kept
NEVER = -3  # the number of no update


@dataclass(slots=True)
class Day:
    """What one worker has done until the end of the run (times in the run's unit)."""

    clocks: int  # computations that it has finished
    computes: Time
    moves: Time
    held: Time  # it waits for other workers
    served: Time  # it waits for the server
    downloads: int
    uploads: int
    waits: dict[int, Time]  # of being held, by whom it waits for


@dataclass(slots=True)
class Tally:
    """The run until *end*: counts, what each worker did, the *first* gradients, those *drawn* of
    the first workers, and those *pending*: under way at the end, and not begun with data 0."""

    end: Time = 0
    days: list[Day] = field(default_factory=list)
    updates: int = 0
    used: int = 0  # gradients in these updates; with local steps every step is one
    dropped: int = 0
    interrupted: int = 0
    staleness: dict[int, int] = field(default_factory=dict)
    ahead: int = 0  # the largest lead over the slowest worker, in clocks, when reading
    nth: Time | None = None  # when the update that is wanted was made
    first: list[Gradient] = field(default_factory=list)
    drawn: list[list[Gradient]] = field(default_factory=list)
    pending: list[Gradient] = field(default_factory=list)

    @property
    def played(self) -> int:
        """The computations whose gradients came to an end."""
        return self.used + self.dropped + self.interrupted

    @property
    def begun(self) -> int:
        """The computations that were begun before the end."""
        starts = ((late.start, *late.ends[:-1]) for late in self.pending if late.data)
        return self.played + sum(start < self.end for steps in starts for start in steps)

    def keep(self, worker: Worker) -> bool:
        """Keep the gradient of *worker*, if it is one of the beginning; whether more may be kept."""
        lists = [self.first] if len(self.first) < KEPT else []
        if worker.number <= LANES and len(lane := self.drawn[worker.number - 1]) <= BARS:
            lists.append(lane)
        for kept in lists:
            kept.append(worker.gradient)
        return len(self.first) < KEPT or any(len(lane) <= BARS for lane in self.drawn)


def tally(
    engine: Engine,
    horizon: Time | None,
    nth: int | None = None,
    most: int | None = None,
    tell: Callable[[int], None] | None = None,
    *,
    kept: bool = True,
) -> Tally:
    """Play until the *horizon* (included), or, if there is none, until update number *nth*.

    Raises OverflowError where the run has more than *most* computations; *tell* is told how many
    more are played. The gradients of the beginning are *kept*, or not.
    """
    counted = Tally(drawn=[[] for _ in engine.workers[:LANES]])
    if horizon is not None:
        engine.stop(horizon)
    counting = Counting(engine, counted, horizon is None, nth, kept)
    run, steps, more = engine.play(), engine.scheme.local_steps, TOLD
    while more == TOLD:
        more = counting.count(islice(run, TOLD))
        if most is not None and counted.played > most:
            raise OverflowError(most)
        if tell is not None:
            tell(more * steps)
    last = nth if horizon is None else None
    counted.end = horizon if horizon is not None else counted.nth or 0
    counted.updates = engine.updates if last is None else last
    _close(engine, counted, last)
    return counted


class Counting:
    """Counts what *engine* plays in what is *counted*; update *nth* is noted, and the *last*, or
    not. The beginning is *kept*, or not."""

    def __init__(
        self, engine: Engine, counted: Tally, last: bool, nth: int | None, kept: bool
    ) -> None:
        self.engine, self.counted, self.kept = engine, counted, kept
        self.steps = engine.scheme.local_steps
        self.mark = NEVER if nth is None else nth  # the update that is looked for
        self.last = last  # whether it is the last one

    def count(self, workers: Iterator[Worker]) -> int:
        """Count the gradients that *workers* are done with; how many belong to the run."""
        counted, steps, mark, kept = self.counted, self.steps, self.mark, self.kept
        staleness, ahead = counted.staleness, counted.ahead
        gradients = dropped = interrupted = 0
        for worker in workers:
            update = worker.update
            if update == mark:
                if counted.nth is not None:
                    break
                counted.nth = worker.written
                mark = NEVER
                if self.last:
                    self.engine.stop(worker.written)
                    mark = update + 1
            if update > 0:
                age = update - 1 - worker.seen
                try:
                    staleness[age] += steps
                except KeyError:
                    staleness[age] = steps
            elif update == DROPPED:
                dropped += steps
            else:
                interrupted += steps
            if worker.ahead > ahead:
                ahead = worker.ahead
            if kept:
                kept = counted.keep(worker)
            gradients += 1
        counted.used += gradients * steps - dropped - interrupted
        counted.dropped += dropped
        counted.interrupted += interrupted
        counted.ahead, self.mark, self.kept = ahead, mark, kept
        return gradients


def _close(engine: Engine, counted: Tally, nth: int | None) -> None:
    """Count what is under way at the end, which is included; of a run that ends with update *nth*,
    without the reads after it."""
    end = counted.end
    counted.pending = [*_sent(engine, nth, end), *(_next(worker, engine, end) for worker in engine.workers)]
    read = (g.ahead for g in counted.pending if g.data and (nth is None or g.seen < nth))
    counted.ahead = max(counted.ahead, *read, 0)
    counted.days = [_day(worker, engine, nth, end) for worker in engine.workers]


def _sent(engine: Engine, nth: int | None, end: Time) -> Iterator[Gradient]:
    """What the server has but has not worked in by the *end*, in the order of the data."""
    waiting = [worker.gradient for worker in engine.workers if worker.doing in ("waits", "writes")]
    sent = {gradient.data: gradient for gradient in (*engine.handed, *engine.closing, *waiting)}
    for _, gradient in sorted(sent.items()):
        if gradient.update == PENDING or (nth is not None and gradient.update > nth):
            yield gradient._replace(written=end, update=PENDING)


def _next(worker: Worker, engine: Engine, end: Time) -> Gradient:
    """What *worker* does after its last gradient; of a computation that is not begun, data 0."""
    gradient = worker.gradient._replace(written=end, update=PENDING)
    if worker.doing == "computes":
        return gradient._replace(arrived=worker.end + engine.machine.up)
    begun = gradient._replace(clock=worker.clock + 1, data=0, requested=worker.arrived, start=end, ends=(), end=end, arrived=end)
    if worker.doing == "gets":
        return begun
    hold = engine.hold(worker, end)
    return begun._replace(released=end, hold=hold)


def _day(worker: Worker, engine: Engine, nth: int | None, end: Time) -> Day:
    """What *worker* has done by the *end*."""
    waits, served, computes = Counter(worker.waits), worker.served, worker.computes
    gradients, unsent, undone = worker.clock // engine.scheme.local_steps, 0, 0
    if worker.doing == "computes":
        computes -= max(worker.end - max(worker.start, end), 0)
        unsent = worker.end + engine.machine.up > end
        undone = sum(step > end for step in worker.gradient.ends or (worker.end,))
    elif worker.doing != "gets":
        served += end - worker.arrived
        if hold := engine.hold(worker, end):
            waits[hold.by] += hold.end - hold.start
            served -= hold.end - hold.start
    held = waits.total()
    there = max(end - engine.machine.starts[worker.number - 1], 0)
    unread = worker.data and (worker.start > end or (nth is not None and worker.seen >= nth))
    return Day(
        clocks=worker.clock - worker.cut - undone,
        computes=computes,
        moves=there - computes - held - served,
        held=held,
        served=served,
        downloads=gradients - bool(unread),
        uploads=gradients - worker.stopped - unsent,
        waits=waits,
    )


def until(gradient: Gradient, end: Time) -> Gradient:
    """*gradient* with everything after *end* moved to it, where it has length 0."""
    hold = gradient.hold
    if hold:
        hold = Hold(min(hold.start, end), min(hold.end, end), hold.by)
    times = ("requested", "released", "start", "end", "arrived")
    moved = {name: min(getattr(gradient, name), end) for name in times}
    return gradient._replace(hold=hold, **moved)
