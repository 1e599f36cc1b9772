"""Readings: the answers with one choice changed at a time, those that differ."""

from __future__ import annotations

import pytest
from questions import TYPES, Kind, solved_variants

from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.problem.problem import Problem

SOME = 6  # variants of each type


def _leaves_some_out(problem: Kind) -> bool:
    """Whether a type says of choices when they matter."""
    if issubclass(problem, Problem):
        return bool(problem.sheet.matters)
    return "neighbours" in vars(problem)


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_a_reading_is_the_answer_to_the_question_so_read(problem: Kind) -> None:
    every = problem.symbolic and not _leaves_some_out(problem)
    variants = solved_variants(problem)
    for _, texts, solved in variants[:: 1 + len(variants) // SOME]:
        listed = {(r.choice, r.option): r.answer.value for r in solved.readings}
        reading = dict(solved.stated.shape.reading)
        tried = {(name, option) for name, option, _ in problem.neighbours(solved.stated.shape)}
        for name, choice in problem.choices.items():
            for option in choice.options:
                try:
                    other = solve(problem, texts | {name: option}).answer.value
                except DdcalcError:
                    assert (name, option) not in listed
                    continue
                differs = (name, option) in tried and other != solved.answer.value
                assert (name, option) in tried or not every or option == reading[name]
                assert listed.get((name, option), "none") == (other if differs else "none")
        shaping = {name for name, _ in listed} | {name for name in texts if name in problem.choices}
        assumed = {each.choice for each in solved.assumptions}
        assert assumed == shaping if problem.symbolic else assumed >= shaping
        for each in solved.assumptions:
            assert each.says == problem.choices[each.choice].options[each.option]
