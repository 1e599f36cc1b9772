"""What models use: the numbers that something is played for, late values, steps and rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Final

from ddcalc.errors import blaming
from ddcalc.formula.expression import Nothing, Num, Number
from ddcalc.memory import remembered
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.quantity import Derived
from ddcalc.problem.said.steps import Define, Value
from ddcalc.schedule.times import common_unit

PlayedGivens = Mapping[str, Number | tuple[Number, ...]]
"""Base units; no entry for what is not stated and has no usual value."""

ROWS = 12  # rows up to which all are shown
ASIDE: Final = "aside"  # the name of steps of a model that are shown on demand
WRITTEN = 8  # things of a kind that are written out; the rest is … and the last one


class LateValues(Mapping[str, Value | tuple[Value, ...]]):
    """Values by name, each worked out when it is first asked for, by what *made* has for it; those
    that were asked for are *known*."""

    def __init__(self, made: Mapping[str, Callable[[], Value | tuple[Value, ...]]]) -> None:
        self._made = made
        self.known: dict[str, Value | tuple[Value, ...]] = {}

    def __getitem__(self, name: str) -> Value | tuple[Value, ...]:
        if name not in self.known:
            self.known[name] = self._made[name]()
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)

    def __contains__(self, name: object) -> bool:
        return name in self._made


@remembered
def shaped(problem: type[Problem], shape: Shape) -> Problem:
    """The *problem* for all questions of a *shape*; numbers leave nothing in it."""
    return problem(shape)


# The numbers that something is played for, by name of given


def one(given: PlayedGivens, name: str) -> Number | None:
    """The value of *name*, which is not a list; None where it is not stated."""
    value = given.get(name)
    assert not isinstance(value, tuple), name
    return value


def whole(given: PlayedGivens, name: str) -> int | None:
    """The count *name*; None where it is not stated."""
    value = one(given, name)
    return None if value is None else int(value)


def several(given: PlayedGivens, name: str) -> tuple[Number, ...]:
    """The values of *name*, one or a list; none where it is not stated."""
    if (value := given.get(name)) is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def listed(given: PlayedGivens, name: str) -> tuple[Number, ...]:
    """The values of the list *name*; OverLimit unless they are quickly added up exactly."""
    values = several(given, name)
    with blaming(name):
        common_unit(*values)
    return values


# Steps and cells of its account


def defined(quantity: Derived, value: Number | None, symbol: str = "") -> Define:
    """*quantity* (or its member *symbol*) is worth *value*, as counted."""
    formula = Nothing() if value is None else Num(value)
    return Define(
        quantity.name, symbol or quantity.letter, quantity.title, quantity.why, quantity.unit,
        formula, formula, {}, value,
    )  # fmt: skip


def outline(first: int, last: int, limit: int = WRITTEN) -> list[int | None]:
    """The numbers from *first* to *last*: *limit* of them, None for a gap, and the last one."""
    if last - first <= limit:
        return list(range(first, last + 1))
    return [*range(first, first + limit), None, last]


def outlined(last: int, *around: int) -> list[int | None]:
    """The rows from 1 to *last* that are shown, with None for a gap.

    Of many rows these are the first and last ones and those *around* which one looks.
    """
    if last <= ROWS:
        return list(range(1, last + 1))
    near = {i + by for i in (2, last, *around) for by in (-1, 0, 1)}
    shown = sorted(i for i in near if 1 <= i <= last)
    rows: list[int | None] = [shown[0]]
    for before, row in pairwise(shown):
        rows += [row] if row == before + 1 else [None, row]
    return rows
