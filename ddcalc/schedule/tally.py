"""What a run comes to, counted while it is played: memory does not grow with its length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from ddcalc.schedule.engine import Engine, Rounds
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Gradient, Hold, Time, Worker

KEPT = 400  # gradients of the beginning that are kept for tables
LANES = 12  # workers of whom gradients are kept for pictures
TOLD = 1000  # gradients between two times that it is told how many are played
BARS = 24  # gradients that are drawn of a worker; one more is kept


@dataclass(slots=True)
class Day:
    """What one worker has done until the end of the run (times in the run's unit)."""

    clocks: int = 0  # computations that it has finished
    computes: Time = 0
    wasted: Time = 0  # of computing: for gradients that no update has used
    moves: Time = 0
    held: Time = 0  # it waits for other workers
    served: Time = 0  # it waits for the server
    downloads: int = 0
    uploads: int = 0
    # the data number of its last gradient that was written, of which only the order counts
    last: int = field(default=0, compare=False)
    waits: dict[int, Time] = field(default_factory=dict)  # of being held, by whom it waits for

    def spend(self, gradient: Gradient) -> None:
        """Count the times of a *gradient*."""
        held: Time = 0
        if gradient.hold:
            start, end, by = gradient.hold
            held = end - start
            self.waits[by] = self.waits.get(by, 0) + held
        self.held += held
        self.served += gradient.released - gradient.requested - held
        self.moves += gradient.start - gradient.released + gradient.arrived - gradient.end
        self.computes += gradient.end - gradient.start


@dataclass(slots=True)
class Tally:
    """The run until *end*: counts, what each worker did, the *first* gradients, and those *drawn*
    of the first workers, of whose data numbers only the order counts."""

    end: Time
    days: list[Day]
    updates: int = 0
    used: int = 0  # gradients in these updates; with local steps every step is one
    dropped: int = 0
    interrupted: int = 0
    staleness: Counter[int] = field(default_factory=Counter)
    ahead: int = 0  # the largest lead over the slowest worker, in clocks, when reading
    nth: Time | None = None  # when the update that is wanted was made
    goal: int | None = None  # how many gradients are wanted
    reached: Time | None = None  # when they were in the parameters
    first: list[Gradient] = field(default_factory=list)
    drawn: list[list[Gradient]] = field(default_factory=lambda: [[] for _ in range(LANES)])
    pending: list[Gradient] = field(default_factory=list)  # under way at the end

    @property
    def played(self) -> int:
        """The computations whose gradients came to an end."""
        return self.used + self.dropped + self.interrupted

    @property
    def begun(self) -> int:
        """The computations that were begun before the end."""
        starts = ((late.start, *late.ends[:-1]) for late in self.pending if late.data)
        return self.played + sum(start < self.end for steps in starts for start in steps)

    def count(self, gradient: Gradient, nth: int | None) -> None:
        """Count a *gradient* that is written or dropped; *nth* is the update that is wanted."""
        steps = len(gradient.ends) or 1
        day = self.days[gradient.worker - 1]
        day.last = gradient.data
        day.spend(gradient)
        if gradient.update > 0:
            self.updates = gradient.update
            self.used += steps
            self.staleness[gradient.staleness] += steps
            if gradient.update == nth:
                self.nth = gradient.written
            if self.reached is None and self.goal is not None and self.used >= self.goal:
                self.reached = gradient.written
        else:
            day.wasted += gradient.end - gradient.start
        day.downloads += 1
        if gradient.update == INTERRUPTED:
            self.interrupted += steps
            day.clocks += gradient.end < gradient.written  # only its sending was interrupted
        else:
            day.clocks += steps
            day.uploads += 1
            self.dropped += steps if gradient.update == DROPPED else 0
        self.ahead = max(self.ahead, gradient.ahead)

    def keep(self, gradient: Gradient) -> None:
        """Keep a *gradient*, if it is one of the beginning."""
        if len(self.first) < KEPT:
            self.first.append(gradient)
        if gradient.worker <= len(self.drawn):
            self.draw(gradient)

    def draw(self, gradient: Gradient) -> None:
        """Keep a *gradient* of one of the first workers, if it may be drawn."""
        if len(lane := self.drawn[gradient.worker - 1]) <= BARS:
            lane.append(gradient)

    def close(self, engine: Engine, nth: int | None) -> None:
        """Count what is under way at the end, which is included; of a run that ends with update
        *nth*, without the reads after it."""
        for gradient in unfinished(engine, [day.last for day in self.days], self.end):
            day = self.days[gradient.worker - 1]
            day.spend(until(gradient, self.end))
            if gradient.data:
                day.clocks += sum(end <= self.end for end in gradient.ends or (gradient.end,))
                before = nth is None or gradient.seen < nth
                day.downloads += before and gradient.start <= self.end
                arrival = engine.machine.read == "arrival"
                if before and (gradient.released if arrival else gradient.start) <= self.end:
                    self.ahead = max(self.ahead, gradient.ahead)
                day.uploads += gradient.arrived <= self.end
            self.pending.append(gradient)


def tally(
    engine: Engine,
    horizon: Time | None,
    nth: int | None = None,
    goal: int | None = None,
    most: int | None = None,
    tell: Callable[[int], None] | None = None,
) -> Tally:
    """Play until the *horizon* (included), or, if there is none, until update number *nth*.

    *goal* is a number of gradients in the parameters; the time at which there are as many is noted
    as well. Raises OverflowError where *most* gradients are not enough for the run; *tell* is told
    how many more are played.
    """
    counted = Tally(horizon or 0, [Day() for _ in engine.workers], goal=goal)
    play_on(engine, counted, horizon, nth, most, tell)
    return counted


def play_on(
    engine: Engine,
    counted: Tally,
    horizon: Time | None,
    nth: int | None,
    most: int | None = None,
    tell: Callable[[int], None] | None = None,
) -> None:
    """Play the same to its end, of which a part is *counted* already."""
    gradients = engine.gradients()
    for gradient in gradients if tell is None else _watched(gradients, tell):
        if _is_after(gradient, counted, horizon, nth):
            break
        if most is not None and counted.played >= most:
            raise OverflowError(most)
        counted.count(gradient, nth)
        counted.keep(gradient)
    if horizon is None:
        counted.end = counted.nth or 0
    counted.close(engine, nth if horizon is None else None)


def _watched(gradients: Iterator[Gradient], tell: Callable[[int], None]) -> Iterator[Gradient]:
    """The same *gradients*; now and then, *tell* is told how many more there were."""
    for count, gradient in enumerate(gradients, 1):
        yield gradient
        if not count % TOLD:
            tell(TOLD)


def begin(engine: Engine, counted: Tally, nth: int | None) -> None:
    """Play the beginning of a run that is *counted* already, and keep its first gradients. A run
    without a horizon ends with update *nth*."""
    counted.first = []
    for gradient in islice(engine.gradients(), KEPT):
        if gradient.written > counted.end or (nth is not None and gradient.update > nth):
            return
        counted.first.append(gradient)


def _is_after(gradient: Gradient, counted: Tally, horizon: Time | None, nth: int | None) -> bool:
    """Whether *gradient* does not belong to the run any more."""
    if horizon is not None:
        return gradient.written > horizon
    made = counted.nth
    return made is not None and (gradient.update > (nth or 0) or gradient.written > made)


def unfinished(engine: Engine, last: list[int], end: Time) -> Iterator[Gradient]:
    """What each worker of a run stopped at *end* is at, as gradients that are not yet written.

    *last* is the data number of the last gradient of each worker that was written by then. Those
    that are not begun have the data number 0.
    """
    for gradient in _sent(engine, end):
        if gradient.data > last[gradient.worker - 1]:
            yield gradient
    for worker in engine.workers:
        yield _current(worker, engine, end)


def _sent(engine: Engine, end: Time) -> Iterator[Gradient]:
    """What the server has but has not worked in; more than once at most what is written."""
    every = [*engine.handed, *(engine.closing or ()), *(worker.sent for worker in engine.workers)]
    by_data = {sent[2]: sent for sent in every if sent}
    return (Gradient._make((*by_data[data], end, PENDING)) for data in sorted(by_data))


def _current(worker: Worker, engine: Engine, end: Time) -> Gradient:
    """What *worker* does after its last gradient; of a computation that is not begun, data 0."""
    clock, data, released, hold = worker.clock, worker.data, worker.released, worker.hold
    start, finish, arrived = worker.start, worker.end, worker.end + engine.machine.up
    ends = worker.ends
    if worker.doing != "computes":
        clock, data, ends = worker.clock + 1, 0, ()
        start = finish = arrived = end
    if worker.doing in ("waits", "writes"):
        released, hold = end, _hold(worker, engine, end)
    return Gradient(
        worker.number, clock, data, worker.requested, released, hold, start, ends, finish, arrived,
        worker.seen, worker.ahead, end, PENDING,
    )  # fmt: skip


def _hold(worker: Worker, engine: Engine, end: Time) -> Hold | None:
    """How long *worker*, which waits, has waited for others."""
    if worker.doing == "writes":
        return None
    if not isinstance(engine, Rounds):
        return Hold(worker.written, end, 0)
    closed, _, by = engine.closer if engine.closing else Hold(end, end, 0)
    return (
        Hold(worker.requested, closed, by if closed <= end else 0)
        if worker.requested < closed
        else None
    )


def until(gradient: Gradient, end: Time) -> Gradient:
    """*gradient* with everything after *end* moved to it, where it has length 0."""
    hold = gradient.hold
    if hold:
        hold = Hold(min(hold.start, end), min(hold.end, end), hold.by)
    times = ("requested", "released", "start", "end", "arrived")
    moved = {name: min(getattr(gradient, name), end) for name in times}
    return gradient._replace(hold=hold, **moved)
