"""A run counted in the quickest way: short ones event by event, long ones on arrays.

Both ways count the same. Of a long run the beginning is played once more, for what is drawn and
listed of it, and the event engine plays what is under way at its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ddcalc.schedule.engine import EVENTS, Engine, engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme
from ddcalc.schedule.tally import Day, Tally, begin, play_on, tally
from ddcalc.schedule.times import Times
from ddcalc.schedule.watching import Watch, watch

if TYPE_CHECKING:
    from ddcalc.schedule.leap import Leap

SHORT = 10_000  # computations, below which it takes longer to load NumPy than to play them
MANY = 500  # computations, below which it does in each of many runs
FEW = 16  # workers to one that is waited for, above which it takes longer to look at all each round


@dataclass(frozen=True, slots=True)
class Task:
    """A run of *scheme* on *machine*, whose workers compute for *times*, all in parts of a second,
    of which there are *unit*.

    It ends at the *horizon* (included) or, without one, with update number *nth*; the time of that
    update is noted, and when *goal* gradients are made. At most *most* computations are counted;
    about so many are *foreseen*.
    """

    scheme: Scheme
    machine: Machine
    times: Times
    unit: int
    horizon: int | None
    nth: int | None
    goal: int | None
    most: int
    foreseen: int

    def counted(self, *, kept: bool = True, least: int = SHORT) -> Tally:
        """The run counted, on arrays if *least* computations are foreseen; the gradients of its
        beginning are *kept*, or not.

        Raises OverflowError, with the most computations that can be counted, where these are more.
        """
        if self.foreseen < least:
            return self.played(None)
        watching = watch.get() if kept else None
        if (kind := leap_of(self.scheme, self.machine)) is None:
            return self.played(watching)
        return self._leapt(kind, kept, watching)

    def played(self, watching: Watch | None) -> Tally:
        """The run, event by event."""
        most = min(self.most, EVENTS)
        if self.foreseen > most:
            raise OverflowError(most)
        tell = watching.played if watching else None
        return tally(self.engine(), self.horizon, self.nth, self.goal, most, tell)

    def engine(self) -> Engine:
        """What plays it event by event."""
        return engine(self.scheme, self.machine, self.times.exact(self.unit))

    def _leapt(self, kind: type[Leap], kept: bool, watching: Watch | None) -> Tally:
        """The run on arrays; event by event where its times do not fit in there."""
        from ddcalc.schedule.streams import TooLarge, streams

        counted = Tally(self.horizon or 0, [Day() for _ in self.machine.starts], goal=self.goal)
        if not kept:
            counted.drawn = []
        try:
            leap = kind(self.scheme, self.machine, streams(self.times, self.unit), counted)
            self._leap(leap, watching)
            run = leap.engine()
        except TooLarge:
            return self.played(watching)
        play_on(run, counted, self.horizon, self.nth, self.most)
        if kept:
            begin(self.engine(), counted, self.nth if self.horizon is None else None)
        return counted

    def _leap(self, leap: Leap, watching: Watch | None) -> None:
        """Take the *leap*, and tell who is *watching*."""
        before = 0
        for played in leap.play(self.horizon, self.nth):
            if played > self.most:
                raise OverflowError(self.most)
            if watching:
                watching.played(played - before)
                before = played


def leap_of(scheme: Scheme, machine: Machine) -> type[Leap] | None:
    """What counts runs of *scheme* on arrays; None where nothing does."""
    from ddcalc.schedule.leap import SingleGradients
    from ddcalc.schedule.leap_rounds import Lockstep

    if not scheme.rounds:
        return SingleGradients
    if scheme.wait_for == len(machine.starts):
        return Lockstep
    if scheme.late == "cancel":
        return Lockstep if len(set(machine.starts)) == 1 else None
    if machine.order != "in_turn" or (machine.read == "start" and machine.down):
        return None
    return _overlapping(scheme, machine)


def _overlapping(scheme: Scheme, machine: Machine) -> type[Leap]:
    """What counts runs of k of n whose late gradients are dropped, or used in the next update."""
    from ddcalc.schedule.leap_overlapping import OneByOne, RoundByRound

    takes_time = bool(machine.aggregate + machine.update)
    queues = takes_time and (machine.serial or len(set(machine.starts)) > 1)
    few = scheme.wait_for * FEW < len(machine.starts)
    return OneByOne if queues or few else RoundByRound
