"""Comparisons: what differs is what was stated otherwise, and differences are those of answers."""

from __future__ import annotations

import pytest
from questions import TYPES, Kind, solved_variants

from ddcalc.ask.compare import Comparison, report
from ddcalc.ask.solve import texts_of
from ddcalc.formula.expression import Number
from ddcalc.numbers.number import plain
from ddcalc.problem.stated import read

SOME = 5  # variants of each type


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_differences_are_those_of_the_answers(problem: Kind) -> None:
    """From the example to some of its variants, and from each of these to the next."""
    variants = solved_variants(problem)
    last = variants[0][2]
    for _, texts, other in variants[1 :: 1 + len(variants) // SOME]:
        assert read(problem, texts_of(other.stated)) == read(problem, texts)
        for first in (variants[0][2], last):
            if first.answer.unit.dimension != other.answer.unit.dimension:
                continue
            comparison = Comparison(first, other, ("first", "second"))
            made = report([comparison])
            assert made.answer
            differs = any("differently" in step.title for step in made.steps)
            assert differs == bool(comparison.changes)
            assert bool(made.remarks) == (not differs)
            for pair in (comparison.answer, *comparison.rows):
                before, after = pair.first.value, pair.second.value
                if isinstance(before, Number) and isinstance(after, Number):
                    assert pair.difference == plain(after) - plain(before)
                    assert pair.ratio is None or plain(before) * pair.ratio == pytest.approx(after)
                else:
                    assert pair.difference is None
        last = other
