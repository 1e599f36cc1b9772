"""Searches that are solved line by line: every line holds where the first one does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest
from questions import TYPES, example

from ddcalc.ask.find import Inversion, find
from ddcalc.ask.solve import solve
from ddcalc.errors import DdcalcError
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import symbols
from ddcalc.numbers.amounts import Amount
from ddcalc.problem.steps import Solve
from ddcalc.render.sides import ShownFormula, solution


def _lines(solved: Inversion) -> list[str]:
    [step] = [step for step in solved.steps if isinstance(step, Solve)]
    lines = [str(ShownFormula(line.formula, line.numbers)) for line in step.argument]
    return [*lines, " ".join(f"{side.sign} {side.what}" for side in solution(step)).strip()]


@pytest.mark.parametrize("seed", range(8))
def test_every_line_says_the_same(seed: int) -> None:
    """Each line is true of the unknown where the first one is, whatever the numbers are."""
    chance = random.Random(seed)
    problem = chance.choice(TYPES)
    texts = dict(example(problem))
    givens = [name for name in texts if name in problem.givens and isinstance(texts[name], str)]
    if not givens:
        return
    single = [name for name in givens if problem.givens[name].many != "list"]
    unknown = chance.choice(single or givens)
    known = solve(problem, texts).quantities
    results = [one for one in known.values() if not isinstance(one, tuple)]
    wanted = chance.choice([one for one in results if one.name not in problem.givens])
    if not isinstance(wanted.value, int | Fraction):
        return
    bound = Fraction(wanted.value) * chance.choice([1, Fraction(1, 2), 2]) / wanted.unit.worth
    where = f"{wanted.name} {chance.choice(['<=', '<', '>=', '>'])} {bound} {wanted.unit.name}"
    del texts[unknown]
    try:
        solved = find(problem, unknown, [where], texts)
    except DdcalcError:
        return
    letter = problem.quantities[unknown].letter
    for step in solved.steps:
        if isinstance(step, Solve) and step.argument and step.value is not None and step.value > 0:
            for tenths in (5, 9, 10, 11, 20):
                x = Fraction(step.value) * tenths / 10
                truths = {*_truths(step, letter, x)}
                assert len(truths) <= 1, (problem.slug, unknown, where, _lines(solved))


def _truths(step: Solve, letter: str, x: Fraction) -> Iterator[bool]:
    """Whether each line in the unknown alone is true where that is worth *x*."""
    for line in step.argument:
        known = {name: put.value for name, put in line.numbers.items() if isinstance(put, Amount)}
        if {*symbols(line.formula)} <= {*known, letter}:
            yield bool(evaluate(line.formula, {**known, letter: x}))
