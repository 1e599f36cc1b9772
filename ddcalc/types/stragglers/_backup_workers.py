"""Rounds with stragglers: the expected waits for every k, the chance of a long one, drawn ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice, repeat
from math import lcm, prod
from random import Random
from typing import Final, TypeAlias, cast

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import error_of, ratio, sqrt
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.times import Distribution, Law
from ddcalc.types.stragglers import _normal as normal
from ddcalc.types.stragglers._waits import (
    Alike,
    ExponentialTimes,
    Listed,
    Normal,
    Pareto,
    Shifted,
    Uniform,
)

Columns: TypeAlias = dict[str, Number | tuple[Number, ...] | None]

_WORKERS: Final = 1_024  # whose waits are worked out one by one
_CREWS: Final = 4_096  # different sets of workers: those of twelve workers without like means
_WAYS: Final = 200_000  # workers times measured times
_NEAR: Final = Fraction(95, 100)  # of the best rate
_RUNS: Final = 10_000  # where no other number is stated
_DRAWN: Final = 2_000_000  # times, at most
_PARTS: Final = 10**9  # of a second, to which drawn times are rounded


def table(given: PlayedGivens, reading: Mapping[str, str]) -> Columns:
    """All that the laws of order statistics, every k, and drawn rounds come to."""
    straggling = _Straggling(given, reading)
    return {
        **straggling.waits(),
        **_choosing(straggling.times.waits, one(given, "fixed") or 0, straggling.k),
        **straggling.lateness(),
        **straggling.drawing(),
    }


def _choosing(waits: tuple[Number, ...], fixed: Number, waited: int) -> Columns:
    """Every k beside the best one, and what is near it; of rounded rates those are best that their
    digits do not tell apart."""
    lengths, every = tuple(fixed + wait for wait in waits), range(1, len(waits) + 1)
    rates = tuple(map(ratio, every, lengths))
    exact, off = [*map(Fraction, rates)], Fraction(2 * max(map(error_of, rates)))
    most = max(exact)
    bests = tuple(k for k in every if most - exact[k - 1] <= most * off)
    best, near = bests[0], [k for k in every if exact[k - 1] >= _NEAR * exact[bests[0] - 1]]
    together = near == [*range(near[0], near[-1] + 1)] and len(near) > len(bests)
    return {
        "waits": waits,
        "lengths": lengths,
        "gradient_rates": rates,
        "is_best": tuple(int(k in bests) for k in every),
        "is_asked": tuple(int(k == waited) for k in every),
        "bests": bests,
        "own_best": int(waited in bests),
        "own_rate": rates[waited - 1],
        "best_wait_for": best,
        "best_rate": rates[best - 1],
        "best_length": lengths[best - 1],
        "further": None if best == len(waits) else waits[best] - waits[best - 1],
        "least_near": near[0],
        "most_near": near[-1],
        "rate_near": min(rates[k - 1] for k in near) if together else None,
    }


class _Straggling:
    """What the *given* numbers state under the options of *reading*; BadValue or OverLimit where
    they are too many, or the fastest would be done before it begins."""

    def __init__(self, given: PlayedGivens, reading: Mapping[str, str]) -> None:
        self.given, self.reading = given, reading
        self.distribution = cast(Distribution, reading["distribution"])
        self.listed = several(given, "times")
        self.means = () if self.listed else self._means()
        self.workers = self._workers()
        self.k = whole(given, "wait_for") or self.workers
        if self.k > self.workers:
            only = f"{self.workers} worker{'' if self.workers == 1 else 's'}"
            raise BadValue(str(self.k), f"is more than the {only} there are").about("wait_for")
        self.parameters = {name: one(given, name) or 0 for name in ("shift", "spread", "tail")}
        alike = self._alike()
        if isinstance(alike, Normal) and alike.waits[0] <= 0:
            wide = "is so wide that the fastest would be done before it begins; normal times fit"
            raise BadValue(
                f"{count_text(self.parameters['spread'])} s", f"{wide} where it is small"
            ).about("spread")
        self.times: Alike | ExponentialTimes = alike or ExponentialTimes(self.means)

    def waits(self) -> Columns:
        """The expected times of single finishes, and what they follow from."""
        waits, times, k = self.times.waits, self.times, self.k
        results: Columns = {"expected": waits[k - 1], "before": waits[max(k - 2, 0)]}
        if isinstance(times, ExponentialTimes):
            results["gaps"] = times.gaps
        if isinstance(times, ExponentialTimes | Shifted):
            results["parts"] = sum(Fraction(1, self.workers - i) for i in range(k))
        if isinstance(times, Normal):
            results["normal_value"] = normal.smallest(self.workers)[k - 1]
        if isinstance(times, Pareto):
            results["stretch"] = ratio(waits[k - 1], times.least)
            results["finite"] = 1 if times.tail > 2 else None
        if isinstance(times, Listed):
            shares: dict[Number, Number] = {}
            for time, share in zip(times.ordered, times.shares(k), strict=True):
                shares[time] = shares.get(time, 0) + share
            results |= {"sorted_times": tuple(shares), "chances": tuple(shares.values())}
            results["spread_out"] = times.variance
        return results

    def lateness(self) -> Columns:
        """The chance of a long round, and those of one worker if these are what it follows from."""
        if (limit := one(self.given, "longer_than")) is None:
            return {}
        time, times = limit - (one(self.given, "fixed") or 0), self.times
        if time < 0:
            return {"late_chance": 1}
        try:
            results: Columns = {"late_chance": times.late(self.k, time)}
            if isinstance(times, Listed) and not times.again:
                return results
            done, left = times.chances(time)
        except ArithmeticError as error:
            raise BadValue("", f"leads to {error}").about("longer_than") from None
        is_open = 0 not in (done, left) and not isinstance(times, Normal | Listed)
        return {**results, "done_one": done, "left_one": left, "open": 1 if is_open else None}

    def drawing(self) -> Columns:
        """The mean of the rounds that are drawn, if any are asked for, with its standard error
        where the variance is finite, and how many of these it is above the expected one."""
        if not self.given.keys() & {"runs", "seed"}:
            return {}
        runs, seed = whole(self.given, "runs") or _RUNS, whole(self.given, "seed")
        seed = 1 if seed is None else seed
        if runs * self.workers > _DRAWN:
            limit = count_text(_DRAWN)
            reason = f"{runs} rounds of {self.workers} workers draw more than {limit} times"
            raise OverLimit(reason).about("runs")
        parts, rounds = self._rounds(seed)
        waits = [sorted(times)[self.k - 1] for times in islice(rounds, runs)]
        total, mean = sum(waits), Fraction(sum(waits), runs * parts)
        results: Columns = {"drawn_rounds": runs, "drawn_seed": seed, "simulated": mean}
        if self._scatters:
            squares = Fraction(sum(wait * wait for wait in waits) * runs - total * total, runs)
            error = sqrt(squares / (parts**2 * runs * (runs - 1)))
            above = mean - self.times.waits[self.k - 1]
            results |= {"standard_error": error} | (
                {"distance": ratio(above, error)} if error else {}
            )
        return results

    def _rounds(self, seed: int) -> tuple[int, Iterator[list[int]]]:
        """The times of round after round, and the parts of a second in which they are told."""
        if isinstance(self.times, Listed):
            parts = lcm(*(time.denominator for time in self.listed))
            times, random = [int(time * parts) for time in self.listed], Random(seed)  # noqa: S311
            if self.times.again:
                return parts, (random.choices(times, k=self.workers) for _ in repeat(0))
            return parts, (random.sample(times, self.workers) for _ in repeat(0))
        law = Law(self.distribution, **self.parameters, negative=True)
        streams = [law.times(m, f"{seed}/{worker}") for worker, m in enumerate(self.means, 1)]
        return _PARTS, (
            [round(time * _PARTS) for time in row] for row in zip(*streams, strict=True)
        )

    @property
    def _scatters(self) -> bool:
        """Whether the variance of a wait is finite: the k-th fastest of n Pareto times is above t
        with a chance that falls like t^−α·(n − k + 1)."""
        times = self.times
        return not isinstance(times, Pareto) or times.tail * (self.workers - self.k + 1) > 2

    def _means(self) -> tuple[Number, ...]:
        """The mean of each worker, if there are not too many of them to be exact."""
        means, workers = several(self.given, "means"), whole(self.given, "workers")
        parameter = "means" if workers in (None, len(means)) else "workers"
        count = len(means) if workers is None else workers
        most = normal.VALUES if self.distribution == "normal" else _WORKERS
        if count > most:
            raise _too_many(count, parameter, most)
        means = means if len(means) == count else means * count
        unlike = set(means)
        if prod(means.count(mean) + 1 for mean in unlike) > _CREWS:
            reason = (
                f"{len(means)} workers with {len(unlike)} different means make too many sets of"
                f" workers that may be left; at most {count_text(_CREWS)} are added up, as many"
                " as 12 workers make if no two are alike"
            )
            raise OverLimit(reason).about(parameter)
        return means

    def _workers(self) -> int:
        if not self.listed:
            return len(self.means)
        workers = whole(self.given, "workers") or len(self.listed)
        if workers > _WORKERS:
            raise _too_many(workers, "workers", _WORKERS)
        if workers * len(self.listed) > _WAYS:
            limit = count_text(_WAYS)
            reason = f"{len(self.listed)} times for {workers} workers are too many to be exact"
            raise OverLimit(f"{reason}; at most {limit} pairs are possible").about("times")
        return workers

    def _alike(self) -> Alike | None:
        if self.listed:
            return Listed(self.workers, self.listed, self.reading["sampling"] == "with")
        mean, n = self.means[0], self.workers
        shift, spread, tail = self.parameters.values()
        match self.distribution:
            case "shifted_exponential":
                return Shifted(n, shift, mean - shift)
            case "uniform":
                return Uniform(n, mean - spread, mean + spread)
            case "normal":
                return Normal(n, mean, spread)
            case "pareto":
                return Pareto(n, ratio(mean * (tail - 1), tail), tail)
        return None


def _too_many(workers: int, parameter: str, most: int) -> DdcalcError:
    stated, limit = count_text(workers), count_text(most)
    return OverLimit(f"{stated} workers are too many; at most {limit} are possible").about(
        parameter
    )
