"""The answers that a file states are compared in every format, as the text does it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from running import ddcalc

EXAM = Path(__file__).parents[2] / "problems" / "exam.yaml"
MARKS = {  # what stands for right and wrong in each format
    "text": ("✓", "✗"),
    "markdown": ("✓", "✗"),
    "html": ("✓", "✗"),
    "latex": (r"$\checkmark$", r"$\times$"),
}
MISTAKES = ("balance = 66.6", "updates = 800")
SHEETS = 6  # problems of the exam, each with answers of ours and of somebody else
of_formats = pytest.mark.parametrize("form", MARKS)


@of_formats
def test_stated_answers_take_one_line_a_problem(form: str) -> None:
    shown = ddcalc("solve", EXAM, "--format", form, "--steps", "full").out
    right, wrong = MARKS[form]
    lines = [line for line in shown.splitlines() if re.search(r"expected (<[^>]*>)?\d", line)]
    assert len(lines) == SHEETS
    assert sum(wrong in line for line in lines) == len(MISTAKES)
    assert all(right in line for line in lines)
    assert all(shown.count(mistake) == 1 for mistake in MISTAKES)
    assert "to 3 digits 66.7" in shown
