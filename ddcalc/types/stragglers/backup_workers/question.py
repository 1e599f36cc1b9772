"""A question on rounds with stragglers: the workers and a round's cost, or why it is refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import lcm, prod
from typing import cast

from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.times import Distribution, Law
from ddcalc.types.stragglers import _normal as normal
from ddcalc.types.stragglers.backup_workers.model import (
    MOST,
    PARTS,
    USUAL_RUNS,
    USUAL_SEED,
    Alike,
    ExponentialTimes,
    Measured,
    Normal,
    Pareto,
    Shifted,
    Simulated,
    Uniform,
    rounded,
    sampled,
    simulate,
)

WORKERS = 1_024  # whose waits are worked out one by one
CREWS = 4_096  # different sets of workers: those of twelve workers without like means
WAYS = 200_000  # workers times measured times
TAKES = {  # what a distribution takes besides a mean
    "shifted_exponential": "shift",
    "uniform": "spread",
    "normal": "spread",
    "pareto": "tail",
}


class Straggling:
    """What the *given* numbers (base units) state under the options of *reading*.

    *times* are those of the workers, of whom a round waits for *wait_for*; *fixed* (s) is what it
    costs besides, *limit* (s) the time of a round whose chance is asked for. *means* (s) has the
    mean of each worker, unless measured times are *listed*. BadValue or OverLimit where the
    numbers do not fit together or are too many.
    """

    def __init__(self, given: PlayedGivens, reading: Mapping[str, str]) -> None:
        self.given, self.reading = given, reading
        self.distribution = cast(Distribution, reading["distribution"])
        self.listed = several(given, "times")
        self._fits()
        self.means = () if self.listed else self._means()
        self.workers = self._workers()
        alike = self._alike()
        self.wait_for = whole(given, "wait_for") or self.workers
        if self.wait_for > self.workers:
            only = f"{self.workers} worker{'' if self.workers == 1 else 's'}"
            raise _wrong("wait_for", str(self.wait_for), f"is more than the {only} there are")
        self.fixed = one(given, "fixed") or 0
        self.limit = one(given, "longer_than")
        if isinstance(alike, Normal) and alike.waits[0] <= 0:
            wide = "is so wide that the fastest would be done before it begins; normal times fit"
            raise _wrong("spread", self._text("spread"), f"{wide} where it is small")
        self.times: Alike | ExponentialTimes = alike or ExponentialTimes(self.means)

    @property
    def lists_means(self) -> bool:
        """Whether the mean of each worker is stated, alike or not."""
        return isinstance(self.given.get("means"), tuple)

    def time_left(self) -> Number:
        """How long the workers have in a round that does not take longer than is stated (s)."""
        assert self.limit is not None
        return self.limit - self.fixed

    @contextmanager
    def surely(self) -> Iterator[None]:
        """Refuse a limit whose chance cannot be computed to all digits."""
        try:
            yield
        except ArithmeticError as error:
            raise BadValue("", f"leads to {error}").about("longer_than") from None

    def drawn(self) -> Simulated | None:
        """The rounds that are drawn, if any are asked for."""
        if (runs := self.runs) is None:
            return None
        if isinstance(self.times, Measured):
            parts = lcm(*(time.denominator for time in self.listed))
            times = [int(time * parts) for time in self.listed]
            rounds = sampled(times, self.workers, self.seed, again=self.times.again)
        else:
            law = Law(self.distribution, **self.parameters, negative=True)
            streams = (
                law.times(mean, f"{self.seed}/{worker}")
                for worker, mean in enumerate(self.means, 1)
            )
            parts, rounds = PARTS, rounded(list(streams))
        return simulate(rounds, parts, self.wait_for, runs, self.seed, scatter=self.scatters)

    @property
    def scatters(self) -> bool:
        """Whether the variance of a wait is finite: the k-th fastest of n Pareto times is above t
        with a chance that falls like t^−α·(n − k + 1)."""
        times = self.times
        return not isinstance(times, Pareto) or times.tail * (self.workers - self.wait_for + 1) > 2

    @property
    def runs(self) -> int | None:
        """How many rounds are drawn; None where none are asked for."""
        if not self.given.keys() & {"runs", "seed"}:
            return None
        runs = whole(self.given, "runs") or USUAL_RUNS
        if runs * self.workers > MOST:
            limit = count_text(MOST)
            reason = f"{runs} rounds of {self.workers} workers draw more than {limit} times"
            raise OverLimit(reason).about("runs")
        return runs

    @property
    def seed(self) -> int:
        """The seed of drawn times."""
        seed = whole(self.given, "seed")
        return USUAL_SEED if seed is None else seed

    @property
    def parameters(self) -> Mapping[str, Number]:
        """The stated shift, spread and tail."""
        return {name: one(self.given, name) or 0 for name in ("shift", "spread", "tail")}

    def _fits(self) -> None:
        """Refuse what goes with other times than the stated ones."""
        if self.listed:
            if "means" in self.given:
                raise _wrong("times", "a list", "goes without means; state one of them")
            if self.distribution != "exponential":
                raise _wrong("times", "a list", "goes without a distribution: any is as likely")
        takes = "" if self.listed else TAKES.get(self.distribution, "")
        for name in ("shift", "spread", "tail"):
            if name in self.given and name != takes:
                kind = "measured" if self.listed else self.distribution.replace("_", " ")
                raise _wrong(name, self._text(name), f"is nothing that {kind} times take")

    def _means(self) -> tuple[Number, ...]:
        """The mean of each worker."""
        listed, workers = several(self.given, "means"), whole(self.given, "workers")
        if workers is None or workers == len(listed):
            return self._counted(listed, "means")
        if len(listed) > 1:
            raise _wrong("workers", str(workers), f"does not fit means, which lists {len(listed)}")
        if workers > WORKERS:
            raise _too_many(workers, "workers", WORKERS)
        return self._counted(listed * workers, "workers")

    def _counted(self, means: tuple[Number, ...], parameter: str) -> tuple[Number, ...]:
        """The *means*, if there are not too many of them to be exact."""
        most = normal.VALUES if self.distribution == "normal" else WORKERS
        if len(means) > most:
            raise _too_many(len(means), parameter, most)
        unlike = set(means)
        if len(unlike) > 1 and self.distribution != "exponential":
            kind = self.distribution.replace("_", " ")
            unknown = f"are unlike; of {kind} times one mean for all workers is known"
            raise _wrong("means", f"a list of {len(means)}", unknown)
        if prod(means.count(mean) + 1 for mean in unlike) > CREWS:
            reason = (
                f"{len(means)} workers with {len(unlike)} different means make too many sets of"
                f" workers that may be left; at most {count_text(CREWS)} are added up, as many"
                " as 12 workers make if no two are alike"
            )
            raise OverLimit(reason).about(parameter)
        return means

    def _workers(self) -> int:
        if not self.listed:
            return len(self.means)
        workers = whole(self.given, "workers") or len(self.listed)
        if workers > WORKERS:
            raise _too_many(workers, "workers", WORKERS)
        if workers * len(self.listed) > WAYS:
            limit = count_text(WAYS)
            reason = f"{len(self.listed)} times for {workers} workers are too many to be exact"
            raise OverLimit(f"{reason}; at most {limit} pairs are possible").about("times")
        if self.reading["sampling"] == "without" and workers > len(self.listed):
            more = f"is more than the {len(self.listed)} times, none of which comes twice"
            raise _wrong("workers", str(workers), more)
        return workers

    def _alike(self) -> Alike | None:
        if self.listed:
            return Measured(self.workers, self.listed, self.reading["sampling"] == "with")
        mean, stated = self.means[0], self.parameters
        match self.distribution:
            case "shifted_exponential":
                self._at_most_mean("shift", mean)
                return Shifted(self.workers, stated["shift"], mean - stated["shift"])
            case "uniform":
                self._at_most_mean("spread", mean)
                least, most = mean - stated["spread"], mean + stated["spread"]
                return Uniform(self.workers, least, most)
            case "normal":
                return Normal(self.workers, mean, stated["spread"])
            case "pareto":
                tail = stated["tail"]
                return Pareto(self.workers, ratio(mean * (tail - 1), tail), tail)
        return None

    def _at_most_mean(self, name: str, mean: Number) -> None:
        if self.parameters[name] > mean:
            raise _wrong(name, self._text(name), "is longer than the mean time of a worker")

    def _text(self, name: str) -> str:
        unit = "" if name == "tail" else " s"
        return count_text(self.parameters[name]) + unit


def _too_many(workers: int, parameter: str, most: int) -> DdcalcError:
    stated, limit = count_text(workers), count_text(most)
    return OverLimit(f"{stated} workers are too many; at most {limit} are possible").about(
        parameter
    )


def _wrong(parameter: str, value: str, problem: str) -> DdcalcError:
    return BadValue(value, problem).about(parameter)
