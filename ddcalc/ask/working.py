"""How a stated question is worked out: by equations, or by playing a schedule."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from ddcalc.ask.closed import ClosedForm, closed_form
from ddcalc.ask.shares import Share, shares
from ddcalc.formula.expression import Number
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan, Values, plan
from ddcalc.problem.play import played
from ddcalc.problem.shape import Shape
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Step, Value

Other = tuple[str, str, Callable[[], Value]]


class Working(Protocol):
    """What a question comes to.

    *answer* is the quantity that is the answer. *read* are the givens that a play asked for (None
    where equations say it), *idle* the choices that changed nothing in it; a *long* one is not
    played again. It is *dear* if each further question takes a play of its own. Without a *plan* of
    equations nothing is known between the numbers that are tried.
    """

    values: Values
    answer: str
    read: Collection[str] | None
    idle: Collection[str]
    long: bool
    dear: bool

    @property
    def plan(self) -> EquationPlan | None:
        """The equations, where they say everything."""

    @property
    def named(self) -> Collection[str]:
        """Choices to show whatever they change."""

    def letters(self) -> Mapping[str, Number | None]:
        """The value of each letter of the equations; empty where there are none."""

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


def equations(stated: Stated) -> EquationPlan | None:
    """The equations of *stated*; None where it is played, so that they do not say everything."""
    return None if stated.is_played else plan(stated.problem, stated.shape)


class Equations:
    """The working of a type whose equations tell all."""

    named: Collection[str] = ()
    read: Collection[str] | None = None
    idle: Collection[str] = ()
    long = False
    dear = False

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self.answer = stated.problem.answer
        self.plan: EquationPlan = plan(stated.problem, stated.shape)
        self._numbers = stated.numbers()
        self.values = self.plan.values(stated, self._numbers)

    def steps(self) -> Iterable[Step]:
        return Explanation(self.plan, self.letters()).steps()

    def others(self) -> Iterator[Other]:
        for name, option, other in self.plan.neighbours:
            yield name, option, partial(other.answer, self._stated, self._numbers)

    def shares(self) -> tuple[Share, ...]:
        return shares(self.plan, self.letters())

    def closed_form(self) -> ClosedForm | None:
        return closed_form(self.plan, self.letters())

    def letters(self) -> Mapping[str, Number | None]:
        return self.plan.letters(self._stated, self.values)


class Play:
    """The working of a type that is played."""

    plan: EquationPlan | None = None
    dear = True

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self._outcome = played(stated)
        self.values, self.named = self._outcome.values, self._outcome.named
        self.answer = self._outcome.asked or stated.problem.answer
        self.read: Collection[str] | None = self._outcome.read
        self.idle = self._outcome.idle
        self.long = self._outcome.long

    def letters(self) -> Mapping[str, Number | None]:
        return {}

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
        value = played(replace(self._stated, shape=shape)).values[self.answer]
        assert not isinstance(value, tuple)
        return value
