"""Thirty variants of every question of the exam sheet, with options, and their key. Run with
``pytest tests/benchmarks/test_variants_speed.py --benchmark-only``.
"""

from pathlib import Path
from typing import Any

from running import ddcalc

EXAM = Path(__file__).parents[2] / "problems" / "exam.yaml"


def test_an_exam_of_thirty_versions(benchmark: Any) -> None:
    ran = benchmark(ddcalc, "variants", EXAM, "--count", "30", "--seed", "7", "--choices", "4")
    assert ran.code == 0
    assert ran.out.count("  - id: ") == 180
    assert benchmark.stats is None or benchmark.stats.stats.min < 10


def test_its_key(benchmark: Any) -> None:
    ran = benchmark(ddcalc, "variants", EXAM, "--count", "30", "--seed", "7", "--format", "key")
    assert ran.code == 0
    assert ran.out.count("\nAnswer: ") == 180
