"""The gradients in the weights under the schemes whose clocks say what is in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddcalc.formula.expression import Expr, Num, Sym
from ddcalc.numbers.display import number_text
from ddcalc.problem.steps import Cells, Table
from ddcalc.types.schedules.update_rule.letters import (
    ETA,
    GAP,
    Group,
    gradient,
    of_all_up_to,
    of_one,
    of_set,
    stepped,
)
from ddcalc.types.schedules.update_rule.rule import Read

LISTED = 12  # terms up to which all gradients are named where they are written out
HEAD = 3  # those of everybody, and own ones, that are named before a gap, if there are more


@dataclass(frozen=True, slots=True)
class Contents:
    """What is in the weights at a *read*.

    Everybody's gradients up to clock *common*, *averaged* or added; the worker's own ones; and
    perhaps others' up to clock *reach* (None: without end).
    """

    read: Read
    common: int
    reach: int | None
    averaged: bool = False

    @property
    def certain(self) -> int:
        """How many gradients are in for certain."""
        return self.read.workers * self.common + self.read.before - self.common

    @property
    def possible(self) -> int | None:
        """How many further gradients may be in."""
        if self.reach is None:
            return None
        return (self.read.workers - 1) * (self.reach - self.common)

    @property
    def others(self) -> Sym:
        """The set of the others' gradients that may be in."""
        return Sym(f"S_{self.read.worker}")

    def sums(self) -> Expr:
        """The weights as sums over clocks and workers."""
        read = self.read
        everybody = [of_all_up_to(read.workers, self.common)] if self.common else []
        own = [of_one(read.worker, self.common + 1, read.before)] if self._has_own else []
        return self._stepped(everybody, own)

    def written_out(self) -> Expr:
        """The weights with every gradient by name, or the first and last ones."""
        read, whole = self.read, self.certain + (self.possible != 0) <= LISTED
        everybody = [
            GAP if place is None else gradient(place % read.workers + 1, place // read.workers + 1)
            for place in _outline(read.workers * self.common, whole)
        ]
        own = [
            GAP if place is None else gradient(read.worker, self.common + place + 1)
            for place in _outline(read.before - self.common, whole)
        ]
        return self._stepped(everybody, own)

    def table(self, why: str) -> Table:
        """Whose gradients are in, of which clocks, and how many."""
        header = ("whose", "clocks", "in the weights", "how many")
        return Table("Which gradients are in the weights", why, header, tuple(self._rows()))

    def _rows(self) -> Iterator[Cells]:
        read, sure = self.read, "for certain"
        if self.common:
            whose = "everybody" if read.workers > 1 else f"worker {read.worker}"
            how = "for certain, averaged" if self.averaged else sure
            many = Num(read.workers * self.common)
            yield whose, clocks(1, self.common), how, many
        if self._has_own:
            own = clocks(self.common + 1, read.before)
            yield f"worker {read.worker}", own, sure, Num(read.before - self.common)
        if self.possible is None:
            yield "the others", f"from {self.common + 1} on", "perhaps", "no limit"
        elif self.possible:
            assert self.reach is not None
            may = clocks(self.common + 1, self.reach)
            yield "the others", may, "perhaps", Num(self.possible)
        elif not self.certain:
            yield "nobody", "none", "for certain", Num(0)

    @property
    def _has_own(self) -> bool:
        return self.read.before > self.common

    def _stepped(self, everybody: list[Expr], own: list[Expr]) -> Expr:
        others = [] if self.possible == 0 else [of_set(self.others)]
        groups: list[Group] = [(ETA, [*everybody, *own, *others])]
        if self.averaged:
            groups = [(ETA / self.read.workers, everybody), (ETA, own)]
        return stepped(*groups)


def clocks(first: int, last: int) -> str:
    """The clocks from *first* to *last* in words."""
    if first == last:
        return number_text(first)[0]
    return f"{number_text(first)[0]} to {number_text(last)[0]}"


def _outline(count: int, whole: bool) -> list[int | None]:
    """The places from 0 to *count* - 1: all of them, or a few, None for a gap, and the last."""
    if whole or count <= HEAD + 2:
        return list(range(count))
    return [*range(HEAD), None, count - 1]
