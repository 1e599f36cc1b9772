"""Things that pass stations one after the other, and the picture of that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Expr, Number, symbols
from ddcalc.numbers.display import counted
from ddcalc.problem.steps import Bar, Lane, Timeline

MOST: Final = 10_000  # things that are played for a picture
DRAWN: Final = 40


class Pipeline(NamedTuple):
    """A *number* of things, each called by a *noun*, that pass stations in turn, each of which has
    a *lane* with its name, the time that one takes, and that of the last one, if it is another.

    The first station begins when a time *before* is over. Each takes a thing as soon as the station
    ahead is done with it and it is itself done with the thing before.
    """

    title: str
    why: str
    noun: str
    number: Expr
    before: Expr
    lanes: tuple[tuple[str, tuple[Expr, ...]], ...]

    def drawn(self, known: Mapping[str, Number]) -> Timeline | None:
        """Its timeline where letters are worth what is *known*; of many things the first ones. None
        where there are too many, or a time is missing."""
        times = (part for _, times in self.lanes for part in (times[0], times[-1]))
        parts = [self.number, self.before, *times]
        if not all({*symbols(part)} <= known.keys() for part in parts):
            return None
        number, *worth = (evaluate(part, known) for part in parts)
        if number not in range(1, MOST + 1) or None in worth or min(worth) < 0:
            return None
        before, *worth = worth
        bars = self._bars(int(number), before, [*zip(worth[::2], worth[1::2], strict=True)])
        lanes = [
            Lane(name, tuple(passed[:DRAWN]))
            for (name, _), passed in zip(self.lanes, bars, strict=True)
        ]
        if before:
            ahead = Bar(0, before, "before")
            lanes[0] = Lane(lanes[0].label, (ahead, *lanes[0].bars))
        left = max(int(number) - DRAWN, 0)
        why = f"{self.why}; {counted(left, f'more {self.noun}')} not drawn" if left else self.why
        return Timeline(self.title, why, tuple(lanes), bars[-1][-1].end, len(lanes) * left, "end")

    @staticmethod
    def _bars(number: int, before: Number, times: list[tuple[Number, Number]]) -> list[list[Bar]]:
        """When each station is busy with each thing."""
        bars: list[list[Bar]] = [[] for _ in times]
        free: list[Number] = [before for _ in times]
        for i in range(1, number + 1):
            ready = before
            for station, (time, last) in enumerate(times):
                start = max(ready, free[station])
                ready = free[station] = start + (last if i == number else time)
                bars[station].append(
                    Bar(start, ready, str(i), kind="send" if station else "compute")
                )
        return bars
