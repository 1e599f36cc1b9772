"""How many explained pages come in a second, beside Rich printing the same pages ready-made.

All are made in this process, so no start-up is in the figures, which are times of the processor;
compare those of one run only.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from io import StringIO
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from rich.console import Console
from running import ddcalc

EXAM = Path(__file__).parents[2] / "problems" / "exam.yaml"
MANY = (EXAM, "ps-breakeven", "fl-local-epochs", "sync-step")  # the questions with enough variants
PROBLEMS, VERSIONS = 1_000, 100
LARGER = 1.2  # times the memory that ten times as many versions may take
LIMITS = {"samples": (10_000, 99_999), "batch": (16, 2048), "epochs": (1, 50), "workers": (1, 64)}
TIMES = {"download": 40, "compute": 90, "upload": 40}  # tenths of a second


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of problems of one type, all with other numbers."""
    chance, lines = random.Random(7), ["problems:"]
    for i in range(PROBLEMS):
        given = [f"{name}: {chance.randint(*ends)}" for name, ends in LIMITS.items()]
        given += [f"{name}: {chance.randint(1, most) / 10} s" for name, most in TIMES.items()]
        given.append(f"aggregate: {chance.randint(1, 99)} ms")
        lines.append(f"  - {{id: p{i}, type: epoch-time, given: {{{', '.join(given)}}}}}")
    file = tmp_path_factory.mktemp("batch") / "batch.yaml"
    file.write_text("\n".join(lines))
    return file


@pytest.mark.benchmark(group=f"{PROBLEMS} explained problems", timer=process_time)
def test_rich_prints_the_pages(benchmark: Any, batch: Path) -> None:
    """The anchor: lines that are laid out already, page by page."""
    pages = ddcalc("solve", batch, "--steps", "full").out.split("\n\np")

    def printed() -> None:
        for page in pages:
            console = Console(file=StringIO(), width=80, highlight=False, markup=False)
            for line in page.split("\n"):
                console.print(line)

    benchmark.pedantic(printed, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize(
    "form", [("text", "full"), ("text", "brief"), ("text", "none"), ("markdown", "full"),
             ("html", "full"), ("latex", "full"), ("ndjson", "full")],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.benchmark(group=f"{PROBLEMS} explained problems", timer=process_time)
def test_pages(benchmark: Any, batch: Path, form: tuple[str, str]) -> None:
    call = ("solve", batch, "--format", form[0], "--steps", form[1])
    ran = benchmark.pedantic(ddcalc, call, rounds=3, warmup_rounds=1)
    assert ran.code == 0


@pytest.mark.benchmark(group="an exam with its key", timer=process_time)
@pytest.mark.parametrize("count", [VERSIONS // 10, VERSIONS, VERSIONS * 10])
def test_an_exam_with_its_key(benchmark: Any, tmp_path: Path, count: int) -> None:
    files = ("--output", tmp_path / "exam.tex", "--key", tmp_path / "key.md", "--force")
    call = ("variants", *MANY, "--count", str(count), "--seed", "7", *files)
    ran = benchmark.pedantic(ddcalc, call, rounds=1)
    assert ran.code == 0


def test_more_versions_take_no_more_memory(tmp_path: Path) -> None:
    few, many = (_memory(tmp_path, count) for count in (VERSIONS // 4, VERSIONS * 10 // 4))
    assert many < few * LARGER


def _memory(folder: Path, count: int) -> int:
    """What a process takes at the most for so many versions of an exam and their key."""
    files = ("--output", folder / "exam.tex", "--key", folder / "key.md", "--force")
    call = ("variants", *MANY, "--count", str(count), *files)
    child = subprocess.Popen([sys.executable, "-m", "ddcalc", *call], stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return used.ru_maxrss
