"""What is known of each scheme: published numbers and laws."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from playing import per_worker, played

from ddcalc.schedule.gradient import Gradient, Machine
from ddcalc.schedule.scheme import Scheme, asynchronous, ssp, sync

HORIZON = 60


periods = st.lists(st.integers(1, 9), min_size=1, max_size=5)
bounds = st.integers(0, 4)


def _same_start(periods: Sequence[int], scheme: Scheme, horizon: int) -> list[Gradient]:
    """Workers of fixed speeds that start at 0, without transfers."""
    machine = Machine([0] * len(periods))
    return played(scheme, machine, [[period] for period in periods], horizon)


def _clocks(written: Sequence[Gradient], workers: int) -> list[int]:
    """How many clocks each worker has finished."""
    done = Counter(gradient.worker for gradient in written)
    return [done[worker] for worker in range(1, workers + 1)]


@given(periods)
def test_in_turn_staleness_tends_to_the_number_of_others(periods: list[int]) -> None:
    """Everybody reads right after writing, so the sum telescopes: only the ends are missing."""
    written = _same_start(periods, asynchronous(), 200)
    for gradients in per_worker(written):
        assert gradients[0].seen == 0
        assert all(after.seen == before.update for before, after in pairwise(gradients))
    last = {gradient.worker: gradient.update for gradient in written}
    count, others = len(written), len(periods) - 1
    missing = others * count - sum(gradient.staleness for gradient in written)
    assert missing == sum(count - update for update in last.values())
    slowest_turn = sum(max(periods) // period + 1 for period in periods)
    assert 0 <= missing <= len(periods) * slowest_turn


@given(periods, bounds)
def test_with_fixed_speeds_ssp_gains_its_bound_once(periods: list[int], bound: int) -> None:
    """At no horizon is a worker more than s clocks further than in a synchronous run."""
    stale = {(g.worker, g.clock): g.end for g in _same_start(periods, ssp(bound), 100)}
    synchronous = {
        (g.worker, g.clock): g.end for g in _same_start(periods, sync(len(periods)), 100)
    }
    for (worker, clock), end in synchronous.items():
        assert stale[worker, clock] <= end
        assert stale.get((worker, clock + bound), end) >= end


def test_with_random_times_ssp_gains_ever_more() -> None:
    """A worker that is slow for once delays nobody who is at most s clocks ahead."""
    draw = Random(7)
    rows = [[1 + round(draw.expovariate(1 / 1000)) for _ in range(300)] for _ in range(4)]
    synchronous = played(sync(4), Machine([0] * 4), rows, 400_000)
    stale = played(ssp(3), Machine([0] * 4), rows, 400_000)
    assert min(_clocks(stale, 4)) > min(_clocks(synchronous, 4)) + 50
