"""When workers with random times are done, for how many to wait, and how sure that is.

The expected times are textbook results on order statistics (David and Nagaraja, Order Statistics,
3rd edition, Wiley 2003). An exponential time of mean m ends at the rate 1/m, however long it has
lasted: it has no memory. The rates of workers who compute at once add up, so the next of them is
done after one over this sum on average, and it is a given one with the chance of its rate over the
sum. For equal means this is Rényi's representation (On the theory of order statistics, Acta Math.
Acad. Sci. Hungar. 4, 1953): the k-th smallest of n such times is on average
m/n + … + m/(n−k+1).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb, lcm
from operator import mul
from statistics import pvariance

from ddcalc.errors import OverLimit
from ddcalc.numbers.amounts import count_text
from ddcalc.numbers.irrational import Approximate, exp, power
from ddcalc.numbers.number import Number, quotient
from ddcalc.types.stragglers import _normal as normal

LONGEST = 12_000  # bits of a number that is kept exactly
CUT = 1e-70  # how far a longer one may be off, relative to it
DIGITS = 4_000  # of a denominator; Python writes numbers of at most 4300
_LARGEST = 10**DIGITS

Chances = tuple[Number, Number]  # of being done by then, and of not being done


@dataclass(frozen=True)
class Alike(ABC):
    """*workers* with independent times (s) of one law."""

    workers: int

    @cached_property
    def waits(self) -> tuple[Number, ...]:
        """The expected times of the first, second, … to be done."""
        return tuple(map(kept, self._waits()))

    @abstractmethod
    def _waits(self) -> Sequence[Number]: ...

    @abstractmethod
    def chances(self, time: Number) -> Chances:
        """The chance that one worker is done by *time*, and that it is not."""

    def late(self, k: int, time: Number) -> Number:
        """The chance that the *k*-th fastest takes longer than *time*."""
        return late([self.chances(time)] * self.workers, k)


@dataclass(frozen=True)
class Shifted(Alike):
    """*shift*, and an exponential time of mean *rest* on top."""

    shift: Number
    rest: Number

    def _waits(self) -> Sequence[Number]:
        parts = (Fraction(1, left) for left in range(self.workers, 0, -1))
        return [self.shift + self.rest * passed for passed in accumulate(parts)]

    def chances(self, time: Number) -> Chances:
        if time <= self.shift or not self.rest:
            return (1, 0) if time >= self.shift and not self.rest else (0, 1)
        left = exp((self.shift - time) / Fraction(self.rest))
        return 1 - left, left


@dataclass(frozen=True)
class Uniform(Alike):
    """Anywhere between *least* and *most* alike."""

    least: Number
    most: Number

    def _waits(self) -> Sequence[Number]:
        step = Fraction(self.most - self.least) / (self.workers + 1)
        return [self.least + step * k for k in range(1, self.workers + 1)]

    def chances(self, time: Number) -> Chances:
        if time >= self.most:
            return 1, 0
        done = max(time - self.least, 0) / Fraction(self.most - self.least)
        return done, 1 - done


@dataclass(frozen=True)
class Normal(Alike):
    """Around *mean* with the standard deviation *spread*; times below 0 are not left out."""

    mean: Number
    spread: Number

    def _waits(self) -> Sequence[Number]:
        return [self.mean + self.spread * z for z in normal.smallest(self.workers)]

    def chances(self, time: Number) -> Chances:
        return normal.chances((time - self.mean) / Fraction(self.spread))


@dataclass(frozen=True)
class Pareto(Alike):
    """At least *least*, and longer than t with the chance (least/t)^tail."""

    least: Number
    tail: Number

    def _waits(self) -> Sequence[Number]:
        exponents = (self.tail * i for i in range(self.workers, 0, -1))
        factors = (exponent / Fraction(exponent - 1) for exponent in exponents)
        return list(accumulate(factors, mul, initial=Fraction(self.least)))[1:]

    def chances(self, time: Number) -> Chances:
        if time <= self.least:
            return 0, 1
        left = power(self.least / Fraction(time), self.tail)
        return 1 - left, left


@dataclass(frozen=True)
class Listed(Alike):
    """Any of the *listed* times alike; *again*: the same one may come twice in a round."""

    listed: tuple[Number, ...]
    again: bool

    @cached_property
    def ordered(self) -> tuple[Number, ...]:
        """The listed times from the shortest on."""
        return tuple(sorted(self.listed))

    def shares(self, k: int) -> list[Number]:
        """The chance that the *k*-th fastest takes each of the ordered times."""
        later = [ways[k - 1] for ways in self._ways]
        return [quotient(before - after, self._all) for before, after in pairwise(later)]

    def _waits(self) -> Sequence[Number]:
        unit, sums = lcm(*(time.denominator for time in self.listed)), [0] * self.workers
        whole = [int(time * unit) for time in self.ordered]
        for time, (before, after) in zip(whole, pairwise(self._ways), strict=True):
            sums = [s + time * (b - a) for s, b, a in zip(sums, before, after, strict=True)]
        return [quotient(total, unit * self._all) for total in sums]

    @property
    def variance(self) -> Number:
        """The variance of one time (s²)."""
        return pvariance(map(Fraction, self.listed))

    def chances(self, time: Number) -> Chances:
        done = Fraction(bisect_right(self.ordered, time), len(self.listed))
        return done, 1 - done

    def late(self, k: int, time: Number) -> Number:
        return quotient(self._ways[bisect_right(self.ordered, time)][k - 1], self._all)

    @property
    def _all(self) -> int:
        """In how many ways a round draws its times."""
        listed = len(self.listed)
        return int(listed**self.workers) if self.again else comb(listed, self.workers)

    @cached_property
    def _ways(self) -> list[list[int]]:
        """In how many of them fewer than 1, 2, … are among the 0, 1, … shortest."""
        n, m = self.workers, len(self.listed)
        if self.again:
            chosen = [comb(n, i) for i in range(n)]
            powers = [[*accumulate([count] * n, mul, initial=1)] for count in range(m + 1)]
            pairs = zip(powers, reversed(powers), strict=True)
            every = ([*map(mul, map(mul, chosen, own), reversed(others))] for own, others in pairs)
        else:
            every = ([comb(x, i) * comb(m - x, n - i) for i in range(n)] for x in range(m + 1))
        return [[*accumulate(ways)] for ways in every]


def late(workers: Sequence[Chances], k: int) -> Number:
    """The chance that fewer than *k* of the *workers* are done, each by its own chance."""
    if len(set(workers)) == 1:
        n, powers = len(workers), [_powers(chance, len(workers)) for chance in workers[0]]
        terms = [comb(n, i) * powers[0][i] * powers[1][n - i] for i in range(k)]
        return kept(sum(terms[1:], terms[0]))
    done: list[Number] = [1]  # the chance of 0, 1, … done among the workers so far
    for yes, no in workers:
        more = [*(chance * no for chance in done), 0]
        for i, chance in enumerate(done, 1):
            more[i] += chance * yes
        done = more[:k]
    return kept(sum(done[1:], done[0]))


def _powers(base: Number, most: int) -> list[Number]:
    made: Iterator[Number] = accumulate([base] * most, lambda x, y: kept(x * y), initial=1)
    return [*made]


def kept(value: Number) -> Number:
    """*value* exactly, unless that is very long."""
    if max(abs(value.numerator).bit_length(), value.denominator.bit_length()) > LONGEST:
        return Approximate(value, CUT)
    return value


Crew = tuple[int, ...]  # how many workers of each different mean are still computing
Stage = Mapping[Crew, Number]


class ExponentialTimes:
    """Independent exponential times with these *means* (s), all from one instant on.

    *kinds* are the different means, *stages* the crews that may be at work before each finish with
    their chances, *gaps* the expected times from one finish to the next, and *waits* those from the
    start to the first, second, … finish (s). OverLimit where their fractions get too long.
    """

    def __init__(self, means: Sequence[Number]) -> None:
        self.means = tuple(means)
        counted = Counter(self.means)
        self.kinds: tuple[Number, ...] = tuple(counted)
        self._scale = lcm(*(mean.numerator for mean in self.kinds))
        self._rates = [self._scale // m.numerator * m.denominator for m in self.kinds]
        self.stages = tuple(self._stages(tuple(counted.values())))
        self.gaps = tuple(map(self._gap, self.stages))
        self.waits = tuple(map(_bounded, accumulate(self.gaps)))

    @property
    def workers(self) -> int:
        """How many workers there are."""
        return len(self.means)

    def chances(self, time: Number) -> Chances:
        """The chance that the first worker is done by *time*, and that it is not."""
        return Shifted(1, 0, self.means[0]).chances(time)

    def late(self, k: int, time: Number) -> Number:
        """The chance that the *k*-th fastest takes longer than *time*."""
        return late([Shifted(1, 0, mean).chances(time) for mean in self.means], k)

    def _scaled(self, crew: Crew) -> int:
        return sum(count * rate for count, rate in zip(crew, self._rates, strict=True))

    def _stages(self, crew: Crew) -> Iterator[Stage]:
        """From all workers, *crew*, down to one."""
        stage: Stage = {crew: 1}
        for _ in self.means[1:]:
            yield stage
            stage = self._following(stage)
        yield stage

    def _following(self, stage: Stage) -> Stage:
        """The crews that are left when one of *stage* is done."""
        shares, bottom = self._shares(stage)
        following: dict[Crew, int] = {}
        for crew, share in shares.items():
            for kind, count in enumerate(crew):
                if count:
                    left = (*crew[:kind], count - 1, *crew[kind + 1 :])
                    chance = share * count * self._rates[kind]
                    following[left] = following.get(left, 0) + chance
        return {crew: quotient(chance, bottom) for crew, chance in following.items()}

    def _gap(self, stage: Stage) -> Number:
        """The expected time until the next of *stage* is done."""
        shares, bottom = self._shares(stage)
        return quotient(sum(shares.values()) * self._scale, bottom)

    def _shares(self, stage: Stage) -> tuple[dict[Crew, int], int]:
        """The chance of each crew over its scaled rate, times a number that makes all whole."""
        shares = {crew: Fraction(chance, self._scaled(crew)) for crew, chance in stage.items()}
        bottom = lcm(*(share.denominator for share in shares.values()))
        _bounded(Fraction(1, bottom))
        return {crew: int(share * bottom) for crew, share in shares.items()}, bottom


def _bounded(value: Number) -> Number:
    if value.denominator >= _LARGEST:
        limit = count_text(DIGITS)
        reason = f"the exact waits would be fractions of more than {limit} digits"
        reason += "; round the means, or state fewer that differ"
        raise OverLimit(reason).about("means")
    return value
