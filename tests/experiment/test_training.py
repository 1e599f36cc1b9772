"""Training follows the schedule: against a naive loop, central differences, and itself."""

from __future__ import annotations

from itertools import count, islice

import numpy as np
import pytest
import tiny
from naive import Cluster, Net

from ddcalc.experiment.learner import Dense
from ddcalc.experiment.samples import Queue, permutation, uniform
from ddcalc.experiment.training import Training

PERIODS = [1, 1.37, 1.91]
HIDDEN = [(), (4, 2)]


def naive(training: Training, hidden: tuple[int, ...], seed: int = 1) -> Cluster:
    """The naive loop before its first step, on the same samples in the same order."""
    data = training.data
    net = Net([tiny.FEATURES, *hidden, tiny.CLASSES], data.inputs.tolist(), data.labels.tolist())
    order = Queue(len(data.labels), seed).take(0, 4000).tolist()
    start = Dense(net.sizes).start(seed).tolist()
    return Cluster(net, start, order, training.share, 0.5, PERIODS)


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    ("scheme", "played"),
    [
        ("sync", lambda c, u: c.rounds(u, 3, "drop")),
        ("drop:2", lambda c, u: c.rounds(u, 2, "drop")),
        ("drop:1", lambda c, u: c.rounds(u, 1, "drop")),
        ("reuse:2", lambda c, u: c.rounds(u, 2, "reuse")),
        ("reuse:1", lambda c, u: c.rounds(u, 1, "reuse")),
        ("cancel:2", lambda c, u: c.rounds(u, 2, "cancel")),
        ("async", lambda c, u: c.single_gradients(u)),
        ("ssp:0", lambda c, u: c.single_gradients(u, 0)),
        ("ssp:1", lambda c, u: c.single_gradients(u, 1)),
        ("ssp:4", lambda c, u: c.single_gradients(u, 4)),
        ("local:1", lambda c, u: c.local(u, 1)),
        ("local:3", lambda c, u: c.local(u, 3)),
    ],
)
def test_parameters_are_those_of_a_naive_loop(scheme, played, hidden):
    made = tiny.experiment([scheme], hidden)
    training = tiny.trained(made, scheme.partition(":")[0])
    assert training.version > 5
    expected = played(naive(training, hidden), training.version)
    assert training.parameters == pytest.approx(np.array(expected), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("scheme", ["drop:2", "reuse:2", "reuse:1"])
def test_a_step_for_every_update(scheme):
    made = tiny.experiment([scheme], step_for="update")
    kind, k = scheme.split(":")
    training = tiny.trained(made, kind)
    expected = naive(training, ()).rounds(training.version, int(k), kind, by_update=True)
    assert training.parameters == pytest.approx(np.array(expected), rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("hidden", HIDDEN)
def test_gradients_are_central_differences(hidden):
    learnt = tiny.data()
    model = Dense((tiny.FEATURES, *hidden, tiny.CLASSES))
    at = 2 * uniform(model.parameters, 9) - 1
    value = model.gradient(at, learnt.inputs, learnt.labels)
    for i in range(model.parameters):
        step = np.zeros(model.parameters)
        step[i] = 1e-5
        ahead = model.loss(at + step, learnt.inputs, learnt.labels)
        behind = model.loss(at - step, learnt.inputs, learnt.labels)
        assert value[i] == pytest.approx((ahead - behind) / 2e-5, abs=1e-9)


def test_sync_is_one_machine_with_the_whole_batch():
    made = tiny.experiment(["sync"], (3,))
    one, sync = tiny.trained(made, "one"), tiny.trained(made, "sync")
    assert one.version == sync.version > 5
    assert (one.parameters == sync.parameters).all()
    assert [p.right for p in one.run.points] == [p.right for p in sync.run.points]


def test_without_staleness_ssp_is_sync():
    made = tiny.experiment(["ssp:0"], (3,))
    ssp, sync = tiny.trained(made, "ssp"), tiny.trained(made, "sync")
    assert ssp.version == 3 * sync.version > 15
    assert ssp.parameters == pytest.approx(sync.parameters, rel=1e-12, abs=1e-14)


def test_one_worker_takes_the_sum_of_all_shares():
    made = tiny.experiment(["sync"])
    one, sync = tiny.trained(made, "one").run.points, tiny.trained(made, "sync").run.points
    assert [p.time for p in one[:3]] == [0, 3, 6]  # the first worker's 1 s, three times
    assert [p.time for p in sync[:3]] == [0, 1.91, 3.82]


def test_nobody_keeps_old_parameters():
    made = tiny.experiment(["async"], periods=["1 s", "1.37 s", "500 s"], epochs="60")
    assert len(tiny.trained(made, "async").versions) <= 8


@pytest.mark.parametrize("kind", ["drop", "cancel"])
def test_gradients_in_vain_are_counted(kind):
    run = tiny.trained(tiny.experiment([f"{kind}:2"]), kind).run
    vain = run.dropped if kind == "drop" else run.interrupted
    assert vain > 0
    assert run.dropped + run.interrupted == vain
    assert run.used == 2 * run.points[-1].updates


def test_a_run_that_diverges_says_so():
    run = tiny.trained(tiny.experiment(["sync"], (4,) * 6, step_size="1e60"), "sync").run
    assert run.diverged
    assert all(np.isfinite(point.loss) for point in run.points)


def test_each_pass_has_every_sample_once():
    queue = Queue(10, 5)
    passes = [queue.take(10 * i, 10).tolist() for i in range(12)]
    assert all(sorted(one) == list(range(10)) for one in passes)
    assert len({tuple(one) for one in passes}) > 10
    assert queue.take(7, 6).tolist() == [*passes[0][7:], *passes[1][:3]]


def test_random_numbers_are_those_of_the_documented_generator():
    """PCG64 (XSL-RR 128/64) in whole numbers, from the state that NumPy's seeding makes."""
    bits = np.random.PCG64(np.random.SeedSequence((7, 2, 0)))
    state, step = bits.state["state"]["state"], bits.state["state"]["inc"]

    def raw():
        nonlocal state
        for _ in count():
            state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + step) % 2**128
            turn, low = state >> 122, (state >> 64 ^ state) % 2**64
            yield (low >> turn | low << (64 - turn)) % 2**64

    drawn = list(islice(raw(), 20))
    assert uniform(20, 7, 2, 0).tolist() == [(one >> 11) / 2**53 for one in drawn]
    assert permutation(20, 7, 2, 0).tolist() == sorted(range(20), key=drawn.__getitem__)


def test_a_download_makes_gradients_as_stale_as_an_upload():
    """Computing on what was sent: the same round trip, the same staleness, near n - 1."""
    value = []
    for way in ("download", "upload"):
        made = tiny.experiment(["async"], epochs="40", **{way: "2 s"})
        run = tiny.trained(made, "async").run
        value.append(run.staleness / run.used)
    assert value[0] == pytest.approx(value[1], abs=0.05)
    assert value[0] == pytest.approx(2, abs=0.1)
