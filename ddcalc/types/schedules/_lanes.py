"""The first part of a run as a picture: a lane for each worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ddcalc.formula.expression import Expr
from ddcalc.numbers.amounts import amount
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Kind, Lane, Timeline
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Gradient, Time
from ddcalc.schedule.tally import BARS, LANES, until
from ddcalc.types.schedules._workload import Operation, Run

_FATES = {DROPPED: "dropped", INTERRUPTED: "interrupted", PENDING: "not done"}


def picture(run: Run, title: str, why: str) -> Timeline:
    """The beginning of *run*, as far as a page can show it; the reason says what is left out."""
    workers = min(run.workload.workers, LANES)
    lists = [run.lane(worker) for worker in range(1, workers + 1)]
    end = _end(run, lists)
    lanes = tuple(_lane(run, worker, mine, end) for worker, mine in enumerate(lists, 1))
    missing = run.workload.workers - workers
    if missing:
        why += f"; {counted(missing, 'more worker')} not drawn here"
    return Timeline(title, why, lanes, run.duration, left_out(run, lanes), end_name(run))


def end_name(run: Run) -> str:
    """What the end of *run* is called."""
    return "end" if run.workload.horizon is None else "horizon"


def left_out(run: Run, lanes: Sequence[Lane]) -> int:
    """How many computations of *run* are not drawn on *lanes*."""
    drawn = sum(bar.kind == "compute" for lane in lanes for bar in lane.bars)
    return max(run.counted.begun - drawn, 0)


def time_text(seconds: Number) -> str:
    """*seconds* with their unit, as they stand in a sentence."""
    shown = amount(seconds, SECOND)
    return f"{'' if shown.exact else 'about '}{shown}"


def _end(run: Run, lists: Sequence[Sequence[Gradient]]) -> Time:
    """When the picture ends: with the run, or where a lane would be overfull."""
    ends = [run.counted.end]
    for gradients in lists:
        begun = (gradient for gradient in gradients if gradient.data)
        times = [end for gradient in begun for end in gradient.ends or (gradient.end,)]
        done = [end for end in times if end <= run.counted.end]
        if len(done) > BARS:
            ends.append(done[BARS - 1])
    end = min(ends)
    return end if end >= run.counted.end else _tidy(run.seconds(end)) * run.unit // 1


def _tidy(seconds: Number) -> Fraction:
    """A number of two digits, not more than *seconds*."""
    step = Fraction(1)
    while step * 100 <= seconds:
        step *= 10
    while step * 10 > seconds:
        step /= 10
    return seconds // step * step


def _lane(run: Run, worker: int, mine: Sequence[Gradient], end: Time) -> Lane:
    bars: list[Bar] = []
    for gradient in mine:
        if gradient.requested < end:
            bars.extend(_bars(run, gradient, end))
    return Lane(f"worker {worker}", tuple(bars))


def _bars(run: Run, gradient: Gradient, end: Time) -> Iterator[Bar]:
    """What a worker does for one *gradient*, as far as it is before the *end*."""
    shown, worker = until(gradient, end), f"worker {gradient.worker}"
    yield from _waits(run, shown, worker)
    yield from _span(run, shown.released, shown.start, "down", f"{worker} gets the parameters")
    yield from _computations(run, gradient, shown)
    sends = f"{worker} sends gradient {gradient.clock}"
    yield from _span(run, shown.end, shown.arrived, "up", sends)


def _waits(run: Run, shown: Gradient, worker: str) -> Iterator[Bar]:
    """The wait before the parameters come: for another worker, and for the server."""
    held = shown.hold
    if held is None:
        server = f"{worker} waits for the server"
        yield from _span(run, shown.requested, shown.released, "server", server)
        return
    other = f"worker {held.by}" if held.by else "others"
    server = f"{worker} waits for the server"
    yield from _span(run, shown.requested, held.start, "server", server)
    yield from _span(run, held.start, held.end, "wait", f"{worker} waits for {other}")
    yield from _span(run, held.end, shown.released, "server", server)


def _span(run: Run, start: Time, end: Time, kind: Kind, what: str) -> Iterator[Bar]:
    if start < end:
        first, last = run.seconds(start), run.seconds(end)
        yield Bar(first, last, "", kind=kind, note=f"{what}, {_from_to(first, last)}")


def _computations(run: Run, gradient: Gradient, shown: Gradient) -> Iterator[Bar]:
    ends = gradient.ends or (gradient.end,)
    start = gradient.start
    for clock, end in enumerate(ends, gradient.clock - len(ends) + 1):
        if start >= shown.end:
            return
        done = gradient.update not in (DROPPED, INTERRUPTED) and end <= shown.end
        first, last = run.seconds(start), run.seconds(min(end, shown.end))
        label = str(clock) if done else _fate(gradient, end > shown.end)
        yield Bar(first, last, label, done, note=_note(run, gradient, clock, first, last, done))
        start = end


def _fate(gradient: Gradient, cut: bool) -> str:
    return "not done" if cut and gradient.update != INTERRUPTED else _FATES.get(gradient.update, "")


def _note(run: Run, gradient: Gradient, clock: int, first: Number, last: Number, done: bool) -> str:
    what = f"worker {gradient.worker} computes gradient {clock}, {_from_to(first, last)}"
    point = f"on the parameters after update {gradient.seen}"
    if not gradient.seen:
        point = "on the first parameters"
    if gradient.ends and clock > gradient.clock - len(gradient.ends) + 1:
        point = "on its own parameters"
    if done and gradient.update == PENDING:
        return f"{what}, {point}; in no update by the end"
    if not done:
        return f"{what}, {point}; {_FATES.get(gradient.update, 'not done')}"
    written = time_text(run.seconds(gradient.written))
    return f"{what}, {point}; in update {gradient.update} at {written}"


def _from_to(first: Number, last: Number) -> str:
    return f"from {time_text(first)} to {time_text(last)}"


# Runs of equal operations, above one that works alone

ROWS = 12
DRAWN = 40
Label = Callable[[Operation], Expr]


@dataclass(frozen=True, slots=True)
class Row:
    """A worker's *operations* that count; those behind them start at *ready*, one after the other,
    and take *duration* each."""

    name: str
    operations: Sequence[Operation]
    ready: Number
    duration: Number
    label: Label

    def bars(self, horizon: Number, cut: bool) -> list[Bar]:
        """The first operations, with those behind them that start before the *horizon*, at which
        all are *cut*; else they go on, and do not count."""
        bars = [Bar(op.start, op.end, self.label(op)) for op in self.operations[:DRAWN]]
        for i in range(min(self._behind(horizon), DRAWN)):
            start = self.ready + i * self.duration
            end = start + self.duration
            fate = "not done" if cut and end > horizon else "not counted"
            bars.append(Bar(start, end, fate, done=False))
        return bars

    def count(self, horizon: Number) -> int:
        """How many bars there are, if all are shown."""
        return len(self.operations) + self._behind(horizon)

    def _behind(self, horizon: Number) -> int:
        """How many operations that do not count start before the *horizon*."""
        return max(ceil(Fraction(horizon - self.ready) / self.duration), 0)


def rows(
    starts: Sequence[Number],
    duration: Number,
    operations: Sequence[Operation],
    names: Sequence[str],
    label: Label,
) -> list[Row]:
    """A row for each worker, which starts at its time in *starts*."""
    by_core: list[list[Operation]] = [[] for _ in starts]
    for operation in operations:
        by_core[operation.worker - 1].append(operation)
    return [
        Row(name, done, done[-1].end if done else start, duration, label)
        for name, start, done in zip(names, starts, by_core, strict=True)
    ]


def side_by_side(
    first: Sequence[Row], last: Row, horizon: Number, name: str, title: str, why: str
) -> Timeline:
    """A timeline of the rows in *first* that start earliest, and of the *last* row below them,
    until the *horizon*, which is called *name*: the time at which all stop, unless it is the "end"
    of the last operation that counts.

    What does not fit is left out; the reason says how many operations those are.
    """
    by_start = sorted(range(len(first)), key=lambda i: _start(first[i]))
    kept = [first[i] for i in sorted(by_start[: ROWS - 1])]
    bars = {row.name: row.bars(horizon, name != "end") for row in (*kept, last)}
    drawn = sorted((bar.start, name, bar) for name, drawn in bars.items() for bar in drawn)[:DRAWN]
    lanes = tuple(
        Lane(name, tuple(bar for _, owner, bar in drawn if owner == name)) for name in bars
    )
    timeline = Timeline(title, why, lanes, horizon, name=name)
    missing = sum(row.count(horizon) for row in (*first, last)) - len(drawn)
    if not missing:
        return timeline
    return replace(timeline, why=f"{why}; {missing} more are not drawn here", shown=missing)


def _start(row: Row) -> Number:
    return row.operations[0].start if row.operations else row.ready
