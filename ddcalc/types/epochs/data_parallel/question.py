"""One iteration as a question states it: lists cut into rows and shards, or refused."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.errors import BadValue
from ddcalc.numbers.display import counted
from ddcalc.problem.play import PlayedGivens, listed, one, several, whole
from ddcalc.types.epochs.data_parallel.model import Iteration, split


def question(given: PlayedGivens, reading: Mapping[str, str]) -> Iteration:
    """The iteration that the *given* numbers ask for; BadValue where they do not fit together."""
    targets, inputs = listed(given, "targets"), listed(given, "inputs")
    width, rest = divmod(len(inputs), len(targets))
    if rest:
        reason = f"does not fit {counted(len(targets), 'row')} with equally many inputs each"
        raise BadValue(f"a list of {len(inputs)}", reason).about("inputs")
    weights = listed(given, "weights") or (0,) * width
    if len(weights) != width:
        reason = f"does not fit rows of {counted(width, 'input')}; one weight for each"
        raise BadValue(f"a list of {len(weights)}", reason).about("weights")
    eta = one(given, "eta")
    assert eta is not None
    rows = tuple(inputs[i : i + width] for i in range(0, len(inputs), width))
    shards = _shards(given, len(targets))
    scale = 1 if reading["loss"] == "half_mean" else 2
    return Iteration(rows, targets, shards, weights, eta, scale, reading["average"] == "by_rows")


def _shards(given: PlayedGivens, rows: int) -> tuple[int, ...]:
    """The rows of each worker, stated or split."""
    workers, shards = whole(given, "workers"), tuple(map(int, several(given, "shards")))
    if not shards:
        assert workers is not None
        if workers > rows:
            reason = f"is more than the {counted(rows, 'row')}; each worker needs one at least"
            raise BadValue(str(workers), reason).about("workers")
        return split(rows, workers)
    if sum(shards) != rows:
        reason = f"adds up to {counted(sum(shards), 'row')}, but there are {rows}"
        raise BadValue(", ".join(map(str, shards)), reason).about("shards")
    if workers not in (None, len(shards)):
        reason = f"does not fit the {counted(len(shards), 'shard')}"
        raise BadValue(str(workers), reason).about("workers")
    return shards
