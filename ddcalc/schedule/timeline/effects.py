"""Effects of a scheme that only longer runs show, as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ddcalc.display import number_text
from ddcalc.expression import Expr
from ddcalc.number import Number, quotient
from ddcalc.schedule.gradient import Order
from ddcalc.schedule.schemes.asynchronous import asynchronous
from ddcalc.schedule.schemes.sync import sync
from ddcalc.schedule.timeline.tables import percent, shown
from ddcalc.schedule.timeline.workload import Run
from ddcalc.schedule.times import Fixed
from ddcalc.steps import Table

SIDE = 20_000  # computations that are played beside the run itself
TIMES = (1, 2, 4, 8)  # as long as the run

Cells = tuple[str | Expr, ...]


def gains(run: Run) -> Table | None:
    """What a bound on staleness gains over waiting for everybody; None for too long a run."""
    horizons = list(_horizons(run))
    if not horizons:
        return None
    rows = []
    for horizon in horizons:
        longer = run.workload.until(horizon)
        schemes = (sync(run.workload.workers), run.scheme, asynchronous())
        waiting, bounded, free = (longer.run(scheme).counted.used for scheme in schemes)
        gain = quotient(bounded - waiting, waiting) if waiting else None
        share = "–" if gain is None else percent(gain)
        rows.append((*map(shown, (horizon, waiting, bounded, free, bounded - waiting)), share))
    why = (
        "with fixed times the gain comes once and does not grow: in the long run everybody goes"
        " at the pace of the slowest worker"
    )
    if not isinstance(run.workload.times, Fixed) or _changing(run):
        why = (
            "times that change pay: whoever is slow now is not the one who is slow next, and the"
            " bound lets others work in the meantime"
        )
    header = ("until (s)", "synchronous", "this bound", "asynchronous", "gain", "")
    return Table("What the bound gains over synchronous (gradients)", why, header, tuple(rows))


def orders(run: Run) -> Table | None:
    """The mean staleness of asynchronous workers in both orders; None for too long a run."""
    horizons = list(_horizons(run))
    if not horizons or run.workload.workers == 1:
        return None
    others = run.workload.workers - 1
    rows = []
    for horizon in horizons:
        both = [_mean(run, horizon, order) for order in ("in_turn", "writes_first")]
        rows.append((shown(horizon), *both))
    why = (
        f"in turn the mean goes to n − 1 = {others} whatever the speeds: each worker computes"
        " without a gap, so every update falls into exactly one computation of each of the"
        f" {others} other{'' if others == 1 else 's'} and makes it staler by one. Where all write"
        " before anybody rereads, updates of one instant make nobody staler: the mean is less,"
        f" (n − 1)/2 = {shown(quotient(others, 2))} for equal speeds, which is sometimes printed"
        " as if it were general"
    )
    header = ("until (s)", "in turn", "all write first")
    return Table("Mean staleness, by what happens at one instant", why, header, tuple(rows))


def _mean(run: Run, horizon: Number, order: Order) -> str:
    longer = replace(run.workload.until(horizon), order=order)
    mean = longer.run(run.scheme).staleness
    if mean is None:
        return "–"
    text, exact = number_text(mean, 4)
    return text if exact or mean.denominator > 100 else f"{mean} = {text}"


def _horizons(run: Run) -> Iterator[Number]:
    """The run's time and multiples of it, as far as playing them is quick."""
    for factor in TIMES:
        if run.counted.played * factor <= SIDE and run.duration > 0:
            yield run.duration * factor


def _changing(run: Run) -> bool:
    """Whether fixed times differ from one computation to the next."""
    times = run.workload.times
    return isinstance(times, Fixed) and any(len(set(row)) > 1 for row in times.rows)
