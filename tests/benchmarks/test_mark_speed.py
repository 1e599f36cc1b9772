"""How long marks take, and how often chance is mistaken for a slip.

Run the speed with ``pytest tests/benchmarks/test_mark_speed.py --benchmark-only``. Marks a second
are ``MARKS`` over the time; compare figures of one run only.
"""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from chance_hits import explained, questions, rate

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import written
from ddcalc.ask.solve import Derivation, solve
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named

MARKS = 2000
STUDENTS = 5000
SHEET = Path(__file__).parents[2] / "problems" / "exam.yaml"


def derivation(samples: int) -> Derivation:
    """The exam's first question with other samples."""
    return solve(
        problem_named("epoch-time"),
        {"samples": str(samples), "batch": "1536", "epochs": "10", "workers": "6",
         "download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"},
    )  # fmt: skip


def mark(question: Exercise, text: str) -> None:
    list(marks(question, {"total": written(text, SECOND)}, {}))


@pytest.mark.benchmark(group="marks")
def test_a_class_with_one_question(benchmark):
    """Slips, and numbers by chance, of which only the first is searched for pairs."""
    chance = random.Random(7)
    slips = ["588.47 s", "595.5 s", "596 s", "637.5 s", "588.03 s", "559.5 s", "9.925 min"]
    texts = [
        chance.choice([*slips, f"{chance.randrange(30000, 90000) / 100} s"]) for _ in range(MARKS)
    ]

    def run() -> None:
        question = Exercise(derivation(76800))
        for text in texts:
            mark(question, text)

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="marks")
def test_every_student_with_numbers_of_their_own(benchmark):
    solved = [derivation(77_000 + 37 * i) for i in range(MARKS // 10)]

    def run() -> None:
        for one in solved:
            mark(Exercise(one), "423.17 s")

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)


@pytest.mark.benchmark(group="class")
def test_a_file_of_a_class(benchmark, tmp_path):
    """Four answers of each of ``STUDENTS``, CSV in, ndjson out, start-up included."""
    chance = random.Random(7)
    totals = ["588.47 s", "595.5 s", "596 s", "637.5 s", "588.03 s", "559.5 s", "9.925 min"]
    lines = ["student,ps-epochs.full_rounds,ps-epochs,fl-local-epochs,sync-step\n"]
    for i in range(STUDENTS):
        rounds, total = chance.choice([83, 83, 84]), chance.choice(totals)
        federated = chance.choice(["32014", "3214 s", f"{chance.randrange(10**4, 10**5)} s"])
        lines.append(f"s{i},{rounds},{total},{federated},{chance.choice(['1.05 s', '1.5 s'])}\n")
    file = tmp_path / "class.csv"
    file.write_text("".join(lines), encoding="utf-8")
    call = [sys.executable, "-m", "ddcalc", "check", SHEET, file, "--format", "ndjson"]
    benchmark.pedantic(
        subprocess.run, (call,), {"check": True, "capture_output": True}, rounds=3, warmup_rounds=1
    )


MOST = {3: 9.0, 4: 1.5, 5: 0.5, 6: 0.2}  # percent, by digits


@pytest.mark.parametrize("digits", MOST)
def test_chance_is_rarely_mistaken_for_a_slip(digits: int) -> None:
    """The README prints the rates that ``chance_hits.py`` measures; no type has more than these."""
    for slug, question in questions():
        explained_by_chance = rate(explained(question, digits, 1000))
        assert explained_by_chance <= MOST[digits], (slug, explained_by_chance)
