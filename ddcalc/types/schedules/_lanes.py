"""Runs of equal operations as a picture: a lane for each worker, above one that works alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from ddcalc.formula.expression import Expr
from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Bar, Lane, Timeline
from ddcalc.types.schedules._workload import Operation

ROWS = 12
DRAWN = 40
Label = Callable[[Operation], Expr]


@dataclass(frozen=True, slots=True)
class Row:
    """A worker's *operations* that count; those behind them start at *ready*, one after the other,
    and take *duration* each."""

    name: str
    operations: Sequence[Operation]
    ready: Number
    duration: Number
    label: Label

    def bars(self, horizon: Number, cut: bool) -> list[Bar]:
        """The first operations, with those behind them that start before the *horizon*, at which
        all are *cut*; else they go on, and do not count."""
        bars = [Bar(op.start, op.end, self.label(op)) for op in self.operations[:DRAWN]]
        for i in range(min(self._behind(horizon), DRAWN)):
            start = self.ready + i * self.duration
            end = start + self.duration
            fate = "not done" if cut and end > horizon else "not counted"
            bars.append(Bar(start, end, fate, done=False))
        return bars

    def count(self, horizon: Number) -> int:
        """How many bars there are, if all are shown."""
        return len(self.operations) + self._behind(horizon)

    def _behind(self, horizon: Number) -> int:
        """How many operations that do not count start before the *horizon*."""
        return max(ceil(Fraction(horizon - self.ready) / self.duration), 0)


def rows(
    starts: Sequence[Number],
    duration: Number,
    operations: Sequence[Operation],
    names: Sequence[str],
    label: Label,
) -> list[Row]:
    """A row for each worker, which starts at its time in *starts*."""
    by_core: list[list[Operation]] = [[] for _ in starts]
    for operation in operations:
        by_core[operation.worker - 1].append(operation)
    return [
        Row(name, done, done[-1].end if done else start, duration, label)
        for name, start, done in zip(names, starts, by_core, strict=True)
    ]


def side_by_side(
    first: Sequence[Row], last: Row, horizon: Number, name: str, title: str, why: str
) -> Timeline:
    """A timeline of the rows in *first* that start earliest, and of the *last* row below them,
    until the *horizon*, which is called *name*: the time at which all stop, unless it is the "end"
    of the last operation that counts.

    What does not fit is left out; the reason says how many operations those are.
    """
    by_start = sorted(range(len(first)), key=lambda i: _start(first[i]))
    kept = [first[i] for i in sorted(by_start[: ROWS - 1])]
    bars = {row.name: row.bars(horizon, name != "end") for row in (*kept, last)}
    drawn = sorted((bar.start, name, bar) for name, drawn in bars.items() for bar in drawn)[:DRAWN]
    lanes = tuple(
        Lane(name, tuple(bar for _, owner, bar in drawn if owner == name)) for name in bars
    )
    timeline = Timeline(title, why, lanes, horizon, name=name)
    missing = sum(row.count(horizon) for row in (*first, last)) - len(drawn)
    if not missing:
        return timeline
    return replace(timeline, why=f"{why}; {missing} more are not drawn here", shown=missing)


def _start(row: Row) -> Number:
    return row.operations[0].start if row.operations else row.ready
