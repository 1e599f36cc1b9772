"""What two questions of one type state differently, and questions between the two."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Shape
from ddcalc.problem.stated import Stated

NOT_STATED = "not stated"
SHOWN = 4  # values of a list that are told


@dataclass(frozen=True, slots=True)
class Change:
    """Givens or choices *names* that change together, *before* and *after* in words."""

    names: tuple[str, ...]
    before: str
    after: str

    @property
    def label(self) -> str:
        """The names as one: ``starts and speeds``."""
        return " and ".join(self.names)


def changes(first: Stated, second: Stated) -> tuple[Change, ...]:
    """What differs, in the order of declaration; lists that must be equally long as one change."""
    found: list[Change] = []
    for names in _groups(first, second):
        sides = [", ".join(_told(side, name) for name in names) for side in (first, second)]
        found.append(Change(names, *sides))
    return tuple(found)


def mixed(first: Stated, second: Stated, taken: Collection[str]) -> Stated:
    """The question *first*, but with all *taken* names as *second* states them."""

    def side(name: str) -> Stated:
        return second if name in taken else first

    givens, choices = first.problem.givens, first.problem.choices
    shape = Shape(
        tuple((name, dict(side(name).shape.reading)[name]) for name in choices),
        tuple(pair for name in givens for pair in side(name).shape.lengths if pair[0] == name),
        tuple(name for name in givens if name in side(name).shape.stated),
        tuple(pair for name in givens for pair in side(name).shape.words if pair[0] == name),
    )
    measured = {name: side(name).measured[name] for name in givens if name in side(name).measured}
    said = frozenset(name for name in (*givens, *choices) if name in side(name).said)
    return Stated(first.problem, shape, measured, said)


def is_complete(stated: Stated) -> bool:
    """Whether the question states one of each group of givens that it needs."""
    known = {*stated.measured, *dict(stated.shape.words)}
    return all(known & {*group} for group in stated.problem(stated.shape).needs())


def _groups(first: Stated, second: Stated) -> Iterator[tuple[str, ...]]:
    """The names that differ; lists of the same things whose lengths differ go together."""
    kind = first.problem
    together: dict[str, list[str]] = {}
    for name, given in kind.givens.items():
        if _value(first, name) == _value(second, name):
            continue
        longer = dict(first.shape.lengths).get(name) != dict(second.shape.lengths).get(name)
        together.setdefault(given.of if longer and given.of else f"given {name}", []).append(name)
    yield from (tuple(names) for names in together.values())
    yield from (
        (name,)
        for name in kind.choices
        if dict(first.shape.reading)[name] != dict(second.shape.reading)[name]
    )


def _value(stated: Stated, name: str) -> str | Number | tuple[Number, ...] | None:
    """What is stated of given *name*: a word, a number (base units), or a list of them."""
    measured = stated.measured.get(name)
    if measured is None:
        return dict(stated.shape.words).get(name)
    if isinstance(measured, tuple):
        return tuple(each.value for each in measured)
    return measured.value


def _told(stated: Stated, name: str) -> str:
    if name in stated.problem.choices:
        return dict(stated.shape.reading)[name].replace("_", "-")
    measured = stated.measured.get(name)
    if measured is None:
        return dict(stated.shape.words).get(name, NOT_STATED)
    many = measured if isinstance(measured, tuple) else (measured,)
    told = ", ".join(map(_amount, many[:SHOWN])) + (", …" if len(many) > SHOWN else "")
    if isinstance(measured, tuple) and len(many) > SHOWN:
        told += f" ({len(many)})"
    return told + _usual(stated, name)


def _amount(measured: Measured) -> str:
    return quantity_text(measured.value, measured.unit)


def _usual(stated: Stated, name: str) -> str:
    return "" if name in stated.said else " (usual)"
