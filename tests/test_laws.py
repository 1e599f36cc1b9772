"""What holds by physics, on random questions of every type and at their edges."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from questions import SYMBOLIC, TYPES, Kind, random_question

from ddcalc.ask.examine import CLOSE, broken_laws
from ddcalc.ask.solve import Derivation, singles, solve, texts_of
from ddcalc.errors import DdcalcError
from ddcalc.memory import remembered
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived

of_types = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
SHEETS = [problem for problem in TYPES if issubclass(problem, Problem)]
QUESTIONS = 15  # drawn for each type


@remembered
def drawn(problem: Kind) -> list[Derivation]:
    """Solved random questions, always the same ones."""
    random, solutions = Random(f"laws of {problem.slug}"), []
    for _ in range(QUESTIONS):
        try:
            solutions.append(solve(problem, random_question(problem, random)))
        except DdcalcError:
            continue
    return solutions


@of_types
def test_quantities_stay_within_their_limits(problem: Kind) -> None:
    for solution in drawn(problem):
        for name, result in solution.quantities.items():
            quantity = problem.quantities[name]
            for one in singles(result):
                if isinstance(quantity, Derived) and isinstance(one.value, int | Fraction):
                    said = f"{one.symbol} = {one.value} of {texts_of(solution.stated)}"
                    assert quantity.least is None or one.value >= quantity.least - CLOSE, said
                    assert quantity.most is None or one.value <= quantity.most + CLOSE, said


@pytest.mark.parametrize("problem", SHEETS, ids=lambda problem: problem.slug)
def test_laws_hold(problem: Kind) -> None:
    random = Random(f"ways of {problem.slug}")
    for solution in drawn(problem):
        broken = [line.text.words for line in broken_laws(solution, random)]
        assert broken == [], texts_of(solution.stated)


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
def test_all_that_is_said_has_its_numbers(problem: Kind) -> None:
    for solution in drawn(problem):
        said = solution.commentary(None)
        assert all([said.conclusion, *said.insights, *said.checks]), texts_of(solution.stated)
