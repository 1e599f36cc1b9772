"""What a schedule is a record of: the machine, its workers, and their gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

Time = float
"""Seconds as floats; or whole numbers of some unit, which play as fast and are exact."""

Order = Literal["in_turn", "writes_first"]
"""What happens at one instant: each worker in turn writes and reads again, or everybody writes
before anybody reads. Workers of one instant act in the order of their numbers."""

Read = Literal["arrival", "start"]
"""Which parameters a worker computes on: those that the server has when it sends them, or, which is
idealised, those that it has when the computation starts."""

Doing = Literal["gets", "computes", "writes", "waits"]

DROPPED, INTERRUPTED, PENDING = 0, -1, -2  # instead of the number of an update

Sent = tuple[Any, ...]  # a gradient without its last two fields, known only with its update

record = tuple.__new__  # makes a Gradient or a Hold of all its fields in half the time


@dataclass(frozen=True, slots=True)
class Machine:
    """The workers, by when they *start*, and what everything but computing takes (seconds).

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
    """From *start* to *end* a worker waits for worker number *by*."""

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


class Worker:
    """What a worker is doing, and what it has done for the gradient that it is at."""

    __slots__ = (
        "ahead", "clock", "data", "doing", "end", "ends", "hold", "number", "released",
        "requested", "seen", "sent", "start", "times", "written",
    )  # fmt: skip

    def __init__(self, number: int, start: Time, times: Iterator[Time]) -> None:
        self.number, self.times = number, times
        self.clock = self.data = self.seen = self.ahead = 0
        self.requested = self.released = self.start = self.end = self.written = start
        self.doing: Doing = "gets"
        self.hold: Hold | None = None
        self.ends: tuple[Time, ...] = ()
        self.sent: Sent = ()

    def send(self, arrived: Time) -> Sent:
        """The gradient as it arrives at the server; the worker now requests parameters again."""
        self.sent = sent = (
            self.number, self.clock, self.data, self.requested, self.released, self.hold,
            self.start, self.ends, self.end, arrived, self.seen, self.ahead,
        )  # fmt: skip
        self.requested = arrived
        self.doing = "waits"
        return sent
