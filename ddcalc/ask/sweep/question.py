"""What a sweep asks: a type, what stands still, what is varied, and which quantities are told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, product
from math import ceil

from ddcalc.ask.restate import restated
from ddcalc.ask.sweep.axes import Axis, Named, Numeric, Values, axis
from ddcalc.ask.sweep.points import Grid, Place
from ddcalc.ask.working import working
from ddcalc.errors import (
    BadValue,
    DdcalcError,
    Missing,
    NoAnswer,
    OverLimit,
    Repeated,
    Several,
    UnknownName,
)
from ddcalc.numbers.units import Measured
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.stated import Stated, Texts, read

TRIED = 1000  # names of which one must make a question

Names = tuple[int, ...]
"""The positions on the axes that are varied by name, in their order."""


@dataclass(frozen=True)
class Question:
    """A sweep of *problem*: *texts* state what is not varied along the *axes*."""

    problem: type[Problem]
    texts: Texts
    axes: tuple[Axis, ...]
    quantities: tuple[Quantity, ...]

    @cached_property
    def grid(self) -> Grid:
        """All points."""
        return Grid(self.axes)

    @cached_property
    def named(self) -> tuple[int, ...]:
        """Which of the axes are varied by name."""
        return tuple(i for i, axis in enumerate(self.axes) if isinstance(axis, Named))

    @cached_property
    def numeric(self) -> tuple[int, ...]:
        """Which of the axes are numbers."""
        return tuple(i for i, axis in enumerate(self.axes) if isinstance(axis, Numeric))

    @cached_property
    def is_played(self) -> bool:
        """Whether its points are played."""
        return self.stated(self.readable).is_played

    def names(self, place: Place) -> Names:
        """Where *place* lies on the axes that are varied by name."""
        return tuple(place[i] for i in self.named)

    @cached_property
    def _read(self) -> dict[Names, Stated | DdcalcError]:
        """What was read so far."""
        return {}

    def stated(self, names: Names) -> Stated:
        """The question at *names*, with some admitted value for each number that is varied.

        Raises the DdcalcError that reading it leads to.
        """
        if names not in self._read:
            try:
                self._read[names] = self._stated(names)
            except DdcalcError as error:
                self._read[names] = error
        found = self._read[names]
        if isinstance(found, DdcalcError):
            raise found
        return found

    @cached_property
    def readable(self) -> Names:
        """The first names that make a question; raises the first DdcalcError if none does."""
        first: DdcalcError | None = None
        for names in islice(self._all_names(), TRIED):
            try:
                self.stated(names)
            except DdcalcError as error:
                first = first or error
            else:
                return names
        assert first is not None
        raise first

    def _all_names(self) -> Iterator[Names]:
        """All positions on the axes that are varied by name."""
        return product(*(range(self.axes[i].size) for i in self.named))

    def _stated(self, names: Names) -> Stated:
        texts = dict(self.texts)
        for i, at in zip(self.named, names, strict=True):
            axis = self.axes[i]
            assert isinstance(axis, Named)
            texts[axis.name] = axis.texts[at]
        found: dict[str, Measured] = {}
        for i in self.numeric:
            axis = self.axes[i]
            assert isinstance(axis, Numeric)
            texts[axis.name] = _stand_in(axis.given)
            found[axis.name] = axis.measured(axis.admitted)
        stated = read(self.problem, texts)
        measured = {name: found.get(name, told) for name, told in stated.measured.items()}
        return replace(stated, measured=measured)

    def point(self, place: Place) -> Stated:
        """The question at *place*; BadValue where a given does not admit its value."""
        stated = self.stated(self.names(place))
        values = {}
        for i in self.numeric:
            axis = self.axes[i]
            assert isinstance(axis, Numeric)
            values[axis.name] = axis.measured(place[i]).value
        return restated(stated, values)


def asked(
    problem: type[Problem], texts: Texts, axes: Sequence[Axis], quantities: Sequence[str]
) -> Question:
    """The sweep of *problem* along *axes*; the quantities are told by name (else the answer).

    Raises a DdcalcError, Several where more than one thing is wrong; where the names that are
    varied make no question at all, the first error that they lead to.
    """
    names = [axis.name for axis in axes]
    errors: list[DdcalcError] = [
        Repeated(name).about("vary") for i, name in enumerate(names) if name in names[:i]
    ]
    given = {name.replace("-", "_") for name in texts}
    for name in names:
        if name in given:
            errors.append(BadValue(name, "is varied; do not state it as well").about(name))
    if not axes:
        errors.append(Missing(["vary"]))
    derived = {n: q for n, q in problem.quantities.items() if n not in problem.givens}
    told = dict.fromkeys(name.replace("-", "_") for name in quantities)
    errors += (
        UnknownName("quantity", n, derived).about("quantity") for n in told if n not in derived
    )
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    question = Question(problem, texts, tuple(axes), tuple(derived[name] for name in told))
    stated = question.stated(question.readable)
    return question if told else replace(question, quantities=(derived[_usual(question, stated)],))


def _usual(question: Question, stated: Stated) -> str:
    """The quantity that the question asks for."""
    if stated.is_played:
        with suppress(BadValue, NoAnswer, OverLimit):
            return working(stated).asked
    return question.problem.answer_in(stated.shape)


def _stand_in(given: Given) -> str:
    """The text of some number that *given* admits."""
    limits = [limit for limit in (given.least, given.above) if limit is not None]
    value = Fraction(max(limits, default=0)) + given.unit.worth
    if given.most is not None and value > given.most:
        value = Fraction(max(limits, default=given.most) + given.most) / 2
    return f"{ceil(value) if given.whole else value / given.unit.worth} {given.unit.name}".strip()


def refuse_list(name: str) -> DdcalcError:
    """What is wrong with a quantity that is a list."""
    return BadValue(name, "is a list; a sweep tells quantities of one value").about("quantity")


def question(
    problem: type[Problem],
    texts: Texts,
    vary: Sequence[tuple[str, Values]],
    quantities: Sequence[str],
    sought: Sequence[str],
) -> Question:
    """The sweep along what is to *vary*, which tells *quantities* and what is *sought*.

    Where something is sought and no quantity is named, the answer is told, too. Raises a
    DdcalcError, Several where more than one thing is wrong.
    """
    axes: list[Axis] = []
    errors: list[DdcalcError] = []
    for name, values in vary:
        try:
            axes.append(axis(problem, name, values))
        except DdcalcError as error:
            errors += error.each()
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    usual: list[str] = []
    if sought and not quantities:
        usual = [quantity.name for quantity in asked(problem, texts, axes, ()).quantities]
    return asked(problem, texts, axes, [*quantities, *usual, *sought])
