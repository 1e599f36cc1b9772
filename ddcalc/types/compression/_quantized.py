"""A vector quantized bucket by bucket, and how far that is from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from ddcalc.numbers.number import Number
from ddcalc.types.compression._bounds import Scheme
from ddcalc.types.compression._rounding import (
    Levels,
    Vector,
    signs,
    squared,
    two_means,
)

REBUILT: dict[Scheme, Callable[[Vector], Vector]] = {"sign": signs, "one_bit": two_means}


@dataclass(frozen=True)
class Quantized:
    """The *vector* by this *scheme*; each bucket of *bucket* values has a scale of its own.

    *levels* is how many there are above 0 (QSGD), *draws* what decides random roundings.
    """

    scheme: Scheme
    vector: Vector
    bucket: int
    levels: int
    draws: Vector

    @cached_property
    def buckets(self) -> tuple[Vector, ...]:
        """The values of each bucket."""
        return tuple(self._cut(self.vector))

    @cached_property
    def rounded(self) -> tuple[Levels, ...]:
        """Every bucket with its levels; none where nothing is random."""
        if self.scheme in REBUILT:
            return ()
        pairs = zip(self.buckets, self._cut(self.draws), strict=True)
        return tuple(self._levels(values, draws) for values, draws in pairs)

    @cached_property
    def sent(self) -> Vector:
        """What arrives."""
        if self.rounded:
            return tuple(each.sent for bucket in self.rounded for each in bucket.rounded)
        rebuilt = REBUILT[self.scheme]
        return tuple(value for values in self.buckets for value in rebuilt(values))

    @cached_property
    def square(self) -> Number:
        """The square of the vector's length."""
        return squared(self.vector)

    @cached_property
    def memory(self) -> Vector:
        """What is lost, which error feedback adds to the next gradient."""
        if self.rounded:
            return tuple(each.lost for bucket in self.rounded for each in bucket.rounded)
        return tuple(v - q for v, q in zip(self.vector, self.sent, strict=True))

    @cached_property
    def error(self) -> Number:
        """The square of the distance from the vector to what arrives."""
        return squared(self.memory)

    @cached_property
    def expected_error(self) -> Number:
        """What the error is on average over all draws."""
        if self.rounded:
            return sum((bucket.expected_error for bucket in self.rounded), start=0)
        return self.error

    def _cut(self, values: Vector) -> Iterator[Vector]:
        return (values[i : i + self.bucket] for i in range(0, len(values), self.bucket))

    def _levels(self, values: Vector, draws: Vector) -> Levels:
        if self.scheme == "qsgd":
            return Levels(values, squared(values), self.levels, draws)
        return Levels(values, max(value * value for value in values), self.levels, draws)
