"""split-batch: the exam's machine and huge numbers."""

from __future__ import annotations

from fractions import Fraction

from stating import results

SLUG = "split-batch"


def test_the_exam_machine() -> None:
    answers = results(SLUG, compute="24 s", aggregate="15 ms", rest="3 s", compared=6)
    assert (answers["optimum"], answers["workers"], answers["time"]) == (40, 40, Fraction(21, 5))
    assert answers["compared_time"] == Fraction(709, 100)


def test_huge_numbers_stay_exact() -> None:
    answers = results(SLUG, compute="1e40 s", aggregate="1e-20 s")
    assert (answers["optimum"], answers["workers"]) == (10**30, 10**30)
    assert results(SLUG, compute="1e-30 s", aggregate="1 s")["workers"] == 1
