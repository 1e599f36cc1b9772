"""Computation times in blocks, as arrays of whole numbers: the same ones as one by one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from random import Random

import numpy as np
import numpy.typing as npt

from ddcalc.numbers.number import Number
from ddcalc.schedule.times import Drawn, Fixed, Law, Times, in_parts

Whole = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LARGEST = 2**62  # of the whole numbers in arrays
CLOSE = 1e-12  # part of a time within which NumPy's functions may round otherwise than Python's
HANDFUL = 512  # times that are made at once, at most, where they are taken one by one


class TooLarge(Exception):
    """A time does not fit into 64 bits: the event engine, with Python's numbers, can play it."""


def streams(times: Times, unit: int) -> list[Stream]:
    """The *times* of each worker in parts of a second, of which there are *unit*."""
    if isinstance(times, Fixed):
        return [Cycle([in_parts(time, unit) for time in row]) for row in times.rows]
    assert isinstance(times, Drawn)
    parts = unit // times.unit
    return [Draws(times.law, mean, seed, times.unit, parts) for mean, seed in times.seeded()]


class Stream(ABC):
    """The times of one worker, without end: a block at a time, and one by one from there on."""

    mean: float

    @abstractmethod
    def take(self, count: int) -> Whole:
        """The next *count* times."""

    def blocks(self) -> Iterator[Whole]:
        """The times in ever longer blocks."""
        count = 32
        while True:
            yield self.take(count)
            count = min(4 * count, HANDFUL)

    def __iter__(self) -> Iterator[int]:
        for times in self.blocks():
            yield from times.tolist()


class Cycle(Stream):
    """A *row* of times, again from the first one after the last."""

    def __init__(self, row: list[int]) -> None:
        if max(row) >= LARGEST:
            raise TooLarge
        self.row, self.at = np.array(row, np.int64), 0
        self.mean = sum(row) / len(row)

    def take(self, count: int) -> Whole:
        if len(self.row) == 1:
            return np.repeat(self.row, count)
        times = self.row.take(np.arange(self.at, self.at + count), mode="wrap")
        self.at = (self.at + count) % len(self.row)
        return times


class Draws(Stream):
    """Times of a *law* around *mean* seconds, rounded to 1/*unit* s, which has *parts*.

    The generator is Python's, read many numbers at once; functions that NumPy may round otherwise
    than Python are asked of Python wherever that could change a time.
    """

    def __init__(self, law: Law, mean: Number, seed: str, unit: int, parts: int) -> None:
        if unit >= LARGEST or parts >= LARGEST:
            raise TooLarge
        self.law, self.unit, self.parts = law, unit, parts
        self.random = Random(seed)  # noqa: S311 - reproducible, not secret
        self.mean = float(mean) * unit * parts
        self.inverse = law.inverse(float(mean))
        self.inverses = _inverses(law, float(mean))

    def take(self, count: int) -> Whole:
        drawn = self._drawn(count)
        while len(drawn) < count:
            drawn = np.concatenate([drawn, self._drawn(count - len(drawn))])
        return drawn

    def _drawn(self, count: int) -> Whole:
        """The times that *count* numbers between 0 and 1 give."""
        numbers = uniform(self.random, count)
        if self.inverses is None:
            exact = map(self.inverse, numbers.tolist())
            times = np.fromiter(exact, np.float64, count) * self.unit
        else:
            times = self.inverses(numbers) * self.unit
            doubtful = np.abs(times - np.floor(times) - 0.5) <= CLOSE * (times + 1)
            for place in np.flatnonzero(doubtful):
                times[place] = self.inverse(float(numbers[place])) * self.unit
        if not self.law.negative:
            times = times[times > 0]
        if times.max(initial=0) * self.parts >= LARGEST:
            raise TooLarge
        return np.maximum(np.rint(times).astype(np.int64), 1) * self.parts


def uniform(random: Random, count: int) -> Floats:
    """What *count* calls of ``random.random()`` return."""
    halves = np.frombuffer(random.randbytes(8 * count), "<u4").reshape(-1, 2)
    return ((halves[:, 0] >> 5) * 67108864.0 + (halves[:, 1] >> 6)) / 9007199254740992.0


def _inverses(law: Law, mean: float) -> Callable[[Floats], Floats] | None:
    """What :meth:`Law.inverse` is for many numbers; None where NumPy has no such function."""
    shift, spread, tail = float(law.shift), float(law.spread), float(law.tail)
    match law.distribution:
        case "exponential":
            return lambda u: -mean * np.log1p(-u)
        case "shifted_exponential":
            return lambda u: shift - (mean - shift) * np.log1p(-u)
        case "uniform":
            return lambda u: mean + spread * (2 * u - 1)
        case "pareto":
            least = mean * (tail - 1) / tail
            return lambda u: least * (1 - u) ** (-1 / tail)
    return None
