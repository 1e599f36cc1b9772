"""The asynchronous rule: one's own gradients, and whatever else has arrived."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.problem.steps import Bound, Link, Step
from ddcalc.schedule.scheme import Scheme, asynchronous
from ddcalc.types.schedules.update_rule.by_clock import ByClock, nothing
from ddcalc.types.schedules.update_rule.contents import Contents
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    LUCK,
    READER,
    UPDATE,
    W_0,
    C,
    J,
    N,
    gradient,
    of_one,
    of_set,
    summed,
    weights,
)
from ddcalc.types.schedules.update_rule.rule import Counted


class Asynchronous(ByClock):
    """Every gradient is added as it arrives, and its worker goes on at once."""

    name = "the asynchronous rule"
    says = (
        "the worker's own gradients, and a set S of others' that happen to have arrived; each is"
        " added as it arrives"
    )

    @property
    def contents(self) -> Contents:
        return Contents(self.read, common=0, reach=None if self.read.clock > 1 else 0)

    def formula(self) -> Expr:
        return W_0 - ETA * (of_one(READER, 1, C - 1) + of_set(LUCK))

    def update(self) -> Iterator[Step]:
        value = weights(UPDATE) - ETA * summed(gradient(J, UPDATE - Sym("tau_j")), J, 1, N)
        link = Link("=", value, "over the workers whose gradient has arrived")
        why = (
            "the server's view: t counts its updates, and the gradient of worker j was taken at"
            " weights that are τ updates old"
        )
        yield Bound("update", "w", "One update", why, weights(UPDATE + 1), (link,), value)

    def common(self) -> Counted:
        return nothing("nobody is waited for, so nothing of the others is certain")

    def possible(self) -> Counted:
        if self.read.clock == 1:
            return nothing("all workers start together, so nothing is written yet")
        return Counted(None, Num(0), {}, "nobody is held back, so there is no limit")

    def scheme(self) -> Scheme:
        return asynchronous()
