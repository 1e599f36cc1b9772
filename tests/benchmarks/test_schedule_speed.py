"""The engine against SimPy, which plays the same schedule. Run with
``pytest tests/benchmarks/test_schedule_speed.py --benchmark-only``: the numbers in brackets are
the ratios. Floats against floats, and both give the same statistics.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from itertools import cycle, islice
from random import Random
from typing import Any

import pytest
import simpy

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import asynchronous

WORKERS, GRADIENTS = 8, 40_000
DOWN, UP, AGGREGATE = 0.3, 0.2, 0.05

Process = Generator[simpy.Event, Any, None]


@dataclass
class Statistics:
    """What both count: gradients by staleness, and the time of the last one."""

    gradients: int = 0
    last: float = 0
    staleness: Counter[int] = field(default_factory=Counter)

    def add(self, staleness: int, now: float) -> None:
        self.gradients += 1
        self.last = now
        self.staleness[staleness] += 1


def _times() -> list[Iterator[float]]:
    """Computation times of each worker: at least half a second, 1.5 s on average."""
    chance = Random(7)
    rows = [[0.5 + chance.expovariate(1) for _ in range(997)] for _ in range(WORKERS)]
    return [cycle(row) for row in rows]


def _ours() -> Statistics:
    counted = Statistics()
    machine = Machine([0.0] * WORKERS, down=DOWN, up=UP, aggregate=AGGREGATE)
    for gradient in islice(engine(asynchronous(), machine, _times()).gradients(), GRADIENTS):
        counted.add(gradient.staleness, gradient.written)
    return counted


class Theirs:
    """Workers as SimPy processes, written for speed: no more events than the schedule has."""

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.end = self.env.event()
        self.counted, self.updates = Statistics(), 0
        self.server = simpy.Resource(self.env)

    def play(self) -> Statistics:
        for times in _times():
            self.env.process(self.work(times))
        self.env.run(self.end)
        return self.counted

    def work(self, times: Iterator[float]) -> Process:
        """A worker of a parameter server that works in one gradient after the other."""
        env, server = self.env, self.server
        while True:
            seen = self.updates  # as it is sent
            yield env.timeout(DOWN)
            yield env.timeout(next(times))
            yield env.timeout(UP)
            with server.request() as turn:
                yield turn
                yield env.timeout(AGGREGATE)
            self.counted.add(self.updates - seen, env.now)
            if self.counted.gradients == GRADIENTS:
                self.end.succeed()
            self.updates += 1


@pytest.mark.benchmark(group=f"parameter server, {GRADIENTS} gradients")
@pytest.mark.parametrize("run", [_ours, lambda: Theirs().play()], ids=["ddcalc", "SimPy"])
def test_schedule(benchmark: Any, run: Callable[[], Statistics]) -> None:
    benchmark.pedantic(run, rounds=7, warmup_rounds=1)


def test_both_count_the_same() -> None:
    assert _ours() == Theirs().play()
