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
STATED, WRONG = 42, 2  # answers that the exam states, and of them those that are wrong
MISTAKES = ("balance = 66.6", "updates = 800")
of_formats = pytest.mark.parametrize("form", MARKS)


@of_formats
def test_all_stated_answers_are_shown(form: str) -> None:
    shown = ddcalc("solve", EXAM, "--format", form, "--steps", "brief").out
    right, wrong = MARKS[form]
    lines = [line for line in shown.splitlines() if "expected " in line or "claimed " in line]
    assert len(lines) == STATED
    assert sum(right in line for line in lines) == STATED - WRONG
    assert [any(mistake in line for mistake in MISTAKES) for line in lines if wrong in line] == [
        True
    ] * WRONG
    assert "to 3 digits 66.7" in shown


@of_formats
def test_without_steps_the_wrong_ones_alone(form: str) -> None:
    shown = ddcalc("solve", EXAM, "--format", form, "--steps", "none").out
    assert shown.count("12 of 12 agree") == 1
    assert shown.count("claimed") == WRONG
    assert all(mistake in shown for mistake in MISTAKES)


@of_formats
def test_a_broken_promise(form: str, tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text(
        "type: sync-step\ngiven: {finish: [1 s], aggregate: 1 s, update: 1 s}\n"
        "expect: {total: 4 s}\n"
    )
    ran = ddcalc("solve", file, "--format", form)
    assert ran.code == 1
    assert re.search("it is (<span[^>]*>)?3 s", ran.out)
