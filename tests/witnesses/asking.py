"""What a witness is asked, and who it is: one function a problem type, written from the problem.

A witness gets a question as exact numbers (base units: seconds, bytes, USD), tuples for lists and
names for choices; what is not stated and has no usual value is missing. It answers with the values
of as many derived quantities as it can, by name, from a simulation, an enumeration or first
principles: never from the equations of ``ddcalc``, of which it imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Question = Mapping[str, Any]
Witness = Callable[[Question], Mapping[str, Any]]

WITNESSES: dict[str, Witness] = {}


def witness(slug: str) -> Callable[[Witness], Witness]:
    """Register a function as the witness of the problem type *slug*."""

    def register(function: Witness) -> Witness:
        assert slug not in WITNESSES, slug
        WITNESSES[slug] = function
        return function

    return register


# Where a function is least, or passes a bound: found by trying, whatever the function is


def first_that(holds: Callable[[int], bool]) -> int:
    """The first of 1, 2, … for which *holds*, as it does for all behind it."""
    high = 1
    while not holds(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def lowest(cost: Callable[[Any], Any], low: Any, high: Any) -> Any:
    """Where *cost*, which falls and then rises, is least, by thirds."""
    for _ in range(260):
        third = (high - low) / 3
        left, right = low + third, high - third
        low, high = (low, right) if cost(left) < cost(right) else (left, high)
    return low


def crossing(rises: Callable[[float], float]) -> float:
    """Where a function that rises passes 1."""
    low, high = 1e-30, 1e30
    for _ in range(70):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if rises(middle) < 1 else (low, middle)
    return high
