"""Schemes side by side on one workload, and averages over many runs of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.times import Drawn
from ddcalc.types.schedules._workload import Run, Workload

SHARED = 10  # runs that are played for one comparison
MOST = PLAYED // 4  # computations in all the runs


@dataclass(frozen=True, slots=True)
class Average:
    """What runs of *scheme* make on average: *gradients* exactly, the rest as estimated."""

    scheme: Scheme
    gradients: Number
    error: float  # the standard error of the gradients
    waiting: float
    staleness: float


def averages(workload: Workload, schemes: Sequence[Scheme], runs: int) -> list[Average]:
    """The average of *runs* runs (at least 2) under each scheme, all on the same drawn times."""
    times = workload.times
    if not isinstance(times, Drawn):
        raise BadValue(str(runs), "goes with drawn times; fixed ones are always the same").about(
            "runs"
        )
    if workload.horizon is None:
        raise BadValue(str(runs), "goes with a horizon").about("runs")
    estimates = (workload.estimate(scheme) + workload.workers for scheme in schemes)
    if runs * sum(estimates) > MOST:
        raise _too_long()
    seeded = [replace(workload, times=replace(times, seed=times.seed + run)) for run in range(runs)]
    left = MOST
    by_scheme = []
    for scheme in schemes:
        rows = []
        for seed in seeded:
            rows.append(_summary(counted := _played(seed, scheme, left)))
            left -= counted.played
        by_scheme.append(_average(scheme, rows))
    return by_scheme


def _played(workload: Workload, scheme: Scheme, most: int) -> Tally:
    try:
        return workload.counted(scheme, most)
    except OverflowError:
        raise _too_long() from None


def _too_long() -> DdcalcError:
    most = count_text(MOST)
    reason = f"more than {most} computations would have to be played in all the runs"
    return OverLimit(reason).about("runs")


Summary = tuple[int, float, float | None]  # gradients, waiting, staleness


def _summary(counted: Tally) -> Summary:
    stale = None
    if counted.used:
        stale = sum(age * n for age, n in counted.staleness.items()) / counted.used
    waited = sum(day.held + day.served for day in counted.days)
    return counted.used, waited / ((counted.end or 1) * len(counted.days)), stale


def _average(scheme: Scheme, runs: Sequence[Summary]) -> Average:
    used, waiting, stale = zip(*runs, strict=True)
    error = stdev(used) / sqrt(len(used))
    ages = [age for age in stale if age is not None]
    mean = fmean(ages) if ages else 0.0
    return Average(scheme, quotient(sum(used), len(used)), error, fmean(waiting), mean)


def runs_of(workload: Workload, schemes: Sequence[Scheme]) -> list[Run]:
    """The *workload* under each of *schemes*."""
    shorter = replace(workload, most=PLAYED // SHARED)
    return [shorter.run(scheme) for scheme in schemes]
