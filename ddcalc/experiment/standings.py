"""What the runs come to: means over seeds, what a difference can show, and the best step sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, log10, sqrt
from statistics import fmean, stdev
from typing import Final

from ddcalc.experiment.samples import Data
from ddcalc.experiment.setting import Contender, Setting
from ddcalc.experiment.training import Measurement, Run
from ddcalc.numbers.display import MINUS
from ddcalc.numbers.number import Number

# quantiles of Student's t at 97.5 % for 1, 2, ... degrees of freedom: the usual table
_T: Final = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class Estimate:
    """The *mean* of *count* values, and their standard deviation (None of one value)."""

    mean: float
    deviation: float | None
    count: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / sqrt(self.count)

    @property
    def margin(self) -> float | None:
        """How far the true mean may be away, with 95 % confidence (Student's t)."""
        if self.error is None:
            return None
        free = self.count - 1
        return self.error * (_T[free - 1] if free <= len(_T) else _NORMAL)

    @property
    def shown(self) -> int:
        """1 or -1 where the mean lies above or below 0 by more than the margin, else 0."""
        if self.margin is None or abs(self.mean) <= self.margin:
            return 0
        return 1 if self.mean > 0 else -1

    @property
    def with_deviation(self) -> str:
        """The mean ± the standard deviation, as text."""
        return _with(self.mean, self.deviation)

    @property
    def with_error(self) -> str:
        """The mean ± its standard error, as text."""
        return _with(self.mean, self.error)


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of *values*, if there are any."""
    if not values:
        return None
    return Estimate(fmean(values), stdev(values) if len(values) > 1 else None, len(values))


def plain(value: float, digits: int = 3) -> str:
    """*value* with that many *digits*, but no fewer than those before its point.

    >>> plain(0.12345), plain(1234.5), plain(-2)
    ('0.123', '1 234', '−2.00')
    """
    return _fixed(value, _places(value, digits)) if value else "0"


def _with(mean: float, deviation: float | None) -> str:
    """*mean* with as many decimals as two digits of its *deviation* have."""
    if not deviation:
        return plain(mean)
    places = _places(deviation, 2)
    return f"{_fixed(mean, places)} ± {_fixed(deviation, places)}"


def _places(value: float, digits: int) -> int:
    """How many decimals *value* has when it is shown with that many *digits*."""
    return max(digits - 1 - floor(log10(abs(value))), 0)


def _fixed(value: float, places: int) -> str:
    rounded = round(value, places) or 0.0  # no minus before 0
    return f"{rounded:,.{places}f}".replace(",", " ").replace("-", MINUS)


Measure = Callable[["Standing", int], float | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """The *runs* of a *contender* by their seeds, and how many of the *tests* have to be right.

    Its measures take a seed and are None where the run of that seed has no such value.
    """

    contender: Contender
    runs: Mapping[int, Run]
    wanted: int
    tests: int

    def hit(self, seed: int) -> Measurement | None:
        """The first look at which the run of that *seed* was at the target, if there is one."""
        return next((point for point in self.runs[seed].points if point.right >= self.wanted), None)

    @property
    def hits(self) -> int:
        """How many runs were at the target."""
        return sum(self.hit(seed) is not None for seed in self.runs)

    def of(self, measure: Measure) -> Estimate | None:
        """The mean of a *measure* over the seeds that have it."""
        values = (measure(self, seed) for seed in self.runs)
        return estimate([value for value in values if value is not None])

    def time(self, seed: int) -> float | None:
        """The time to the target (s)."""
        hit = self.hit(seed)
        return None if hit is None else hit.time

    def updates(self, seed: int) -> float | None:
        """The updates to the target."""
        hit = self.hit(seed)
        return None if hit is None else hit.updates

    def ended(self, seed: int) -> float:
        """The time at the end (s)."""
        return self.runs[seed].points[-1].time

    def loss(self, seed: int) -> float | None:
        """The loss at the end; None where the run has diverged."""
        run = self.runs[seed]
        return None if run.diverged else run.points[-1].loss

    def accuracy(self, seed: int) -> float | None:
        """The accuracy at the end in percent; None where the run has diverged."""
        run = self.runs[seed]
        return None if run.diverged else 100 * run.points[-1].right / self.tests

    def staleness(self, seed: int) -> float | None:
        """The mean staleness of the gradients in the updates."""
        run = self.runs[seed]
        return run.staleness / run.used if run.used else None

    def lost(self, seed: int) -> float:
        """The share of gradients that no update used, in percent."""
        run = self.runs[seed]
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
        return next(standing for standing in self.standings if standing.contender.kind == kind)


def _alike(one: Contender, other: Contender) -> bool:
    return (one.number, one.sends) == (other.number, other.sends)


def standings(
    setting: Setting, data: Data, runs: Mapping[tuple[Contender, int], Run]
) -> list[Standing]:
    """How the contenders of *setting* stand after their *runs*."""
    tests = len(data.test_labels)
    wanted = ceil(Fraction(setting.number("target")) * tests)
    return [
        Standing(contender, {seed: runs[contender, seed] for seed in setting.seeds}, wanted, tests)
        for contender in setting.contenders
    ]


TRIED = 3  # seeds


@dataclass(frozen=True, slots=True)
class Tuning:
    """How each contender of a setting stands with each of the step *sizes*.

    A scheme may need smaller steps than another (stale gradients do) or bear larger ones; with one
    size for all the comparison would be about that size. The seeds of the choice are none of those
    that the schemes are compared by.
    """

    sizes: Sequence[Number]
    tried: Sequence[Sequence[Standing]]

    @property
    def chosen(self) -> tuple[Contender, ...]:
        """The contenders with the sizes that serve them best."""
        return tuple(min(standings, key=_merit).contender for standings in self.tried)

    @property
    def at_the_edge(self) -> list[Contender]:
        """Those whose size is the least or the largest one tried, so that another may be better."""
        edge = (min(self.sizes), max(self.sizes))
        return [contender for contender in self.chosen if contender.step in edge]


def trials(setting: Setting, sizes: Sequence[Number]) -> Setting:
    """The experiment that tries all *sizes* with each contender of *setting*, on other seeds."""
    after = setting.seeds.stop
    tried = [replace(one, step=size) for one in setting.contenders for size in sizes]
    given = {**setting.given, "seed": after, "seeds": TRIED}
    return replace(setting, given=given, contenders=tuple(tried))


def tuning(
    tried: Setting, data: Data, sizes: Sequence[Number], runs: Mapping[tuple[Contender, int], Run]
) -> Tuning:
    """What the *runs* of trials have come to."""
    every, count = standings(tried, data, runs), len(sizes)
    return Tuning(sizes, [every[i : i + count] for i in range(0, len(every), count)])


def _merit(standing: Standing) -> tuple[float, ...]:
    """The smaller the better: seeds that miss the target, time to it, those that diverge, loss."""
    diverged = sum(run.diverged for run in standing.runs.values())
    time, loss = standing.of(Standing.time), standing.of(Standing.loss)
    return (
        -standing.hits,
        0 if time is None else time.mean,
        diverged,
        0 if loss is None else loss.mean,
    )
