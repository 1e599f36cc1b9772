"""By how much each of several changes moved a number, so that the parts sum to the whole exactly.

Changes that are made one after the other share the difference out, but by an order that somebody
chose. The average over all orders does not depend on one: it is the Shapley value (Shapley, A Value
for n-Person Games, 1953), here in exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Generic, TypeVar

from ddcalc.formula.expression import Number
from ddcalc.numbers.number import plain

MOST = 6  # changes up to which all orders are averaged

T = TypeVar("T")
Worth = Callable[[Collection[T]], Number | None]  # with some changes made; None: no number there


@dataclass(frozen=True, slots=True)
class Contribution(Generic[T]):
    """What *changes* (several where they cannot be told apart) do to the number."""

    changes: tuple[T, ...]
    effect: Number


@dataclass(frozen=True, slots=True)
class Attribution(Generic[T]):
    """Parts that sum to the whole difference; *averaged* over all orders, or in one order."""

    parts: tuple[Contribution[T], ...]
    averaged: bool


def attributed(changes: Sequence[T], worth: Worth[T], most: int = MOST) -> Attribution[T] | None:
    """The effect of each of *changes*; None where the number is missing at either end.

    All orders are averaged up to *most* changes, if there is a number after any of them. Else the
    changes are made in their order; one after which there is no number counts with the next.
    """
    if worth(()) is None or worth(tuple(changes)) is None:
        return None
    if len(changes) <= most:
        places = range(len(changes))
        chosen = [taken for size in range(len(changes) + 1) for taken in combinations(places, size)]
        at = {taken: worth([changes[i] for i in taken]) for taken in chosen}
        numbers = {taken: value for taken, value in at.items() if value is not None}
        if len(numbers) == len(at):
            parts = (Contribution((changes[i],), _mean(i, len(changes), numbers)) for i in places)
            return Attribution(tuple(parts), averaged=len(changes) > 1)
    return Attribution(tuple(_in_order(changes, worth)), averaged=False)


def _mean(i: int, count: int, at: dict[tuple[int, ...], Number]) -> Number:
    """What change *i* of so many does, the mean over all orders in which they can come.

    After each set of other changes it comes in an equal share of the orders of that length.
    """
    total = Fraction(0)
    for before in at:
        if i not in before:
            gain = at[tuple(sorted((*before, i)))] - at[before]
            total += Fraction(gain) / (count * comb(count - 1, len(before)))
    return plain(total)


def _in_order(changes: Sequence[T], worth: Worth[T]) -> Iterator[Contribution[T]]:
    before, waiting = worth(()), 0
    assert before is not None
    for made in range(1, len(changes) + 1):
        value = worth(changes[:made])
        if value is not None:
            yield Contribution(tuple(changes[waiting:made]), value - before)
            before, waiting = value, made
