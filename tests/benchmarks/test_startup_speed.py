"""How long a user waits for the first page, whole processes. Run with ``pytest
tests/benchmarks/test_startup_speed.py --benchmark-only``; compare figures of one group and run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from running import processor_time

from ddcalc.cli.app import VERBS
from ddcalc.problem.catalog import built_in

TIMES = ["--download", "1.5s", "--compute", "4s", "--upload", "1.5s", "--aggregate", "15ms"]
COUNTS = ["--samples", "76800", "--batch", "1536", "--epochs", "10", "--workers", "6"]
PAGES = {
    "help": ["--help"],
    "version": ["--version"],
    "list": ["list"],
    "help of a type": ["epoch-time", "-h"],
    "a term explained": ["explain", "straggler"],
    "a wrong option": ["epoch-time", "--sampels", "3"],
}
ANSWERS = {
    "explained in full": ["epoch-time", *COUNTS, *TIMES],
    "with everything": ["epoch-time", *COUNTS, *TIMES, "--all"],
    "solved for a letter": ["breakeven", *TIMES],  # by SymPy
    "as JSON": ["epoch-time", *COUNTS, *TIMES, "--format", "json"],
}
BARE = """
import typer
app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
"""
BARE_COMMAND = """
@app.command("{name}")
def command_{number}(files: list[str], steps: int = 3, output: str = "") -> None:
    "What does {name} do, and how long does it take?"
"""


def process(*arguments: str | Path) -> None:
    """A process of Python, whatever becomes of it."""
    subprocess.run([sys.executable, *map(str, arguments)], check=False, capture_output=True)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of Typer's alone, with as many commands as ddcalc has."""
    names = enumerate([*VERBS, *built_in()])
    commands = "".join(BARE_COMMAND.format(name=name, number=number) for number, name in names)
    file = tmp_path_factory.mktemp("bare") / "bare.py"
    file.write_text(f"{BARE}{commands}app()\n")
    return file


@pytest.mark.benchmark(group="a first page", timer=processor_time)
def test_a_bare_program(benchmark: Any, bare: Path) -> None:
    benchmark.pedantic(process, (bare, "--help"), rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="a first page", timer=processor_time)
@pytest.mark.parametrize("page", PAGES)
def test_a_page(benchmark: Any, page: str) -> None:
    call = ("-m", "ddcalc", *PAGES[page])
    benchmark.pedantic(process, call, rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="one problem", timer=processor_time)
def test_imports_alone(benchmark: Any) -> None:
    benchmark.pedantic(process, ("-c", "import typer, rich, sympy"), rounds=10, warmup_rounds=2)


@pytest.mark.benchmark(group="one problem", timer=processor_time)
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer(benchmark: Any, answer: str) -> None:
    call = ("-m", "ddcalc", *ANSWERS[answer])
    benchmark.pedantic(process, call, rounds=10, warmup_rounds=2)
