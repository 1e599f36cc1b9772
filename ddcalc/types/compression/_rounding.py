"""Values of a vector rounded to a few levels of a scale, exactly.

QSGD (Alistarh et al., NIPS 2017, arXiv:1610.02132, section 3.1) takes the vector's length as its
scale and rounds to one of s levels at random, so that the mean is right. TernGrad (Wen et al., NIPS
2017, arXiv:1705.07878) does so with the largest value as its scale and one level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.approximate import floor_sqrt, sqrt
from ddcalc.numbers.number import Number

Vector = tuple[Number, ...]


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
        spread = sum((each.above * each.below for each in self.rounded), start=Fraction(0))
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


def signs(values: Vector) -> Vector:
    """The sign of each value times their mean size; 0 counts as positive.

    This is the scaled sign of Karimireddy et al., Error Feedback Fixes SignSGD, ICML 2019,
    arXiv:1901.09847.
    """
    size = _mean([max(value, -value) for value in values])
    return tuple(size if value >= 0 else -size for value in values)


def two_means(values: Vector) -> Vector:
    """The mean of all values of its sign in place of each; 0 counts as positive.

    1-bit SGD (Seide et al., Interspeech 2014) rebuilds values so, column by column of a matrix.
    """
    mean = {side: _mean([v for v in values if (v >= 0) == side]) for side in (True, False)}
    return tuple(mean[value >= 0] for value in values)


def squared(values: Sequence[Number]) -> Number:
    """The sum of the squares."""
    return sum((value * value for value in values), start=0)


def _mean(values: Sequence[Number]) -> Number:
    return Fraction(sum(values, start=Fraction(0))) / max(len(values), 1)
