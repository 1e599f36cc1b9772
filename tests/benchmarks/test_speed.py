"""How long things take. Run with ``pytest tests/benchmarks --benchmark-only``.

Whole processes are timed, because start-up is most of what a user waits for. Compare figures of
one run only.
"""

import random
import subprocess
import sys
from pathlib import Path

import pytest

PROBLEMS = 10_000
GIVEN = "--samples 76800 --batch 1536 --epochs 10 --workers 6 --aggregate 15ms"
TIMES = "--download 1.5s --compute 4s --upload 1.5s"
EXAM = ["epoch-time", *GIVEN.split(), *TIMES.split()]


def process(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=False, capture_output=True)


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of problems with numbers of their own."""
    chance = random.Random(7)
    path = tmp_path_factory.mktemp("bench") / "batch.yaml"
    with path.open("w", encoding="utf-8") as file:
        file.write("problems:\n")
        for i in range(PROBLEMS):
            file.write(
                f"  - id: p{i}\n    type: epoch-time\n    given: {{"
                f"samples: {chance.randint(10_000, 99_999)}, batch: {chance.randint(16, 2048)}, "
                f"epochs: {chance.randint(1, 50)}, workers: {chance.randint(1, 64)}, "
                f"download: {chance.randint(1, 40) / 10} s, "
                f"compute: {chance.randint(1, 90) / 10} s, "
                f"upload: {chance.randint(1, 40) / 10} s, "
                f"aggregate: {chance.randint(1, 99)} ms}}\n"
            )
    return path


@pytest.mark.benchmark(group="start-up")
def test_python_alone(benchmark):
    benchmark.pedantic(process, ("-c", "pass"), rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="start-up")
def test_help(benchmark):
    benchmark.pedantic(process, ("-m", "ddcalc", "--help"), rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="start-up")
def test_bad_option(benchmark):
    arguments = ("-m", "ddcalc", "epoch-time", "--sampels", "3")
    benchmark.pedantic(process, arguments, rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="one problem")
def test_bare_imports(benchmark):
    arguments = ("-c", "import typer, rich, sympy")
    benchmark.pedantic(process, arguments, rounds=15, warmup_rounds=2)


@pytest.mark.benchmark(group="one problem")
def test_one_problem_explained(benchmark):
    benchmark.pedantic(process, ("-m", "ddcalc", *EXAM), rounds=15, warmup_rounds=2)


@pytest.mark.benchmark(group="batch")
def test_batch_to_ndjson(benchmark, batch):
    """Problems a second: ``PROBLEMS`` over this time, start-up included."""
    arguments = ("-m", "ddcalc", "solve", str(batch), "--format", "ndjson")
    benchmark.pedantic(process, arguments, rounds=5, warmup_rounds=1)
