"""Whatever givens a question states, it is answered or refused in words: never a Python error."""

from __future__ import annotations

from random import Random

import pytest
from questions import TYPES, Kind, Texts, command, example, specimen
from running import ddcalc

from ddcalc.problem.quantity import Given

DRAWN = 12  # subsets of each type
PAGES = ((), (), ("--all",), ("--format", "json"))


def _subset(problem: Kind, random: Random) -> Texts:
    """Some givens: often the example with some left out and others beside."""
    base = example(problem)
    texts = dict(base) if random.random() < 0.6 else {}
    much = random.random() ** 2
    for name, given in problem.givens.items():
        if random.random() < much and texts.pop(name, None) is None:
            texts[name] = _stated(given, base.get(name), random)
    for name, choice in problem.choices.items():
        if random.random() < 0.2:
            texts[name] = random.choice([*choice.options])
    return texts


def _stated(given: Given, usual: str | list[str] | None, random: Random) -> str | list[str]:
    if usual is not None and random.random() < 0.5:
        return usual
    if given.words and random.random() < 0.3:
        return random.choice([*given.words])
    if given.many == "one" or (given.many == "either" and random.random() < 0.5):
        return specimen(given, random.choice([0, 0, 1]))
    return [specimen(given, i) for i in range(random.randint(1, 3))]


@pytest.mark.parametrize("problem", TYPES, ids=lambda problem: problem.slug)
def test_any_givens_are_answered_or_refused(problem: Kind) -> None:
    random = Random(problem.slug)
    for _ in range(DRAWN):
        ran = ddcalc(*command(problem, _subset(problem, random)), *random.choice(PAGES))
        assert ran.code in (0, 2), ran.err
