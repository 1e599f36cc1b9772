"""A vector quantized bucket by bucket, exactly.

QSGD (Alistarh et al., NIPS 2017, arXiv:1610.02132, section 3.1) takes the vector's length as its
scale and rounds to one of s levels at random, so that the mean is right. TernGrad (Wen et al., NIPS
2017, arXiv:1705.07878) does so with the largest value as its scale and one level.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from ddcalc.numbers.irrational import floor_sqrt, sqrt
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, whole
from ddcalc.types.compression._vectors import Vector, less, sample, signs, squared, two_means

REBUILT: Final[Mapping[str, Callable[[Vector], Vector]]] = {"sign": signs, "one_bit": two_means}
VALUES: Final = 1 << 12  # that are kept as they are rounded: those drawn are often equal
LENGTH: Final = "qsgd"  # the scheme whose scale is the length; of others it is the largest value

Table: TypeAlias = dict[str, Number | Vector | None]


class Rounded(NamedTuple):
    """A value that lies so many levels from 0 (*levels_up*), by the names of results.

    It lies above a whole level by the *chances* of being rounded up; *spreads* is what its error is
    squared, on average. It is sent *at_levels*, *quantized* to that; *memory* is what is lost.
    """

    levels_up: Number
    chances: Number
    spreads: Number
    at_levels: int
    quantized: Number
    memory: Number


def table(given: PlayedGivens, reading: Mapping[str, str]) -> Table:
    """What becomes of each value; by schemes that draw, with its levels and mean error."""
    stated, scheme = sample(given), reading["scheme"]
    size, drawing = len(stated.vector), scheme not in REBUILT
    bucket = min(whole(given, "bucket") or size, size)
    levels = _levels(given, reading) if scheme.startswith("qsgd") else 1
    draws = stated.draws("round") if drawing else ()
    columns = quantized(scheme, stated.vector, bucket, levels, draws)
    return {**stated.columns, **columns}


def _levels(given: PlayedGivens, reading: Mapping[str, str]) -> int:
    """The levels besides zero, as stated or as the bits tell them apart."""
    levels, bits = whole(given, "levels"), whole(given, "bits") or 1
    if levels is not None:
        return levels
    return int(2 ** (bits - 1)) - 1 if reading["bit_count"] == "with_sign" else int(2**bits)


@lru_cache(maxsize=2)  # what is asked again has the same vector, unless that is what is varied
def quantized(scheme: str, vector: Vector, bucket: int, levels: int, draws: Vector) -> Table:
    """The *vector*, each *bucket* of it with its own scale."""
    buckets = [vector[i : i + bucket] for i in range(0, len(vector), bucket)]
    if scheme in REBUILT:
        arrives = tuple(value for values in buckets for value in REBUILT[scheme](values))
        return {"quantized": arrives, "memory": less(vector, arrives)}
    scales: list[Number] = []
    rows: list[Rounded] = []
    for i, values in enumerate(buckets):
        square = squared(values) if scheme == LENGTH else max(value * value for value in values)
        pairs = zip(values, draws[i * bucket :], strict=False)
        rows += [rounded(value, square, levels, draw) for value, draw in pairs]
        scales += [sqrt(square)] * len(values)
    columns = dict(zip(Rounded._fields, zip(*rows, strict=True), strict=True))
    return {**columns, "scale": tuple(scales), "draws": draws}


def rounded(value: Number, square: Number, levels: int, draw: Number) -> Rounded:
    """*value*, rounded at random to multiples of a *levels*-th of the root of *square*.

    *square* is at least its own. It is rounded up where *draw*, from 0 to less than 1, is less than
    what it lies above a level.
    """
    if not square:
        return Rounded(0, 0, 0, 0, 0, 0)
    down, up = _between(value, square, levels)
    return up if draw < down.chances else down


@lru_cache(maxsize=VALUES)
def _between(value: Number, square: Number, levels: int) -> tuple[Rounded, Rounded]:
    """*value* as the level below it, and as the next one up from 0."""
    step = sqrt(square) / Fraction(levels)  # from one level to the next
    part = Fraction(levels * value) ** 2 / square
    scaled, level = sqrt(part), floor_sqrt(part)
    # differences of roots by their squares, which are exact
    above = (part - level**2) / (scaled + level) if part else Fraction(0)
    below = ((level + 1) ** 2 - part) / (scaled + level + 1)
    spread = Fraction(square) / Fraction(levels) ** 2 * above * below
    step = step if value >= 0 else -step
    down = Rounded(scaled, above, spread, level, step * level, step * above)
    return down, down._replace(
        at_levels=level + 1, quantized=step * (level + 1), memory=-step * below
    )
