"""All schemes side by side on one workload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ddcalc.numbers.number import Number
from ddcalc.problem.steps import Cells, Lane, Table, Timeline
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.scheme import Scheme
from ddcalc.types.schedules.timeline.lanes import end_name, left_out, picture
from ddcalc.types.schedules.timeline.tables import brief, percent, shown
from ddcalc.types.schedules.timeline.workload import Run, Workload

SHARED = 10  # runs that are played for one comparison
DRAWN = 4  # workers up to which the schemes are drawn


class Comparison:
    """The *workload* under each of *schemes*; a *note* says what is assumed of them."""

    def __init__(self, workload: Workload, schemes: Sequence[Scheme], note: str) -> None:
        self.note = note
        self.workload = replace(workload, most=PLAYED // SHARED)
        self.runs = [self.workload.run(scheme) for scheme in schemes]

    @property
    def best(self) -> Run:
        """The run with the most gradients a second; the first of equals."""
        return max(self.runs, key=lambda run: run.rate(run.counted.used))

    def reached(self) -> tuple[int, list[Number | None]]:
        """The number of gradients that every scheme makes, and when each has made so many."""
        goal = min(run.counted.used for run in self.runs)
        if not goal:
            return 0, [None] * len(self.runs)
        again = [self.workload.run(run.scheme, goal) for run in self.runs]
        times = [
            None if run.counted.reached is None else run.seconds(run.counted.reached)
            for run in again
        ]
        return goal, times

    def pictures(self) -> Timeline | None:
        """The lanes of all schemes above one axis; None for many workers."""
        if self.workload.workers > DRAWN:
            return None
        drawn = [picture(run, "", "") for run in self.runs]
        end = min(max(_ends(timeline)) for timeline in drawn)
        lanes = [
            [_until(lane, f"{run.scheme.short} {i}", end) for i, lane in enumerate(each.lanes, 1)]
            for run, each in zip(self.runs, drawn, strict=True)
        ]
        missing = sum(map(left_out, self.runs, lanes))
        every = tuple(lane for each in lanes for lane in each)
        why = "the same computations under each scheme"
        return Timeline("Schedules", why, every, self.best.duration, missing, end_name(self.best))

    def table(self) -> Table:
        """What each scheme comes to."""
        goal, times = self.reached()
        rows = [_row(run, time) for run, time in zip(self.runs, times, strict=True)]
        header = (
            "scheme", "updates", "used", "per s", f"{shown(goal)} by (s)", "waits", "stale", "most",
            "lost",
        )  # fmt: skip
        why = (
            "gradients used, in all and a second, and when so many were used; the share of time"
            " that workers wait; how many updates stale, on average and at most; gradients for"
            f" nothing{self.note}"
        )
        return Table("Side by side", why, header, tuple(rows))


def _row(run: Run, time: Number | None) -> Cells:
    counted = run.counted
    stale, stalest = run.staleness, run.stalest
    return (
        run.scheme.label,
        shown(counted.updates),
        shown(counted.used),
        brief(run.rate(counted.used)),
        "–" if time is None else brief(time),
        percent(run.waiting),
        "–" if stale is None else brief(stale),
        "–" if stalest is None else shown(stalest),
        shown(run.unused),
    )


def _ends(timeline: Timeline) -> Iterator[Number]:
    """When the bars of *timeline* end; 0 where there are none."""
    yield 0
    yield from (bar.end for lane in timeline.lanes for bar in lane.bars)


def _until(lane: Lane, label: str, end: Number) -> Lane:
    """*lane* under another *label*, with what goes on after the *end* cut off."""
    bars = [replace(bar, end=min(bar.end, end)) for bar in lane.bars if bar.start < end]
    return Lane(label, tuple(bars))
