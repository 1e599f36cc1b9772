"""A vector of which only some values are sent, and how far that is from it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number
from ddcalc.types.compression._bounds import Method
from ddcalc.types.compression._rounding import Vector, squared


@dataclass(frozen=True)
class Sparse:
    """The *kept* values of *vector* that this *method* sends: the largest, or those that are drawn.

    The values with the smallest *draws* are drawn. Of equal ones the first counts.
    """

    method: Method
    vector: Vector
    kept: int
    draws: Vector

    @property
    def random(self) -> bool:
        """Whether it is left to chance which values are sent."""
        return self.method != "top_k"

    @property
    def factor(self) -> Number:
        """What a value is multiplied by, so that the mean over all draws is right."""
        return Fraction(len(self.vector), self.kept) if self.method == "unbiased" else 1

    @cached_property
    def sizes(self) -> Vector:
        """Every value without its sign."""
        return tuple(max(value, -value) for value in self.vector)

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """The places of the values that are sent, from 0, in order."""
        size = range(len(self.vector))
        if self.random:
            order = sorted(size, key=lambda i: self.draws[i])
        else:
            order = sorted(size, key=lambda i: self.sizes[i], reverse=True)  # equal ones stay
        return tuple(sorted(order[: self.kept]))

    @cached_property
    def sent(self) -> Vector:
        """What arrives."""
        found: list[Number] = [0] * len(self.vector)
        for i in self.chosen:
            found[i] = self.factor * self.vector[i]
        return tuple(found)

    @cached_property
    def memory(self) -> Vector:
        """What is lost, which error feedback adds to the next gradient."""
        return tuple(v - q for v, q in zip(self.vector, self.sent, strict=True))

    @cached_property
    def square(self) -> Number:
        """The square of the vector's length."""
        return squared(self.vector)

    @cached_property
    def error(self) -> Number:
        """The square of the distance from the vector to what arrives."""
        return squared(self.memory)

    @property
    def expected_error(self) -> Number:
        """What the error is on average over all draws: every value is as likely to be sent."""
        share = Fraction(self.kept, len(self.vector))
        if not self.random:
            return self.error
        if self.method == "unbiased":
            return (1 / share - 1) * self.square
        return (1 - share) * self.square
