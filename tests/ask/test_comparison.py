"""Comparisons: parts sum to the whole difference exactly, and are those of every order."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from questions import TYPES, Kind, Texts, solved_variants

from ddcalc.ask.compare import Comparison, against
from ddcalc.ask.compare.side_by_side import report
from ddcalc.ask.solve import Derivation, solve, texts_of
from ddcalc.formula.expression import Number
from ddcalc.problem.catalog import problem_named
from ddcalc.problem.stated import read

SOME = 5  # variants of each type
EXAM: Texts = {"samples": "76800", "batch": "1536", "epochs": "10", "workers": "6"}
EXAM |= {"download": "1.5 s", "compute": "4 s", "upload": "1.5 s", "aggregate": "15 ms"}


def _exam(**changed: str) -> Derivation:
    return solve(problem_named("epoch-time"), {**EXAM, **changed})


def _compared(first: Derivation, second: Derivation) -> Comparison:
    return Comparison(first, second, ("first", "second"))


def _parts(comparison: Comparison) -> dict[str, Number]:
    assert comparison.attribution is not None
    return {part.changes[0].label: part.effect for part in comparison.attribution.parts}


@pytest.mark.parametrize(
    "changed",
    [
        {"workers": "12", "batch": "768", "compute": "2.1 s"},
        {"queue": "per_epoch", "workers": "7", "last_round": "pad"},
    ],
)
def test_parts_are_the_mean_over_every_order(changed: dict[str, str]) -> None:
    """Shapley's values as they are defined: every order played through, and the mean taken."""
    orders = list(permutations(changed))
    by_hand: dict[str, Number] = dict.fromkeys(changed, 0)
    for order in orders:
        made: dict[str, str] = {}
        for name in order:
            before = _exam(**made).answer.value
            made[name] = changed[name]
            after = _exam(**made).answer.value
            by_hand[name] += Fraction(after - before) / len(orders)  # type: ignore[operator,arg-type]
    assert _parts(_compared(_exam(), _exam(**changed))) == by_hand


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_parts_sum_to_the_difference(problem: Kind) -> None:
    """From the example to some of its variants, and from each of these to the next."""
    variants = solved_variants(problem)
    last = variants[0][2]
    for _, texts, other in variants[1 :: 1 + len(variants) // SOME]:
        assert read(problem, texts_of(other.stated)) == read(problem, texts)
        for first in (variants[0][2], last):
            if first.answer.unit.dimension != other.answer.unit.dimension:
                continue
            comparison = _compared(first, other)
            made = report([comparison])
            assert made.answer
            differs = any("differently" in step.title for step in made.steps)
            assert differs == bool(comparison.changes)
            _check_sum(comparison)
        last = other


def _check_sum(comparison: Comparison) -> None:
    attribution, whole = comparison.attribution, comparison.answer.difference
    if attribution is None:
        assert not comparison.changes or not comparison.alike or whole is None
        return
    assert sum(Fraction(part.effect) for part in attribution.parts) == whole
    named = [change.label for part in attribution.parts for change in part.changes]
    assert sorted(named) == sorted(change.label for change in comparison.changes)


def test_a_change_that_needs_another_one_counts_with_it() -> None:
    """Pareto's tail means nothing to other distributions, which Pareto's cannot do without."""
    texts: Texts = {"means": "1 s", "workers": "4", "wait_for": "3"}
    first = solve(problem_named("backup-workers"), texts)
    comparison = _compared(first, against(first, {"tail": "2", "distribution": "pareto"}))
    _check_sum(comparison)
