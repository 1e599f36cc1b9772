"""What a run comes to, counted while it is played: memory does not grow with its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Computed, Gradient, Time, Worker

KEPT = 400  # gradients of the beginning that are kept for tables
LANES = 12  # workers of whom gradients are kept for pictures
TOLD = 1000  # computations between two times that it is told how many are played
BARS = 24  # gradients that are drawn of a worker; one more is kept


@dataclass(frozen=True, slots=True)
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
    the first workers, and those *pending*: under way at the end, or not begun, with data 0."""

    end: Time
    days: list[Day] = field(default_factory=list)
    updates: int = 0
    used: int = 0  # gradients in these updates; with local steps every step is one
    dropped: int = 0
    interrupted: int = 0
    wasted: Time = 0  # of computing: for gradients that no update has used
    staleness: dict[int, int] = field(default_factory=dict)  # how many of these have which
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

    def keep(self, workers: Sequence[Computed]) -> bool:
        """Keep the gradients of *workers* that are of the beginning; whether more may be kept."""
        for worker in workers:
            if len(self.first) < KEPT:
                self.first.append(worker.gradient)
            if worker.number <= LANES and len(lane := self.drawn[worker.number - 1]) <= BARS:
                lane.append(worker.gradient)
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
    counted = Tally(horizon or 0, drawn=[[] for _ in engine.workers[:LANES]])
    last = nth if horizon is None else None
    if horizon is not None:
        engine.stop(horizon)
    for more in _play(engine, counted, nth, last, kept):
        if most is not None and counted.played > most:
            raise OverflowError(most)
        if tell is not None:
            tell(more)
    if last is None:
        counted.updates, counted.ahead = engine.updates, engine.ahead
    counted.pending = list(_pending(engine, counted.end, last))
    counted.days = [_day(worker, engine, counted.end, last) for worker in engine.workers]
    return counted


def _play(
    engine: Engine, counted: Tally, nth: int | None, last: int | None, kept: bool
) -> Iterator[int]:
    """Count what *engine* plays, until the *last* update if one is the last; now and then, how many
    computations more that is."""
    staleness, steps, mark, gradients = counted.staleness, engine.scheme.local_steps, nth, 0
    many = ceil(TOLD / steps)
    for workers in engine.play():
        update = workers[0].update
        if update == mark:
            if counted.nth is not None:
                break
            counted.nth, mark = workers[0].written, None
            if last is not None:
                engine.stop(counted.nth)
                counted.end, counted.updates, counted.ahead = counted.nth, last, engine.ahead
                mark = last + 1
        if update > 0:
            for worker in workers:
                age = update - 1 - worker.seen
                try:
                    staleness[age] += steps
                except KeyError:
                    staleness[age] = steps
        else:
            lost = len(workers) * steps
            counted.used -= lost
            for worker in workers:
                counted.wasted += worker.end - worker.start
            counted.dropped += lost if update == DROPPED else 0
            counted.interrupted += lost if update == INTERRUPTED else 0
        if kept:
            kept = counted.keep(workers)
        gradients += len(workers)
        if gradients >= many:
            counted.used += gradients * steps
            yield gradients * steps
            gradients = 0
    counted.used += gradients * steps
    yield gradients * steps


def _pending(engine: Engine, end: Time, nth: int | None) -> Iterator[Gradient]:
    """What is under way at the *end*, which is included; of a run that ends with update *nth*,
    before another one: what the server has but has not worked in, in the order of the data, and
    what each worker does after that."""
    waiting = (worker for worker in engine.workers if worker.doing in ("waits", "writes"))
    sent = {of.data: of.gradient for of in (*engine.handed, *engine.closing, *waiting)}
    for _, gradient in sorted(sent.items()):
        if gradient.update == PENDING or (nth is not None and gradient.update > nth):
            yield gradient._replace(written=end, update=PENDING)
    for worker in engine.workers:
        yield _next(worker, engine, end)._replace(written=end, update=PENDING)


def _next(worker: Worker, engine: Engine, end: Time) -> Gradient:
    """What *worker* does after its last gradient; of a computation that is not begun, data 0."""
    last = worker.gradient
    if worker.doing == "computes":
        return last._replace(arrived=worker.end + engine.machine.up)
    begun = last._replace(
        clock=worker.clock + 1, data=0, requested=last.arrived, start=end, ends=(), end=end,
        arrived=end,
    )  # fmt: skip
    if worker.doing == "gets":
        return begun
    return begun._replace(released=end, hold=engine.hold(worker, end))


def _day(worker: Worker, engine: Engine, end: Time, nth: int | None) -> Day:
    """What *worker* has done by the *end*; of a run that ends with update *nth*, without the reads
    after it."""
    waits, served, computes = Counter(worker.waits), worker.served, worker.computes
    gradients, unsent, undone = worker.clock // engine.scheme.local_steps, False, 0
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
    there = max(end - engine.machine.starts[worker.place], 0)
    unread = worker.data and (worker.start > end or (nth is not None and worker.seen >= nth))
    return Day(
        clocks=worker.clock - worker.cut - undone,
        computes=computes,
        moves=there - computes - held - served,
        held=held,
        served=served,
        downloads=gradients - bool(unread),
        uploads=gradients - worker.stopped - unsent,
        waits=dict(+waits),
    )


def until(gradient: Gradient, end: Time) -> Gradient:
    """*gradient* with everything after *end* moved to it, where it has length 0."""
    hold = gradient.hold
    if hold:
        hold = hold._replace(start=min(hold.start, end), end=min(hold.end, end))
    times = ("requested", "released", "start", "end", "arrived")
    moved = {name: min(getattr(gradient, name), end) for name in times}
    return gradient._replace(hold=hold, **moved)
