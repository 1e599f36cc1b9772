"""split-batch: huge numbers."""

from __future__ import annotations

from stating import results

SLUG = "split-batch"


def test_huge_numbers_stay_exact() -> None:
    answers = results(SLUG, compute="1e40 s", aggregate="1e-20 s")
    assert (answers["optimum"], answers["workers"]) == (10**30, 10**30)
    assert results(SLUG, compute="1e-30 s", aggregate="1 s")["workers"] == 1
