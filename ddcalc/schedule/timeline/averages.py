"""Averages over many runs of a workload with drawn times: played with floats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import fmean, stdev

from ddcalc.errors import BadValue
from ddcalc.number import Number, quotient
from ddcalc.schedule.limits import PLAYED, check_length
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.timeline.tables import shown
from ddcalc.schedule.timeline.workload import Workload
from ddcalc.schedule.times import Drawn
from ddcalc.steps import Table

DIGITS = 4  # of what is estimated


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
    each = times.computations(workload.horizon) if workload.horizon else workload.nth or 0
    check_length(runs * each * len(schemes), "runs", PLAYED, "computations")
    seeded = [replace(workload, times=replace(times, seed=times.seed + run)) for run in range(runs)]
    return [_average(scheme, [each.played(scheme) for each in seeded]) for scheme in schemes]


def _average(scheme: Scheme, runs: Sequence[Tally]) -> Average:
    used = [run.used for run in runs]
    stale = [sum(age * n for age, n in run.staleness.items()) / max(run.used, 1) for run in runs]
    waiting = [
        sum(day.held + day.served for day in run.days) / ((run.end or 1) * len(run.days))
        for run in runs
    ]
    error = stdev(used) / sqrt(len(used))
    return Average(scheme, quotient(sum(used), len(used)), error, fmean(waiting), fmean(stale))


def averages_table(found: Sequence[Average], runs: int) -> Table:
    """The averages with their standard errors."""
    rows = tuple(
        (
            each.scheme.label,
            f"{shown(each.gradients)} ± {each.error:.2g}",
            f"{each.waiting:.1%}".replace("%", " %"),
            f"{each.staleness:.{DIGITS}g}",
        )
        for each in found
    )
    header = ("scheme", "gradients", "waiting", "mean staleness")
    why = "every run with the next seed, all schemes on the same times; ± is the standard error"
    return Table(f"Averages over {shown(runs)} runs", why, header, rows)
