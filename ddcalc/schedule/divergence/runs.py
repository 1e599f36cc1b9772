"""Asynchronous SGD beside sequential SGD on the same data: what the two runs share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import lcm

from ddcalc.expression import Sym
from ddcalc.number import Number, quotient
from ddcalc.schedule.engine import Operation, check_length, until, updates, updates_until

Played = tuple[Operation[Number], ...]


@dataclass(frozen=True, slots=True)
class Runs:
    """Both runs, their operations in the order of writing, which is the order of the data.

    The first *shared* gradients are the same in both: each is taken at the same point.
    """

    asynchronous: Played
    sequential: Played
    shared: int

    @property
    def matched(self) -> int:
        """The data that both runs use: 1, 2, … up to this number."""
        return min(len(self.asynchronous), len(self.sequential))

    @property
    def longest(self) -> int:
        """The number of data that at least one of the runs uses."""
        return max(len(self.asynchronous), len(self.sequential))

    @property
    def unmatched(self) -> int:
        """The gradients that use data of their own run only."""
        return self.longest - self.matched

    def point(self, seen: int) -> Sym:
        """The asynchronous x after *seen* updates: x_k if the sequential run has it, else y_k."""
        return Sym(f"x_{seen}") if seen <= self.shared else Sym(f"y_{seen}")


def same_time(starts: Sequence[Number], duration: Number, horizon: Number) -> Runs:
    """The runs that cores with these *starts* and one core alone make until the *horizon*."""
    alone = updates_until([0], duration, horizon)
    check_length(max(alone, updates_until(starts, duration, horizon)), "horizon")
    unit = _common_unit(*starts, duration, horizon)
    end = _whole(horizon, unit)
    return _runs(*(_told(until(run, end), unit) for run in _both(starts, duration, unit)))


def same_operations(starts: Sequence[Number], duration: Number, count: int) -> Runs:
    """The runs that cores with these *starts* and one core alone make in *count* updates each."""
    unit = _common_unit(*starts, duration)
    return _runs(*(_told(islice(run, count), unit) for run in _both(starts, duration, unit)))


# Whole numbers play about ten times faster than fractions, and as exactly.


def _common_unit(*times: Number) -> int:
    """How many parts of a second make all *times* whole."""
    return lcm(*(time.denominator for time in times))


def _whole(time: Number, unit: int) -> int:
    return time.numerator * (unit // time.denominator)


def _both(
    starts: Sequence[Number], duration: Number, unit: int
) -> tuple[Iterator[Operation[Number]], Iterator[Operation[Number]]]:
    """The cores' operations and those of one core alone, in parts of a second."""
    step = _whole(duration, unit)
    cores: list[Number] = [_whole(start, unit) for start in starts]
    return updates(cores, [step] * len(cores)), updates([0], [step])


def _told(operations: Iterable[Operation[Number]], unit: int) -> Played:
    """*operations* in seconds."""
    return tuple(
        Operation(worker, data, quotient(int(start), unit), quotient(int(end), unit), seen)
        for worker, data, start, end, seen in operations
    )


def _runs(asynchronous: Played, sequential: Played) -> Runs:
    # Operations that take equally long end in the order of their starts. So the data that a
    # gradient has seen are 1, 2, … up to a number: all that follows rests on this.
    assert all(op.data == place for place, op in enumerate(asynchronous, 1))
    return Runs(asynchronous, sequential, _shared(asynchronous, sequential))


def _shared(asynchronous: Played, sequential: Played) -> int:
    """How many gradients are the same in both runs.

    The i-th is, if it has seen exactly the updates 1 to i - 1 and all those are the same.
    """
    shared = 0
    for ours, theirs in zip(asynchronous, sequential, strict=False):
        if ours.seen != theirs.seen:
            break
        shared += 1
    return shared
