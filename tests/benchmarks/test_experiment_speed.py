"""How long real training takes: ten schemes on data of the size of the bundled digits."""

from __future__ import annotations

import numpy as np
import pytest

from ddcalc.experiment.data import Data
from ddcalc.experiment.drawing import permutation, uniform
from ddcalc.experiment.pool import trained
from ddcalc.experiment.setting import Experiment, setting
from ddcalc.stated import read

SCHEMES = (
    "sync", "drop:6", "reuse:6", "cancel:6", "async", "ssp:1", "ssp:4", "local:4",
    "sync+quantize:4", "async+top:10%",
)  # fmt: skip


def data() -> Data:
    """1 797 samples of 64 inputs, of ten classes."""
    inputs = uniform(1797 * 64, 1).reshape(-1, 64)
    labels = permutation(1797, 2) % 10
    inputs[np.arange(1797), labels] += 0.5
    return Data("noise", inputs[359:], labels[359:], inputs[:359], labels[:359])


@pytest.mark.parametrize("hidden", [(), (32,)])
def test_one_seed_of_ten_schemes(benchmark, hidden):
    """A fifth of the run that is to take less than two minutes on two cores."""
    made = setting(read(Experiment, {"seeds": "1"}), SCHEMES, hidden)
    jobs = [(each, 1) for each in made.contenders]
    runs = benchmark.pedantic(lambda: list(trained(made, data(), jobs, 1)), rounds=1)
    assert len(runs) == 11
    assert benchmark.stats["mean"] < 24
