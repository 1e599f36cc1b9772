"""How a stated question is worked out: by equations, or by playing a schedule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Protocol

from ddcalc.ask.closed import ClosedForm, closed_form
from ddcalc.ask.shares import Share, shares
from ddcalc.formula.expression import Number
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import Values, plan
from ddcalc.problem.play import played
from ddcalc.problem.shape import Shape
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Step, Value

Other = tuple[str, str, Callable[[], Value]]


class Working(Protocol):
    """What a question comes to. *named* are choices to tell whatever they change, *asked* is the
    quantity that is the answer, *read* are the givens that a play asked for, *idle* the choices
    that changed nothing in it; a *long* one is not played again."""

    values: Values
    named: Collection[str]
    asked: str
    read: Collection[str]
    idle: Collection[str]
    long: bool

    def steps(self) -> Iterable[Step]:
        """What follows from what is stated, each with its reason."""

    def others(self) -> Iterator[Other]:
        """The readings with one choice changed: its name, the other option, and how to answer."""

    def shares(self) -> tuple[Share, ...]:
        """Where a time goes, by groups of givens, summing to 1; empty where that says nothing."""

    def closed_form(self) -> ClosedForm | None:
        """The answer in its givens by SymPy, checked; None where there is none to tell."""


def working(stated: Stated) -> Working:
    """The way to work out *stated*."""
    return Play(stated) if stated.is_played else Equations(stated)


class Equations:
    """The working of a type whose equations tell all."""

    named: Collection[str] = ()
    read: Collection[str] = ()
    idle: Collection[str] = ()
    long = False

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self.asked = stated.problem.answer_in(stated.shape)
        self._plan = plan(stated.problem, stated.shape)
        self._numbers = stated.numbers()
        self.values = self._plan.values(stated, self._numbers)

    def steps(self) -> Iterable[Step]:
        return Explanation(self._plan, self._letters()).steps()

    def others(self) -> Iterator[Other]:
        for name, option, other in self._plan.neighbours:
            yield name, option, partial(other.answer, self._stated, self._numbers)

    def shares(self) -> tuple[Share, ...]:
        return shares(self._plan, self._letters())

    def closed_form(self) -> ClosedForm | None:
        return closed_form(self._plan, self._letters())

    def _letters(self) -> dict[str, Number | None]:
        return self._plan.letters(self._stated, self.values)


class Play:
    """The working of a type that is played."""

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self._outcome = played(stated)
        self.values, self.named = self._outcome.values, self._outcome.named
        self.asked = self._outcome.asked or stated.problem.answer_in(stated.shape)
        self.read, self.idle = self._outcome.read, self._outcome.idle
        self.long = self._outcome.long

    def steps(self) -> Iterable[Step]:
        return self._outcome.explain()

    def others(self) -> Iterator[Other]:
        if self.long:
            return
        for name, option, shape in self._stated.problem.neighbours(self._stated.shape):
            yield name, option, partial(self._answer, shape)

    def shares(self) -> tuple[Share, ...]:
        return ()

    def closed_form(self) -> ClosedForm | None:
        return None

    def _answer(self, shape: Shape) -> Value:
        value = played(replace(self._stated, shape=shape)).values[self.asked]
        assert not isinstance(value, tuple)
        return value
