"""How the contenders stand: when each seed's run was at the target, and how the runs ended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ddcalc.experiment.contender import Contender
from ddcalc.experiment.data import Data
from ddcalc.experiment.estimate import Estimate, estimate
from ddcalc.experiment.setting import Setting
from ddcalc.experiment.training import Point, Run

Measure = Callable[["Standing", int], float | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """The *runs* of a *contender* by their seeds, and what is to be right of the *tests*."""

    contender: Contender
    runs: Mapping[int, Run]
    wanted: int
    tests: int

    def hit(self, seed: int) -> Point | None:
        """The first look at which the run of that *seed* was at the target, if there is one."""
        return next((point for point in self.runs[seed].points if point.right >= self.wanted), None)

    @property
    def hits(self) -> int:
        """How many runs were at the target."""
        return sum(self.hit(seed) is not None for seed in self.runs)

    def of(self, measure: Measure) -> Estimate | None:
        """The mean of a *measure* over the seeds that have it."""
        found = (measure(self, seed) for seed in self.runs)
        return estimate([value for value in found if value is not None])


def time(standing: Standing, seed: int) -> float | None:
    """The time to the target (s)."""
    hit = standing.hit(seed)
    return None if hit is None else hit.time


def updates(standing: Standing, seed: int) -> float | None:
    """The updates to the target."""
    hit = standing.hit(seed)
    return None if hit is None else hit.updates


def ended(standing: Standing, seed: int) -> float:
    """The time at the end (s)."""
    return standing.runs[seed].points[-1].time


def loss(standing: Standing, seed: int) -> float | None:
    """The loss at the end; None where the run has diverged."""
    run = standing.runs[seed]
    return None if run.diverged else run.points[-1].loss


def accuracy(standing: Standing, seed: int) -> float | None:
    """The accuracy at the end in percent; None where the run has diverged."""
    run = standing.runs[seed]
    return None if run.diverged else 100 * run.points[-1].right / standing.tests


def staleness(standing: Standing, seed: int) -> float | None:
    """The mean staleness of the gradients in the updates."""
    run = standing.runs[seed]
    return run.staleness / run.used if run.used else None


def lost(standing: Standing, seed: int) -> float:
    """The share of gradients that no update used, in percent."""
    run = standing.runs[seed]
    vain = run.dropped + run.interrupted
    return 100 * vain / ((run.used + vain) or 1)


def difference(one: Standing, other: Standing, measure: Measure) -> Estimate | None:
    """The mean of *one* minus *other*, seed by seed; of those seeds that both have."""
    return estimate([a - b for a, b in _pairs(one, other, measure)])


def ratio(one: Standing, other: Standing, measure: Measure) -> Estimate | None:
    """The mean of *one* by *other*, seed by seed; of those seeds that both have."""
    return estimate([a / b for a, b in _pairs(one, other, measure) if b])


def _pairs(one: Standing, other: Standing, measure: Measure) -> Iterator[tuple[float, float]]:
    for seed in one.runs:
        a, b = measure(one, seed), measure(other, seed)
        if a is not None and b is not None:
            yield a, b


@dataclass(frozen=True, slots=True)
class Results:
    """All finished runs of *setting* on *data*."""

    setting: Setting
    data: Data
    standings: Sequence[Standing]

    @property
    def alone(self) -> Standing:
        """One worker."""
        return self._first("one")

    @property
    def sync(self) -> Standing:
        """All workers, synchronous, gradients sent whole."""
        return self._first("sync")

    @property
    def reused(self) -> Iterator[tuple[Standing, Standing]]:
        """Standings whose late gradients are reused, each with one that drops them and is else
        alike."""
        for one in self.standings:
            for other in self.standings:
                kinds = one.contender.kind, other.contender.kind
                if kinds == ("reuse", "drop") and _alike(one.contender, other.contender):
                    yield one, other

    def _first(self, kind: str) -> Standing:
        return next(each for each in self.standings if each.contender.kind == kind)


def _alike(one: Contender, other: Contender) -> bool:
    return (one.number, one.sends) == (other.number, other.sends)


def standings(
    setting: Setting, data: Data, runs: Mapping[tuple[Contender, int], Run]
) -> list[Standing]:
    """How the contenders of *setting* stand after their *runs*."""
    tests = len(data.test_labels)
    wanted = ceil(Fraction(setting.number("target")) * tests)
    return [
        Standing(each, {seed: runs[each, seed] for seed in setting.seeds}, wanted, tests)
        for each in setting.contenders
    ]
