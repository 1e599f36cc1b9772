"""How long marks take, and how often chance is mistaken for a slip.

Run the speed with ``pytest tests/benchmarks/test_mark_speed.py --benchmark-only``. Marks per second
are ``MARKS`` over the time; compare figures of one run only.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from chance_hits import explained, questions, rate
from running import processor_time

from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.judge import marks
from ddcalc.ask.mark.written import Allowed, written
from ddcalc.ask.solve import Derivation, solve
from ddcalc.numbers.units import SECOND
from ddcalc.problem.catalog import problem_named

MARKS = 2000


def derivation(samples: int) -> Derivation:
    """The exam's first question with other samples."""
    return solve(
        problem_named("epoch-time"),
        {"samples": str(samples), "batch": "1536", "epochs": "10", "workers": "6",
         "download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"},
    )  # fmt: skip


def mark(question: Exercise, text: str) -> None:
    list(marks(question, {"total": (written(text, SECOND), Allowed())}))


@pytest.mark.benchmark(group="marks", timer=processor_time)
def test_a_class_with_one_question(benchmark: Any) -> None:
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


@pytest.mark.benchmark(group="marks", timer=processor_time)
def test_every_student_with_other_numbers(benchmark: Any) -> None:
    solved = [derivation(77_000 + 37 * i) for i in range(MARKS // 10)]

    def run() -> None:
        for derived in solved:
            mark(Exercise(derived), "423.17 s")

    benchmark.pedantic(run, rounds=5, warmup_rounds=1)


MOST = {3: 10.0, 4: 1.5, 5: 0.5, 6: 0.2}  # percent, by digits


@pytest.mark.parametrize("digits", MOST)
def test_chance_is_rarely_mistaken_for_a_slip(digits: int) -> None:
    """``results.md`` has the rates that ``chance_hits.py`` measures."""
    for slug, question in questions():
        explained_by_chance = rate(explained(question, digits, 500))
        assert explained_by_chance <= MOST[digits], (slug, explained_by_chance)
