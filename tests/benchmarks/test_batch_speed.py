"""Batches on one core, beside what people write themselves. Run with ``pytest tests/benchmarks
--benchmark-only``; compare figures of one run only, start-up taken off.

The same problems are worked out by a careful script (PyYAML's C loader and fractions, answers
only), and by one that puts the numbers into a SymPy formula.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from running import processor_time

PROBLEMS, FEW = 10_000, 200

BY_HAND = """
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
NAIVE = """
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
ANSWERS = ("--format", "ndjson", "--answers")
WAYS = {
    "by hand": (BY_HAND, "yaml", PROBLEMS, ()),
    "naive": (NAIVE, "yaml", FEW, ()),
    "answers, YAML": ("", "yaml", PROBLEMS, ANSWERS),
    "answers, ndjson": ("", "ndjson", PROBLEMS, ANSWERS),
    "objects, YAML": ("", "yaml", PROBLEMS, ANSWERS[:2]),
    "objects, ndjson": ("", "ndjson", PROBLEMS, ANSWERS[:2]),
}


def file(folder: Path, form: str, count: int) -> Path:
    """So many problems, always the same."""
    chance, path = Random(7), folder / f"{count}.{form}"
    with path.open("w", encoding="utf-8") as out:
        out.write("problems:\n" if form == "yaml" else "")
        for i in range(count):
            counts = {"samples": (10_000, 99_999), "batch": (16, 2048)}
            counts |= {"epochs": (1, 50), "workers": (1, 64)}
            given = {name: str(chance.randint(*limits)) for name, limits in counts.items()}
            for name, most in (("download", 40), ("compute", 90), ("upload", 40)):
                given[name] = f"{chance.randint(1, most) / 10} s"
            given["aggregate"] = f"{chance.randint(1, 99)} ms"
            if form == "ndjson":
                problem = {"id": f"p{i}", "type": "epoch-time", "given": given}
                out.write(json.dumps(problem) + "\n")
            else:
                listed = ", ".join(f"{name}: {text}" for name, text in given.items())
                out.write(f"  - id: p{i}\n    type: epoch-time\n    given: {{{listed}}}\n")
    return path


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("part", ["start", "all"])
@pytest.mark.benchmark(group="a batch, one core", timer=processor_time)
def test_a_batch(benchmark: Any, way: str, part: str, tmp_path: Path) -> None:
    """Seconds of ``PROBLEMS`` (naive: ``FEW``); take those of one, the start, from them."""
    script, form, count, options = WAYS[way]
    path = str(file(tmp_path, form, count if part == "all" else 1))
    program = ["-c", script, path] if script else ["-m", "ddcalc", "solve", path, *options]
    call = [sys.executable, *program]

    def run() -> None:
        subprocess.run(call, check=True, capture_output=True)

    benchmark.extra_info["problems"] = count
    benchmark.pedantic(run, rounds=5, warmup_rounds=1)
