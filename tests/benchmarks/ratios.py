"""What ddcalc promises of its speed, measured: each figure is a ratio of two times of one run.

    python tests/benchmarks/ratios.py              # all, some minutes of an idle machine
    python tests/benchmarks/ratios.py page sweep   # those whose names begin so

Times are of the processor, start-up taken off where a batch is meant; ours and theirs take turns,
and the median of each counts.
"""

from __future__ import annotations

import json
import os
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

sys.path.insert(0, str(Path(__file__).parents[1] / "schedule"))

ROUNDS = 5
DDCALC = [sys.executable, "-m", "ddcalc"]
TIMES = ["--download", "1.5s", "--compute", "4s", "--upload", "1.5s", "--aggregate", "15ms"]
COUNTS = ["--samples", "76800", "--batch", "1536", "--epochs", "10", "--workers", "6"]

# What people write themselves

TYPER = """
import typer
from rich.console import Console
from rich.table import Table
app = typer.Typer(pretty_exceptions_enable=False)
def made(name):
    @app.command(name, help=f"What does {name} do, and how long does it take?")
    def command(files: list[str], steps: int = 3, output: str = "") -> None: ...
for i in range(57):
    made(f"command-{i}")
@app.command("list")
def listed() -> None:
    table = Table("type", "question")
    for i in range(45):
        table.add_row(f"type-{i}", "How long does it take, and what does it cost?")
    Console().print(table)
app()
"""
FRACTIONS = """
import json, sys, yaml
from fractions import Fraction as F
SCALE = {"s": F(1), "ms": F(1, 1000)}
def seconds(text):
    number, unit = str(text).split()
    return F(number) * SCALE[unit]
for p in yaml.load(open(sys.argv[1]), Loader=yaml.CSafeLoader)["problems"]:
    g = p["given"]
    N, B, E, m = g["samples"], g["batch"], g["epochs"], g["workers"]
    td, tc, tu, ta = map(seconds, (g["download"], g["compute"], g["upload"], g["aggregate"]))
    R, r = divmod(E * -(-N // B), m)
    total = R * (td + tc + tu + m * ta) + (td + tc + tu + r * ta if r else 0)
    print(json.dumps({"id": p["id"], "answer": str(total), "value": float(total)}))
"""
SYMPY = """
import json, sys, yaml, sympy as sp
N, B, E, m, td, tc, tu, ta = sp.symbols("N B E m td tc tu ta", positive=True)
K = E * sp.ceiling(N / B); R = sp.floor(K / m); r = K - R * m
T = R * (td + tc + tu + m * ta) + sp.Piecewise((td + tc + tu + r * ta, r > 0), (0, True))
def seconds(text):
    number, unit = str(text).split()
    return sp.Rational(number) * {"s": 1, "ms": sp.Rational(1, 1000)}[unit]
for p in yaml.load(open(sys.argv[1]), Loader=yaml.CSafeLoader)["problems"]:
    g = p["given"]
    total = T.subs({N: g["samples"], B: g["batch"], E: g["epochs"], m: g["workers"],
        td: seconds(g["download"]), tc: seconds(g["compute"]), tu: seconds(g["upload"]),
        ta: seconds(g["aggregate"])})
    print(json.dumps({"id": p["id"], "answer": str(total), "value": float(total)}))
"""
NUMPY = """
import sys, numpy as np
n = int(sys.argv[1])
workers, batch = np.arange(1, n + 1)[:, None], np.arange(1, n + 1)[None, :]
batches = -(-76800 // batch) * 10
full = batches // workers
last = batches - full * workers
print((full * (7000 + 15 * workers) + np.where(last > 0, 7000 + 15 * last, 0)).argmin())
"""


class Ratio(NamedTuple):
    """How *ours* compares with *theirs*, both in seconds: *goal* is the most that ours may be over
    theirs or, where ours is to be *faster*, the least that theirs is over ours."""

    what: str
    beside: str
    goal: float
    faster: bool
    ours: Callable[[], float]
    theirs: Callable[[], float]

    def line(self) -> str:
        """A row of the table."""
        pairs = [(self.ours(), self.theirs()) for _ in range(ROUNDS)]
        ours, theirs = (median(times) for times in zip(*pairs, strict=True))
        ratio = theirs / ours if self.faster else ours / theirs
        held = ratio >= self.goal if self.faster else ratio <= self.goal
        sign = "≥" if self.faster else "≤"
        return (
            f"| {self.what} | {self.beside} | {ratio:.2f} | {sign} {self.goal:g} |"
            f" {'' if held else 'missed'} |"
        )


def run(*call: str | Path, wall: bool = False) -> float:
    """The seconds of the processor that a call takes with its children, or those on the *wall*."""
    before, begun = os.times(), perf_counter()
    subprocess.run([*map(str, call)], check=True, stdout=subprocess.DEVNULL)
    after, spent = os.times(), perf_counter() - begun
    used = after.children_user + after.children_system
    return spent if wall else used - before.children_user - before.children_system


def beyond(start: Callable[[], float], whole: Callable[[], float], parts: float = 1) -> float:
    """What *whole* takes more than *start*, for one of so many *parts*."""
    return (whole() - start()) / parts


def inside(work: Callable[[], object]) -> float:
    """The seconds of the processor of *work* in this process."""
    begun = process_time()
    work()
    return process_time() - begun


