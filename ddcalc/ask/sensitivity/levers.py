"""Levers: the numbers of a question that are moved one at a time, and the answer as they move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ddcalc.ask import restate
from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.plan import EquationPlan, plan
from ddcalc.problem.quantity import Given

MOST = 24  # members of a list up to which each is a lever; more are moved together


@dataclass(frozen=True, slots=True)
class Lever:
    """A given, a member of a list, or a long list, at its stated *value*.

    A long list is moved as a whole: its value is 1, and all *members* are multiplied by it.
    """

    given: Given
    symbol: str
    value: Number
    unit: Unit
    members: Mapping[str, Number]

    @property
    def name(self) -> str:
        """The given's name, with the place of a member: ``finish[2]``."""
        return next(iter(self.members)) if len(self.members) == 1 else self.given.name

    @property
    def whole(self) -> bool:
        """Whether it is counted: then it has no derivative, and moves by ones."""
        return self.given.whole

    def moved(self, value: Number) -> Mapping[str, Number]:
        """What is stated with the lever at *value*."""
        if len(self.members) == 1:
            return dict.fromkeys(self.members, value)
        return {name: member * value for name, member in self.members.items()}


class Point:
    """A question whose answer is a number, and its levers.

    Raises BadValue where the answer is no number.
    """

    def __init__(self, solved: Derivation) -> None:
        self.solved, self.stated = solved, solved.stated
        self.result: Result = solved.answer
        value = self.result.value
        if value is None or isinstance(value, Expr):
            open_ones = [each.name for each in solved.problem.givens.values() if each.free]
            left = [name for name in open_ones if name not in self.stated.measured]
            told = "has no value here" if value is None else "is a formula here"
            told += f"; state {' and '.join(left)}" if left and value is not None else ""
            raise BadValue(self.result.name, f"{told}; sensitivity needs a number")
        self.value = plain(value)
        self.rounded = isinstance(value, Approximate)

    @property
    def played(self) -> bool:
        """Whether the answer comes from playing a schedule: there are no formulas."""
        return self.stated.is_played

    @cached_property
    def levers(self) -> tuple[Lever, ...]:
        """Every number that can be moved, in the order of declaration."""
        return tuple(self._levers())

    @cached_property
    def plan(self) -> EquationPlan:
        """The equations; only where the question is not played."""
        return plan(self.solved.problem, self.stated.shape)

    @cached_property
    def known(self) -> dict[str, Number | None]:
        """The value of every letter."""
        return self.plan.letters(self.stated, self.solved.values)

    def answer(self, moved: Mapping[str, Number]) -> Number | None:
        """The answer with these values instead; None where there is none."""
        try:
            found = restate.reworked(self.stated, moved)
        except (BadValue, NoAnswer, OverLimit):
            return None
        value = found.values[found.answer]
        if found.answer != self.result.name or isinstance(value, Expr | tuple):
            return None
        return None if value is None else plain(value)

    def at(self, lever: Lever, value: Number) -> Number | None:
        """The answer with *lever* at *value*; None where that is not admitted."""
        return self.answer(lever.moved(value))

    def letters(self, moved: Mapping[str, Number]) -> dict[str, Number | None] | None:
        """The value of every letter with these values instead; None where they are not admitted."""
        try:
            stated = restate.restated(self.stated, moved)
            return self.plan.letters(stated, self.plan.values(stated, stated.numbers()))
        except (BadValue, NoAnswer, OverLimit):
            return None

    def _levers(self) -> Iterator[Lever]:
        for name, measured in self.stated.measured.items():
            given = self.solved.problem.givens[name]
            if isinstance(measured, Measured):
                yield Lever(
                    given, given.letter, measured.value, measured.unit, {name: measured.value}
                )
                continue
            members = {f"{name}[{i}]": each.value for i, each in enumerate(measured, 1)}
            if len(measured) > MOST:
                if not given.whole:
                    yield Lever(given, given.letter, 1, COUNT, members)
                continue
            for i, (key, each) in enumerate(zip(members, measured, strict=True), 1):
                yield Lever(given, f"{given.letter}_{i}", each.value, each.unit, {key: each.value})


def name_of(lever: Lever) -> str:
    """What *lever* is called."""
    words = lever.name.replace("_", " ")
    return words if len(lever.members) == 1 else f"{words}, all {len(lever.members)} together"


def amount_of(lever: Lever, value: Number) -> str:
    """*value* of *lever* as it is told."""
    told = quantity_text(value, lever.unit)
    return told if len(lever.members) == 1 else f"× {told}"
