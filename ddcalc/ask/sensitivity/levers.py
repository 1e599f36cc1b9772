"""Levers: the numbers of a question that are moved one at a time, and the answer as they move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.ask.solve import Derivation, Result
from ddcalc.errors import UNANSWERED, BadValue
from ddcalc.formula.expression import Expr, Known, Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.number import plain, quotient
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.plan import Line
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import restated

MOST = 24  # members of a list up to which each is a lever; more are moved together
TRIES, TRIES_PLAYED = 100, 12  # other counts, on each side of the stated one


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

    @property
    def whole(self) -> bool:
        """Whether it is counted: then it has no derivative, and moves by ones."""
        return self.given.whole

    def moved(self, value: Number) -> Mapping[str, Number]:
        """What is stated with the lever at *value*."""
        if len(self.members) == 1:
            return dict.fromkeys(self.members, value)
        return {name: member * value for name, member in self.members.items()}

    def amount(self, value: Number | None = None) -> str:
        """A *value* of it (the stated one without) as a text."""
        text = amount_text(self.value if value is None else value, self.unit)
        return text if len(self.members) == 1 else f"× {text}"


class OperatingPoint:
    """A question whose answer is a number, and its levers; *step* is called for each other question
    that is answered.

    Raises BadValue where the answer is no number.
    """

    def __init__(self, solved: Derivation) -> None:
        self.solved, self.stated = solved, solved.stated
        self.step: Callable[[], None] = lambda: None
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

    @cached_property
    def lines(self) -> Sequence[Line]:
        """The formulas that the answer rests on; none where it comes from playing a schedule."""
        plan = self.solved.working.plan
        return [] if plan is None else plan.needed(self.result.symbol)

    @cached_property
    def known(self) -> Known:
        """The value of every letter in them."""
        return self.solved.working.letters()

    @property
    def tries(self) -> int:
        """How many counts are tried on each side of a lever."""
        return TRIES_PLAYED if self.solved.working.dear else TRIES

    def answer(self, moved: Mapping[str, Number]) -> Number | None:
        """The answer with these values instead; None where there is none."""
        place = tuple(sorted(moved.items()))
        if place not in self._answers:
            self.step()
            self._answers[place] = self._answered(moved)
        return self._answers[place]

    def _answered(self, moved: Mapping[str, Number]) -> Number | None:
        try:
            result = Derivation(restated(self.stated, moved)).answer
        except UNANSWERED:
            return None
        if result.name != self.result.name or isinstance(result.value, Expr):
            return None
        return None if result.value is None else plain(result.value)

    def at(self, lever: Lever, value: Number) -> Number | None:
        """The answer with *lever* at *value*; None where that is not admitted."""
        return self.answer(lever.moved(value))

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


@dataclass(frozen=True, slots=True)
class Swing:
    """The answers *below* and *above* with the lever at *low* and *high*; None: not admitted."""

    lever: Lever
    low: Number
    high: Number
    below: Number | None
    above: Number | None

    def span(self, answer: Number) -> Number:
        """From the least to the largest answer, with the stated one among them."""
        known = [end for end in (self.below, answer, self.above) if end is not None]
        return max(known) - min(known)


def swings(point: OperatingPoint, by: Fraction) -> tuple[Swing, ...]:
    """The swings for *by* (0.1 is ten per cent), the widest first; without those that do nothing.

    Counts are moved to the nearest whole number, by one at least.
    """
    made = [_swing(point, lever, by) for lever in point.levers if lever.value]
    moving = [swing for swing in made if swing.span(point.value)]
    return tuple(sorted(moving, key=lambda swing: -swing.span(point.value)))


def _swing(point: OperatingPoint, lever: Lever, by: Fraction) -> Swing:
    step: Number = lever.value * by
    if lever.whole:
        step = max(1, (2 * step.numerator + step.denominator) // (2 * step.denominator))
    ends = (lever.value - step, lever.value + step)
    low, high = (quotient(end.numerator, end.denominator) for end in ends)
    return Swing(lever, low, high, point.at(lever, low), point.at(lever, high))
