"""The closed form holds the givens only, and is worth the answer."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest
from questions import SYMBOLIC, Kind, numbers, shapes

from ddcalc.ask.closed import MOST, closed_form
from ddcalc.ask.solve import solve
from ddcalc.errors import BadEquation
from ddcalc.formula import cas
from ddcalc.formula.algebra import has_form
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Number, symbols
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.plan import EquationPlan, plan

of_equations = pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
DRAWS = 20  # of numbers for a shape, until one of them has a closed form
EXAM = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}


def _check(made: EquationPlan, random: Random) -> bool:
    """Whether there was a closed form, which is then right."""
    given = numbers(made, random)
    known: dict[str, Number | None] = dict(zip(made.givens, given, strict=True))
    try:
        for line in made.lines:
            known[line.symbol] = evaluate(line.formula, known)
    except ArithmeticError:
        return False
    form = closed_form(made, known)
    if form is None:
        return False
    answer = made.problem.answered
    assert form.symbol == answer.letter
    assert set(symbols(form.formula)) <= set(made.givens)
    assert dimension_of(form.formula, made.dimensions) == answer.unit.dimension
    value, wanted = evaluate(form.formula, known), known[answer.letter]
    assert isinstance(wanted, Approximate) or value == wanted
    assert wanted is not None
    assert abs(Fraction(value) - Fraction(wanted)) <= abs(Fraction(wanted)) / 10**45
    assert all(evaluate(case, known) for case in form.cases)
    return True


@of_equations
def test_in_every_shape(problem: Kind) -> None:
    random = Random(problem.slug)
    plans = [plan(problem, shape) for shape in shapes(problem)]
    chosen = random.sample(plans, min(len(plans), 25))
    result = [any(_check(made, random) for _ in range(DRAWS)) for made in chosen]
    needed = [made.needed(made.problem.answered.letter) for made in chosen]
    formal = [bool(lines) and all(has_form(line.formula) for line in lines) for lines in needed]
    assert 3 * sum(result) >= sum(formal)  # formulas over five measurements are too long to tell


def test_what_would_take_seconds_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def begun(*_: object) -> None:
        raise AssertionError("multiplied out")

    monkeypatch.setattr(cas, "grouped", begun)
    texts: dict[str, str | list[str]] = {"batches": ["512", "1024", "2048", "4096"]}
    texts |= {"step_counts": ["50000", "28000", "20000", "15000"]}
    assert solve(problem_named("critical-batch"), texts).closed_form is None


def test_none_where_there_is_no_value_or_too_many_givens() -> None:
    flat = {"download": "1 s", "compute": "4 s", "upload": "1 s", "aggregate": "0 s"}
    assert solve(problem_named("breakeven"), flat).closed_form is None
    many = {"finish": [f"{i} s" for i in range(MOST)], "aggregate": "1 s", "update": "1 s"}
    assert solve(problem_named("sync-step"), many).closed_form is None


def test_a_value_that_sympy_does_not_find_is_a_bug() -> None:
    solved = solve(problem_named("epoch-time"), EXAM)
    made = plan(solved.problem, solved.stated.shape)
    known = made.letters(solved.stated, solved.values) | {"T": 596}
    with pytest.raises(BadEquation, match="algebra finds"):
        closed_form(made, known)
