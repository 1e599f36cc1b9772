"""Two rules as some sheets print them, and where they go wrong, on the instance asked about."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Add, Expr, Neg, Num
from ddcalc.numbers.display import number_text
from ddcalc.problem.steps import Bound, Cells, Link, Step, Table
from ddcalc.types.schedules.update_rule.contents import Contents, clocks
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    LUCK,
    READER,
    UPDATE,
    W_0,
    J,
    N,
    S,
    gradient,
    of_all,
    of_all_up_to,
    of_one,
    of_set,
    stepped,
    summed,
    weights,
)
from ddcalc.types.schedules.update_rule.rule import Read

TITLE = "Where a printed rule goes wrong"
RIGHT = "every worker goes on from the same mean"


def ssp_slip(contents: Contents, staleness: int) -> Iterator[Step]:
    """The stale-synchronous rule with t for K and an own sum from t - s on, where t = c - 1.

    The read must come after the first clock.
    """
    read = contents.read
    first = max(1, read.before - staleness)
    everybody = of_all_up_to(read.workers, read.before)
    own = of_one(read.worker, first, read.before)
    others = of_set(contents.others)
    printed = W_0 - ETA * (
        of_all_up_to(N, UPDATE) + of_one(READER, UPDATE - S, UPDATE) + of_set(LUCK)
    )
    value = stepped((ETA, [everybody, own, others]))
    why = (
        "some sheets print t for K, and t − s as the start of the own sum, where t is c − 1; the"
        " two sums then share gradients, even for s = 0"
    )
    links = (
        Link("=", printed, "as printed"),
        Link("=", value, f"here t is {number_text(read.before)[0]}"),
    )
    yield Bound("printed", "w", TITLE, why, weights(read.worker, UPDATE + 1), links, value)
    header = ("whose", "clocks", "the printed rule counts", "right is")
    why = "the own sum begins inside of the first, and the first takes as certain what may be late"
    yield Table("What it counts wrongly", why, header, tuple(_miscounted(contents, first)))


def _miscounted(contents: Contents, first: int) -> Iterator[Cells]:
    read = contents.read
    yield f"worker {read.worker}", clocks(first, read.before), "twice", "once"
    if read.before > contents.common:
        late = clocks(contents.common + 1, read.before)
        yield "the others", late, "once, and again if arrived", "once, if arrived"


def local_slip(read: Read, local_steps: int) -> Iterator[Step]:
    """The average of local SGD as w - (eta/n)·(sum of gradients), which averages no models."""
    one, other = read.worker, 2 if read.worker == 1 else 1
    apart = weights(one, local_steps + 1) - weights(other, local_steps + 1)
    why = (
        "at the end of a round some sheets print a worker's own model minus η times the mean of all"
        " gradients; then all subtract the same, and what sets two replicas apart stays for ever"
    )
    mean = (ETA / read.workers) * of_all(read.workers, local_steps)
    mine, theirs = weights(one, local_steps), weights(other, local_steps)
    steps = of_one(other, 1, local_steps - 1) - of_one(one, 1, local_steps - 1)
    links = (
        Link("=", Add((mine, Neg(mean), Neg(theirs - mean))), "as printed"),
        Link("=", mine - theirs, "the same is subtracted from both"),
        Link("=", ETA * steps, "their own steps before"),
    )
    yield Bound("printed", "w", TITLE, why, apart, links, links[-1].expr)
    average = _average(read.workers, local_steps)
    right = (
        Link("=", average - average, "the mean of the models after their step"),
        Link("=", Num(0), "it is the same for everybody"),
    )
    yield Bound("right", "w", "The right average makes replicas equal", RIGHT, apart, right, 0)


def _average(workers: int, clock: int) -> Expr:
    step = weights(J, clock) - ETA * gradient(J, clock)
    return (Num(1) / workers) * summed(step, J, 1, workers)
