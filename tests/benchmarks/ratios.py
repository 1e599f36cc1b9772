"""What ddcalc promises of its speed, measured: each figure is a ratio of two times of one run.

    python tests/benchmarks/ratios.py              # all, some minutes of an idle machine
    python tests/benchmarks/ratios.py page sweep   # those whose names begin so

``ratios.yaml`` says what is measured beside what. Times are of the processor; ours and theirs take
turns, and the median of each counts.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import NamedTuple

import yaml

sys.path.insert(0, str(Path(__file__).parents[1] / "schedule"))

ROUNDS = 5
DATA = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))


class Ratio(NamedTuple):
    """How *ours* compares with *theirs*, both in seconds: *goal* is the most that ours may be over
    theirs (``<=``), or the least that theirs is over ours (``>=``)."""

    what: str
    beside: str
    goal: str
    ours: Callable[[], float]
    theirs: Callable[[], float]

    def line(self) -> str:
        """A row of the table."""
        pairs = [(self.ours(), self.theirs()) for _ in range(ROUNDS)]
        ours, theirs = (median(times) for times in zip(*pairs, strict=True))
        sign, goal = self.goal.split()
        ratio = theirs / ours if sign == ">=" else ours / theirs
        held = ratio >= float(goal) if sign == ">=" else ratio <= float(goal)
        missed = "" if held else "missed"
        return f"| {self.what} | {self.beside} | {ratio:.2f} | {self.goal} | {missed} |"


def run(call: str, wall: bool = False) -> float:
    """The seconds of the processor that a call takes with its children, or those on the *wall*."""
    program, *words = shlex.split(call)
    begin = [sys.executable, *(["-m", "ddcalc"] if program == "ddcalc" else [])]
    before, begun = os.times(), perf_counter()
    subprocess.run([*begin, *words], check=True, stdout=subprocess.DEVNULL)
    after, spent = os.times(), perf_counter() - begun
    used = after.children_user + after.children_system
    return spent if wall else used - before.children_user - before.children_system


def measured(text: str, folder: Path) -> Callable[[], float]:
    """What a call in ``ratios.yaml`` takes."""
    if text == "second":
        return lambda: 1.0
    call, _, parts = text.removeprefix("wall: ").partition(" / ")
    calls = [re.sub(r"\((\d+)\|(\d+)\)", rf"\{i}", call) for i in (1, 2)]
    first, whole = (re.sub(r"\{(\w+)\}", partial(_put, folder), one) for one in calls)
    if first == whole:
        return partial(run, whole, text.startswith("wall: "))
    return lambda: (run(whole) - run(first)) / float(parts or 1)


def _put(folder: Path, name: re.Match[str]) -> str:
    """What stands for a *name* in braces: words, or a file in *folder*."""
    if name[1] in DATA:
        return str(DATA[name[1]])
    file = folder / name[1]
    if name[1] in DATA["scripts"]:
        file.write_text(DATA["scripts"][name[1]])
    elif not file.exists():
        problems(file, int(name[1]))
    return shlex.quote(str(file))


def inside(work: Callable[[], object]) -> float:
    """The seconds of the processor of *work* in this process."""
    begun = process_time()
    work()
    return process_time() - begun


def problems(path: Path, count: int) -> None:
    """A file of so many problems, always the same."""
    chance = Random(7)
    limits = {"samples": (10_000, 99_999), "batch": (16, 2048)}
    limits |= {"epochs": (1, 50), "workers": (1, 64)}
    with path.open("w", encoding="utf-8") as out:
        out.write("problems:\n")
        for i in range(count):
            given = {name: str(chance.randint(*ends)) for name, ends in limits.items()}
            for name, most in (("download", 40), ("compute", 90), ("upload", 40)):
                given[name] = f"{chance.randint(1, most) / 10} s"
            given["aggregate"] = f"{chance.randint(1, 99)} ms"
            listed = ", ".join(f"{name}: {text}" for name, text in given.items())
            out.write(f"  - id: p{i}\n    type: epoch-time\n    given: {{{listed}}}\n")


def ratios(folder: Path) -> Iterator[Ratio]:
    """All that is promised."""
    for one in DATA["ratios"]:
        sides = (measured(one[side], folder) for side in ("ours", "theirs"))
        yield Ratio(one["what"], one["beside"], one["goal"], *sides)
    from simpy_witness import CASES

    for name, case in CASES.items():
        ours, theirs = partial(inside, case.ours), partial(inside, case.theirs)
        yield Ratio(f"schedule: {name}", "SimPy", ">= 1.5", ours, theirs)


def main(names: list[str]) -> None:
    """Measure those whose *names* begin so, or all."""
    say = partial(print, file=sys.stdout, flush=True)
    say("| what | beside | ratio | goal | |\n| --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        for ratio in ratios(Path(folder)):
            if not names or ratio.what.startswith(tuple(names)):
                say(ratio.line())


if __name__ == "__main__":
    main(sys.argv[1:])
