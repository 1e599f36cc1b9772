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
SHORT, LONG = 3_000, 20_000
SCHEMES = [asynchronous(), ssp(2), sync(WORKERS), local_sgd(WORKERS, 3)]
SCHEMES += [k_of_n(4, "drop"), k_of_n(4, "reuse"), k_of_n(4, "cancel")]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.label)
def test_memory_is_flat(scheme: Scheme) -> None:
    chance = Random(7)
    times = [cycle([chance.randint(1000, 2000) for _ in range(50)]) for _ in range(WORKERS)]
    machine = Machine([0] * WORKERS, down=100, up=100, aggregate=100, update=100)
    gradients = engine(scheme, machine, times).gradients()
    tracemalloc.start()
    try:
        deque(islice(gradients, SHORT), maxlen=0)
        _, before = tracemalloc.get_traced_memory()
        deque(islice(gradients, LONG), maxlen=0)
        _, after = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 5_000
