"""LeNet: against a convolution written as loops, central differences, and itself."""

from __future__ import annotations

import json
import sys
from itertools import product

import numpy as np
import pytest
import tiny
from running import ddcalc, python, shell
from test_samples import mnist

from ddcalc.errors import DdcalcError
from ddcalc.experiment.learner import learner
from ddcalc.experiment.samples import Data, uniform
from ddcalc.experiment.setting import Setting


def images(rows: int, columns: int, count: int = 12) -> Data:
    """Noise with a bright bar whose height is the label, of three."""
    pixels = uniform(2 * count * rows * columns, 5).reshape(2 * count, rows, columns) / 4
    labels = np.arange(2 * count) % 3
    for image, label in zip(pixels, labels, strict=True):
        image[rows * label // 3 : rows * (label + 1) // 3] += 0.7
    flat = pixels.reshape(2 * count, -1)
    return Data("bars", flat[:count], labels[:count], flat[count:], labels[count:])


@pytest.fixture
def lenet():
    """LeNet with exact gradients for images of *rows* by *columns*."""
    pytest.importorskip("torch")
    from ddcalc.experiment.lenet import LeNet

    return lambda rows, columns: LeNet((rows, columns), 3, exact=True)


def framed(image: np.ndarray) -> np.ndarray:
    """*image* as LeNet takes it: enlarged, and with zeros round it."""
    factor = 32 // max(image.shape)
    large = np.kron(image, np.ones((factor, factor)))
    whole = np.zeros((32, 32))
    up, left = ((32 - side) // 2 for side in large.shape)
    whole[up : up + large.shape[0], left : left + large.shape[1]] = large
    return whole


def loss(vector: np.ndarray, image: np.ndarray, label: int) -> float:
    """The loss of one sample, by loops over filters and their places."""
    at = 0

    def layer(*shape: int) -> tuple[np.ndarray, np.ndarray]:
        nonlocal at
        size = int(np.prod(shape))
        weights = vector[at : at + size].reshape(shape)
        at += size + shape[0]
        return weights, vector[at - shape[0] : at]

    values = framed(image)[None]
    for inputs, filters in ((1, 6), (6, 16)):
        weights, biases = layer(filters, inputs, 5, 5)
        side = values.shape[1] - 4
        maps = np.zeros((filters, side, side))
        for f, y, x in product(range(filters), range(side), range(side)):
            maps[f, y, x] = (values[:, y : y + 5, x : x + 5] * weights[f]).sum() + biases[f]
        maps = np.maximum(maps, 0)
        values = sum(maps[:, y::2, x::2] for y in (0, 1) for x in (0, 1)) / 4
    flat = values.ravel()
    for inputs, units in ((400, 120), (120, 84)):
        weights, biases = layer(units, inputs)
        flat = np.maximum(weights @ flat + biases, 0)
    weights, biases = layer(3, 84)
    scores = weights @ flat + biases
    assert at == len(vector)
    return np.log(np.exp(scores).sum()) - scores[label]


@pytest.mark.parametrize("size", [(8, 8), (28, 28), (3, 10)])
def test_the_loss_is_that_of_a_plain_convolution(lenet, size):
    model, data = lenet(*size), images(*size, count=2)
    at = model.start(3) + (uniform(model.parameters, 9) - 0.5) / 10
    one = [
        loss(at, image.reshape(size), label)
        for image, label in zip(data.inputs, data.labels, strict=True)
    ]
    assert model.loss(at, data.inputs, data.labels) == pytest.approx(np.mean(one), rel=1e-12)


@pytest.mark.parametrize("size", [(8, 8), (28, 28)])
def test_gradients_are_central_differences(lenet, size):
    model, data = lenet(*size), images(*size)
    at = model.start(3) + (uniform(model.parameters, 9) - 0.5) / 10
    value = model.gradient(at, data.inputs, data.labels)
    places = np.argsort(-np.abs(value))[:: model.parameters // 60]
    for i in places.tolist():
        step = np.zeros(model.parameters)
        step[i] = 1e-6
        ahead = model.loss(at + step, data.inputs, data.labels)
        behind = model.loss(at - step, data.inputs, data.labels)
        assert value[i] == pytest.approx((ahead - behind) / 2e-6, abs=1e-8)


def test_it_has_the_parameters_of_the_paper_but_for_tables_and_means(lenet):
    """61 706 with ten classes: 156 and 2 416 of filters, 48 120, 10 164 and 850 behind them."""
    from ddcalc.experiment.lenet import LeNet

    assert LeNet((28, 28), 10).parameters == 156 + 2416 + 48_120 + 10_164 + 850
    start = LeNet((28, 28), 10).start(1)
    assert np.abs(start[:150]).max() == pytest.approx(np.sqrt(6 / (7 * 25)), rel=0.05)
    assert not start[150:156].any()


def test_single_precision_is_near_to_double(lenet):
    from ddcalc.experiment.lenet import LeNet

    exact, data = lenet(28, 28), images(28, 28)
    single, at = LeNet((28, 28), 3), exact.start(2)
    value, expected = (one.gradient(at, data.inputs, data.labels) for one in (single, exact))
    assert np.abs(value - expected).max() < 1e-5 * np.abs(expected).max()
    assert single.right(at, data.inputs, data.labels) == exact.right(at, data.inputs, data.labels)


def made(*schemes: str) -> Setting:
    plain = tiny.experiment(schemes, batch="6", epochs="8", step_size="0.1")
    return Setting(plain.given, plain.reading, plain.contenders, (), "lenet")


@pytest.mark.parametrize("scheme", ["reuse:2", "local:2", "async+top:10%"])
def test_a_seed_gives_the_same_run_again(scheme):
    pytest.importorskip("torch")
    setting, data = made(scheme), images(8, 8, 30)
    kind = scheme.partition(":")[0].partition("+")[0]
    first, again = (tiny.trained(setting, kind, learnt=data) for _ in range(2))
    assert (first.parameters == again.parameters).all()
    assert first.run == again.run
    other = tiny.trained(setting, kind, seed=2, learnt=data)
    assert (first.parameters != other.parameters).any()
    losses = [point.loss for point in first.run.points]
    assert losses[-1] < 0.1 * losses[0]


SMALL = ["--workers", "2", "--batch", "4", "--epochs", "2", "--seeds", "2", "--target", "0.4"]


def test_the_command(tmp_path):
    pytest.importorskip("torch")
    folder, state = mnist(tmp_path / "mnist"), tmp_path / "runs.ndjson"
    call = ["experiment", "--data", folder, "--model", "lenet", *SMALL, "--state", state]
    call += ["--schemes", "async,reuse:1,sync+quantize:4"]
    ran = ddcalc(*call)
    assert (ran.code, ran.err) == (0, "")
    assert "Model     LeNet-5" in ran.out
    lines = state.read_text().splitlines()
    assert {str(json.loads(line)["setting"]["model"]) for line in lines} == {"['lenet', 2, 3]"}
    pool = shell(*(one for one in call if one not in ("--state", state)), "--jobs", "2")
    assert pool.stdout == ran.out
    dense = ddcalc(*(one for one in call if one not in ("--model", "lenet")))
    assert dense.code == 0
    assert len(state.read_text().splitlines()) == 2 * len(lines)


@pytest.mark.parametrize(
    ("features", "image", "says"),
    [
        (5, None, "takes images; 5 inputs are no square of pixels"),
        (33 * 33, None, "at most 32 x 32 pixels; these have 33 x 33"),
        (66, (2, 33), "at most 32 x 32 pixels; these have 2 x 33"),
    ],
)
def test_what_is_no_image_is_refused(features, image, says):
    pytest.importorskip("torch")
    inputs, labels = np.zeros((3, features)), np.arange(3)
    with pytest.raises(DdcalcError, match=says):
        learner(made("sync"), Data("x", inputs, labels, inputs, labels, image))


def test_without_pytorch_it_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "ddcalc.experiment.lenet", raising=False)
    ran = ddcalc("experiment", "--data", mnist(tmp_path / "mnist"), "--model", "lenet", *SMALL)
    assert (ran.code, ran.out) == (2, "")
    assert "python3 -m pip install 'ddcalc[torch]'" in " ".join(ran.err.split())
    assert "--model" in ran.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--model", "lenett"], "unknown model 'lenett'; did you mean 'lenet'?"),
        (["--model", "lenet", "--layers", "8"], "--layers"),
    ],
)
def test_wrong_models_are_refused(tmp_path, options, says):
    ran = ddcalc("experiment", "--data", tiny.table(tmp_path / "t.csv"), *options)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_nothing_loads_pytorch_unasked(tmp_path):
    """Neither the help nor another model."""
    table = tiny.table(tmp_path / "t.csv")
    code = (
        "from ddcalc.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "assert 'torch' not in sys.modules and 'ddcalc.experiment.lenet' not in sys.modules"
    )
    for words in (["--help"], ["--data", str(table), *SMALL]):
        call = ["ddcalc", "experiment", *words]
        done = python(f"import sys; sys.argv = {call!r}\n{code}")
        assert (done.returncode, done.stderr) == (0, "")
