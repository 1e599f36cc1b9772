"""Training follows the schedule: against a naive loop, central differences, and itself."""

import numpy as np
import pytest
import tiny
from witness_schemes import Setting, World

from ddcalc_experiment.learner import Dense
from ddcalc_experiment.samples import Queue

PERIODS = [[100], [137], [191]]  # hundredths of a second


def naive(training, scheme):
    """The parameters after so many updates, from the schedule's witness: who has read what, and
    which update its gradient is in; on the same samples in the same order."""
    data, model, share, updates = training.data, training.model, training.share, training.version
    order = Queue(len(data.labels), 1).take(0, 4000).tolist()
    name, _, number = scheme.partition(":")
    setting = Setting(name + "_sgd" * (name == "local"), int(number or 0), [0] * 3, PERIODS)
    steps, models = setting.steps, [model.start(1)]
    records, workers = World(setting).play(200 * steps * (updates + 4)), 3

    def gradient(w, at):
        samples = order[at * share : (at + 1) * share]
        each = [model.gradient(w, data.inputs[[i]], data.labels[[i]]) for i in samples]
        return sum(each) / len(samples)

    for version in range(1, updates + 1):
        w = models[-1]
        for _, _, number, *_, seen, _, _, update in records:
            if update == version:
                mine = models[seen]
                for step in range(steps):
                    mine = mine - 0.5 * gradient(mine, (number - 1) * steps + step)
                w = w + (mine - models[seen]) / workers
        models.append(w)
    return models[-1]


@pytest.mark.parametrize("hidden", [(), (4, 2)])
@pytest.mark.parametrize(
    "scheme",
    [*("sync", "drop:2", "drop:1", "reuse:2", "reuse:1", "cancel:2", "async", "ssp:0", "ssp:1"),
     *("local:1", "local:3")],
)  # fmt: skip
def test_parameters_are_those_of_a_naive_loop(scheme, hidden):
    training = tiny.trained(tiny.experiment([scheme], hidden), scheme.partition(":")[0])
    assert training.version > 5
    expected = naive(training, scheme)
    assert training.parameters == pytest.approx(expected, rel=1e-12, abs=1e-13)


def slope_along(model, inputs, labels, at, way, step):
    """The central difference of the loss along *way*."""

    def loss(vector):
        scores = np.exp(model.scores(vector, inputs))
        right = scores[np.arange(len(inputs)), labels]
        return -np.log(right / scores.sum(axis=1)).mean()

    return (loss(at + step * way) - loss(at - step * way)) / (2 * step)


@pytest.mark.parametrize("hidden", [(), (4, 2)])
def test_gradients_are_central_differences(hidden):
    data, model = tiny.data(), Dense((tiny.FEATURES, *hidden, tiny.CLASSES))
    at = np.random.default_rng(2).uniform(-1, 1, model.parameters)
    value = model.gradient(at, data.inputs, data.labels)
    for i, way in enumerate(np.eye(model.parameters)):
        expected = slope_along(model, data.inputs, data.labels, at, way, 1e-5)
        assert value[i] == pytest.approx(expected, abs=1e-9)


def test_the_gradient_of_lenet_is_a_central_difference():
    """In single precision, along itself and some other ways."""
    pytest.importorskip("torch")
    from ddcalc_experiment.lenet import LeNet

    assert LeNet(28, 10).parameters == 156 + 2416 + 48_120 + 10_164 + 850
    data, model = tiny.data(), LeNet(8, tiny.CLASSES)
    inputs = np.kron(data.inputs.reshape(-1, 2, 2), np.ones((4, 4))).reshape(-1, 64)
    assert model._images(inputs).shape == (len(inputs), 1, 32, 32)
    framed = LeNet(9, 2)._images(np.ones((1, 81)))[0, 0]  # 27 by 27 pixels in the middle
    assert (framed.sum(), framed[2:29, 2:29].sum()) == (729, 729)
    at = model.start(9)
    value = model.gradient(at, inputs, data.labels)
    for seed in range(4):
        way = value + seed * np.random.default_rng(seed).standard_normal(len(value)) / 100
        way /= np.sqrt(way @ way)
        expected = slope_along(model, inputs, data.labels, at, way, 1e-3)
        assert value @ way == pytest.approx(expected, rel=1e-2)


def test_sync_is_one_machine_with_the_whole_batch():
    made = tiny.experiment(["sync"], (3,))
    one, sync = tiny.trained(made, "one"), tiny.trained(made, "sync")
    assert one.version == sync.version > 5
    assert (one.parameters == sync.parameters).all()
    assert [point.time for point in one.run.points[:3]] == [0, 3, 6]  # the first one's, thrice
    assert [point.time for point in sync.run.points[:3]] == [0, 1.91, 3.82]


def test_nobody_keeps_old_parameters():
    training = tiny.trained(tiny.experiment(["async"], epochs="60"), "async")
    assert training.version > 300
    assert len(training.versions) <= 1


@pytest.mark.parametrize("kind", ["drop", "cancel"])
def test_gradients_in_vain_are_counted(kind):
    run = tiny.trained(tiny.experiment([f"{kind}:2"]), kind).run
    vain, none = (run.dropped, run.interrupted)[:: 1 if kind == "drop" else -1]
    assert vain > none == 0
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
    assert len(queue.take(5, 27)) == 27
