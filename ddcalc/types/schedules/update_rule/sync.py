"""The synchronous rule: everybody's gradients of all clocks before."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Expr
from ddcalc.problem.steps import Bound, Link, Step
from ddcalc.types.schedules.update_rule.by_clock import ByClock, nothing
from ddcalc.types.schedules.update_rule.contents import Contents
from ddcalc.types.schedules.update_rule.letters import ETA, W_0, C, N, of_all, of_all_up_to, weights
from ddcalc.types.schedules.update_rule.rule import Counted


class Synchronous(ByClock):
    """Every worker waits until the gradients of all are added."""

    name = "the synchronous rule"
    says = "all gradients of every clock before; they are added, so for their mean divide η by n"

    @property
    def contents(self) -> Contents:
        before = self.read.before
        return Contents(self.read, common=before, reach=before)

    def formula(self) -> Expr:
        return W_0 - ETA * of_all_up_to(N, C - 1)

    def update(self) -> Iterator[Step]:
        value = weights(C) - ETA * of_all(N, C)
        link = Link("=", value, "the same weights for every worker")
        why = "the gradients of one clock, all taken at the same weights"
        yield Bound("update", "w", "One update", why, weights(C + 1), (link,), value)

    def common(self) -> Counted:
        why = "nobody goes on before the gradients of all are in; one straggler delays everyone"
        return Counted(self.read.before, C - 1, {"c": self.read.clock}, why)

    def possible(self) -> Counted:
        return nothing("nobody starts a clock before all have finished the one before")
