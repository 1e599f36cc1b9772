"""What a phrase says beside the example of a type that it is about: an option that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache

from ddcalc.errors import DdcalcError, Missing
from ddcalc.problem.index import LONGEST, TELLING, Wanted, rarity, row
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice
from ddcalc.problem.stated import example_texts, read
from ddcalc.problem.terms import terms


def named(problem: type[Problem], phrase: str) -> Mapping[str, str]:
    """The option that a *phrase* names by a word of the field, with the number that it needs: that
    of the phrase, if it has just one. Empty where that is no question."""
    choice, option = _named_option(problem, phrase)
    if choice is None or option == choice.default:
        return {}
    stated = {choice.name: option.replace("_", "-")}
    numbers = re.findall(r"\b\d+\b", phrase[:LONGEST])
    number = numbers[0] if len(numbers) == 1 else "2"
    texts = example_texts(problem)
    with suppress(DdcalcError):
        try:
            read(problem, {**texts, **stated})
        except Missing as error:
            lacking = [name.replace("-", "_") for name in error.names]
            stated |= {name: number for name in lacking if name in problem.givens}
            read(problem, {**texts, **stated})
        return stated
    return {}


def _named_option(problem: type[Problem], phrase: str) -> tuple[Choice | None, str]:
    """The first choice of which a *phrase* names an option, and the one that it names best; none
    where it names two as well."""
    said = row(phrase[:LONGEST])
    for choice in problem.choices.values():
        names = {option: option for option in choice.options} | dict(choice.also)
        best: dict[str, tuple[int, bool]] = {}
        for name, option in names.items():
            best[option] = max(best.get(option, (0, False)), _said_of(said, name.replace("_", " ")))
        most = max(best.values())
        named = [option for option, how in best.items() if how == most]
        if most > (0, False):
            return (choice, named[0]) if len(named) == 1 else (None, "")
    return None, ""


def _said_of(said: Sequence[str], name: str) -> tuple[int, bool]:
    """How many of the stems *said* are a *name* that is a word of the field, or what else that word
    is called; and whether it is the name itself."""
    itself = row(name)
    calls = next((rows for rows in _words_of_the_field() if itself in rows), frozenset())
    rows = [one for one in calls if one in zip(*(said[i:] for i in range(len(one))), strict=False)]
    return max(((len(one), one == itself) for one in rows), default=(0, False))


@cache
def _words_of_the_field() -> Sequence[frozenset[tuple[str, ...]]]:
    """The names of each term, as stems; those that many types have left out."""
    return [
        frozenset(
            stems
            for stems in map(row, (one.name, *one.aliases))
            if rarity(Wanted("", {frozenset(stems): 1})) >= TELLING
        )
        for one in terms().values()
    ]
