"""The first part of a run as a picture: a lane for each worker."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ddcalc.numbers.amounts import amount
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import SECOND
from ddcalc.problem.steps import Bar, Kind, Lane, Timeline
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, PENDING, Gradient, Time
from ddcalc.schedule.tally import BARS, LANES, until
from ddcalc.types.schedules._workload import Run

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
