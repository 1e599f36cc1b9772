"""Stages of a pipeline whose waiting no formula has, played pass by pass: a longest chain."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import cycle, islice, pairwise
from typing import Final, NamedTuple

from ddcalc.problem.play import PlayedGivens, one, several, whole
from ddcalc.schedule.engine import check_length
from ddcalc.schedule.times import common_unit, in_parts

PASSES: Final = 50_000  # each way
BATCHES: Final = 3  # that overlap, after which each takes as long as the one before
FORWARD, BACK, WEIGHT = range(3)
LATE: Final = {"zb_h1": 1, "zb_h2": 2}  # times the stage: micro-batches whose weights wait


class Pass(NamedTuple):
    """A micro-batch (*batch*) passes a *chunk* of a *stage* forward or back, or the gradient of its
    weights is made; all count from 0."""

    kind: int
    stage: int
    chunk: int
    batch: int


def table(given: PlayedGivens, reading: Mapping[str, str]) -> dict[str, int | tuple[int, ...]]:
    """How many passes of each stage are in a chain of passes that wait for each other from the
    first to the last one, which so lasts as long as all, and how often it goes to another stage;
    where batches overlap (ZB-H2), from a pass of one batch to that of the next."""
    ways = [several(given, name) for name in ("forward", "backward")]
    batches, send = whole(given, "micro_batches") or 1, one(given, "send") or 0
    stages, chunks = max(*map(len, ways), whole(given, "stages") or 1), whole(given, "chunks") or 1
    again, how = int(reading["recompute"] == "full"), reading["schedule"]
    check_length(stages * batches * chunks, "micro_batches", PASSES, "passes each way")
    weight = (one(given, "weight") or 0) if how in LATE else 0
    forward, back = ([*islice(cycle(way), stages)] for way in ways)
    back = [b + f * again - weight for f, b in zip(forward, back, strict=True)]
    unit = common_unit(*forward, *back, weight, send)  # of as many times the time of a chunk
    times = [[in_parts(t, unit) for t in x] for x in (forward, back, [weight] * stages)]
    sent, ends = in_parts(send, unit) * chunks, dict[Pass, int]()
    before, newest = dict[Pass, Pass | None](), dict[int, Pass]()
    left = [in_order(i, stages, batches, chunks, how)[::-1] for i in range(stages)]
    while any(left):
        for stage, order in enumerate(left):
            while order and ((sender := _sender(order[-1], stages, chunks)) in ends or not sender):
                item, own = order.pop(), newest.get(stage)
                there = ends[sender] + sent * (sender.stage != stage) if sender else 0
                free = ends[own] if own else 0
                before[item] = sender if there > free else own
                ends[item] = max(free, there) + times[item.kind][stage]
                newest[stage] = item
    path = _longest(before, max(ends, key=ends.__getitem__, default=None), batches)
    chain = path[:-1] if how == "zb_h2" else path
    told = max(map(len, ways))  # alike stages are counted together
    passed = [(item.kind, item.stage % told) for item in chain]
    return {
        "chain_forward": tuple(passed.count((FORWARD, i)) for i in range(told)),
        "chain_backward": tuple(passed.count((BACK, i)) for i in range(told)),
        "chain_weight": sum(item.kind == WEIGHT for item in chain),
        "hops": sum(a.stage != b.stage for a, b in pairwise(path)),
    }


def _longest(before: Mapping[Pass, Pass | None], at: Pass | None, batches: int) -> list[Pass]:
    """The passes from *at* back to the first of all, or from a pass to the same one of the batch
    before, both included."""
    chain, seen = list[Pass](), dict[Pass, int]()
    while at:
        chain.append(at)
        alike = at._replace(batch=at.batch % batches)
        if alike in seen:
            return chain[seen[alike] :]
        seen[alike] = len(chain) - 1
        at = before[at]
    return chain


def in_order(stage: int, stages: int, batches: int, chunks: int, how: str) -> list[Pass]:
    """The passes of a *stage*: so many forward, then by turns one forward and one back, until none
    is left. With chunks it is ahead by those of a round more; zero-bubble schedules make the
    gradients of weights later, the later the stage is, and ZB-H2 is ahead by twice as many."""
    number = max(batches // stages, 1) if chunks > 1 and how != "gpipe" else 1
    ends = [batches // number * k + min(k, batches % number) for k in range(number + 1)]
    items = [
        (chunk, batch) for at in pairwise(ends) for chunk in range(chunks) for batch in range(*at)
    ]
    late = stage * LATE.get(how, 0)
    after = (stages - 1 - stage) * (2 if how == "zb_h2" else 1)
    ahead = after if chunks == 1 else 2 * after + (chunks - 1) * ends[1]
    ahead = len(items) if how == "gpipe" else ahead
    passes = [Pass(FORWARD, stage, *item) for item in items[:ahead]]
    for k, (chunk, batch) in enumerate(items):
        passes += [Pass(FORWARD, stage, *item) for item in items[ahead + k : ahead + k + 1]]
        passes.append(Pass(BACK, stage, chunks - 1 - chunk, batch))
        if how in LATE and k >= late:
            passes.append(Pass(WEIGHT, stage, 0, batch - late))
    rest = range(max(0, batches - late), batches) if how in LATE else ()
    passes += [Pass(WEIGHT, stage, 0, batch) for batch in rest]
    turns = range(BATCHES if how == "zb_h2" else 1)
    return [x._replace(batch=x.batch + turn * batches) for turn in turns for x in passes]


def _sender(item: Pass, stages: int, chunks: int) -> Pass | None:
    """The pass of another stage, or chunk, for which this one waits."""
    step = -1 if item.kind == FORWARD else 1
    chunk, stage = divmod(item.chunk * stages + item.stage + step, stages)
    if item.kind == WEIGHT or not 0 <= chunk < chunks:
        return None
    return item._replace(stage=stage, chunk=chunk)
