"""How fast sweeps are. Run with ``pytest tests/benchmarks --benchmark-only``.

A million points through the engine, beside the same formulas written for NumPy by hand; then whole
calls that write a file. Compare figures of one run only.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from questions import Texts

from ddcalc.ask.sweep.question import Question, question
from ddcalc.ask.sweep.sweep import Sweep, goals
from ddcalc.problem.catalog import problem_named
from ddcalc.render import point_lines as rows

SIDE = 1000  # values on each of two axes: a million points
TIMES: Texts = {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}
GIVEN = "--samples 76800 --epochs 10 --download 1.5s --compute 4s --upload 1.5s --aggregate 15ms"
CALL = ["-m", "ddcalc", "sweep", "epoch-time", *GIVEN.split()]


def epoch_time() -> Question:
    texts: Texts = {"samples": "76800", "epochs": "10", **TIMES}
    vary = [("workers", f"1..{SIDE}"), ("batch", f"1..{SIDE}")]
    return question(problem_named("epoch-time"), texts, vary, [], [])


def federated() -> Question:
    texts: Texts = {"samples": "204800", "download": "7 s", "compute": "4 s", "upload": "7 s"}
    vary = [("devices", f"1..{SIDE}"), ("batch", f"1..{SIDE}")]
    return question(problem_named("federated"), texts, vary, [], [])


def breakeven() -> Question:
    """Quotients, and an equation without a solution at 0."""
    texts: Texts = {"download": "1.5 s", "upload": "1.5 s"}
    vary = [("aggregate", f"0ms..{SIDE - 1}ms:1ms"), ("compute", f"1s..{SIDE}s:1s")]
    return question(problem_named("breakeven"), texts, vary, [], [])


def bare() -> NDArray[np.int64]:
    """The equations of :func:`epoch_time` in NumPy, times in thousandths of a second."""
    workers = np.arange(1, SIDE + 1)[:, None]
    batch = np.arange(1, SIDE + 1)[None, :]
    batches = -(-76800 // batch) * 10
    full_rounds = batches // workers
    last_workers = batches - full_rounds * workers
    full_round = 7000 + 15 * workers
    last_round = np.where(last_workers > 0, 7000 + 15 * last_workers, 0)
    return full_rounds * full_round + last_round


def worked_out(asked: Question) -> int:
    """All points, each compared with the best so far where there is a goal."""
    sweep = Sweep(asked, goals(asked, [], []))
    return sum(block.size for block, _ in sweep.blocks())


def written_out(asked: Question) -> int:
    """All points as lines of CSV, in bytes."""
    sweep = Sweep(asked, goals(asked, [], []))
    form = rows.csv(asked)
    return sum(len(rows.lines(asked, form, *each)) for each in sweep.blocks())


def test_the_bare_formulas_are_the_same() -> None:
    sweep = Sweep(epoch_time(), [])
    told = np.concatenate(
        [piece.floats("total").ravel() for _, pieces in sweep.blocks() for piece in pieces]
    )
    assert (told == bare().ravel() / 1000).all()


@pytest.mark.benchmark(group="a million points")
def test_bare_numpy(benchmark: Callable[..., object]) -> None:
    benchmark(bare)


@pytest.mark.benchmark(group="a million points")
@pytest.mark.parametrize("made", [epoch_time, federated, breakeven])
def test_a_million_points(benchmark: Callable[..., object], made: Callable[[], Question]) -> None:
    """Points a second: a million over this time."""
    assert benchmark(worked_out, made()) == SIDE**2


@pytest.mark.benchmark(group="a million points")
@pytest.mark.parametrize("made", [epoch_time, federated, breakeven])
def test_a_million_lines(benchmark: Callable[..., object], made: Callable[[], Question]) -> None:
    assert benchmark(written_out, made()) > 10 * SIDE**2  # type: ignore[operator]


@pytest.mark.benchmark(group="a file")
@pytest.mark.parametrize("suffix", ["csv", "ndjson"])
@pytest.mark.parametrize("side", [100, 1000, 3163])
def test_a_file(benchmark: object, side: int, suffix: str, tmp_path: Path) -> None:
    """Ten thousand, a million and ten million points, start-up included."""
    axes = ["--vary", f"workers=1..{side}", "--vary", f"batch=1..{side}"]
    output = ["--output", str(tmp_path / f"out.{suffix}"), "--force"]

    def call() -> None:
        subprocess.run([sys.executable, *CALL, *axes, *output], check=True, capture_output=True)

    benchmark.pedantic(call, rounds=3, warmup_rounds=1)  # type: ignore[attr-defined]
