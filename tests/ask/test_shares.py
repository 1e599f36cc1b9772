"""Shares of a time: by hand, and what scaling a group's givens does to the answer."""

from __future__ import annotations

from fractions import Fraction

import pytest
from questions import SYMBOLIC, Kind, example, solved_variants

from ddcalc.ask.sensitivity import sensitivity
from ddcalc.ask.solve import solve
from ddcalc.numbers.units import TIME

WITHOUT_PARTS = {"checkpoint-interval", "training-time"}  # answers that are no sum of times
TIMED = [p for p in SYMBOLIC if p.quantities[p.answer].unit.dimension == TIME and p.sequential]
TIMED = [p for p in TIMED if p.slug not in WITHOUT_PARTS]


@pytest.mark.parametrize("problem", TIMED, ids=lambda problem: problem.slug)
def test_a_share_is_the_elasticities_of_its_group(problem: Kind) -> None:
    """Where derivatives are alike on both sides; and shares of all variants sum to one."""
    for quantity in problem.givens.values():
        if quantity.unit.dimension == TIME:
            assert quantity.group, quantity.name
    for _, _, solved in solved_variants(problem):
        assert not solved.shares or sum(share.part for share in solved.shares) == 1
    moves = sensitivity(problem, example(problem))
    sums: dict[str, Fraction] = {}
    for effect in moves.effects:
        given = effect.lever.given
        if given.unit.dimension.time:
            elasticity = effect.elasticity(moves.value)
            assert elasticity is not None
            power = int(given.unit.dimension.time)
            sums[given.group] = sums.get(given.group, Fraction(0)) + power * Fraction(elasticity)
    for share in solve(problem, example(problem)).shares:
        assert share.part == pytest.approx(sums[share.group], abs=1e-9)
