"""The rule of k of n: so many gradients make an update, and the order says which."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.formula.algebra import largest
from ddcalc.formula.expression import Add, Expr, Num, Operand
from ddcalc.numbers.display import number_text
from ddcalc.problem.steps import Bound, Cells, Link, Step, Table
from ddcalc.schedule.scheme import Late, Scheme, k_of_n
from ddcalc.types.schedules.update_rule.by_clock import nothing
from ddcalc.types.schedules.update_rule.contents import clocks
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    UPDATE,
    UPDATES,
    W_0,
    C,
    Q,
    indexed,
    of_set,
    summed,
    weights,
)
from ddcalc.types.schedules.update_rule.rule import Counted, Read, Rule

_FATE = {
    "drop": "late gradients are dropped when they arrive, so their work is lost",
    "reuse": "late gradients, the set L, join the next update beside its own",
    "cancel": "late workers stop and start again on the new weights, so clock and update agree",
}


class KofN(Rule):
    """An update is made of the first *wait_for* gradients taken at the weights as they are.

    Fewer than all. What happens to others is a choice: dropped (the backup workers of Chen et al.
    2016), used in the next update, or interrupted.
    """

    name = "the rule of k of n"
    choices = ("late",)

    def __init__(self, read: Read, wait_for: int, late: Late) -> None:
        super().__init__(read)
        self.wait_for, self.late = wait_for, late

    @property
    def why(self) -> str:
        last = "" if self.late == "cancel" else "; v counts the updates before the read"
        return (
            "of every update A holds the first q gradients that were taken at the newest weights;"
            f" {_FATE[self.late]}{last}; gradients are added, so for means divide η by q"
        )

    def formula(self) -> Expr:
        return W_0 - ETA * self._updates(C - 1 if self.late == "cancel" else UPDATES)

    def update(self) -> Iterator[Step]:
        value = weights(UPDATE - 1) - ETA * self._one_update()
        link = Link("=", value, "w, by the number of updates")
        why = "the server adds them as soon as it has enough"
        yield Bound("update", "w", "One update", why, weights(UPDATE), (link,), value)

    def common(self) -> Counted:
        return nothing("everybody may be late in every update")

    def own(self) -> Counted:
        if self.late != "reuse":
            return nothing("the worker may be late every time")
        value = max(0, self.read.clock - 2)
        why = "its newest gradient may be late, and is then in the update after the read"
        return Counted(value, largest(0, C - 2), {"c": self.read.clock}, why)

    def guaranteed(self) -> Counted:
        value = self.wait_for * self.read.before
        numbers = {"q": self.wait_for, "c": self.read.clock}
        made = {
            "cancel": "one update for each clock before, of q gradients each",
            "drop": "at least one update for each clock before, of q gradients each",
            "reuse": "at least one update for each clock before, of at least q gradients each",
        }
        why = f"{made[self.late]}; which gradients, only the order says"
        return Counted(value, Q * (C - 1), numbers, why)

    def possible(self) -> Counted:
        if self.read.clock == 1:
            return nothing("all workers start together, so nothing is written yet")
        if self.late == "cancel":
            return nothing("no update has more, and there is one for each clock")
        why = "while this worker computes, others may make any number of updates"
        return Counted(None, Num(0), {}, why)

    def table(self) -> Table:
        header = ("update", "gradients", "in the weights", "how many")
        why = "how many an update has is certain, whose they are is not"
        possible = self.possible()
        if possible.value is None:
            why += f"; {possible.why}"
        return Table("Which gradients are in the weights", why, header, tuple(self._rows()))

    def sums(self) -> Expr:
        if self.read.clock == 1:
            return W_0
        updates = self.read.before if self.late == "cancel" else UPDATES
        return W_0 - ETA * self._updates(updates)

    def scheme(self) -> Scheme:
        return k_of_n(self.wait_for, self.late)

    def _updates(self, last: Operand) -> Expr:
        return summed(self._one_update(), UPDATE, 1, last)

    def _one_update(self) -> Expr:
        timely = of_set(indexed("A", UPDATE))
        return Add((timely, of_set(indexed("L", UPDATE)))) if self.late == "reuse" else timely

    def _rows(self) -> Iterator[Cells]:
        first = f"the first {number_text(self.wait_for)[0]} of {number_text(self.read.workers)[0]}"
        if self.read.clock == 1:
            yield "none", "none", "for certain", Num(0)
            return
        many = self.guaranteed().value
        assert many is not None
        yield clocks(1, self.read.before), first, "for certain", Num(many)
        if self.late == "reuse":
            yield "all", "those late for the one before", "perhaps", "not known"
        if self.late != "cancel":
            yield f"from {number_text(self.read.clock)[0]} on", first, "perhaps", "no limit"
