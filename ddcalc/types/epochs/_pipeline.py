"""Unlike stages of a pipeline under 1F1B, played pass by pass: a longest chain of passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import cycle, islice, pairwise
from typing import Final, NamedTuple

from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.engine import check_length
from ddcalc.schedule.times import common_unit, in_parts

PASSES: Final = 50_000  # each way


class Pass(NamedTuple):
    """A micro-batch (*batch*) passes a *stage*, forward or *back*; both count from 0."""

    back: bool
    stage: int
    batch: int


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, int | tuple[int, ...]]:
    """How many passes of each stage are in a chain of passes that wait for each other from the
    first to the last one, which so lasts as long as all, and how often it goes to another stage."""
    ways = [several(given, name) for name in ("forward", "backward")]
    batches, send = whole(given, "micro_batches") or 1, one(given, "send") or 0
    stages, again = max(map(len, ways)), int(reading["recompute"] == "full")
    check_length(stages * batches, "micro_batches", PASSES, "passes each way")
    forward, back = ([*islice(cycle(way), stages)] for way in ways)
    back = [b + f * again for f, b in zip(forward, back, strict=True)]
    unit = common_unit(*forward, *back, send)
    times, sent = [[in_parts(t, unit) for t in x] for x in (forward, back)], in_parts(send, unit)
    ends: dict[Pass, int] = {}
    before: dict[Pass, Pass | None] = {}
    newest: list[Pass | None] = [None] * stages
    for item in in_order(stages, batches):
        own = newest[item.stage]
        sender = item._replace(stage=item.stage + (1 if item.back else -1))
        free, there = ends[own] if own else 0, ends[sender] + sent if sender in ends else 0
        before[item] = sender if there > free else own
        ends[item] = max(free, there) + times[item.back][item.stage]
        newest[item.stage] = item
    chain, at = list[Pass](), newest[0]
    while at:
        chain.append(at)
        at = before[at]
    passed = [(item.back, item.stage) for item in chain]
    return {
        "chain_forward": tuple(passed.count((False, i)) for i in range(stages)),
        "chain_backward": tuple(passed.count((True, i)) for i in range(stages)),
        "hops": sum(a.stage != b.stage for a, b in pairwise(chain)),
    }


def in_order(stages: int, batches: int) -> Iterator[Pass]:
    """The passes of 1F1B turn by turn: in turn t the i-th stage takes micro-batch t − i forward,
    then t − (stages − 1) backward, if there is one; so it is ahead by the stages behind it."""
    for turn in range(batches + stages - 1):
        yield from (Pass(False, i, turn - i) for i in range(stages) if 0 <= turn - i < batches)
        if (batch := turn - stages + 1) >= 0:
            yield from (Pass(True, i, batch) for i in reversed(range(stages)))
