"""How long things take. Run with ``pytest tests/benchmarks --benchmark-only``.

Whole processes are timed where start-up is most of what a user waits for. Compare figures of one
run only.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from running import ddcalc, processor_time

from ddcalc.ask.find import find
from ddcalc.ask.sweep.best import Sweep, goals
from ddcalc.ask.sweep.grid import SweepQuestion, question
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import Texts
from ddcalc.render.point_lines import PointLines

EXAM = Path(__file__).parents[2] / "problems" / "exam.yaml"
COUNTS = [
    "--samples",
    "76800",
    "--batch",
    "1536",
    "--epochs",
    "10",
    "--workers",
    "6",
    "--aggregate",
    "15ms",
]
TIMES = ["--download", "1.5s", "--compute", "4s", "--upload", "1.5s"]
PROBLEMS, STUDENTS = 10_000, 5_000


def process(*arguments: str | Path) -> None:
    """A process of Python, whatever becomes of it."""
    subprocess.run([sys.executable, *map(str, arguments)], check=False, capture_output=True)


@pytest.mark.benchmark(group="files", timer=processor_time)
def test_a_batch(benchmark: Any, tmp_path: Path) -> None:
    """Problems per second: ``PROBLEMS`` over this time, start-up included."""
    chance, lines = random.Random(7), ["problems:"]
    limits = {"samples": (10_000, 99_999), "batch": (16, 2048), "epochs": (1, 50)}
    limits |= {"workers": (1, 64), "download": (1, 40), "compute": (1, 90), "upload": (1, 40)}
    for i in range(PROBLEMS):
        given = ", ".join(f"{name}: {chance.randint(*least)}" for name, least in limits.items())
        lines.append(f"  - {{id: p{i}, type: epoch-time, given: {{{given}, aggregate: 15 ms}}}}")
    file = tmp_path / "batch.yaml"
    file.write_text("\n".join(lines))
    call = ("-m", "ddcalc", "solve", file, "--format", "ndjson")
    benchmark.pedantic(process, call, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="files", timer=processor_time)
def test_a_class(benchmark: Any, tmp_path: Path) -> None:
    """Four answers of each of ``STUDENTS``, CSV in, ndjson out, start-up included."""
    chance = random.Random(7)
    totals = ["588.47 s", "595.5 s", "596 s", "637.5 s", "588.03 s", "559.5 s", "9.925 min"]
    lines = ["student,ps-epochs.full_rounds,ps-epochs,fl-local-epochs,sync-step"]
    for i in range(STUDENTS):
        rounds, total = chance.choice([83, 83, 84]), chance.choice(totals)
        federated = chance.choice(["32014", "3214 s", f"{chance.randrange(10**4, 10**5)} s"])
        lines.append(f"s{i},{rounds},{total},{federated},{chance.choice(['1.05 s', '1.5 s'])}")
    file = tmp_path / "class.csv"
    file.write_text("\n".join(lines))
    call = ("-m", "ddcalc", "check", EXAM, file, "--format", "ndjson")
    benchmark.pedantic(process, call, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("layers", [[], ["--layers", "32"]])
def test_an_experiment(benchmark: Any, tmp_path: Path, layers: list[str]) -> None:
    """Eight schemes from five seeds, on data of the size of the digits, in two minutes."""
    draw, lines = random.Random(1), []
    for i in range(1797):
        inputs = [draw.random() + (0.3 if place % 10 == i % 10 else 0) for place in range(64)]
        lines.append(",".join([str(i % 10), *(f"{value:.3f}" for value in inputs)]))
    file = tmp_path / "samples.csv"
    file.write_text("\n".join(lines))
    schemes = "sync,drop:6,reuse:6,cancel:6,async,ssp:1,ssp:4,local:4"
    call = ("-m", "ddcalc", "experiment", "--data", file, *layers, "--schemes", schemes)
    benchmark.pedantic(process, (*call, "--format", "csv"), rounds=1)
    assert benchmark.stats["mean"] < 120


@pytest.mark.parametrize("form", ["markdown", "key"])
def test_an_exam_of_thirty_versions(benchmark: Any, form: str) -> None:
    ran = benchmark(ddcalc, "variants", EXAM, "--count", "30", "--seed", "7", "--format", form)
    assert ran.code == 0
    assert benchmark.stats is None or benchmark.stats.stats.min < 10


GIVEN: Texts = {
    "samples": "76800", "batch": "1536", "epochs": "10", "download": "1.5 s", "compute": "4 s",
    "upload": "1.5 s", "aggregate": "15 ms",
}  # fmt: skip
LARGE = {**GIVEN, "samples": "10^9", "batch": "1"}  # ten thousand million batches


@pytest.mark.benchmark(group="find", timer=processor_time)
@pytest.mark.parametrize(
    ("texts", "unknown", "where", "value"),
    [
        (GIVEN, "workers", "total <= 300 s", 13),
        (GIVEN, "workers", "last_workers = 2", 3),
        (LARGE, "workers", "total <= 2000 d", 3071),
    ],
)
def test_a_whole_number(benchmark: Any, texts: Texts, unknown: str, where: str, value: int) -> None:
    solved = benchmark(find, problem_named("epoch-time"), unknown, [where], texts)
    assert solved.answer.value == value


# The best of a million points, beside the same formulas written for NumPy by hand

SIDE = 1000  # values on each of two axes


COMMON = {"download": "1.5 s", "upload": "1.5 s"}
SWEEPS: dict[str, tuple[dict[str, str], dict[str, str], str]] = {  # axes, what is fixed, the goal
    "epoch-time": (
        {"workers": f"1..{SIDE}", "batch": f"1..{SIDE}"},
        {"samples": "76800", "epochs": "10", "compute": "4 s", "aggregate": "15 ms"},
        "total",
    ),
    "federated": (
        {"devices": f"1..{SIDE}", "batch": f"1..{SIDE}"},
        {"samples": "204800", "compute": "4 s"},
        "total",
    ),
    "breakeven": (  # quotients, and an equation without a solution at 0
        {"aggregate": f"0ms..{SIDE - 1}ms:1ms", "compute": f"1s..{SIDE}s:1s"},
        {},
        "workers",
    ),
}
NEVER = 10**9  # workers, where there is no answer


def swept(slug: str) -> SweepQuestion:
    """The question of one of the SWEEPS."""
    axes, given, _ = SWEEPS[slug]
    return question(problem_named(slug), {**COMMON, **given}, list(axes.items()), [], [])


def sweep(request: SweepQuestion) -> Sweep:
    """The best of all points, each of which is compared."""
    goal = SWEEPS[request.problem.slug][2]
    made = Sweep(request, goals(request, [goal], []))
    assert sum(results.block.size for results in made.blocks()) == SIDE**2
    return made


def bare_epoch_time() -> NDArray[np.int64]:
    """In thousandths of a second."""
    workers, batch = np.arange(1, SIDE + 1)[:, None], np.arange(1, SIDE + 1)[None, :]
    batches = -(-76800 // batch) * 10
    full_rounds = batches // workers
    last_workers = batches - full_rounds * workers
    last_round = np.where(last_workers > 0, 7000 + 15 * last_workers, 0)
    return full_rounds * (7000 + 15 * workers) + last_round


def bare_federated() -> NDArray[np.int64]:
    """In thousandths of a second."""
    devices, batch = np.arange(1, SIDE + 1)[:, None], np.arange(1, SIDE + 1)[None, :]
    share = -(-204800 // devices)
    updates = -(-share // batch)
    return updates * 4000 + 3000


def bare_breakeven() -> NDArray[np.int64]:
    """NEVER where no number of workers is enough."""
    aggregate, compute = np.arange(SIDE)[:, None], 1000 * np.arange(1, SIDE + 1)[None, :]
    beyond = (compute - 3000) // np.maximum(aggregate, 1) + 1
    return np.where(3000 + aggregate > compute, 1, np.where(aggregate > 0, beyond, NEVER))


BARE: dict[str, tuple[Callable[[], NDArray[np.int64]], int]] = {  # and the parts of a unit
    "epoch-time": (bare_epoch_time, 1000),
    "federated": (bare_federated, 1000),
    "breakeven": (bare_breakeven, 1),
}


@pytest.mark.parametrize("slug", SWEEPS)
def test_the_bare_formulas_are_the_same(slug: str) -> None:
    bare, parts = BARE[slug]
    goal = SWEEPS[slug][2]
    blocks = Sweep(swept(slug), []).blocks()
    shaped = ((results.values[goal], results.block.shape) for results in blocks)
    floats = [np.broadcast_to(values, shape).ravel() for values, shape in shaped]
    by_hand = bare().ravel()
    assert (np.nan_to_num(np.concatenate(floats), nan=NEVER / parts) == by_hand / parts).all()
    [best] = sweep(swept(slug)).optima
    assert best is not None
    least = Fraction(int(by_hand.min()), parts)
    assert (best.number, best.value) == (int(by_hand.argmin()), least)


@pytest.mark.benchmark(timer=processor_time)
@pytest.mark.parametrize("by", ["NumPy by hand", "ddcalc"])
@pytest.mark.parametrize("slug", SWEEPS)
def test_the_best_of_a_million_points(benchmark: Any, slug: str, by: str) -> None:
    benchmark.group = f"the best of a million points, {slug}"
    if by == "ddcalc":
        assert benchmark(sweep, swept(slug)).optima
    else:
        assert benchmark(lambda: BARE[slug][0]().argmin()) >= 0


@pytest.mark.benchmark(group="a million lines", timer=processor_time)
@pytest.mark.parametrize("slug", SWEEPS)
def test_a_million_lines(benchmark: Any, slug: str) -> None:
    request = swept(slug)

    def size() -> int:
        writer, blocks = PointLines(request, csv=True), Sweep(request, []).blocks()
        return sum(len(writer.lines(results)) for results in blocks)

    assert benchmark(size) > 10 * SIDE**2


@pytest.mark.benchmark(group="a file of points", timer=processor_time)
@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
@pytest.mark.parametrize("side", [100, 1000, 3163])
def test_a_file(benchmark: Any, side: int, suffix: str, tmp_path: Path) -> None:
    """Ten thousand, a million and ten million points, start-up included."""
    axes = ["--vary", f"workers=1..{side}", "--vary", f"batch=1..{side}"]
    call = ["-m", "ddcalc", "sweep", "epoch-time", "--samples", "76800", "--epochs", "10"]
    call += ["--aggregate", "15ms", *TIMES, *axes, "--output", str(tmp_path / f"out.{suffix}")]
    benchmark.pedantic(process, (*call, "--force"), rounds=3, warmup_rounds=1)
