"""What is known of each scheme: published numbers and laws."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playing import per_worker, played

from ddcalc.schedule.gradient import Gradient, Machine, Order
from ddcalc.schedule.scheme import Late, Scheme, asynchronous, k_of_n, local_sgd, ssp, sync

HORIZON = 60

SPEEDS = [[1], [2], [4]]

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


def _mean_staleness(written: Sequence[Gradient]) -> Fraction:
    return Fraction(sum(gradient.staleness for gradient in written), len(written))


@pytest.mark.parametrize(
    ("scheme", "clocks"),
    [
        (sync(3), [6, 6, 6]),
        (ssp(0), [6, 6, 6]),
        (ssp(1), [7, 7, 6]),
        (ssp(2), [8, 8, 6]),
        (ssp(None), [24, 12, 6]),
        (asynchronous(), [24, 12, 6]),
    ],
)
def test_clocks_of_three_speeds(scheme: Scheme, clocks: list[int]) -> None:
    """Periods 1, 2 and 4 s over 24 s."""
    assert _clocks(_same_start([1, 2, 4], scheme, 24), 3) == clocks


@pytest.mark.parametrize(
    ("order", "mean"), [("in_turn", Fraction(27, 14)), ("writes_first", Fraction(10, 7))]
)
def test_mean_staleness_of_three_speeds(order: Order, mean: Fraction) -> None:
    written = played(asynchronous(), Machine([0, 0, 0], order=order), SPEEDS, 24)
    assert _mean_staleness(written) == mean


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_staleness_of_equal_speeds(workers: int) -> None:
    """In turn it is n - 1 from the second clock on; if all write first, (n - 1)/2 on average."""
    rows = [[1]] * workers
    in_turn = played(asynchronous(), Machine([0] * workers), rows, 9)
    assert {g.staleness for g in in_turn[workers:]} == {workers - 1}
    together = played(asynchronous(), Machine([0] * workers, order="writes_first"), rows, 9)
    assert _mean_staleness(together) == Fraction(workers - 1, 2)


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


def test_rounds_of_a_parameter_server() -> None:
    """The exam's: 1.5 + 4 + 1.5 s and 15 ms for each of 6 workers make 7.09 s."""
    machine = Machine([0] * 6, down=1500, up=1500, aggregate=15)
    written = played(sync(6), machine, [[4000]] * 6, 100_000)
    assert sorted({g.written for g in written}) == [7090 * turn for turn in range(1, 15)]


def test_a_synchronous_step() -> None:
    """The exam's: the slowest at 0.5 s, 0.3 s to aggregate and 0.25 s to update make 1.05 s."""
    machine = Machine([0] * 4, aggregate=30, update=25, serial=False)
    written = played(sync(4), machine, [[15], [20], [25], [50]], 105)
    assert [(g.worker, g.written) for g in written] == [(worker, 105) for worker in (1, 2, 3, 4)]


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


def test_backup_workers_leave_the_straggler_out() -> None:
    """Two of three: updates every 2 s instead of every 5; the third one's are dropped."""
    machine, times = Machine([0, 0, 0]), [[1], [2], [5]]
    gradients = played(k_of_n(2, "drop"), machine, times, 10)
    assert [g.written for g in gradients if g.update and g.worker == 2] == [2, 4, 6, 8, 10]
    assert [(g.worker, g.written) for g in gradients if not g.update] == [(3, 5), (3, 10)]


@pytest.mark.parametrize(
    ("late", "third"), [("drop", [(5, 0)]), ("reuse", [(6, 3)]), ("cancel", [(2, -1), (4, -1)])]
)
def test_what_becomes_of_the_straggler(late: Late, third: list[tuple[int, int]]) -> None:
    gradients = played(k_of_n(2, late), Machine([0, 0, 0]), [[1], [2], [5]], 6)
    assert [(g.written, g.update) for g in gradients if g.worker == 3][: len(third)] == third


def test_a_worker_is_not_interrupted_before_it_starts() -> None:
    gradients = played(k_of_n(1, "cancel"), Machine([0, 4], down=1), [[1], [9]], 9)
    assert [(g.requested, g.start, g.update) for g in gradients if g.worker == 2] == [
        (4, 5, -1),
        (6, 7, -1),
    ]


def test_local_steps_are_kept() -> None:
    first = played(local_sgd(2, 3), Machine([0, 0]), [[1, 2], [2]], 6)
    assert [(g.clock, g.ends, g.written) for g in first] == [(3, (1, 3, 4), 6), (3, (2, 4, 6), 6)]


def test_who_acts_at_one_instant_does_so_by_number() -> None:
    """At 4 s worker 1 lets 3 go on, which reads after 2 has written, not in 1's turn."""
    gradients = played(ssp(1), Machine([0, 0, 0]), [[4], [2], [1]], 5)
    assert [(g.worker, g.written) for g in gradients[3:5]] == [(1, 4), (2, 4)]
    third = next(g for g in gradients if g.worker == 3 and g.clock == 3)
    assert (third.hold, third.released, third.seen) == ((2, 4, 1), 4, 5)
