"""The vector that an example is worked on, and the numbers that decide what is random."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random
from statistics import NormalDist

from ddcalc.problem.play import Played, listed, whole
from ddcalc.types.compression._rounding import Vector

MOST = 10_000  # values that are drawn
LONG = 1_000  # values beyond which a vector is not worked once more for every other reading
SEED = 1  # where none is stated
PARTS = 100  # of 1, in which values are drawn

_NORMAL = NormalDist()


def vector_of(given: Played) -> Vector:
    """The stated vector, or one drawn at random.

    A drawn one has values of the standard normal distribution, rounded to hundredths.
    """
    return listed(given, "vector") or _drawn(given)


def draws(given: Played, size: int, purpose: str) -> Vector:
    """A number from 0 to less than 1 for each of *size* values, the same ones for one seed."""
    draw = _stream(given, purpose)
    return tuple(Fraction(draw()) for _ in range(size))


def seed_of(given: Played) -> int:
    """The stated seed, or the usual one."""
    seed = whole(given, "seed")
    return SEED if seed is None else seed


def _drawn(given: Played) -> Vector:
    draw, size = _stream(given, "vector"), whole(given, "dimension") or 0
    normal = (_NORMAL.inv_cdf(draw() or 0.5) for _ in range(size))
    return tuple(Fraction(round(PARTS * value), PARTS) for value in normal)


def _stream(given: Played, purpose: str) -> Callable[[], float]:
    """What draws numbers from 0 to less than 1, which Python does alike in all its versions."""
    return Random(f"{purpose} {seed_of(given)}").random  # noqa: S311 - reproducible
