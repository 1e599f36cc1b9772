"""The closed form holds the givens only, and is worth the answer."""

from __future__ import annotations

from fractions import Fraction

import pytest
from questions import SYMBOLIC, Kind, Texts, example, solved_variants

from ddcalc.ask.solve import Derivation, solve
from ddcalc.formula import cas
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import symbols
from ddcalc.problem.catalog import problem_named

SOME = 2  # variants of each type
EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
def test_it_is_worth_the_answer(problem: Kind) -> None:
    every = [solved for _, _, solved in solved_variants(problem) if solved.working.plan]
    for solved in [solve(problem, example(problem)), *every[1 :: 1 + len(every) // SOME]]:
        _check(solved)


def _check(solved: Derivation) -> None:
    form, made, known = solved.closed_form, solved.working.plan, solved.working.letters
    if form is None or made is None:
        return
    answer = made.problem.answered
    assert form.symbol == answer.letter
    assert {*symbols(form.formula)} <= {*made.givens}
    assert dimension_of(form.formula, made.dimensions) == answer.unit.dimension
    value, wanted = Fraction(evaluate(form.formula, known)), Fraction(known[answer.letter] or 0)
    assert abs(value - wanted) <= abs(wanted) / 10**45
    assert all(evaluate(case, known) for case in form.cases)


def test_what_would_take_seconds_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("multiplied out")

    monkeypatch.setattr(cas, "grouped", begun)
    texts: Texts = {"batches": ["512", "1024", "2048", "4096"]}
    texts |= {"step_counts": ["50000", "28000", "20000", "16000"]}
    assert solve(problem_named("critical-batch"), texts).closed_form is None
