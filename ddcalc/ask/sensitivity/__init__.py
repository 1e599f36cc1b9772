"""Sensitivity: how much each given moves the answer of a question: by a hair, by one, and by a
share of itself.

All of it is the exact difference of two answers. A derivative is from one side: the two differ
where a maximum is a tie; where a rounding or a case is about to jump there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ddcalc.ask.solve import Derivation, Result, solve
from ddcalc.errors import UNANSWERED, BadValue
from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.amounts import amount_text, fitting
from ddcalc.numbers.display import rounded
from ddcalc.numbers.irrational import Approximate, ratio
from ddcalc.numbers.number import magnitude, plain
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated, Texts
from ddcalc.schedule.watching import tell

TEN_PER_CENT = Fraction(1, 10)
MOST = 24  # members of a list up to which each is a lever; more are moved together
NOTHING = Fraction(1, 10**18)  # of the answer: a change by a hair that is less has the limit 0


class Fineness(NamedTuple):
    """A derivative is taken over a *hair* of the lever, is right to so many *digits*, and is there
    if half the hair gives the same but for the share *off*."""

    hair: Fraction
    digits: int
    off: Fraction


DERIVED = Fineness(Fraction(1, 10**12), 15, Fraction(1, 10**6))
PLAYED = Fineness(Fraction(1, 1000), 2, Fraction(1, 50))  # what is played may be rounded


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

    def amount(self, value: Number) -> str:
        """A *value* of it as a text."""
        text = amount_text(value, self.unit)
        return text if len(self.members) == 1 else f"× {text}"


@dataclass(frozen=True, slots=True)
class Effect:
    """The derivative on both sides (*down*, *up*) of a lever, or what one less and one more of a
    count does; None where there is none. Right to so many *digits*; None: exact."""

    lever: Lever
    down: Number | None
    up: Number | None
    digits: int | None = None

    @property
    def smooth(self) -> Number | None:
        """The derivative where it is the same on both sides."""
        return self.up if not self.lever.given.whole and self.up == self.down else None

    def elasticity(self, answer: Number) -> Number | None:
        """The change of the answer in per cent for each per cent of the lever: (x/T)·dT/dx."""
        if self.smooth is None or not answer:
            return None
        share = ratio(self.smooth * self.lever.value, answer)
        return share if self.digits is None else rounded(share, max(2, self.digits - 3))


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


@dataclass(frozen=True)
class Sensitivity:
    """What moves the answer of the question *solved*, its *value*, and by how much.

    *effects* are what a small change of each given does, *swings* what the share *by* of each does,
    the widest first and without those that do nothing.
    """

    solved: Derivation
    value: Number
    by: Fraction
    effects: tuple[Effect, ...]
    swings: tuple[Swing, ...]

    @property
    def result(self) -> Result:
        """The answer."""
        return self.solved.answer

    @property
    def rounded(self) -> bool:
        """Whether the answer is no exact quotient."""
        return isinstance(self.result.value, Approximate)

    @property
    def unit(self) -> Unit:
        """The unit in which answers are shown: GB for very many bytes."""
        return fitting(self.value, self.result.unit)


def sensitivity(
    problem: type[Problem], texts: Texts, by: Fraction = TEN_PER_CENT, wanted: Sequence[str] = ()
) -> Sensitivity:
    """The sensitivity of *problem* for *texts*: of its answer, or of the quantity *wanted*.

    Raises DdcalcError (Several, where more than one thing is wrong; BadValue where the answer is no
    number).
    """
    solved = solve(problem, texts, wanted)
    if wanted and solved.answer.name not in solved.stated.shape.wanted:
        raise BadValue(wanted[0], "is no result that is one number").about("quantity")
    moved = _Moved(solved)
    levers = [*_levers(solved.stated)]
    effects = tuple(map(moved.effect, levers))
    swings = [moved.swing(lever, by) for lever in levers if lever.value]
    swings = [one for one in swings if one.span(moved.value)]
    swings.sort(key=lambda one: one.span(moved.value), reverse=True)
    return Sensitivity(solved, moved.value, by, effects, tuple(swings))


def _levers(stated: Stated) -> Iterator[Lever]:
    """Every number that can be moved, in the order of declaration."""
    for name, measured in stated.measured.items():
        given = stated.problem.givens[name]
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


class _Moved:
    """The answer of the question *solved*, which is a number, where a lever is moved.

    Raises BadValue where the answer is no number.
    """

    def __init__(self, solved: Derivation) -> None:
        self.solved, value = solved, solved.answer.value
        if value is None or isinstance(value, Expr):
            free = [given.name for given in solved.problem.givens.values() if given.free]
            left = [name for name in free if name not in solved.stated.measured]
            reason = "has no value here" if value is None else "is a formula here"
            reason += f"; state {' and '.join(left)}" if left and value is not None else ""
            raise BadValue(solved.answer.name, f"{reason}; sensitivity needs a number")
        self.value = plain(value)
        self.is_exact = not isinstance(value, Approximate)
        self.fine = PLAYED if solved.working.dear else DERIVED

    def at(self, lever: Lever, value: Number) -> Number | None:
        """The answer with *lever* at *value*; None where that is not admitted."""
        tell("question")
        single = len(lever.members) == 1
        moved = {name: value if single else was * value for name, was in lever.members.items()}
        try:
            answer = Derivation(with_moved(self.solved.stated, moved)).answer
        except UNANSWERED:
            return None
        if answer.name != self.solved.answer.name or isinstance(answer.value, Expr):
            return None
        return None if answer.value is None else plain(answer.value)

    def effect(self, lever: Lever) -> Effect:
        """The effect of *lever*; at an end of what is admitted the other side counts for both."""
        if lever.given.whole:
            others = (self.at(lever, lever.value + by) for by in (-1, 1))
            down, up = (None if other is None else other - self.value for other in others)
            return Effect(lever, down, up)
        hair = magnitude(lever.value or lever.unit.worth) * self.fine.hair
        sides = [self._slope(lever, hair * side) for side in (-1, 1)]
        below, above = (side or other or _Slope(None) for side, other in (sides, sides[::-1]))
        down, up = below.limit, above.limit
        if below.exact and above.exact:
            return Effect(lever, down, up)
        if down is not None and up is not None and self._alike(down, up):
            down = up = (down + up) / Fraction(2)
        down, up = (None if end is None else rounded(end, self.fine.digits) for end in (down, up))
        return Effect(lever, down, up, self.fine.digits)

    def _slope(self, lever: Lever, hair: Fraction) -> _Slope | None:
        """The limit of what moving *lever* by a *hair*, and by half of it, does, over that; None
        where the lever cannot be moved there."""
        whole, half = (self.at(lever, plain(lever.value + by)) for by in (hair, hair / 2))
        if whole is None or half is None:
            return None
        far, near = ratio(whole - self.value, hair), ratio(half - self.value, hair / 2)
        if far == near:
            return _Slope(near, self.is_exact)
        if self._alike(far, near):
            return _Slope(2 * near - far)
        is_flat = magnitude(whole - self.value) <= NOTHING * magnitude(self.value)
        return _Slope(0 if is_flat else None)

    def _alike(self, one: Number, other: Number) -> bool:
        return magnitude(one - other) <= self.fine.off * magnitude(one)

    def swing(self, lever: Lever, by: Fraction) -> Swing:
        """How far *lever* swings the answer, moved by the share *by* of itself.

        Counts are moved to the nearest whole number, by one at least.
        """
        step: Number = plain(lever.value * by)
        if lever.given.whole:
            step = max(1, (2 * step.numerator + step.denominator) // (2 * step.denominator))
        low, high = (plain(lever.value + change) for change in (-step, step))
        return Swing(lever, low, high, self.at(lever, low), self.at(lever, high))


class _Slope(NamedTuple):
    """A derivative on one side; None where the answer jumps there or is infinitely steep."""

    limit: Number | None
    exact: bool = False
