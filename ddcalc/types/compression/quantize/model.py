"""A vector quantized bucket by bucket, exactly, and how far that is from it.

QSGD (Alistarh et al., NIPS 2017, arXiv:1610.02132, section 3.1) takes the vector's length as its
scale and rounds to one of s levels at random, so that the mean is right. TernGrad (Wen et al., NIPS
2017, arXiv:1705.07878) does so with the largest value as its scale and one level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ddcalc.numbers.irrational import floor_sqrt, sqrt
from ddcalc.numbers.number import Number
from ddcalc.types.compression._vectors import Compressed, Vector, signs, squared, two_means
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


class Levels:
    """*values* rounded at random to multiples of a *levels*-th of the root of *square*.

    *square* is at least the square of every one of them. A value is rounded up where its one of
    *draws*, numbers from 0 to less than 1, is less than what it lies above a level. Its rounding
    adds its variance to *expected_error*, the mean square of the distance.
    """

    def __init__(self, values: Vector, square: Number, levels: int, draws: Vector) -> None:
        self.square, self.levels = square, levels
        self.scale = sqrt(square)
        self.step = self.scale / Fraction(levels)  # from one level to the next
        self.rounded = tuple(map(self._rounded, values, draws))
        spread = sum((value.above * value.below for value in self.rounded), start=Fraction(0))
        self.expected_error = square * spread / Fraction(levels) ** 2

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
        super().__init__(question.sample)
        self.question = question
        self.buckets = tuple(self._cut(self.vector))  # the values of each
        rebuilt = REBUILT.get(question.scheme)
        self.random = self.unbiased = rebuilt is None
        self.rounded: tuple[Levels, ...] = ()  # every bucket with its levels, where that is random
        if rebuilt is not None:
            self.sent = tuple(value for values in self.buckets for value in rebuilt(values))
            self.expected_error = self.error
            return
        self.rounded = tuple(map(self._levels, self.buckets, self._cut(question.draws)))
        values = [value for bucket in self.rounded for value in bucket.rounded]
        self.sent = tuple(value.sent for value in values)
        self.memory = tuple(value.lost for value in values)  # more exact than the difference
        self.expected_error = sum((bucket.expected_error for bucket in self.rounded), start=0)

    def _cut(self, values: Vector) -> Iterator[Vector]:
        size = self.question.bucket
        return (values[i : i + size] for i in range(0, len(values), size))

    def _levels(self, values: Vector, draws: Vector) -> Levels:
        if self.question.scheme == "qsgd":
            return Levels(values, squared(values), self.question.levels, draws)
        return Levels(values, max(value * value for value in values), self.question.levels, draws)


@lru_cache(maxsize=2)  # what is asked again has the same vector, unless that is what is varied
def quantized(question: Quantizing) -> Quantized:
    """The vector of *question*, quantized."""
    return Quantized(question)
