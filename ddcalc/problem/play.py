"""Schedules: types whose answer depends on the order of events, and what they use.

They declare their givens and results like any problem, but play them instead of writing equations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import lcm
from typing import ClassVar, Final

from ddcalc.errors import NoAnswer, OverLimit
from ddcalc.formula.expression import Expr, Nothing, Num, Number
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.units import COUNT
from ddcalc.problem.explanation import Explanation
from ddcalc.problem.plan import EquationPlan, Values, plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.putting import put_in
from ddcalc.problem.quantity import Derived
from ddcalc.problem.sentences import Crosscheck, Premise, Said
from ddcalc.problem.stated import Stated, stated_units
from ddcalc.problem.steps import Define, Step

PlayedGivens = Mapping[str, Number | tuple[Number, ...]]
"""Base units; no entry for what is not stated and has no usual value."""

DIGITS: Final = 300  # of a common denominator
SHORT = 9  # characters up to which a number is written in a formula
ROWS = 12  # rows up to which all are shown
ASIDE: Final = "aside"  # the name of steps of a model that are shown on demand
WRITTEN = 8  # things of a kind that are written out; the rest is … and the last one


@dataclass(frozen=True, slots=True)
class Says:
    """What is said of what was played, in place of what its type declares; empty: as declared."""

    mechanism: str = ""
    conclusion: tuple[Said, ...] = ()
    insights: tuple[Said, ...] = ()
    crosschecks: tuple[Crosscheck, ...] = ()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a schedule came to: the derived *values* by name, and how to *explain* them.

    A *long* one is not played once more for every other reading of the question; its *work* is how
    many computations were played. Choices that are
    *named* are stated even where the answer does not depend on them. *answer* names the quantity
    that is asked for, if that is not the type's answer. *read* are the givens that the play read,
    *idle* the choices that change nothing here. What it *says* stands beside the steps; *asides*
    are quantities that nobody asked for, by name, and tables, by title, shown on demand. On *spare*
    givens nothing else rests; they are not shown with their usual values.
    """

    values: Values
    explain: Callable[[], Iterable[Step]]
    long: bool = False
    named: Collection[str] = ()
    answer: str = ""
    read: Collection[str] = ()
    idle: Collection[str] = ()
    says: Callable[[], Says] = Says
    asides: Collection[str] = ()
    spare: Collection[str] = ()
    work: int = 0


class PlayedProblem(Problem):
    """A kind of question that is played. Subclass it, declare its quantities, write ``play``."""

    symbolic: ClassVar[bool] = False

    @classmethod
    def declared(cls) -> dict[str, Derived]:
        """What is derived, by name."""
        return {name: q for name, q in cls.quantities.items() if isinstance(q, Derived)}

    def play(self, given: PlayedGivens) -> Outcome:
        """Play the schedule of the *given* numbers (base units) under this shape's choices.

        *given* has no entry for what is not stated and has no usual value.
        """
        raise NotImplementedError

    def cases(self, given: PlayedGivens) -> Iterator[Hashable]:
        """What makes a question as difficult as another one, the quickest to know first.

        Nothing, if the signs, ties and sizes of what is played say that.
        """
        yield from ()


class PartlyPlayed(PlayedProblem):
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
    problem, numbers = _numbers_of(stated)
    if not problem.symbolic:
        given = Watched(numbers)
        return replace(problem.play(given), read=given.read)
    equations = plan(stated.problem, stated.shape)
    values = equations.values(stated, stated.numbers())
    given = Watched({**numbers, **_numbers(values)})
    try:
        outcome = replace(problem.play(given), read=given.read)
    except ArithmeticError as error:
        raise NoAnswer(problem.answered.name, f"these numbers lead to {error}") from None
    return _after(equations, stated, values, outcome)


class Watched(Mapping[str, Number | tuple[Number, ...]]):
    """Numbers by name that remember which of them were read, in :attr:`read`."""

    def __init__(self, numbers: PlayedGivens) -> None:
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
        problem, given = _numbers_of(stated)
        yield from problem.cases(given)


@remembered
def shaped(problem: type[Problem], shape: Shape) -> Problem:
    """The *problem* for all questions of a *shape*; numbers leave nothing in it."""
    return problem(shape)


def _numbers_of(stated: Stated) -> tuple[PlayedProblem, dict[str, Number | tuple[Number, ...]]]:
    """What is played, and its numbers in base units."""
    problem = shaped(stated.problem, stated.shape)
    assert isinstance(problem, PlayedProblem)
    return problem, numbers_of(stated)


def numbers_of(stated: Stated) -> dict[str, Number | tuple[Number, ...]]:
    """The numbers that are *stated*, in base units, by name."""
    given: dict[str, Number | tuple[Number, ...]] = {}
    for name, measured in stated.measured.items():
        if isinstance(measured, tuple):
            given[name] = tuple(member.value for member in measured)
        else:
            given[name] = measured.value
    return given


def _after(equations: EquationPlan, stated: Stated, values: Values, outcome: Outcome) -> Outcome:
    """The *outcome* of an example, after what its *equations* say."""

    def explain() -> Iterator[Step]:
        yield from Explanation(
            equations, equations.letters(stated, values), stated_units(stated)
        ).steps()
        yield from outcome.explain()

    return replace(outcome, values={**values, **outcome.values}, explain=explain)


def _numbers(values: Values) -> Mapping[str, Number]:
    """Those of the *values* that are one number each."""
    return {name: value for name, value in values.items() if isinstance(value, Number)}


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
    value = given.get(name)
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)


def listed(given: PlayedGivens, name: str) -> tuple[Number, ...]:
    """The values of the list *name*; OverLimit unless they are quickly added up exactly."""
    values, bottom = several(given, name), 1
    for value in values:
        bottom = lcm(bottom, value.denominator)
        if bottom >= 10**DIGITS:
            reason = f"the common denominator has more than {DIGITS} digits; round the numbers"
            raise OverLimit(reason).about(name)
    return values


# Steps and cells of its account


def defined(
    quantity: Derived,
    value: Number | None,
    formula: Expr | None = None,
    numbers: Mapping[str, Number] | None = None,
    why: str = "",
    symbol: str = "",
) -> Define:
    """*quantity* (or its member *symbol*) is worth *value* by *formula*, without one as counted.

    *numbers* are the values of the formula's letters, in base units. Without *why* the reason is
    that of the quantity.
    """
    unit = quantity.unit
    if formula is None:
        formula = Nothing() if value is None else Num(value)
    return Define(
        name=quantity.name,
        symbol=symbol or quantity.letter,
        title=quantity.title,
        why=why or quantity.why,
        unit=unit,
        formula=formula,
        applied=formula,
        numbers=put_in(formula, numbers or {}, quantity.letters),
        value=value,
    )


def is_short(value: Number) -> bool:
    """Whether *value* is exact in a few characters."""
    return len(str(value)) <= SHORT


def brief(value: Number) -> str:
    """*value* exactly where that is short, else rounded."""
    return amount_text(value, COUNT)


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
