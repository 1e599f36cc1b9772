"""Layers in a row cut into stages of a pipeline, the largest of which is as small as can be."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, listed, whole
from ddcalc.schedule.times import common_unit, in_parts


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, tuple[Number, ...]]:
    """The layers of each stage and the last of them, how far the stages would reach if all were
    shorter than the largest, and as equally many layers in each as can be."""
    times, stages = listed(given, "times"), whole(given, "stages") or 1
    unit = common_unit(*times)
    parts = [in_parts(time, unit) for time in times]
    low, high = max(parts) - 1, sum(parts)  # too short, long enough
    while high - low > 1:
        middle = (low + high) // 2
        fits = ends(parts, stages, middle)[-1] == len(parts)
        low, high = (low, middle) if fits else (middle, high)
    leaving = range(len(parts) - stages + 1, len(parts) + 1)  # a layer for each further stage
    lasts = tuple(map(min, ends(parts, stages, high), leaving))
    least, more = divmod(len(parts), stages)
    return {
        "sizes": tuple(b - a for a, b in pairwise((0, *lasts))),
        "lasts": lasts,
        "reached": tuple(ends(parts, stages, high - 1)),
        "even": (least + 1,) * more + (least,) * (stages - more),
    }


def ends(parts: Sequence[int], stages: int, most: int) -> list[int]:
    """Up to which layer so many stages reach if each takes as many as it can of the next *parts*,
    which may add up to *most*: no other split gets any further."""
    sums, reached = [0, *accumulate(parts)], [0]
    for _ in range(stages):
        start = reached[-1]
        reached.append(bisect_right(sums, sums[start] + most) - 1)
    return reached[1:]
