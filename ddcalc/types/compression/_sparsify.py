"""A vector of which only some values are sent."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil

from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, whole
from ddcalc.types.compression._vectors import Vector, largest, less, only, sample


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, Number | Vector | None]:
    """As large a part of the vector's values as of the gradient's, rounded up: the largest, or
    those with the smallest *draws*; unbiased ones times what makes their mean right."""
    stated = sample(given)
    vector, draws = stated.vector, stated.draws("choose")
    size = len(vector)
    values = whole(given, "values") or size
    kept = whole(given, "kept") or ceil((one(given, "share") or 0) * values)
    sent = ceil(Fraction(kept, values) * size)
    if reading["method"] == "top_k":
        places = largest(vector, sent)
    else:
        places = tuple(sorted(range(size), key=lambda i: draws[i])[:sent])
    factor = Fraction(size, sent) if reading["method"] == "unbiased" else Fraction(1)
    sparse = only(vector, places, factor)
    return {
        **stated.columns,
        "sparse": sparse,
        "memory": less(vector, sparse),
        "draws": draws,
        "picked": only((1,) * size, places),
    }
