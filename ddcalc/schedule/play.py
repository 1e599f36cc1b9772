"""The engine that plays a scheme."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ddcalc.schedule.each import Each
from ddcalc.schedule.engine import Engine
from ddcalc.schedule.gradient import Machine, Time
from ddcalc.schedule.rounds import Rounds
from ddcalc.schedule.scheme import Scheme


def engine(scheme: Scheme, machine: Machine, times: Sequence[Iterator[Time]]) -> Engine:
    """A run of *scheme* on *machine*, whose worker i computes for the endless *times* of its own.

    >>> from itertools import islice, repeat
    >>> from ddcalc.schedule.schemes.asynchronous import asynchronous
    >>> run = engine(asynchronous(), Machine([0, 1]), [repeat(2), repeat(2)])
    >>> [(g.worker, g.data, g.end, g.seen) for g in islice(run.gradients(), 4)]
    [(1, 1, 2, 0), (2, 2, 3, 0), (1, 3, 4, 1), (2, 4, 5, 2)]
    """
    return (Rounds if scheme.rounds else Each)(scheme, machine, times)
