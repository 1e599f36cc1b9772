"""Which vector is quantized, and how."""

from __future__ import annotations

from dataclasses import dataclass

from ddcalc.problem.play import PlayedGivens, whole
from ddcalc.types.compression._errors import LEVELLED
from ddcalc.types.compression._vectors import Sample, Vector, sample


@dataclass(frozen=True, slots=True)
class Quantizing:
    """The vector of *sample* by this *scheme*; each bucket of *bucket* values has its own scale.

    *levels* is how many there are above 0 (QSGD), *draws* what decides random roundings.
    """

    scheme: str
    sample: Sample
    bucket: int
    levels: int
    draws: Vector


def quantizing(given: PlayedGivens, scheme: str) -> Quantizing:
    """What the *given* numbers ask for, by this *scheme*."""
    stated = sample(given)
    size = len(stated.vector)
    bucket = min(whole(given, "bucket") or size, size)
    levels = whole(given, "grid") if scheme in LEVELLED else 1
    assert levels is not None
    return Quantizing(scheme, stated, bucket, levels, stated.draws("round"))
