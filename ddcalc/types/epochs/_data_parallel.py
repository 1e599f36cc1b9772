"""The rows of each worker in a step of data-parallel learning: stated, or as equal as can be."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate

from ddcalc.errors import BadValue
from ddcalc.numbers.display import counted
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, listed, several, whole


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, tuple[Number, ...]]:
    """Who has which rows; whose each component of the local gradients is, and each weight's
    place."""
    targets, inputs = listed(given, "targets"), listed(given, "inputs")
    width, rest = divmod(len(inputs), len(targets))
    if rest:
        reason = f"does not fit {counted(len(targets), 'row')} with equally many inputs each"
        raise BadValue(f"a list of {len(inputs)}", reason).about("inputs")
    if (weights := listed(given, "weights")) and len(weights) != width:
        reason = f"does not fit rows of {counted(width, 'input')}; one weight for each"
        raise BadValue(f"a list of {len(weights)}", reason).about("weights")
    shards = _shards(given, len(targets))
    ends = tuple(accumulate(shards))
    return {
        "rows_per_worker": shards,
        "first_rows": tuple(end - rows + 1 for end, rows in zip(ends, shards, strict=True)),
        "last_rows": ends,
        "places": tuple(range(1, width + 1)),
        "owners": tuple(j for j in range(1, len(shards) + 1) for _ in range(width)),
    }


def _shards(given: PlayedGivens, rows: int) -> tuple[int, ...]:
    """The rows of each worker; of unequal ones the first workers have one more."""
    workers, shards = whole(given, "workers"), tuple(map(int, several(given, "shards")))
    if not shards:
        assert workers is not None
        if workers > rows:
            reason = f"is more than the {counted(rows, 'row')}; each worker needs one at least"
            raise BadValue(str(workers), reason).about("workers")
        least, more = divmod(rows, workers)
        return (least + 1,) * more + (least,) * (workers - more)
    if sum(shards) != rows:
        reason = f"adds up to {counted(sum(shards), 'row')}, but there are {rows}"
        raise BadValue(", ".join(map(str, shards)), reason).about("shards")
    if workers not in (None, len(shards)):
        reason = f"does not fit the {counted(len(shards), 'shard')}"
        raise BadValue(str(workers), reason).about("workers")
    return shards
