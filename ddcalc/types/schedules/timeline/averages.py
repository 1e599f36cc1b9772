"""Averages over many runs of a workload with drawn times: played with floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import sqrt
from statistics import fmean, stdev

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, quotient
from ddcalc.problem.steps import Table
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.times import Drawn
from ddcalc.types.schedules.timeline.tables import brief, shown
from ddcalc.types.schedules.timeline.workload import Workload

DIGITS = 4  # of what is estimated
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
    found = []
    for scheme in schemes:
        told = []
        for each in seeded:
            told.append(_told(counted := _played(each, scheme, left)))
            left -= counted.played
        found.append(_average(scheme, told))
    return found


def _played(workload: Workload, scheme: Scheme, most: int) -> Tally:
    try:
        return workload.played(scheme, most)
    except OverflowError:
        raise _too_long() from None


def _too_long() -> DdcalcError:
    told = f"more than {shown(MOST)} computations would have to be played in all the runs"
    return OverLimit(told).about("runs")


Told = tuple[int, float, float | None]  # gradients, waiting, staleness


def _told(counted: Tally) -> Told:
    stale = None
    if counted.used:
        stale = sum(age * n for age, n in counted.staleness.items()) / counted.used
    waited = sum(day.held + day.served for day in counted.days)
    return counted.used, waited / ((counted.end or 1) * len(counted.days)), stale


def _average(scheme: Scheme, runs: Sequence[Told]) -> Average:
    used, waiting, stale = zip(*runs, strict=True)
    error = stdev(used) / sqrt(len(used))
    ages = [age for age in stale if age is not None]
    mean = fmean(ages) if ages else 0.0
    return Average(scheme, quotient(sum(used), len(used)), error, fmean(waiting), mean)


def averages_table(found: Sequence[Average], runs: int) -> Table:
    """The averages with their standard errors."""
    rows = tuple(
        (
            each.scheme.label,
            f"{brief(each.gradients)} ± {shown(rounded(Fraction(each.error), 2))}",
            f"{each.waiting:.1%}".replace("%", " %"),
            f"{each.staleness:.{DIGITS}g}",
        )
        for each in found
    )
    header = ("scheme", "gradients", "waiting", "mean staleness")
    why = "every run with the next seed, all schemes on the same times; ± is a standard error"
    return Table(f"Averages over {shown(runs)} runs", why, header, rows)
