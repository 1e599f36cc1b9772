"""By how much each of several changes moved a number, so that the parts sum to the whole exactly.

Changes that are made one after the other share the difference out, but by an order that somebody
chose. The average over all orders does not depend on one: it is the Shapley value (Shapley, A Value
for n-Person Games, 1953), here in exact fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial
from typing import Generic, TypeVar

from ddcalc.formula.expression import Number
from ddcalc.numbers.number import quotient

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
        averaged = _averaged(changes, worth)
        if averaged is not None:
            return Attribution(averaged, len(changes) > 1)
    return Attribution(tuple(_in_order(changes, worth)), averaged=False)


def _averaged(changes: Sequence[T], worth: Worth[T]) -> tuple[Contribution[T], ...] | None:
    """Shapley's value: the mean of what a change does over all orders in which it can come."""
    count = len(changes)
    at: dict[tuple[int, ...], Number] = {}
    for size in range(count + 1):
        for chosen in combinations(range(count), size):
            value = worth(tuple(changes[i] for i in chosen))
            if value is None:
                return None
            at[chosen] = value
    effects: list[Number] = [0] * count
    for without in (chosen for chosen in at if len(chosen) < count):
        orders = factorial(len(without)) * factorial(count - len(without) - 1)
        for i in {*range(count)} - {*without}:
            gain = at[tuple(sorted((*without, i)))] - at[without]
            effects[i] += quotient(orders, factorial(count)) * gain
    return tuple(
        Contribution((change,), effect) for change, effect in zip(changes, effects, strict=True)
    )


def _in_order(changes: Sequence[T], worth: Worth[T]) -> Iterator[Contribution[T]]:
    before, waiting = worth(()), 0
    assert before is not None
    for made in range(1, len(changes) + 1):
        value = worth(tuple(changes[:made]))
        if value is not None:
            yield Contribution(tuple(changes[waiting:made]), value - before)
            before, waiting = value, made
