"""Effects of a scheme that only longer runs show, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ddcalc.numbers.display import ABOUT, number_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.steps import Table
from ddcalc.schedule.gradient import Order
from ddcalc.schedule.scheme import asynchronous, sync
from ddcalc.schedule.times import Drawn, Fixed, Times
from ddcalc.types.schedules.timeline.tables import percent, shown
from ddcalc.types.schedules.timeline.workload import Run

SIDE = 20_000  # computations that are played beside the run itself
TIMES = (1, 2, 4, 8)  # as long as the run


def gains(run: Run) -> Table | None:
    """What a bound on staleness gains over waiting for everybody; None for too long a run."""
    horizons = list(_horizons(run))
    if not horizons or run.workload.workers == 1:
        return None
    rows, found, reached = [], [], False
    for horizon in horizons:
        waiting, bounded, free = _used(run, horizon)
        found.append(gain := bounded - waiting)
        reached = bounded != free
        share = percent(quotient(gain, waiting)) if waiting else "–"
        rows.append((*map(shown, (horizon, waiting, bounded, free, gain)), share))
    header = ("until (s)", "synchronous", "this bound", "asynchronous", "gain", "")
    title = "What the bound gains over synchronous (gradients)"
    return Table(title, _why_gains(run, found, reached), header, tuple(rows))


def _used(run: Run, horizon: Number) -> tuple[int, int, int]:
    """The gradients until *horizon*: synchronous, with the bound, and asynchronous."""
    longer = run.workload.until(horizon)
    schemes = (sync(run.workload.workers), run.scheme, asynchronous())
    waiting, bounded, free = (longer.run(scheme).counted.used for scheme in schemes)
    return waiting, bounded, free


def _why_gains(run: Run, found: Sequence[int], reached: bool) -> str:
    """What can be said for certain of gains *found* at ever longer times.

    *reached* says whether the bound has changed the number by the last of them.
    """
    workload, bound = run.workload, run.scheme.bound
    assert bound is not None
    steady, queue = _is_steady(workload.times), workload.queues
    if steady and not queue and not any(workload.starts):
        most = (workload.workers - 1) * (bound + 1)
        return (
            "nobody's count ever exceeds that of the slowest worker by more than"
            f" s + 1 = {bound + 1}, and synchronous workers keep the pace of the slowest too: with"
            f" fixed times the gain is never more than (n − 1)(s + 1) = {shown(most)}, however long"
            " the run"
        )
    if not reached:
        return "the longest of these runs uses as many gradients as it would without a bound"
    if len(found) < len(TIMES) or not all(2 * b > 3 * a > 0 for a, b in pairwise(found)):
        return "by the end of this run, and of longer ones"
    alike = len(set(workload.times.means)) == 1
    if isinstance(workload.times, Drawn) and alike and not queue:
        reason = (
            ": whoever is slow now is not the one who is slow next, and meanwhile others work on"
        )
    elif steady and alike and queue and not any(workload.starts):
        reason = ": the gradients of a synchronous round stand in a queue, all at once"
    else:
        reason = ""
    return f"here the gain grows with the time{reason}"


def orders(run: Run) -> Table | None:
    """The mean staleness of asynchronous workers in both orders; None for too long a run.

    None as well where parameters are read behind their download: updates made meanwhile do not
    count, and the mean is smaller.
    """
    workload = run.workload
    horizons = list(_horizons(run))
    behind = workload.down and workload.read == "start"
    if not horizons or workload.workers == 1 or behind:
        return None
    others = workload.workers - 1
    rows = []
    for horizon in horizons:
        both = [_mean(run, horizon, order) for order in ("in_turn", "writes_first")]
        rows.append((shown(horizon), *both))
    whose = "the other worker" if others == 1 else f"each of the {others} others"
    why = (
        f"in turn the mean goes to n − 1 = {others} whatever the speeds: a worker reads again at"
        " the instant its gradient is in, so every update falls between read and write of exactly"
        f" one gradient of {whose}. If all write"
        " before anybody rereads, of two workers that write at one instant only the second is made"
        f" staler: where all always do, the mean is (n − 1)/2 = {shown(quotient(others, 2))}, which"
        " is sometimes printed as if it were general"
    )
    header = ("until (s)", "in turn", "all write first")
    return Table("Mean staleness, by what happens at one instant", why, header, tuple(rows))


def _mean(run: Run, horizon: Number, order: Order) -> str:
    longer = replace(run.workload.until(horizon), order=order)
    mean = longer.run(run.scheme).staleness
    if mean is None:
        return "–"
    text, exact = number_text(mean, 4)
    return text if exact or mean.denominator > 100 else f"{mean} {ABOUT}{text}"


def _horizons(run: Run) -> Iterator[Number]:
    """The run's time and multiples of it, as far as playing them is quick."""
    for factor in TIMES:
        longer = run.duration * factor
        estimate = run.workload.until(longer).estimate(asynchronous())
        if longer and max(estimate, run.counted.played * factor) <= SIDE:
            yield longer


def _is_steady(times: Times) -> bool:
    """Whether a worker computes every gradient in the same time."""
    return isinstance(times, Fixed) and all(len(set(row)) == 1 for row in times.rows)
