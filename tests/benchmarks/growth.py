"""How a batch grows: problems a second, and memory at the most, from ten thousand problems to ten
million, as one run over several files.

    python tests/benchmarks/growth.py --counts 1e4,1e5,1e6 --files 4 --form yaml -- --answers

What stands behind ``--`` are options of ``ddcalc solve``. Seconds are those of the processor, so
that other work on the machine changes little; the ratio is to the first count, start-up taken off.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

LIMITS = {
    "samples": (10_000, 99_999),
    "batch": (16, 2048),
    "epochs": (1, 50),
    "workers": (1, 64),
    "download": (1, 40),
    "compute": (1, 90),
    "upload": (1, 40),
    "aggregate": (1, 99),
}


class Measured(NamedTuple):
    """What a run took."""

    seconds: float  # of the processor
    memory: float  # MB at the most
    written: float  # MB


def problems(first: int, count: int) -> Iterator[tuple[str, dict[str, int]]]:
    """Names and givens of so many problems."""
    chance = random.Random(first)
    for i in range(first, first + count):
        yield f"p{i}", {name: chance.randint(*least) for name, least in LIMITS.items()}


def write(path: Path, form: str, first: int, count: int) -> None:
    """A file of *count* problems."""
    with path.open("w") as file:
        file.write("problems:\n" if form == "yaml" else "")
        for name, given in problems(first, count):
            if form == "yaml":
                stated = ", ".join(f"{key}: {value}" for key, value in given.items())
                line = f"  - {{id: {name}, type: epoch-time, given: {{{stated}}}}}"
            else:
                line = json.dumps({"id": name, "type": "epoch-time", "given": given})
            file.write(f"{line}\n")


def measured(files: list[Path], options: list[str]) -> Measured:
    """One run over all *files*."""
    call = [sys.executable, "-m", "ddcalc", "solve", *map(str, files), "--format", "ndjson"]
    child = subprocess.Popen([*call, *options], stdout=subprocess.PIPE)
    assert child.stdout is not None
    written = 0
    while chunk := child.stdout.read(1 << 20):
        written += len(chunk)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return Measured(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, written / 1e6)


def main() -> None:
    """Measure what the arguments say."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--counts", default="1e4,1e5")
    parser.add_argument("--files", type=int, default=4)
    parser.add_argument("--form", choices=["yaml", "ndjson"], default="yaml")
    parser.add_argument("options", nargs="*", help="options of ddcalc solve, behind --")
    asked = parser.parse_args()
    pace = 0.0
    with TemporaryDirectory() as folder:
        files = [Path(folder) / f"{i}.{asked.form}" for i in range(asked.files)]
        write(files[0], asked.form, 0, 2)
        start = measured(files[:1], asked.options).seconds
        for text in asked.counts.split(","):
            each = int(float(text)) // asked.files
            for i, path in enumerate(files):
                write(path, asked.form, i * each, each)
            run = measured(files, asked.options)
            rate = each * asked.files / (run.seconds - start)
            pace = pace or rate
            sys.stdout.write(
                f"{each * asked.files:>10} problems: {rate:8.0f} per second of the processor"
                f" ({rate / pace:.2f}), {run.memory:4.0f} MB, {run.written:8.1f} MB written\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main()
