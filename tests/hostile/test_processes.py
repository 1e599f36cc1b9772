"""Real processes under a bound of time and memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from harness import BEFORE, HEAD

MEGABYTES = 350
REPOSITORY = Path(__file__).parent.parent.parent


def bounded() -> None:
    """Limit the address space of what is run next, to more than may be used."""
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))


# a small process between the tests and what is measured: the memory of the process that forks would
# count as its child's
MEASURE = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
child = resource.getrusage(resource.RUSAGE_CHILDREN)
with open("used", "w") as file:
    print(code, child.ru_utime + child.ru_stime, child.ru_maxrss / 1024, file=file)
"""


def timed(*arguments: str | Path, folder: Path) -> tuple[int, str, str, float, float]:
    """The code, output, errors, seconds and megabytes of a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, sys.executable, "-m", "ddcalc", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        preexec_fn=bounded,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    code, seconds, used = (folder / "used").read_text().split()
    return int(code), ran.stdout, ran.stderr, float(seconds), float(used)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Wrong and right problems by turns: what is printed is not kept."""
    peaks = []
    for count in (1_000, 6_000):
        with (tmp_path / "x.yaml").open("w") as file:
            file.write(HEAD)
            for i in range(count):
                text = BEFORE.replace("before", f"p{i}")
                file.write(text if i % 2 else text.replace("1 s]", "yes]").replace("2 s]", "yes]"))
        code, out, _, _, used = timed("solve", "x.yaml", "--format", "ndjson", folder=tmp_path)
        assert code == 2
        assert len(out.splitlines()) == count
        assert json.loads(out.splitlines()[-1])["id"] == f"p{count - 1}"
        peaks.append(used)
    assert peaks[1] < peaks[0] + 15
