"""Lock-free workers on shared parameters, played event by event.

A worker reads x when an operation starts, adds its gradient to x when the operation ends, and
starts the next one at once. One worker from time 0 on is sequential SGD.

Times are exact (``int`` or ``Fraction``), or floats where speed counts more than the answer: with
floats 0.2 + 0.2 + 0.2 lies after 0.6, and an update that ends exactly at the horizon is lost.

>>> [(op.worker, op.data, op.end, op.seen) for op in until(updates([0, 1], [2, 2]), 5)]
[(1, 1, 2, 0), (2, 2, 3, 0), (1, 3, 4, 1), (2, 4, 5, 2)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from heapq import heapify, heapreplace
from itertools import takewhile
from typing import Generic, Literal, NamedTuple, TypeVar

from ddcalc.display import number_text
from ddcalc.errors import OverLimit
from ddcalc.number import Number

MOST = 100_000  # updates that are played

Time = TypeVar("Time", int | Fraction, float)

Order = Literal["writes-first", "in-turn"]
"""What happens at one instant: everybody writes before anybody reads, or each worker in turn
writes and reads again. Workers of one instant act in the order of their numbers."""


class Operation(NamedTuple, Generic[Time]):
    """A gradient on data number *data*, computed by *worker* (both from 1) from *start* to *end*.

    It is taken at x as the first *seen* updates have left it.
    """

    worker: int
    data: int
    start: Time
    end: Time
    seen: int


def updates(
    starts: Sequence[Time], durations: Sequence[Time], order: Order = "writes-first"
) -> Iterator[Operation[Time]]:
    """The operations of lock-free workers in the order in which they write, without end.

    Worker i starts at ``starts[i - 1]``; each of its operations takes ``durations[i - 1]``, more
    than 0. Data are numbered in the order of starting, ties by worker.
    """
    reading = 1 if order == "writes-first" else 0
    turns = [(start, reading, worker) for worker, start in enumerate(starts, 1)]
    heapify(turns)
    running: dict[int, Operation[Time]] = {}
    started = written = 0
    while turns:
        now, _, worker = turns[0]
        if worker in running:
            written += 1
            heapreplace(turns, (now, reading, worker))
            yield running.pop(worker)
        else:
            started += 1
            end = now + durations[worker - 1]
            running[worker] = Operation(worker, started, now, end, written)
            heapreplace(turns, (end, 0, worker))


def until(operations: Iterable[Operation[Time]], horizon: Time) -> Iterator[Operation[Time]]:
    """Those of *operations*, in the order of writing, that end at the *horizon* or before it."""
    return takewhile(lambda operation: operation.end <= horizon, operations)


def updates_until(starts: Iterable[Number], duration: Number, horizon: Number) -> int:
    """How many updates of lock-free workers end by the *horizon*, without playing them."""
    return sum(int((horizon - start) // duration) for start in starts if start <= horizon)


def check_length(count: int, parameter: str) -> None:
    """Refuse, with OverLimit, to play more updates than ``MOST``; *parameter* asks for *count*."""
    if count > MOST:
        asked, most = number_text(count)[0], number_text(MOST)[0]
        raise OverLimit(f"{asked} updates are too many; at most {most} are played").about(parameter)
