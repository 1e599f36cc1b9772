"""How long real training takes: ten schemes from five seeds, on data of the size of the digits."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from running import shell

SCHEMES = "sync,drop:6,reuse:6,cancel:6,async,ssp:1,ssp:4,local:4,sync+quantize:4,async+top:10%"
MOST = 120  # seconds, on two cores


def samples(path: Path) -> Path:
    """1 797 samples of 64 inputs, of ten classes, like those of scikit-learn."""
    draw, lines = Random(1), []
    for i in range(1797):
        inputs = [draw.random() + (0.3 if place % 10 == i % 10 else 0) for place in range(64)]
        lines.append(",".join([str(i % 10), *(f"{value:.3f}" for value in inputs)]))
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("layers", [[], ["--layers", "32"]])
def test_ten_schemes_from_five_seeds(benchmark, tmp_path, layers):
    data = samples(tmp_path / "samples.csv")
    call = ["experiment", "--data", data, *layers, "--schemes", SCHEMES, "--jobs", "2"]
    ran = benchmark.pedantic(lambda: shell(*call, "--format", "csv"), rounds=1)
    assert ran.returncode == 0
    assert len(ran.stdout.splitlines()) == 56  # one worker takes part, too
    assert benchmark.stats["mean"] < MOST
