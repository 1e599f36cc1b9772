"""What is under way when a run is stopped."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import PENDING, Gradient, Hold, Time, Worker
from ddcalc.schedule.rounds import Rounds


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
    under_way = (engine.closing or []) if isinstance(engine, Rounds) else []
    every = [*engine.handed, *under_way, *(worker.sent for worker in engine.workers)]
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
        worker.number, clock, data, worker.asked, released, hold, start, ends, finish, arrived,
        worker.seen, worker.ahead, end, PENDING,
    )  # fmt: skip


def _hold(worker: Worker, engine: Engine, end: Time) -> Hold | None:
    """How long *worker*, which waits, has waited for others."""
    if worker.doing == "writes":
        return None
    if not isinstance(engine, Rounds):
        return Hold(worker.written, end, 0)
    closed, _, by = engine.closer if engine.closing else Hold(end, end, 0)
    return Hold(worker.asked, closed, by if closed <= end else 0) if worker.asked < closed else None


def until(gradient: Gradient, end: Time) -> Gradient:
    """*gradient* with everything after *end* moved to it, where it has length 0."""
    hold = gradient.hold
    if hold:
        hold = Hold(min(hold.start, end), min(hold.end, end), hold.by)
    return gradient._replace(
        asked=min(gradient.asked, end),
        released=min(gradient.released, end),
        hold=hold,
        start=min(gradient.start, end),
        end=min(gradient.end, end),
        arrived=min(gradient.arrived, end),
    )
