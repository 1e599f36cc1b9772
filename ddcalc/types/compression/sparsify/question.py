"""Which values of which vector are sent."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from ddcalc.problem.play import PlayedGivens, whole
from ddcalc.types.compression._vectors import Sample, Vector, sample


@dataclass(frozen=True, slots=True)
class Sparsifying:
    """The *kept* values of *sample* that this *method* sends: the largest, or the drawn ones.

    The values with the smallest *draws* are drawn.
    """

    method: str
    sample: Sample
    kept: int
    draws: Vector


def sparsifying(given: PlayedGivens, method: str) -> Sparsifying:
    """What the *given* numbers ask for, by this *method*: as large a part as of the gradient."""
    stated = sample(given)
    size, kept = len(stated.vector), whole(given, "kept") or whole(given, "chosen")
    assert kept is not None
    share = Fraction(kept, whole(given, "values") or size)
    return Sparsifying(method, stated, ceil(share * size), stated.draws("choose"))
