"""The stale-synchronous rule with a bound s: Ho et al. 2013."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import largest
from ddcalc.formula.expression import Expr
from ddcalc.problem.steps import Step
from ddcalc.schedule.scheme import Scheme, ssp
from ddcalc.types.schedules.update_rule.by_clock import ByClock, nothing
from ddcalc.types.schedules.update_rule.contents import Contents
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    LUCK,
    READER,
    W_0,
    C,
    K,
    N,
    S,
    of_all_up_to,
    of_one,
    of_set,
)
from ddcalc.types.schedules.update_rule.printed import ssp_slip
from ddcalc.types.schedules.update_rule.rule import Counted, Read


class StaleSynchronous(ByClock):
    """A worker starts its clock c when every worker has finished clock c - 1 - *staleness*.

    So these gradients are in, and its own (Ho et al., NIPS 2013). All workers start together,
    and one that may go on does so at once: then nobody has written a gradient of a clock after
    c - 1 + *staleness* (the paper calls clocks c - s to c + s - 1 the window). After a pause
    before the read there may be gradients of clock c + s, too.
    """

    name = "the stale-synchronous rule"
    says = (
        "everybody's gradients up to clock K, the worker's own later ones, and a set S of others'"
        " later ones that happen to have arrived; they are added, so for means divide η by n"
    )

    def __init__(self, read: Read, staleness: int) -> None:
        remark = "with s = 0 this is exactly the synchronous rule" if staleness == 0 else ""
        super().__init__(read, remark)
        self.staleness = staleness

    @property
    def contents(self) -> Contents:
        clock = self.read.clock
        common = max(0, clock - 1 - self.staleness)
        reach = clock - 1 + self.staleness if clock > 1 else 0
        return Contents(self.read, common, reach)

    def formula(self) -> Expr:
        everybody, own = of_all_up_to(N, K), of_one(READER, K + 1, C - 1)
        return W_0 - ETA * (everybody + own + of_set(LUCK))

    def common(self) -> Counted:
        why = "worker i may start clock c only when all have finished clock c − s − 1"
        if self.contents.common == 0:
            why += "; the slowest need not have finished any, so nothing of the others is certain"
        formula = largest(0, C - S - 1)
        return Counted(self.contents.common, formula, self._numbers, why)

    def possible(self) -> Counted:
        if self.read.clock == 1:
            return nothing("all workers start together, so nothing is written yet")
        why = (
            "others may be ahead; while worker i computed clock c − 1, nobody could start a clock"
            " later than c + s − 1"
        )
        formula = (N - 1) * (C + S - 1 - K)
        numbers = {**self._numbers, "n": self.read.workers, "K": self.contents.common}
        return Counted(self.contents.possible, formula, numbers, why)

    def scheme(self) -> Scheme:
        return ssp(self.staleness)

    def slip(self) -> Iterator[Step]:
        if self.read.clock > 1:
            yield from ssp_slip(self.contents, self.staleness)

    @property
    def _numbers(self) -> dict[str, int]:
        return {"c": self.read.clock, "s": self.staleness}
