"""What a schedule is a record of: the machine, its workers, and their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal, NamedTuple

Time = int
"""Whole numbers of the part of a second that makes all times of a run whole."""

Order = Literal["in_turn", "writes_first"]
"""What happens at one instant: each worker in turn writes and reads again, or everybody writes
before anybody reads. Workers of one instant act in the order of their numbers."""

Read = Literal["arrival", "start"]
"""Which parameters a worker computes on: those that the server has when it sends them, or, which is
idealised, those that it has when the computation starts."""

Doing = Literal["gets", "computes", "writes", "waits"]

DROPPED, INTERRUPTED, PENDING = 0, -1, -2  # instead of the number of an update


@dataclass(frozen=True, slots=True)
class Machine:
    """The workers, by when they *start*, and what everything but computing takes.

    A *serial* server works in one gradient after the other, else all that are there at once.
    """

    starts: Sequence[Time]
    down: Time = 0
    up: Time = 0
    aggregate: Time = 0
    update: Time = 0
    serial: bool = True
    order: Order = "in_turn"
    read: Read = "arrival"


class Hold(NamedTuple):
    """From *start* to *end* a worker waits for worker number *by*; 0 is one not yet known."""

    start: Time
    end: Time
    by: int


class Gradient(NamedTuple):
    """What *worker* computed, and what became of it. Workers, clocks and data count from 1.

    *clock* is the number of the computation among its worker's, *data* among all. The worker
    *requested* parameters, and got them when it was *released* (in between it waited for the
    server, and in *hold* for another worker); it computed from *start* to *end*, and its gradient
    *arrived* at the server. There it is *written* as part of the *update* of that number (DROPPED
    or INTERRUPTED: then). It is taken at the parameters after *seen* updates, and when these were
    read the worker was that many clocks *ahead* of the slowest one. With local steps the
    computations end at *ends*, and the clock is the last one's.
    """

    worker: int
    clock: int
    data: int
    requested: Time
    released: Time
    hold: Hold | None
    start: Time
    ends: tuple[Time, ...]
    end: Time
    arrived: Time
    seen: int
    ahead: int
    written: Time
    update: int

    @property
    def staleness(self) -> int:
        """The updates after those that it is taken at and before its own."""
        return self.update - 1 - self.seen


class Computed:
    """The fields of the gradient that worker *number* is at, or has sent when it goes on."""

    __slots__ = (
        "ahead", "arrived", "clock", "data", "end", "held", "number", "released", "requested",
        "seen", "start", "steps", "update", "written",
    )  # fmt: skip

    def __init__(self, number: int, start: Time) -> None:
        self.number = number
        self.clock = self.data = self.seen = self.ahead = self.update = 0
        self.requested = self.released = self.start = self.end = start
        self.arrived = self.written = start
        self.held: tuple[Time, Time, int] | None = None
        self.steps: tuple[Time, ...] = ()  # how long each of several takes

    def kept(self) -> Computed:
        """The gradient as it is now, which stays when the worker goes on."""
        made = Computed.__new__(Computed)
        made.number, made.clock, made.data = self.number, self.clock, self.data
        made.requested, made.released, made.held = self.requested, self.released, self.held
        made.start, made.steps, made.end = self.start, self.steps, self.end
        made.arrived, made.written, made.update = self.arrived, self.written, self.update
        made.seen, made.ahead = self.seen, self.ahead
        return made

    @property
    def hold(self) -> Hold | None:
        """How long it has waited for another worker before it was released."""
        return Hold(*self.held) if self.held else None

    @property
    def gradient(self) -> Gradient:
        """The gradient that it is at, or was at last, as it is known now."""
        ends = tuple(accumulate(self.steps, initial=self.start))[1:]
        return Gradient(
            self.number, self.clock, self.data, self.requested, self.released, self.hold,
            self.start, ends, self.end, self.arrived, self.seen, self.ahead, self.written,
            self.update,
        )  # fmt: skip


class Worker(Computed):
    """What a worker is *doing*, and has done: the time of all that it has begun to *compute*, how
    long it was *served* and, by the number of another worker, held up in *waits*; how many of its
    gradients were *stopped*, and how many computations of these were *cut* short."""

    __slots__ = ("computes", "cut", "doing", "place", "served", "stopped", "times", "waits")

    def __init__(self, number: int, start: Time, times: Iterator[Any]) -> None:
        super().__init__(number, start)
        self.place, self.times = number - 1, times
        self.doing: Doing = "gets"
        self.computes = self.served = self.stopped = self.cut = 0
        self.waits: dict[int, Time] = {}
