"""Unlike stages of a pipeline under 1F1B, played pass by pass: a longest chain of passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from ddcalc.problem.play import PlayedGivens, several, whole
from ddcalc.schedule.engine import check_length
from ddcalc.schedule.times import common_unit, in_parts

PASSES: Final = 50_000  # each way


class Pass(NamedTuple):
    """A *batch* of the micro-batches passes a *stage*, forward or *back*; all count from 0."""

    back: bool
    stage: int
    batch: int


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, int | tuple[int, ...]]:
    """How many passes of each stage are in a chain of passes that wait for each other from the
    first to the last one, which so lasts as long as all, and how often it goes to another stage."""
    forward, batches = several(given, "forward"), whole(given, "micro_batches") or 1
    stages = len(forward)
    again = forward if reading["recompute"] == "full" else (0,) * stages
    backward = several(given, "backward")
    backward = backward if len(backward) == stages else backward * stages
    check_length(stages * batches, "micro_batches", PASSES, "passes each way")
    sends = several(given, "send") or (0,)
    unit = common_unit(*forward, *backward, *sends)
    ways = [forward, [b + f for b, f in zip(backward, again, strict=True)]]
    times, sent = [[in_parts(x, unit) for x in way] for way in ways], in_parts(sends[0], unit)
    ends: dict[Pass | None, int] = {None: 0}
    before: dict[Pass, Pass | None] = {}
    newest: list[Pass | None] = [None] * stages
    for one in in_order(stages, batches):
        own, sender = newest[one.stage], one._replace(stage=one.stage + (1 if one.back else -1))
        waits = sender in ends and ends[sender] + sent > ends[own]
        before[one] = sender if waits else own
        ends[one] = max(ends[own], ends.get(sender, -sent) + sent) + times[one.back][one.stage]
        newest[one.stage] = one
    chain, at = [], newest[0]
    while at is not None:
        chain.append(at)
        at = before[at]
    counts = [[0] * stages, [0] * stages]
    for one in chain:
        counts[one.back][one.stage] += 1
    hops = sum(a.stage != b.stage for a, b in pairwise(chain))
    return {"chain_forward": tuple(counts[0]), "chain_backward": tuple(counts[1]), "hops": hops}


def in_order(stages: int, batches: int) -> Iterator[Pass]:
    """The passes of 1F1B turn by turn: in turn t the i-th stage takes micro-batch t − i forward,
    then t − (stages − 1) backward, if there is one; so it is ahead by the stages behind it."""
    for turn in range(batches + stages - 1):
        yield from (Pass(False, i, turn - i) for i in range(stages) if 0 <= turn - i < batches)
        if (batch := turn - stages + 1) >= 0:
            yield from (Pass(True, i, batch) for i in reversed(range(stages)))
