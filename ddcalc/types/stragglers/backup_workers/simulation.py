"""Rounds with drawn times: how long they take on average, beside what is expected."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from random import Random

from ddcalc.numbers.approximate import ratio, sqrt
from ddcalc.numbers.number import Number

PARTS = 10**9  # of a second, to which drawn times are rounded
USUAL_RUNS, USUAL_SEED = 10_000, 1
MOST = 2_000_000  # times that are drawn


@dataclass(frozen=True, slots=True)
class Simulated:
    """The *mean* of the k-th fastest over *runs* rounds drawn with *seed*, and its standard *error*
    (s)."""

    runs: int
    seed: int
    mean: Number
    error: Number

    def distance(self, expected: Number) -> Number | None:
        """How many standard errors the mean is above what is *expected*; None without an error."""
        return ratio(self.mean - expected, self.error) if self.error else None


def simulate(rounds: Iterator[list[Fraction]], k: int, runs: int, seed: int) -> Simulated:
    """The first *runs* of *rounds*, each of which waits for its *k* fastest."""
    waits = [sorted(times)[k - 1] for times in islice(rounds, runs)]
    mean = sum(waits, Fraction(0)) / runs
    squares = sum(((wait - mean) ** 2 for wait in waits), Fraction(0))
    return Simulated(runs, seed, mean, sqrt(squares / (runs * (runs - 1))))


def rounded(streams: list[Iterator[float]]) -> Iterator[list[Fraction]]:
    """One time from each of the *streams* (s), round after round, to a billionth of a second."""
    for times in zip(*streams, strict=True):
        yield [Fraction(round(time * PARTS), PARTS) for time in times]


def sampled(
    listed: tuple[Number, ...], workers: int, seed: int, *, again: bool
) -> Iterator[list[Fraction]]:
    """Times from a list, round after round; *again*: one may come twice in a round."""
    random = Random(seed)  # noqa: S311 - reproducible, not secret
    times = list(map(Fraction, listed))
    while True:
        yield random.choices(times, k=workers) if again else random.sample(times, workers)
