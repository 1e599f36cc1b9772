"""Where a function is least, or passes a bound: found by trying, whatever the function is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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
