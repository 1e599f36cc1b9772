"""Variants differ from their base in numbers alone: same steps, same cases, as clean."""

from __future__ import annotations

import pytest
from exam import EXAM
from questions import TYPES, Kind, example

from ddcalc.ask.solve import Derivation, texts_of
from ddcalc.ask.variants import search
from ddcalc.ask.variants.distractors import options
from ddcalc.ask.variants.search import VariantsWanted, places, variants
from ddcalc.ask.working import working
from ddcalc.formula.expression import Expr
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Stated, read
from ddcalc.render.story import value_text


def stated(slug: str, **texts: str | list[str]) -> Stated:
    return read(_type(slug), texts)


def _type(slug: str) -> type[Problem]:
    return next(problem for problem in TYPES if problem.slug == slug)


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_variants_of_every_type(problem: Kind) -> None:
    """They differ, are what their texts state, solve by the same steps, keep unit and size, and
    have options to tick."""
    first = read(problem, example(problem))
    done = variants(first, VariantsWanted(count := 1, 7))
    numbers = {tuple(question.numbers()) for question in (first, *done.questions)}
    assert len(numbers) == 1 + len(done.questions) == 1 + count
    right, changed = working(first), []
    for i, variant in enumerate(done.questions):
        assert variant == read(problem, texts_of(variant))
        solved = Derivation(variant)
        changed.append(str(solved.values[right.answer]) != str(right.values[right.answer]))
        if problem.symbolic:
            titles = [[type(step) for step in side.steps] for side in (solved, Derivation(first))]
            assert titles[0] == titles[1]
        for name, before in first.measured.items():
            after = variant.measured[name]
            if isinstance(before, Measured):
                assert isinstance(after, Measured)
                assert (after.unit, after.bare) == (before.unit, before.bare)
                assert before.value <= 4 * after.value <= 16 * before.value
        _check_options(solved, f"11 {i}")
    assert any(changed) != done.why.startswith("none of the numbers tried")


def _check_options(solved: Derivation, seed: str) -> None:
    """They differ as they are shown, one of them is right, and they are drawn by the seed."""
    offered = options(solved, 4, seed)
    assert offered == options(solved, 4, seed)
    shown = [value_text(option.value, option.unit) for option in offered]
    assert len(set(shown)) == len(shown)
    [right] = [option for option in offered if option.right]
    answer = solved.answer.value
    if answer is not None and not isinstance(answer, Expr | Approximate):
        assert len(offered) > 1
        if places(answer, solved.answer.unit) is not None:
            assert right.value == answer


@pytest.mark.parametrize("digits", [None, 0, 2])
def test_answers_are_as_clean_as_wanted_and_cases_come_up_again(digits: int | None) -> None:
    """By arithmetic of its own: whole batches, and a last round that is not full."""
    made = variants(stated("epoch-time", **EXAM), VariantsWanted(8, 7, digits)).questions
    assert len(made) == 8
    for variant in made:
        samples, batch, epochs, workers, down, compute, up, aggregate = variant.numbers()
        assert samples % batch == 0
        rounds, last = divmod(epochs * samples // batch, workers)
        assert last
        trip = down + compute + up
        total = (rounds + 1) * trip + (rounds * workers + last) * aggregate
        assert total == working(variant).values["total"]
        assert (total * 10 ** (1 if digits is None else digits)).denominator == 1
        for one in (trip + workers * aggregate, trip + last * aggregate):
            assert (one * 10 ** max(2, digits or 0)).denominator == 1


def test_the_numbers_of_a_seed_stay_and_fewer_than_wanted_are_said() -> None:
    exam = stated("epoch-time", **EXAM)
    four, two = (variants(exam, VariantsWanted(count, 3)) for count in (4, 2))
    assert four.questions[:2] == two.questions
    assert [str(number) for number in four.questions[0].numbers()][:4] == SEED_3
    done = variants(exam, VariantsWanted(1000, vary=("batch",)))
    assert 0 < len(done.questions) < 1000
    assert done.why == search.EXHAUSTED


SEED_3 = ["38400", "1536", "10", "9"]
