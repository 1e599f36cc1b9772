"""The vectors that examples of compression are worked on: stated or drawn, and what arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from statistics import NormalDist

from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, listed, whole

Vector = tuple[Number, ...]

SEED = 1  # where none is stated
PARTS = 100  # of 1, in which values are drawn

_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Sample:
    """The *vector* that an example is worked on, stated or *drawn*; *seed* decides all draws."""

    vector: Vector
    drawn: bool
    seed: int

    @property
    def columns(self) -> dict[str, Vector]:
        """The vector, if it is drawn."""
        return {"drawn": self.vector} if self.drawn else {}

    def draws(self, purpose: str) -> Vector:
        """A number from 0 to less than 1 for each value, the same ones for one seed."""
        draw = _stream(self.seed, purpose)
        return tuple(Fraction(draw()) for _ in self.vector)


def sample(given: PlayedGivens) -> Sample:
    """The stated vector, or one of the standard normal distribution, rounded to hundredths."""
    stated_seed, vector = whole(given, "seed"), listed(given, "vector")
    seed = SEED if stated_seed is None else stated_seed
    if vector:
        return Sample(vector, False, seed)
    draw, size = _stream(seed, "vector"), whole(given, "dimension") or 0
    normal = (_NORMAL.inv_cdf(draw() or 0.5) for _ in range(size))
    return Sample(tuple(Fraction(round(PARTS * value), PARTS) for value in normal), True, seed)


def _stream(seed: int, purpose: str) -> Callable[[], float]:
    """What draws numbers from 0 to less than 1, which Python does alike in all its versions."""
    return Random(f"{purpose} {seed}").random  # noqa: S311 - reproducible


def squared(values: Sequence[Number]) -> Number:
    """The sum of the squares."""
    return sum((value * value for value in values), start=0)


def less(values: Vector, sent: Vector) -> Vector:
    """*values* less what is *sent* of them."""
    return tuple(v - q for v, q in zip(values, sent, strict=True))


def sizes(values: Vector) -> Vector:
    """Every value without its sign."""
    return tuple(max(value, -value) for value in values)


def largest(values: Vector, kept: int) -> tuple[int, ...]:
    """The places, from 0 and in order, of the *kept* largest values; of equal ones the first."""
    size = sizes(values)
    order = sorted(range(len(values)), key=lambda i: size[i], reverse=True)  # equal ones stay
    return tuple(sorted(order[:kept]))


def only(values: Vector, places: Sequence[int], factor: Number = 1) -> Vector:
    """The values at *places* times *factor*, and 0 elsewhere."""
    chosen = {*places}
    return tuple(factor * value if i in chosen else 0 for i, value in enumerate(values))


def signs(values: Vector) -> Vector:
    """The sign of each value times their mean size; 0 counts as positive.

    This is the scaled sign of Karimireddy et al., Error Feedback Fixes SignSGD, ICML 2019,
    arXiv:1901.09847.
    """
    size = _mean(sizes(values))
    return tuple(size if value >= 0 else -size for value in values)


def two_means(values: Vector) -> Vector:
    """The mean of all values of its sign in place of each; 0 counts as positive.

    1-bit SGD (Seide et al., Interspeech 2014) rebuilds values so, column by column of a matrix.
    """
    mean = {side: _mean([v for v in values if (v >= 0) == side]) for side in (True, False)}
    return tuple(mean[value >= 0] for value in values)


def _mean(values: Sequence[Number]) -> Number:
    return Fraction(sum(values, start=Fraction(0))) / max(len(values), 1)
