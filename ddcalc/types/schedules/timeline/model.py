"""Schemes side by side on one workload, and averages over many runs of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, sqrt
from statistics import fmean, stdev

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.counting import share, watch
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.times import Drawn
from ddcalc.types.schedules._workload import Run, Workload

SHARED = 10  # runs that are played for one comparison
MOST = PLAYED  # computations in all the runs
MOST_RUNS = 1_000_000
PIECE = 50  # runs that are played between two looks at their average


@dataclass(frozen=True, slots=True)
class Average:
    """What runs of *scheme* make on average: *gradients* exactly, the rest as estimated."""

    scheme: Scheme
    gradients: Number
    error: float  # the standard error of the gradients
    waiting: float
    staleness: float


@dataclass(frozen=True, slots=True)
class Study:
    """Runs of *workload* under *schemes*, all on the same drawn times: so many *runs* (at least 2),
    or as many as it takes until no standard error is more than *within* of its average."""

    workload: Workload
    schemes: Sequence[Scheme]
    runs: int | None
    within: Number | None

    @property
    def named(self) -> str:
        """The given that asks for it."""
        return "runs" if self.within is None else "within"

    @property
    def stated(self) -> str:
        """What it states."""
        return str(self.runs) if self.within is None else count_text(self.within)

    def pieces(self) -> Iterator[Piece]:
        """All the runs that there can be."""
        runs = self.runs or MOST_RUNS
        for first in range(0, runs, PIECE):
            yield Piece(self.workload, self.schemes, first, min(PIECE, runs - first))


@dataclass(frozen=True, slots=True)
class Piece:
    """So many *runs*, from the seed on that is *first* after the stated one."""

    workload: Workload
    schemes: Sequence[Scheme]
    first: int
    runs: int


def averages(study: Study) -> tuple[int, list[Average]]:
    """How many runs a *study* takes, and their average under each scheme."""
    workload, schemes = study.workload, study.schemes
    if not isinstance(workload.times, Drawn):
        reason = "goes with drawn times; fixed ones are always the same"
        raise BadValue(study.stated, reason).about(study.named)
    if workload.horizon is None:
        raise BadValue(study.stated, "goes with a horizon").about(study.named)
    foreseen = sum(workload.estimate(scheme) + workload.workers for scheme in schemes)
    if (study.runs if study.runs and study.within is None else 2) * foreseen > MOST:
        raise _too_long(study)
    rows: list[list[Summary]] = [[] for _ in schemes]
    for by_scheme in share.get()(summaries, study.pieces()):
        if tell := watch.get():
            tell(len(by_scheme[0]) * foreseen)
        for mine, more in zip(rows, by_scheme, strict=True):
            mine += more
        if study.within is not None and _is_within(study, rows, foreseen):
            break
    means = [_average(scheme, mine) for scheme, mine in zip(schemes, rows, strict=True)]
    return len(rows[0]), means


def _is_within(study: Study, rows: Sequence[Sequence[Summary]], foreseen: int) -> bool:
    """Whether the standard errors of these runs are small enough; OverLimit where they will not be,
    with so many computations *foreseen* for a run."""
    assert study.within is not None
    runs = len(rows[0])
    means = (_average(scheme, mine) for scheme, mine in zip(study.schemes, rows, strict=True))
    wanted = max(_wanted(mean, runs, study.within) for mean in means)
    if wanted > runs and (wanted * foreseen > MOST or wanted > (study.runs or MOST_RUNS)):
        raise _out_of_reach(runs, wanted)
    return wanted <= runs


def _wanted(mean: Average, runs: int, within: Number) -> float:
    """About how many runs it takes until the standard error of a *mean* over so many *runs* is at
    most that part of it."""
    if not mean.gradients:
        return float("inf")
    return runs * (mean.error / (float(within) * float(mean.gradients))) ** 2


def _out_of_reach(runs: int, wanted: float) -> DdcalcError:
    after = f"after {count_text(runs)} runs"
    if wanted == float("inf"):
        reason = f"{after} there is no gradient to average; state a longer horizon"
    else:
        reason = (
            f"{after} the standard error is larger, and about {count_text(ceil(wanted))} would be"
            " needed; state a larger share, or a longer horizon"
        )
    return OverLimit(reason).about("within")


def summaries(piece: Piece) -> list[list[Summary]]:
    """What each run of a *piece* comes to, scheme by scheme."""
    times = piece.workload.times
    assert isinstance(times, Drawn)
    seeds = range(times.seed + piece.first, times.seed + piece.first + piece.runs)
    seeded = [replace(piece.workload, times=replace(times, seed=seed)) for seed in seeds]
    return [
        [_summary(workload.counted(scheme, many=piece.runs > 2)) for workload in seeded]
        for scheme in piece.schemes
    ]


def _too_long(study: Study) -> DdcalcError:
    most = count_text(MOST)
    reason = f"more than {most} computations would have to be played in all the runs"
    return OverLimit(reason).about(study.named)


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
