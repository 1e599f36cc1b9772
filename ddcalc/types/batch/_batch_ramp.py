"""The batches of a training that grow by equal increments, each after equally many samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from ddcalc.errors import OverLimit
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.play import ROWS, PlayedGivens, several, whole

_LEVELS: Final = 200_000  # batches of unlike size that are gone through

Level = tuple[Number, int, int]  # samples consumed when it begins, its batch, and its updates


def table(
    given: PlayedGivens, reading: Mapping[str, str]
) -> dict[str, Number | tuple[Number, ...]]:
    """The first batches, the updates while the batch grows, and the samples that these consume."""
    first, last = map(int, several(given, "batches"))
    names = ("increment", "ramp_samples", "samples")
    increment, over, samples = (whole(given, name) or 1 for name in names)
    increments, cut = (last - first) // increment, reading["ending"] == "cut"
    if min(increments, increments if cut else over // first) > _LEVELS:
        reason = f"makes more than {_LEVELS} unlike batches; state a larger one"
        raise OverLimit(f"{increment} {reason}").about("increment")
    end, span = min(over, samples), Fraction(over, increments)
    levels = [*_levels(first, increment, span, end, cut=cut)]
    consumed, batch, updates = levels[-1]
    begins, sizes, counts = zip(*levels[:ROWS], strict=True)
    return {
        "level_begins": begins,
        "level_batches": sizes,
        "level_updates": counts,
        "growing": sum(level[2] for level in levels),
        "grown": end if cut else plain(Fraction(consumed) + batch * updates),
    }


def _levels(batch: int, increment: int, span: Fraction, end: int, *, cut: bool) -> Iterator[Level]:
    """The batches before the last one, from *batch* on, without those whose turn has passed when
    it comes; the next one is due after *each* so many samples."""
    consumed = Fraction(0)
    while consumed < end:
        level = consumed // span
        due, size = min((level + 1) * span, Fraction(end)), batch + level * increment
        updates = -((consumed - due) // size)
        yield plain(consumed), size, updates
        consumed = due if cut else consumed + updates * size
