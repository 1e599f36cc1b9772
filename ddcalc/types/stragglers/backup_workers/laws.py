"""Like workers whose times follow one law: when the first, second, … of them is done.

The expected times are textbook results on order statistics (David and Nagaraja, Order Statistics,
3rd edition, Wiley 2003); those of exponential times are in :mod:`.exponential`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import comb, lcm

from ddcalc.numbers.approximate import Approximate, exp, power
from ddcalc.numbers.number import Number, quotient
from ddcalc.types.stragglers.backup_workers import normal

LONGEST = 12_000  # bits of a number that is kept exactly
_CUT = 1e-70  # how far a longer one may be off, relative to it

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

    @property
    @abstractmethod
    def variance(self) -> Number | None:
        """The variance of one time (s²); None where it is not finite."""

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
        found, passed = [], Fraction(0)
        for left in range(self.workers, 0, -1):
            passed += Fraction(1, left)
            found.append(self.shift + self.rest * passed)
        return found

    @property
    def variance(self) -> Number:
        return self.rest**2

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

    @property
    def variance(self) -> Number:
        return Fraction((self.most - self.least) ** 2) / 12

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

    @property
    def variance(self) -> Number:
        return self.spread**2

    def chances(self, time: Number) -> Chances:
        return normal.chances((time - self.mean) / Fraction(self.spread))


@dataclass(frozen=True)
class Pareto(Alike):
    """At least *least*, and longer than t with the chance (least/t)^tail."""

    least: Number
    tail: Number

    def _waits(self) -> Sequence[Number]:
        found, time = [], Fraction(self.least)
        for i in range(self.workers, 0, -1):
            time *= self.tail * i / Fraction(self.tail * i - 1)
            found.append(time)
        return found

    @property
    def variance(self) -> Number | None:
        if self.tail <= 2:
            return None
        below = (self.tail - 1) ** 2 * (self.tail - 2)
        return Fraction(self.least) ** 2 * self.tail / below

    def chances(self, time: Number) -> Chances:
        if time <= self.least:
            return 0, 1
        left = power(self.least / Fraction(time), self.tail)
        return 1 - left, left


@dataclass(frozen=True)
class Measured(Alike):
    """Any of the *listed* times alike; *again*: the same one may come twice in a round."""

    listed: tuple[Number, ...]
    again: bool

    @cached_property
    def ordered(self) -> tuple[Number, ...]:
        """The listed times from the shortest on."""
        return tuple(sorted(self.listed))

    def shares(self, k: int) -> list[Number]:
        """The chance that the *k*-th fastest takes each of the ordered times."""
        later = [self._ways(count)[k - 1] for count in range(len(self.listed) + 1)]
        return [quotient(before - after, self._all) for before, after in pairwise(later)]

    def _waits(self) -> Sequence[Number]:
        unit = lcm(*(time.denominator for time in self.listed))
        whole = [int(time * unit) for time in self.ordered]
        rows = [self._ways(count) for count in range(len(whole) + 1)]
        sums = [0] * self.workers
        for time, before, after in zip(whole, rows, rows[1:], strict=False):
            sums = [s + time * (b - a) for s, b, a in zip(sums, before, after, strict=True)]
        return [quotient(each, unit * self._all) for each in sums]

    @property
    def variance(self) -> Number:
        mean = Fraction(sum(self.listed)) / len(self.listed)
        gaps = [t - mean for t in self.listed]
        return Fraction(sum(gap * gap for gap in gaps)) / len(gaps)

    def chances(self, time: Number) -> Chances:
        done = Fraction(bisect_right(self.ordered, time), len(self.listed))
        return done, 1 - done

    def late(self, k: int, time: Number) -> Number:
        return quotient(self._ways(bisect_right(self.ordered, time))[k - 1], self._all)

    @property
    def _all(self) -> int:
        """In how many ways a round draws its times."""
        n, listed = self.workers, len(self.listed)
        return int(listed**n) if self.again else comb(listed, n)

    def _ways(self, count: int) -> list[int]:
        """In how many of them fewer than 1, 2, … are among the *count* shortest."""
        n, others = self.workers, len(self.listed) - count
        if self.again:
            ways = (comb(n, i) * count**i * others ** (n - i) for i in range(n))
        else:
            ways = (comb(count, i) * comb(others, n - i) for i in range(n))
        return list(accumulate(ways))


def late(each: Sequence[Chances], k: int) -> Number:
    """The chance that fewer than *k* workers are done, each by its own chance."""
    if len(set(each)) == 1:
        return kept(_late_alike(*each[0], len(each), k))
    done: list[Number] = [1]  # the chance of 0, 1, … done among the workers so far
    for yes, no in each:
        more = [*(chance * no for chance in done), 0]
        for i, chance in enumerate(done, 1):
            more[i] += chance * yes
        done = more[:k]
    return kept(sum(done[1:], done[0]))


def _late_alike(yes: Number, no: Number, workers: int, k: int) -> Number:
    all_yes, all_no = _powers(yes, workers), _powers(no, workers)
    terms = [comb(workers, i) * all_yes[i] * all_no[workers - i] for i in range(k)]
    return sum(terms[1:], terms[0])


def _powers(base: Number, most: int) -> list[Number]:
    found: list[Number] = [1]
    for _ in range(most):
        found.append(kept(found[-1] * base))
    return found


def kept(value: Number) -> Number:
    """*value* exactly, unless that is very long."""
    if max(abs(value.numerator).bit_length(), value.denominator.bit_length()) > LONGEST:
        return Approximate(value, _CUT)
    return value
