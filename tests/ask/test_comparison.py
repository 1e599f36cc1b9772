"""Comparisons: parts sum to the whole difference exactly, and are those of every order."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import SYMBOLIC, TYPES, Kind, Texts, example, solved_variants, specimen

from ddcalc.ask.compare import Comparison, against
from ddcalc.ask.compare.side_by_side import report
from ddcalc.ask.solve import Derivation, solve, texts_of
from ddcalc.errors import DdcalcError
from ddcalc.formula.expression import Number
from ddcalc.numbers.irrational import Approximate
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import read

EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}

of_every_type = pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)


def _exam(**changed: str) -> Derivation:
    return solve(problem_named("epoch-time"), {**EXAM, **changed})


def _compared(first: Derivation, second: Derivation) -> Comparison:
    return Comparison(first, second, ("first", "second"))


def _parts(comparison: Comparison) -> dict[str, Number]:
    assert comparison.attribution is not None
    return {part.changes[0].label: part.effect for part in comparison.attribution.parts}


def _by_hand(changed: dict[str, str]) -> dict[str, Number]:
    """Shapley's values as they are defined: every order played through, and the mean taken."""
    orders = list(permutations(changed))
    total: dict[str, Number] = dict.fromkeys(changed, 0)
    for order in orders:
        made: dict[str, str] = {}
        for name in order:
            before = _exam(**made).answer.value
            made[name] = changed[name]
            after = _exam(**made).answer.value
            total[name] += Fraction(after - before) / len(orders)  # type: ignore[operator,arg-type]
    return total


@pytest.mark.parametrize(
    "changed",
    [
        {"workers": "12", "batch": "768", "compute": "2.1 s"},
        {"queue": "per_epoch", "workers": "7", "last_round": "pad"},
    ],
)
def test_parts_are_the_mean_over_every_order(changed: dict[str, str]) -> None:
    comparison = _compared(_exam(), _exam(**changed))
    assert _parts(comparison) == _by_hand(changed)
    assert sum(_parts(comparison).values()) == comparison.answer.difference


@pytest.mark.parametrize("problem", SYMBOLIC, ids=lambda problem: problem.slug)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_parts_sum_to_the_difference(problem: Kind, data: st.DataObject) -> None:
    base = example(problem)
    single = [n for n, text in base.items() if isinstance(text, str)]
    names = data.draw(st.sets(st.sampled_from(single), min_size=1)) if single else set()
    changed = {n: specimen(problem.givens[n], data.draw(st.integers(0, 9))) for n in names}
    for name, choice in problem.choices.items():
        if data.draw(st.booleans()):
            changed[name] = data.draw(st.sampled_from(list(choice.options)))
    try:
        comparison = _compared(solve(problem, base), solve(problem, {**base, **changed}))
    except DdcalcError:
        return
    _check_sum(comparison)


@of_every_type
def test_every_variant_compares_with_the_example(problem: Kind) -> None:
    first = solve(problem, example(problem))
    for label, _, other in solved_variants(problem):
        if other.answer.unit.dimension != first.answer.unit.dimension:
            continue
        comparison = _compared(first, other)
        _check_sum(comparison)
        made = report([comparison])
        assert made.answer, label
        assert bool(comparison.changes) == any("differently" in step.title for step in made.steps)


def _check_sum(comparison: Comparison) -> None:
    attribution = comparison.attribution
    first, second = (side.answer.value for side in (comparison.first, comparison.second))
    if attribution is None:
        whole = isinstance(first, int | Fraction) and isinstance(second, int | Fraction)
        assert not comparison.changes or not comparison.alike or not whole
        return
    assert isinstance(first, int | Fraction)
    assert isinstance(second, int | Fraction)
    total = sum(Fraction(part.effect) for part in attribution.parts)
    assert total == Fraction(second) - Fraction(first)
    if comparison.by_step is not None and not isinstance(first, Approximate):
        assert sum(part.effect for part in comparison.by_step.parts) == total
    named = [change for part in attribution.parts for change in part.changes]
    assert sorted(change.label for change in named) == sorted(c.label for c in comparison.changes)


def test_a_list_of_another_length_is_one_change() -> None:
    kind = problem_named("sync-step")
    first = solve(kind, {"finish": ["0.15 s", "0.5 s"], "aggregate": "0.3 s", "update": "0.25 s"})
    comparison = _compared(first, against(first, {"finish": ["0.1 s"] * 3, "update": "0.2 s"}))
    assert _parts(comparison) == {"finish": Fraction(-2, 5), "update": Fraction(-1, 20)}


@of_every_type
def test_texts_state_the_same_question(problem: Kind) -> None:
    for _, texts, solved in solved_variants(problem):
        again = read(problem, texts_of(solved.stated))
        assert again == read(problem, texts)