def problems(path: Path, count: int) -> Path:
    """A file of so many problems, always the same."""
    chance = Random(7)
    limits = {
        "samples": (10_000, 99_999),
        "batch": (16, 2048),
        "epochs": (1, 50),
        "workers": (1, 64),
    }
    with path.open("w", encoding="utf-8") as out:
        out.write("problems:\n")
        for i in range(count):
            given = {name: str(chance.randint(*ends)) for name, ends in limits.items()}
            for name, most in (("download", 40), ("compute", 90), ("upload", 40)):
                given[name] = f"{chance.randint(1, most) / 10} s"
            given["aggregate"] = f"{chance.randint(1, 99)} ms"
            listed = ", ".join(f"{name}: {text}" for name, text in given.items())
            out.write(f"  - id: p{i}\n    type: epoch-time\n    given: {{{listed}}}\n")
    return path


def ratios(folder: Path) -> Iterator[Ratio]:
    """All that is promised."""
    bare = folder / "bare.py"
    bare.write_text(TYPER)
    typer = "a bare Typer program with as many commands and a Rich table"
    for name in ("--help", "list"):
        theirs = partial(run, sys.executable, bare, name)
        yield Ratio(f"page `{name}`", typer, 1.3, False, partial(run, *DDCALC, name), theirs)
    imports = partial(run, sys.executable, "-c", "import typer, rich, sympy")
    for call, goal in (["epoch-time", *COUNTS, *TIMES], 1.2), (["breakeven", *TIMES], 2):
        ours = partial(run, *DDCALC, *call)
        yield Ratio(f"page `{call[0]}`", "`import typer, rich, sympy`", goal, False, ours, imports)

    one, few, many = (problems(folder / f"{n}.yaml", n) for n in (1, 200, 10_000))
    answers = [*DDCALC, "solve", "--format", "ndjson", "--answers"]
    ours = partial(beyond, partial(run, *answers, one), partial(run, *answers, many))
    for name, script, file, part, goal in (
        ("fractions by hand", FRACTIONS, many, 1, 0.7),
        ("numbers put into SymPy formulas", SYMPY, few, few_of(many, few), 60),
    ):
        python = partial(run, sys.executable, "-c", script)
        theirs = partial(beyond, partial(python, one), partial(python, file), part)
        yield Ratio("batch of 10 000 answers", name, goal, True, ours, theirs)

    pages = [*DDCALC, "solve", "--steps", "full"]
    ours = partial(beyond, partial(run, *pages, one), partial(run, *pages, few), 200 / 40)
    yield Ratio("explained texts, 40 of them", "a second", 1, True, ours, lambda: 1.0)

    def sweep(side: int) -> float:
        axes = ["--vary", f"workers=1..{side}", "--vary", f"batch=1..{side}", "--minimize", "total"]
        given = ["--samples", "76800", "--epochs", "10", *TIMES]
        return run(*DDCALC, "sweep", "epoch-time", *given, *axes, "--steps", "none")

    by_hand = partial(run, sys.executable, "-c", NUMPY)
    yield Ratio(
        "sweep of 4 million points, the best", "NumPy by hand", 1.5, False,
        partial(beyond, partial(sweep, 10), partial(sweep, 2000)),
        partial(beyond, partial(by_hand, "10"), partial(by_hand, "2000")),
    )  # fmt: skip

    large = problems(folder / "large.yaml", 40_000)
    jobs = partial(run, *DDCALC, "solve", large, "--format", "ndjson", wall=True)
    yield Ratio(
        "jobs: two processes, on the wall", "one", 1.6, True,
        partial(jobs, "--jobs", "2"), partial(jobs, "--jobs", "1"),
    )  # fmt: skip

    from simpy_witness import CASES

    for name, case in CASES.items():
        ours, theirs = partial(inside, case.ours), partial(inside, case.theirs)
        yield Ratio(f"schedule: {name}", "SimPy", 1.5, True, ours, theirs)


def few_of(many: Path, few: Path) -> float:
    """Which part of *many* problems *few* are."""
    count = [path.read_text(encoding="utf-8").count("\n  - id") for path in (few, many)]
    return count[0] / count[1]


def memory(folder: Path) -> Iterator[str]:
    """What a run takes at the most, for ten times as many problems each."""
    for count in (10_000, 100_000):
        file, chance = folder / f"{count}.ndjson", Random(7)
        with file.open("w", encoding="utf-8") as out:
            for i in range(count):
                given = {"finish": [f"{chance.randint(1, 99)} s", "5 s"], "update": "1 s"}
                problem = {
                    "id": f"p{i}",
                    "type": "sync-step",
                    "given": {**given, "aggregate": "1 s"},
                }
                out.write(json.dumps(problem) + "\n")
        call = [*DDCALC, "solve", str(file), "--format", "ndjson"]
        child = subprocess.Popen(call, stdout=subprocess.DEVNULL)
        _, _, used = os.wait4(child.pid, 0)
        child.returncode = 0
        yield f"{count} problems: {used.ru_maxrss / 1024:.0f} MB"


def main(names: list[str]) -> None:
    """Measure those whose *names* begin so, or all."""
    say = partial(print, file=sys.stdout, flush=True)
    say("| what | beside | ratio | goal | |\n| --- | --- | --- | --- | --- |")
    with TemporaryDirectory() as folder:
        for ratio in ratios(Path(folder)):
            if not names or ratio.what.startswith(tuple(names)):
                say(ratio.line())
        if not names or "memory" in names:
            say("", *memory(Path(folder)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
