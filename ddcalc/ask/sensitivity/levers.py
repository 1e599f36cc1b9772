"""Levers: the numbers of a question that are moved one at a time, and the answer as they move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import UNANSWERED, BadValue
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import restated
from ddcalc.schedule.watching import tell

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
    def title(self) -> str:
        """What it is called in a table."""
        words = self.name.replace("_", " ")
        count = len(self.members)
        return words if count == 1 else f"{words}, all {count} together"

    def moved(self, value: Number) -> Mapping[str, Number]:
        """What is stated with the lever at *value*."""
        if len(self.members) == 1:
            return dict.fromkeys(self.members, value)
        return {name: member * value for name, member in self.members.items()}

    def amount(self, value: Number) -> str:
        """A *value* of it as a text."""
        text = amount_text(value, self.unit)
        return text if len(self.members) == 1 else f"× {text}"


class OperatingPoint:
    """A question whose answer is a number, its levers, and its answer where they are moved.

    Raises BadValue where the answer is no number.
    """

    def __init__(self, solved: Derivation) -> None:
        self.solved, self.stated = solved, solved.stated
        self._answers: dict[tuple[tuple[str, Number], ...], Number | None] = {}
        self.result: Result = solved.answer
        value = self.result.value
        if value is None or isinstance(value, Expr):
            free = [given.name for given in solved.problem.givens.values() if given.free]
            left = [name for name in free if name not in self.stated.measured]
            reason = "has no value here" if value is None else "is a formula here"
            reason += f"; state {' and '.join(left)}" if left and value is not None else ""
            raise BadValue(self.result.name, f"{reason}; sensitivity needs a number")
        self.value = plain(value)
        self.rounded = isinstance(value, Approximate)

    @cached_property
    def levers(self) -> tuple[Lever, ...]:
        """Every number that can be moved, in the order of declaration."""
        return tuple(self._levers())

    def answer(self, moved: Mapping[str, Number]) -> Number | None:
        """The answer with these values (base units) instead; None where there is none."""
        place = tuple(sorted(moved.items()))
        if place not in self._answers:
            tell("question")
            self._answers[place] = self._answered(moved)
        return self._answers[place]

    def at(self, lever: Lever, value: Number) -> Number | None:
        """The answer with *lever* at *value*; None where that is not admitted."""
        return self.answer(lever.moved(value))

    def _answered(self, moved: Mapping[str, Number]) -> Number | None:
        try:
            result = Derivation(restated(self.stated, moved)).answer
        except UNANSWERED:
            return None
        if result.name != self.result.name or isinstance(result.value, Expr):
            return None
        return None if result.value is None else plain(result.value)

    def _levers(self) -> Iterator[Lever]:
        for name, measured in self.stated.measured.items():
            given = self.solved.problem.givens[name]
            if isinstance(measured, Measured):
                value = measured.value
                yield Lever(given, given.letter, value, measured.unit, {name: value})
                continue
            members = {f"{name}[{i}]": member.value for i, member in enumerate(measured, 1)}
            if len(measured) > MOST:
                if not given.whole:
                    yield Lever(given, given.letter, 1, COUNT, members)
                continue
            letters = given.lettered(len(measured))
            for key, symbol, member in zip(members, letters, measured, strict=True):
                yield Lever(given, symbol, member.value, member.unit, {key: member.value})
