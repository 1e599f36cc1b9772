"""What a witness is asked, and who it is: one function a problem type, written from the problem.

A witness gets a question with exact numbers (base units: seconds, bytes, USD), tuples for lists and
names for choices; what is not stated and has no usual value is None. It answers with the values
of as many derived quantities as it can, by name, from a simulation, an enumeration or first
principles: never from the equations of ``ddcalc``, of which it imports nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from types import SimpleNamespace
from typing import Any

Answers = dict[str, Any]


class Question(SimpleNamespace):
    """What is stated, as attributes."""

    def but(self, **stated: Any) -> Question:
        """The question with other values."""
        return Question(**{**vars(self), **stated})

    def __repr__(self) -> str:
        return str({name: value for name, value in vars(self).items() if value is not None})


WITNESSES: dict[str, Callable[[Question], Answers]] = {}


def witness(function: Callable[..., Answers]) -> Callable[[Question], Answers]:
    """Register a function of a question as the witness of the problem type of its name; its
    parameters with a default are given what is stated by their names."""
    parameters = signature(function).parameters.values()
    usual = [one.name for one in parameters if one.default != one.empty]

    def asked(question: Question) -> Answers:
        stated = {name: getattr(question, name) for name in usual}
        return function(question, **{n: value for n, value in stated.items() if value is not None})

    WITNESSES[function.__name__.replace("_", "-")] = asked
    return asked


def known(**answers: Any) -> Answers:
    """The *answers* that there are: those that are not ``...``."""
    return {name: value for name, value in answers.items() if value is not ...}


def rows(flat: Any, width: int) -> list[Any]:
    """The rows of a table that is stated row by row."""
    return [flat[i : i + width] for i in range(0, len(flat), width)]


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
