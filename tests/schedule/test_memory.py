"""A long run needs no more memory than a short one."""

import tracemalloc
from collections import deque
from itertools import cycle, islice
from random import Random

import pytest

from ddcalc.schedule.engine import engine
from ddcalc.schedule.gradient import Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, k_of_n, local_sgd, ssp, sync

WORKERS = 6
SHORT, LONG = 3_000, 30_000
SCHEMES = [asynchronous(), ssp(2), sync(WORKERS), local_sgd(WORKERS, 3)]
SCHEMES += [k_of_n(4, "drop"), k_of_n(4, "reuse"), k_of_n(4, "cancel")]


def _grows(scheme: Scheme, short: int, long: int) -> int:
    """By how many bytes the peak of *long* gradients lies above that of the first *short* ones."""
    chance = Random(7)
    times = [cycle([1 + chance.random() for _ in range(50)]) for _ in range(WORKERS)]
    machine = Machine([0] * WORKERS, down=0.1, up=0.1, aggregate=0.1, update=0.1)
    gradients = engine(scheme, machine, times).gradients()
    tracemalloc.start()
    try:
        deque(islice(gradients, short), maxlen=0)
        _, before = tracemalloc.get_traced_memory()
        deque(islice(gradients, long), maxlen=0)
        _, after = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return after - before


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.label)
def test_memory_is_flat(scheme: Scheme) -> None:
    assert _grows(scheme, SHORT, LONG) < 5_000


def test_memory_of_a_long_run_is_flat() -> None:
    assert _grows(asynchronous(), 30_000, 300_000) < 5_000
