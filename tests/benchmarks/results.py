"""Run the benchmarks and write what they measured to ``results.md`` beside this file.

``python3 tests/benchmarks/results.py`` takes some minutes; compare the ratios
within a group, which are of one run, rather than milliseconds.
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

FOLDER = Path(__file__).parent
COMMAND = ("-m", "pytest", str(FOLDER), "--benchmark-only")
UNITS = ((1, "s"), (1e-3, "ms"), (1e-6, "µs"))
CHANCE = (str(FOLDER / "chance_hits.py"),)


def main() -> None:
    """Measure, and write the file."""
    with TemporaryDirectory() as folder:
        measured = Path(folder) / "measured.json"
        _run(*COMMAND, f"--benchmark-json={measured}")
        benchmarks = json.loads(measured.read_text(encoding="utf-8"))["benchmarks"]
    page = "\n".join(lines(benchmarks, _run(*CHANCE)))
    (FOLDER / "results.md").write_text(page, encoding="utf-8")


def lines(benchmarks: Sequence[Mapping[str, Any]], chance: str) -> Iterator[str]:
    """The page of the measured *benchmarks* and of the table of *chance* hits."""
    yield "# What was measured\n"
    yield "Written by `python3 tests/benchmarks/results.py`: `python3 -m pytest tests/benchmarks"
    yield f"--benchmark-only` on Python {platform.python_version()}. A ratio is a median over that"
    yield "of the first line of its group, in the same run; times are of the processor, except"
    yield "those of jobs and of an experiment.\n"
    groups = defaultdict(list)
    for benchmark in benchmarks:
        groups[benchmark["group"] or "by themselves"].append(benchmark)
    for group, members in groups.items():
        anchor = members[0]["stats"]["median"] if members[0]["group"] else None
        yield f"## {group[0].upper()}{group[1:]}\n"
        yield "| what | median | ratio |\n| --- | --- | --- |"
        for member in members:
            median = member["stats"]["median"]
            name = member["name"].removeprefix("test_").replace("_", " ")
            yield f"| {name} | {_time(median)} | {f'{median / anchor:.2f}' if anchor else ''} |"
        yield ""
    yield "## Wrong numbers that a slip explains by chance\n"
    yield "`python3 tests/benchmarks/chance_hits.py`: numbers between half and twice the answer,"
    yield "one slip, and behind the plus two.\n"
    yield chance


def _time(seconds: float) -> str:
    """*seconds* with three significant digits in a unit that fits."""
    worth, unit = next(((w, u) for w, u in UNITS if seconds >= w), UNITS[-1])
    return f"{seconds / worth:.3g} {unit}"


def _run(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
