"""Where a sweep turns: which case of a distinction holds, which of several is largest, and at how
many points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep import column
from ddcalc.ask.sweep.exact import Exact
from ddcalc.ask.sweep.formulas import Known, satisfied, worked_out
from ddcalc.ask.sweep.whole import Mask
from ddcalc.expression import Cases, Expr, Fun

MEMBERS = 12  # of a maximum up to which it is told which one is largest


@dataclass(frozen=True, slots=True)
class Turn:
    """A *decision* in the formula of *symbol*: a distinction, a maximum, or a minimum."""

    symbol: str
    decision: Cases | Fun


@dataclass(slots=True)
class Turns:
    """At how many points each way out of a decision is taken, and the number of the first one."""

    counts: dict[tuple[Turn, int], int] = field(default_factory=dict)
    first: dict[tuple[Turn, int], int] = field(default_factory=dict)

    def add(self, turn: Turn, way: int, count: int, first: int) -> None:
        """*count* more points take *way*, the first of them point *first*."""
        key = turn, way
        self.counts[key] = self.counts.get(key, 0) + count
        self.first[key] = min(first, self.first.get(key, first))


def decisions(formula: Expr) -> Iterator[Cases | Fun]:
    """The outermost decisions of *formula*."""
    match formula:
        case Cases():
            yield formula
        case Fun("max" | "min", args) if 1 < len(args) <= MEMBERS:
            yield formula
        case _:
            for part in formula.parts():
                yield from decisions(part)


def ways(decision: Cases | Fun, known: Known, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which way is taken, counted from 0, at every point of *shape*."""
    if isinstance(decision, Cases):
        taken = np.full(shape, len(decision.cases))
        for i, case in reversed([*enumerate(decision.cases)]):
            holds: Mask = satisfied(case.test, known)[0]
            taken = np.where(holds, i, taken)
        return np.broadcast_to(taken, shape)
    members = [worked_out(arg, known) for arg in decision.args]
    if decision.name == "min":
        members = [column.minus(member) for member in members]
    at = column.position_of_largest(members)
    assert isinstance(at, Exact)
    return np.broadcast_to(np.asarray(at.top.values) * int(at.unit) - 1, shape)
