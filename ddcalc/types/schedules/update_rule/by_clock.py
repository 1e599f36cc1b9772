"""Rules under which the clocks say what is in: all but k of n."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from ddcalc.formula.expression import Expr, Num
from ddcalc.problem.steps import Step, Table
from ddcalc.types.schedules.update_rule.contents import Contents
from ddcalc.types.schedules.update_rule.letters import OWN, C, K, N
from ddcalc.types.schedules.update_rule.rule import Counted, Read, Rule


class ByClock(Rule):
    """A rule that guarantees everybody's gradients up to a clock and the worker's own ones.

    *remark* says in what way it is a limiting case, if it is one.
    """

    def __init__(self, read: Read, remark: str = "") -> None:
        super().__init__(read)
        self.remark = remark

    @property
    @abstractmethod
    def says(self) -> str:
        """The rule in words, without the remark."""

    @property
    @abstractmethod
    def contents(self) -> Contents:
        """What is in the weights."""

    @property
    def why(self) -> str:
        return f"{self.says}; {self.remark}" if self.remark else self.says

    def update(self) -> Iterator[Step]:
        return iter(())

    def own(self) -> Counted:
        return Counted(
            self.read.before, C - 1, {"c": self.read.clock}, "a worker always has its own gradients"
        )

    def guaranteed(self) -> Counted:
        common = self.contents.common
        read = self.read
        numbers = {"n": read.workers, "K": common, "o": read.before}
        why = "everybody's up to clock K, and the worker's own later ones"
        return Counted(self.contents.certain, N * K + OWN - K, numbers, why)

    def table(self) -> Table:
        why = "this follows from the rule alone, whatever the speeds are"
        possible = self.possible()
        return self.contents.table(why if possible.value is not None else f"{why}; {possible.why}")

    def sums(self) -> Expr:
        return self.contents.sums()

    def written_out(self) -> Expr:
        return self.contents.written_out()


def nothing(why: str) -> Counted:
    """No gradients, and *why*."""
    return Counted(0, Num(0), {}, why)
