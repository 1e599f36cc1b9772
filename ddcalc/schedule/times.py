"""How long each worker computes: fixed times in turn, or drawn ones; exact, or as floats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, repeat
from math import floor, log10

from ddcalc.numbers.number import Number
from ddcalc.schedule.distributions import Law
from ddcalc.schedule.units import common_unit, in_units

DIGITS = 7  # to which drawn times are rounded, counted from the first one of the least mean


class Times(ABC):
    """The computation times of some workers, the same ones whenever they are asked for."""

    @property
    @abstractmethod
    def workers(self) -> int:
        """How many workers there are."""

    @property
    @abstractmethod
    def unit(self) -> int:
        """How many parts of a second make the times whole."""

    @abstractmethod
    def exact(self, unit: int) -> list[Iterator[int]]:
        """The times of each worker in parts of a second, of which there are *unit* (a multiple of
        the own one), without end."""

    @property
    def named(self) -> str:
        """The given that states them."""
        return "periods"

    @property
    @abstractmethod
    def means(self) -> Sequence[Number]:
        """The mean time of each worker."""


@dataclass(frozen=True, slots=True)
class Fixed(Times):
    """Each worker's row of times (seconds), again from the first one after the last."""

    rows: Sequence[Sequence[Number]]
    listed: bool = False  # step by step

    @property
    def named(self) -> str:
        return "step_times" if self.listed else "periods"

    @property
    def workers(self) -> int:
        return len(self.rows)

    @property
    def unit(self) -> int:
        return common_unit(*(time for row in self.rows for time in row))

    def exact(self, unit: int) -> list[Iterator[int]]:
        return [_again([in_units(time, unit) for time in row]) for row in self.rows]

    @property
    def means(self) -> Sequence[Number]:
        return [Fraction(sum(row)) / len(row) for row in self.rows]


@dataclass(frozen=True, slots=True)
class Drawn(Times):
    """Times around the mean *of* each worker (s); worker i's do not depend on the others'."""

    of: Sequence[Number]
    law: Law
    seed: int

    @property
    def means(self) -> Sequence[Number]:
        return self.of

    @property
    def workers(self) -> int:
        return len(self.means)

    @property
    def unit(self) -> int:
        decimals: int = DIGITS - 1 - floor(log10(min(self.means)))
        return int(10 ** max(decimals, 0))

    def exact(self, unit: int) -> list[Iterator[int]]:
        own = self.unit
        return [_rounded(times, own, unit // own) for times in self.drawn()]

    def drawn(self) -> list[Iterator[float]]:
        """The times of each worker in seconds as they are drawn, without end."""
        return [
            self.law.times(mean, f"{self.seed}/{worker}")
            for worker, mean in enumerate(self.means, 1)
        ]


def _again(times: Sequence[int]) -> Iterator[int]:
    return repeat(times[0]) if len(times) == 1 else cycle(times)


def _rounded(times: Iterator[float], own: int, parts: int) -> Iterator[int]:
    """*times* in parts of a second, rounded to one of *own* parts, of which each has *parts*."""
    return (max(round(time * own), 1) * parts for time in times)
