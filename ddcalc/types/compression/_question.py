"""Examples of compression as a question states them."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from ddcalc.problem.play import Played, whole
from ddcalc.types.compression._bounds import LEVELLED, Method, Scheme
from ddcalc.types.compression._quantized import Quantized
from ddcalc.types.compression._sparse import Sparse
from ddcalc.types.compression._vectors import draws, vector_of


def quantized(given: Played, scheme: Scheme) -> Quantized:
    """The vector of the *given* numbers by this *scheme*."""
    vector = vector_of(given)
    size = len(vector)
    bucket = min(whole(given, "bucket") or size, size)
    levels = whole(given, "grid") if scheme in LEVELLED else 1
    assert levels is not None
    return Quantized(scheme, vector, bucket, levels, draws(given, size, "round"))


def sparse(given: Played, method: Method) -> Sparse:
    """Some values of the vector of the *given* numbers by this *method*."""
    vector = vector_of(given)
    size, kept = len(vector), whole(given, "kept") or whole(given, "chosen")
    assert kept is not None
    share = Fraction(kept, whole(given, "values") or size)
    return Sparse(method, vector, ceil(share * size), draws(given, size, "choose"))
