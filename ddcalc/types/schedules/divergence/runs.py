"""Asynchronous SGD beside sequential SGD on the same data: what the two runs share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat, takewhile
from typing import NamedTuple

from ddcalc.formula.expression import Sym
from ddcalc.numbers.number import Number, quotient
from ddcalc.schedule.engine import check_length, engine
from ddcalc.schedule.gradient import Gradient, Machine
from ddcalc.schedule.scheme import asynchronous
from ddcalc.schedule.times import common_unit, in_units


class Operation(NamedTuple):
    """A gradient on data number *data*, computed by *worker* (both from 1) from *start* to *end*.

    It is taken at x as the first *seen* updates have left it.
    """

    worker: int
    data: int
    start: Number
    end: Number
    seen: int


Played = tuple[Operation, ...]


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
    unit = common_unit(*starts, duration, horizon)
    end = in_units(horizon, unit)
    return _runs(
        *(
            _told(takewhile(lambda gradient: gradient.written <= end, run), unit)
            for run in _both(starts, duration, unit)
        )
    )


def same_operations(starts: Sequence[Number], duration: Number, count: int) -> Runs:
    """The runs that cores with these *starts* and one core alone make in *count* updates each."""
    unit = common_unit(*starts, duration)
    return _runs(*(_told(islice(run, count), unit) for run in _both(starts, duration, unit)))


def updates_until(starts: Iterable[Number], duration: Number, horizon: Number) -> int:
    """How many updates of such cores end by the *horizon*, without playing them."""
    return sum(int((horizon - start) // duration) for start in starts if start <= horizon)


def _both(
    starts: Sequence[Number], duration: Number, unit: int
) -> tuple[Iterator[Gradient], Iterator[Gradient]]:
    """What the cores compute and what one core alone does, in parts of a second."""
    return _lock_free(starts, duration, unit), _lock_free([0], duration, unit)


def _lock_free(starts: Sequence[Number], duration: Number, unit: int) -> Iterator[Gradient]:
    machine = Machine([in_units(start, unit) for start in starts], order="writes_first")
    times = [repeat(in_units(duration, unit)) for _ in starts]
    return engine(asynchronous(), machine, times).gradients()


def _told(gradients: Iterable[Gradient], unit: int) -> Played:
    """*gradients* in seconds."""
    return tuple(
        Operation(
            gradient.worker,
            gradient.data,
            quotient(int(gradient.start), unit),
            quotient(int(gradient.end), unit),
            gradient.seen,
        )
        for gradient in gradients
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
