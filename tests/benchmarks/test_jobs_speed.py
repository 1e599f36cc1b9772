"""How much faster several processes are, beside one. Run on a machine with cores to spare.

``extra_info`` of each has the seconds of the processor of all its processes together: on two cores
without other work two jobs take half of that. ``DDCALC_PROBLEMS`` says how many problems (100 000).
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROBLEMS = int(os.environ.get("DDCALC_PROBLEMS", "100000"))
GIVEN = "samples: %d, batch: %d, epochs: 3, workers: 6, download: 1.5 s, compute: 4 s, upload: 1 s"
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code)
"""


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of many problems."""
    chance = random.Random(7)
    file = tmp_path_factory.mktemp("jobs") / "sheet.yaml"
    with file.open("w") as stream:
        stream.write("problems:\n")
        for i in range(PROBLEMS):
            given = GIVEN % (chance.randint(10_000, 99_999), chance.randint(16, 2048))
            stream.write(f"  - id: p{i}\n    type: epoch-time\n")
            stream.write(f"    given: {{{given}, aggregate: 1 s}}\n")
    return file


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.benchmark(group="a batch by jobs")
def test_jobs(benchmark: Any, sheet: Path, jobs: str) -> None:
    call = [sys.executable, "-m", "ddcalc", "solve", sheet, "--jobs", jobs, "--format", "ndjson"]
    measured = []

    def run() -> None:
        ran = subprocess.run(
            [sys.executable, "-c", MEASURE, *call], check=True, capture_output=True, text=True
        )
        measured.append(tuple(map(float, ran.stdout.split())))

    benchmark.pedantic(run, rounds=3)
    seconds, megabytes = min(measured)
    benchmark.extra_info.update(processor_seconds=seconds, megabytes=megabytes)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.benchmark(group="the first result of a batch by jobs")
def test_first_result(benchmark: Any, sheet: Path, jobs: str) -> None:
    call = [sys.executable, "-m", "ddcalc", "solve", sheet, "--format", "ndjson", "--jobs", jobs]

    def run() -> None:
        process = subprocess.Popen(call, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline()
        process.kill()
        process.wait()
        process.stdout.close()

    benchmark.pedantic(run, rounds=5)
