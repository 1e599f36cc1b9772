"""Schedules: types whose answer depends on the order of events.

They declare their givens and results like any problem, but play them instead of writing equations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from ddcalc.errors import NoAnswer
from ddcalc.formula.expression import Number
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.givens import Played
from ddcalc.problem.plan import EquationPlan, Values, plan
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Derived
from ddcalc.problem.shape import Shape
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a schedule came to: the derived *values* by name, and how to *explain* them.

    A *long* one is not played once more for every other reading of the question. Choices that are
    *named* are told even where the answer does not depend on them. The quantity *asked* for is the
    type's answer if none is named. *read* are the givens that the play asked for, *idle* the
    choices that change nothing here.
    """

    values: Values
    explain: Callable[[], Iterable[Step]]
    long: bool = False
    named: Collection[str] = ()
    asked: str = ""
    read: Collection[str] = ()
    idle: Collection[str] = ()


class Schedule(Problem):
    """A kind of question that is played. Subclass it, declare its quantities, write ``play``."""

    symbolic: ClassVar[bool] = False

    @classmethod
    def declared(cls) -> dict[str, Derived]:
        """What is derived, by name."""
        return {name: q for name, q in cls.quantities.items() if isinstance(q, Derived)}

    def play(self, given: Played) -> Outcome:
        """Play the schedule of the *given* numbers (base units) under this shape's choices.

        *given* has no entry for what is not stated and has no usual value.
        """
        raise NotImplementedError

    def cases(self, given: Played) -> Iterator[Hashable]:
        """What makes a question as difficult as another one, the quickest to know first.

        Nothing, if the signs, ties and sizes of what is played tell that.
        """
        yield from ()


class Example(Schedule):
    """A kind of question with equations, of which some shapes are played as well, as examples.

    Subclass it, write ``equations``, ``is_played`` and ``play``. What is played adds to what the
    equations say, and is given their values too.
    """

    symbolic: ClassVar[bool] = True

    @classmethod
    def is_played(cls, shape: Shape) -> bool:
        """Whether questions of *shape* are played beside their equations."""
        raise NotImplementedError


def played(stated: Stated) -> Outcome:
    """The outcome of a stated schedule."""
    problem, numbers = _asked(stated)
    if not problem.symbolic:
        given = _Watched(numbers)
        return replace(problem.play(given), read=given.read)
    equations = plan(stated.problem, stated.shape)
    values = equations.values(stated, stated.numbers())
    given = _Watched({**numbers, **_numbers(values)})
    try:
        outcome = replace(problem.play(given), read=given.read)
    except ArithmeticError as error:
        raise NoAnswer(problem.answered.name, f"these numbers lead to {error}") from None
    return _after(equations, stated, values, outcome)


class _Watched(Mapping[str, Number | tuple[Number, ...]]):
    """Numbers by name that remember which of them were asked for, in :attr:`read`."""

    def __init__(self, numbers: Played) -> None:
        self._numbers = numbers
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Number | tuple[Number, ...]:
        self.read.add(name)
        return self._numbers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


def cases(stated: Stated) -> Iterator[Hashable]:
    """What makes a stated schedule difficult, if its type says so; nothing for other types."""
    if stated.is_played:
        problem, given = _asked(stated)
        yield from problem.cases(given)


def _asked(stated: Stated) -> tuple[Schedule, dict[str, Number | tuple[Number, ...]]]:
    """What is played, and its numbers in base units."""
    problem = stated.problem(stated.shape)
    assert isinstance(problem, Schedule)
    given: dict[str, Number | tuple[Number, ...]] = {}
    for name, measured in stated.measured.items():
        if isinstance(measured, tuple):
            given[name] = tuple(each.value for each in measured)
        else:
            given[name] = measured.value
    return problem, given


def _after(equations: EquationPlan, stated: Stated, values: Values, outcome: Outcome) -> Outcome:
    """The *outcome* of an example, after what its *equations* say."""

    def explain() -> Iterator[Step]:
        yield from Explanation(equations, equations.letters(stated, values)).steps()
        yield from outcome.explain()

    return replace(outcome, values={**values, **outcome.values}, explain=explain)


def _numbers(values: Values) -> Mapping[str, Number]:
    """Those of the *values* that are one number each."""
    return {name: value for name, value in values.items() if isinstance(value, Number)}
