"""Schemes side by side on one workload, and averages over many runs of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from statistics import fmean, stdev
from typing import TypedDict

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Tally
from ddcalc.schedule.times import Drawn
from ddcalc.schedule.watching import share, watch
from ddcalc.types.schedules._workload import Run, Workload

SHARED = 10  # runs that are played for one comparison
MOST = 200_000_000  # computations in all the runs
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

    @property
    def seeds(self) -> range:
        """One for each run."""
        times = self.workload.times
        assert isinstance(times, Drawn)
        return range(times.seed + self.first, times.seed + self.first + self.runs)

    def __len__(self) -> int:
        return self.runs

    def has(self, place: int, result: Summary) -> bool:
        """Whether a *result* may be that of the run at this *place*."""
        counts = {len(result["gradients"]), len(result["waiting"]), len(result["staleness"])}
        return result["seed"] == self.seeds[place] and counts == {len(self.schemes)}


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
    collected = [Collected(scheme) for scheme in schemes]
    watching = watch.get()
    if watching and study.runs and study.within is None:
        watching.expect(study.runs * foreseen)
    for runs in share.get()(summaries, study.pieces()):
        if watching:
            watching.played(len(runs) * foreseen)
        for place, mine in enumerate(collected):
            mine.add(runs, place)
        if study.within is not None and _is_within(study, collected, foreseen):
            break
    return len(collected[0].used), [mine.average() for mine in collected]


@dataclass(slots=True)
class Collected:
    """What runs of *scheme* have come to: the gradients *used*, their *total* and that of their
    *squares*, shares of waiting, and mean ages."""

    scheme: Scheme
    used: list[int] = field(default_factory=list)
    total: int = 0
    squares: int = 0
    waiting: list[float] = field(default_factory=list)
    ages: list[float] = field(default_factory=list)

    def add(self, runs: Sequence[Summary], place: int) -> None:
        """Add what *runs* come to under the scheme at this *place*."""
        used = [run["gradients"][place] for run in runs]
        self.used += used
        self.total += sum(used)
        self.squares += sum(count * count for count in used)
        self.waiting += (run["waiting"][place] for run in runs)
        self.ages += (age for run in runs if (age := run["staleness"][place]) is not None)

    def average(self) -> Average:
        """The averages."""
        runs, mean = len(self.used), fmean(self.ages) if self.ages else 0.0
        error = stdev(self.used) / sqrt(runs)
        return Average(self.scheme, quotient(self.total, runs), error, fmean(self.waiting), mean)

    def wanted(self, within: Number) -> float:
        """About how many runs it takes until the standard error of the gradients is at most that
        part of their average."""
        runs = len(self.used)
        if not self.total:
            return float("inf")
        spread = runs * (runs * self.squares - self.total**2)
        return spread / ((runs - 1) * self.total**2) / float(within) ** 2


def _is_within(study: Study, collected: Sequence[Collected], foreseen: int) -> bool:
    """Whether the standard errors of these runs are small enough; OverLimit where they will not be,
    with so many computations *foreseen* for a run."""
    assert study.within is not None
    runs = len(collected[0].used)
    wanted = max(mine.wanted(study.within) for mine in collected)
    if wanted > runs and (wanted * foreseen > MOST or wanted > (study.runs or MOST_RUNS)):
        raise _out_of_reach(runs, wanted)
    return wanted <= runs


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


def summaries(piece: Piece) -> list[Summary]:
    """What each run of a *piece* comes to."""
    return [_summary(piece, seed) for seed in piece.seeds]


def _too_long(study: Study) -> DdcalcError:
    most = count_text(MOST)
    reason = f"more than {most} computations would have to be played in all the runs"
    return OverLimit(reason).about(study.named)


class Summary(TypedDict):
    """What a run comes to under each scheme: gradients, the share of waiting, and the mean
    staleness, where there is any gradient."""

    seed: int
    gradients: list[int]
    waiting: list[float]
    staleness: list[float | None]


def _summary(piece: Piece, seed: int) -> Summary:
    times = piece.workload.times
    assert isinstance(times, Drawn)
    workload = replace(piece.workload, times=replace(times, seed=seed))
    counted = [workload.counted(scheme, kept=False) for scheme in piece.schemes]
    return Summary(
        seed=seed,
        gradients=[run.used for run in counted],
        waiting=[_waiting(run) for run in counted],
        staleness=[_staleness(run) for run in counted],
    )


def _waiting(counted: Tally) -> float:
    waited = sum(day.held + day.served for day in counted.days)
    return waited / ((counted.end or 1) * len(counted.days))


def _staleness(counted: Tally) -> float | None:
    if not counted.used:
        return None
    return sum(age * n for age, n in counted.staleness.items()) / counted.used


def runs_of(workload: Workload, schemes: Sequence[Scheme]) -> list[Run]:
    """The *workload* under each of *schemes*."""
    shorter = replace(workload, most=PLAYED // SHARED)
    if watching := watch.get():
        watching.expect(sum(map(workload.estimate, schemes)))
    return [shorter.run(scheme) for scheme in schemes]


def run_of(workload: Workload, scheme: Scheme) -> Run:
    """The *workload* under one *scheme*."""
    if watching := watch.get():
        watching.expect(workload.estimate(scheme))
    return workload.run(scheme)
