"""A vector quantized bucket by bucket, exactly, and how far that is from it.

QSGD (Alistarh et al., NIPS 2017, arXiv:1610.02132, section 3.1) takes the vector's length as its
scale and rounds to one of s levels at random, so that the mean is right. TernGrad (Wen et al., NIPS
2017, arXiv:1705.07878) does so with the largest value as its scale and one level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.irrational import floor_sqrt, sqrt
from ddcalc.numbers.number import Number
from ddcalc.types.compression._vectors import Compressed, Vector, less, signs, squared, two_means
from ddcalc.types.compression.quantize.question import Quantizing

REBUILT: dict[str, Callable[[Vector], Vector]] = {"sign": signs, "one_bit": two_means}


@dataclass(frozen=True, slots=True)
class Rounded:
    """A *value* that lies *scaled* levels from 0 and is sent as *level* of them, worth *sent*.

    It lies *above* a whole level, which is the chance of being rounded up, and *below* the next;
    *draw* decides. *lost* is the value less what is sent.
    """

    value: Number
    scaled: Number
    above: Number
    below: Number
    draw: Number
    level: int
    sent: Number
    lost: Number


@dataclass(frozen=True)
class Levels:
    """Values rounded at random to multiples of a *levels*-th of the root of *square*.

    *square* is at least the square of every one of them. A value is rounded up where its one of
    *draws*, numbers from 0 to less than 1, is less than what it lies above a level.
    """

    values: Vector
    square: Number
    levels: int
    draws: Vector

    @cached_property
    def scale(self) -> Number:
        """The root of the square."""
        return sqrt(self.square)

    @cached_property
    def step(self) -> Number:
        """From one level to the next."""
        return self.scale / Fraction(self.levels)

    @cached_property
    def rounded(self) -> tuple[Rounded, ...]:
        """What becomes of each value."""
        return tuple(map(self._rounded, self.values, self.draws))

    @property
    def expected_error(self) -> Number:
        """The expected square of the distance: each value adds the variance of its rounding."""
        spread = sum((value.above * value.below for value in self.rounded), start=Fraction(0))
        return self.square * spread / Fraction(self.levels) ** 2

    def _rounded(self, value: Number, draw: Number) -> Rounded:
        if not self.square:
            return Rounded(value, 0, 0, 1, draw, 0, 0, 0)
        square = Fraction(self.levels * value) ** 2 / self.square
        scaled, whole = sqrt(square), floor_sqrt(square)
        # differences of roots by their squares, which are exact
        above = (square - whole**2) / (scaled + whole) if square else Fraction(0)
        below = ((whole + 1) ** 2 - square) / (scaled + whole + 1)
        up = square > (whole + draw) ** 2
        step = self.step if value >= 0 else -self.step
        lost = step * (-below if up else above)
        return Rounded(value, scaled, above, below, draw, whole + up, step * (whole + up), lost)


class Quantized(Compressed):
    """The vector of *question*, and what arrives of it."""

    def __init__(self, question: Quantizing) -> None:
        self.question, self.vector = question, question.sample.vector
        self.buckets = tuple(self._cut(self.vector))  # the values of each

    @cached_property
    def rounded(self) -> tuple[Levels, ...]:
        """Every bucket with its levels; none where nothing is random."""
        if self.question.scheme in REBUILT:
            return ()
        pairs = zip(self.buckets, self._cut(self.question.draws), strict=True)
        return tuple(self._levels(values, draws) for values, draws in pairs)

    @property
    def random(self) -> bool:
        return bool(self.rounded)

    unbiased = random

    @cached_property
    def sent(self) -> Vector:
        if self.rounded:
            return tuple(value.sent for bucket in self.rounded for value in bucket.rounded)
        rebuilt = REBUILT[self.question.scheme]
        return tuple(value for values in self.buckets for value in rebuilt(values))

    @cached_property
    def memory(self) -> Vector:
        if self.rounded:
            return tuple(value.lost for bucket in self.rounded for value in bucket.rounded)
        return less(self.vector, self.sent)

    @cached_property
    def expected_error(self) -> Number:
        if self.rounded:
            return sum((bucket.expected_error for bucket in self.rounded), start=0)
        return self.error

    def _cut(self, values: Vector) -> Iterator[Vector]:
        size = self.question.bucket
        return (values[i : i + size] for i in range(0, len(values), size))

    def _levels(self, values: Vector, draws: Vector) -> Levels:
        if self.question.scheme == "qsgd":
            return Levels(values, squared(values), self.question.levels, draws)
        return Levels(values, max(value * value for value in values), self.question.levels, draws)
