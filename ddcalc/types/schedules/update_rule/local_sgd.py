"""The rule of local SGD: averages of all models, and one's own steps since the last: Stich 2019."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import floor
from ddcalc.formula.expression import Expr
from ddcalc.problem.steps import Bound, Link, Step
from ddcalc.types.schedules.update_rule.by_clock import ByClock, nothing
from ddcalc.types.schedules.update_rule.contents import Contents
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    READER,
    W_0,
    C,
    H,
    J,
    K,
    N,
    gradient,
    of_all_up_to,
    of_one,
    summed,
    weights,
)
from ddcalc.types.schedules.update_rule.printed import local_slip
from ddcalc.types.schedules.update_rule.rule import Counted, Read


class LocalSGD(ByClock):
    """After every *local_steps* steps of their own the workers average their models.

    The models are averaged after their step (as in the paper).
    """

    name = "the rule of local SGD"
    says = (
        "the steps of all finished rounds, averaged over the workers, and the worker's own steps"
        " since; models are averaged, so a gradient of a finished round counts η/n"
    )

    def __init__(self, read: Read, local_steps: int) -> None:
        remark = "with H = 1 this is synchronous SGD that averages" if local_steps == 1 else ""
        super().__init__(read, remark)
        self.local_steps = local_steps

    @property
    def contents(self) -> Contents:
        common = self.read.before // self.local_steps * self.local_steps
        return Contents(self.read, common, reach=common, averaged=True)

    def formula(self) -> Expr:
        rounds = (ETA / N) * of_all_up_to(N, K)
        return W_0 - rounds - ETA * of_one(READER, K + 1, C - 1)

    def update(self) -> Iterator[Step]:
        step = weights(READER, C) - ETA * gradient(READER, C)
        mean = (1 / N) * summed(weights(J, C) - ETA * gradient(J, C), J, 1, N)
        after = weights(READER, C + 1)
        link = Link("=", step, "if H does not divide c")
        why = "a step on the worker's own gradient"
        yield Bound("update", "w", "A step within a round", why, after, (link,), step)
        link = Link("=", mean, "if H divides c")
        why = "the mean of all models after their step, so all replicas are equal again"
        yield Bound("average", "w", "The last step of a round", why, after, (link,), mean)

    def common(self) -> Counted:
        why = "the finished rounds, of H clocks each"
        if 0 < self.contents.common == self.read.before:
            why += "; the read is right after an average, so all replicas are equal"
        numbers = {"H": self.local_steps, "c": self.read.clock}
        return Counted(self.contents.common, H * floor((C - 1) / H), numbers, why)

    def possible(self) -> Counted:
        return nothing("between two averages a worker sees nobody else's gradients")

    def slip(self) -> Iterator[Step]:
        if self.local_steps > 1:
            yield from local_slip(self.read, self.local_steps)
