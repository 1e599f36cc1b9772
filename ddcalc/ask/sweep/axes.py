"""Axes: what is varied, and the values it takes, as texts say: ``workers=1..128``,
``compute=1s..5s:0.5s``, ``batch=256,512``.

``1-128`` and ``1:128`` are ranges, too. A range may go on by a step or, with ``x2`` for a step, by
a factor. Lists may hold ranges, and choices and words are varied by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Final

import numpy as np

from ddcalc.ask.sweep.column import WHOLE, Column, of_floats, of_numbers
from ddcalc.errors import BadNumber, BadValue, DdcalcError, OverLimit, UnknownName
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.number import in_units, parse, plain, product, range_text, split
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.presets import Slot
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given, letters, named

NEAR = 1000  # positions behind a limit that are tried for an admitted value
TO = ".."
LISTED = 100_000  # values that are no even steps
WORDS = 1000  # values that are names
BITS = 400  # of a value that factors lead to, as of every value that is written
PLACES: Final = 16  # behind the point, at most


@dataclass(frozen=True)
class EvenSteps:
    """*size* numbers (base units) from *first* on, in equal steps."""

    first: Number
    step: Number
    size: int

    def __getitem__(self, i: int) -> Number:
        return plain(self.first + product(self.step, i))

    def column(self, start: int, stop: int) -> Column:
        """The numbers from position *start* up to *stop*."""
        parts = lcm(self.first.denominator, self.step.denominator)
        first, step = (int(value * parts) for value in (self[start], self.step))
        if max(parts, abs(first), abs(first + step * (stop - start))) >= WHOLE:
            return of_floats([self[i] for i in range(start, stop)])
        return of_numbers(first + step * np.arange(stop - start, dtype=np.int64), parts)


@dataclass(frozen=True)
class Listed:
    """Some numbers (base units)."""

    values: Sequence[Number]

    @property
    def size(self) -> int:
        return len(self.values)

    def __getitem__(self, i: int) -> Number:
        return self.values[i]

    def column(self, start: int, stop: int) -> Column:
        """The numbers from position *start* up to *stop*."""
        values = self.values[start:stop]
        parts = lcm(*(value.denominator for value in values))
        tops = [int(value * parts) for value in values]
        if max(parts, *map(abs, tops)) >= WHOLE:
            return of_floats(values)
        return of_numbers(np.array(tops, dtype=np.int64), parts)


@dataclass(frozen=True)
class Numeric:
    """A given that takes *numbers*, which are shown in *unit*."""

    given: Given
    numbers: EvenSteps | Listed
    unit: Unit
    bare: bool

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def size(self) -> int:
        return self.numbers.size

    def measured(self, i: int) -> Measured:
        """The value at position *i* as a question would state it; BadValue if it is refused."""
        measured = self.stated(i)
        self.given.check(measured.text, measured.value)
        return measured

    def stated(self, i: int) -> Measured:
        """The value at position *i* as it would be stated, refused or not."""
        value = self.numbers[i]
        amount = in_units(value, self.unit.worth)
        number = decimal(amount) or str(amount)
        text = number if self.bare else f"{number} {self.unit.name}"
        return Measured(value, self.unit, self.bare, text)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        return amount_text(self.numbers[i], self.unit)

    @cached_property
    def admitted(self) -> int:
        """The position of the first value that the given admits; BadValue if there is none."""
        refused: BadValue | None = None
        for i in _candidates(self.given, self.numbers):
            try:
                self.measured(i)
            except BadValue as error:
                refused = refused or error
            else:
                return i
        assert refused is not None
        raise refused.about(f"vary {self.name}")

    @cached_property
    def all_admitted(self) -> bool:
        """Whether the given admits every value."""
        steps = isinstance(self.numbers, EvenSteps)
        ends = [0, self.size - 1, min(1, self.size - 1)] if steps else range(self.size)
        for i in ends:  # limits admit what lies between, and steps are whole if the first two are
            try:
                self.measured(i)
            except BadValue:
                return False
        return True


@dataclass(frozen=True)
class Named:
    """A choice, a given that also takes words, or what names a preset: its values are names."""

    declared: Given | Choice | Slot
    texts: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.declared.name

    @property
    def size(self) -> int:
        return len(self.texts)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        text = self.texts[i]
        return text.replace("_", "-") if isinstance(self.declared, Choice) else text


Axis = Numeric | Named


def _candidates(given: Given, numbers: EvenSteps | Listed) -> Iterable[int]:
    """Positions of which one holds an admitted value if any does: limits are intervals."""
    if isinstance(numbers, Listed):
        return range(numbers.size)
    period = min(numbers.step.denominator, NEAR)  # so often is one of them whole
    near = {*range(period)}
    for limit in (given.least, given.above):
        if limit is not None:
            beyond = int((limit - numbers.first) // numbers.step)
            near |= {*range(beyond, beyond + period + 2)}
    return sorted(i for i in near | {numbers.size - 1} if 0 <= i < numbers.size)


# From texts


Values = str | range | Sequence[str]


def axis(problem: type[Problem], name: str, values: Values) -> Axis:
    """The axis of the given or choice called *name*; *values* are written as for ``--vary``.

    Raises a DdcalcError that says what is wrong with them.
    """
    slots = {slot: Slot(slot) for slot in problem.slots}
    known: dict[str, Given | Choice | Slot] = {**slots, **problem.givens, **problem.choices}
    declared = known.get(named(name, problem.givens))
    if declared is None:
        raise UnknownName("parameter", name, known, letters=letters(problem.givens.values())).about(
            "vary"
        )
    try:
        return _axis(declared, values)
    except DdcalcError as error:
        raise error.about(f"vary {declared.name}") from None


def written(text: str) -> tuple[str, str]:
    """The name and the values in ``NAME=VALUES``."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        reason = "is not written as NAME=VALUES, for example workers=1..128"
        raise BadValue(text, reason).about("vary")
    return name.strip(), values.strip()


def _axis(declared: Given | Choice | Slot, values: Values) -> Axis:
    if isinstance(values, range):
        values = _text_of(values)
    members = [part.strip() for part in values.split(",")] if isinstance(values, str) else values
    if isinstance(declared, Given):
        members = [range_text(member) or member for member in members]
    if isinstance(declared, Choice | Slot):
        return _named(declared, [declared.read(member) for member in members])
    if declared.many == "list":
        reason = f"is for {declared.name}, which takes a list; only single values can vary"
        raise BadValue(", ".join(members), reason)
    if any(member in declared.words for member in members):
        return _named(declared, [text for member in members for text in _texts(declared, member)])
    return _numeric(declared, members)


def _numeric(given: Given, members: Sequence[str]) -> Numeric:
    read = _Range(given, members)
    return Numeric(given, read.numbers(), read.first.unit, read.first.bare)


def _texts(given: Given, member: str) -> Sequence[str]:
    """A member of a list with words, or the texts of a range."""
    if TO not in member:
        return [member]
    numeric = _numeric(given, [member])
    if numeric.size > WORDS:
        raise OverLimit(f"{numeric.size} values beside words; at most {WORDS} are possible")
    return [numeric.stated(i).text for i in range(numeric.size)]


def _text_of(values: range) -> str:
    if not values:
        raise BadValue(str(values), "has no values")
    if values.step < 0:
        raise BadValue(str(values), "goes down; write it upwards")
    return f"{values[0]}{TO}{values[-1]}:{values.step}"


def _named(declared: Given | Choice | Slot, texts: Sequence[str]) -> Named:
    if len(texts) > WORDS:
        raise OverLimit(f"{len(texts)} values beside words; at most {WORDS} are possible")
    return Named(declared, tuple(texts))


class _Range:
    """The values of one given; *first* is the first one, whose unit is that of all of them."""

    def __init__(self, given: Given, members: Sequence[str]) -> None:
        self.given, self.members = given, members
        self.first = self.given.measured(self._parts(members[0])[0])

    def numbers(self) -> EvenSteps | Listed:
        self._check_units()
        if len(self.members) == 1 and TO in self.members[0]:
            return self._range(self.members[0])
        values: list[Number] = []
        for member in self.members:
            more = (
                self._range(member) if TO in member else Listed([self.given.measured(member).value])
            )
            if len(values) + more.size > LISTED:
                raise OverLimit(f"a list of more than {LISTED} values; a range may be longer")
            values += (more[i] for i in range(more.size))
        return Listed(tuple(values))

    def _range(self, text: str) -> EvenSteps | Listed:
        first, last, step = self._parts(text)
        low, high = self.given.measured(first).value, self.given.measured(last).value
        if high < low:
            raise BadValue(text, "ends before it begins")
        if step.startswith("x"):
            return Listed(tuple(self._powers(text, low, high, step[1:])))
        if not step and not self.given.whole:
            raise BadValue(text, f"needs a step, for example {text}:1{split(last)[1]}")
        by = self.given.measured(step).value if step else 1
        if by <= 0:
            raise BadValue(text, "has a step that leads nowhere")
        return EvenSteps(low, by, int((high - low) // by) + 1)

    def _powers(self, text: str, low: Number, high: Number, factor: str) -> Iterator[Number]:
        by = parse(factor)
        if by <= 1 or low <= 0:
            raise BadValue(text, "needs a factor above 1 and a beginning above 0")
        value = low
        for _ in range(LISTED):
            yield value
            value = product(value, by)
            if value > high:
                return
            if Fraction(value).denominator.bit_length() > BITS:
                raise BadValue(text, f"has values of more than {BITS} bits")
        raise OverLimit(f"a range of more than {LISTED} values by a factor")

    def _parts(self, text: str) -> tuple[str, str, str]:
        """The ends and the step of a range, or one value; BadValue where one is left out."""
        first, to, rest = text.partition(TO)
        last, colon, step = rest.partition(":")
        parts = first.strip(), last.strip(), step.strip()
        if (to and not (parts[0] and parts[1])) or (colon and not parts[2]):
            raise BadValue(text, "is not written as FIRST..LAST or FIRST..LAST:STEP")
        return parts

    def _check_units(self) -> None:
        """No unit counts for the numbers beside it; all have one, or none."""
        if not self.given.unit.name:
            return
        texts = [part for member in self.members for part in self._parts(member)]
        texts = [text for text in texts if text and not text.startswith("x")]
        bare = [text for text in texts if not _has_unit(text)]
        if bare and len(bare) < len(texts):
            raise BadValue(bare[0], "has no unit, though others have; write a unit behind each")


def _has_unit(text: str) -> bool:
    try:
        return bool(split(text)[1])
    except BadNumber:
        return False


# To texts


def places(denominator: int) -> int | None:
    """How many decimals a quotient by *denominator* needs; None for too many, or no end of them."""
    return next((n for n in range(PLACES + 1) if 10**n % denominator == 0), None)


def decimal(value: Number) -> str | None:
    """*value* as a whole number or a short decimal; None where it is neither.

    >>> from fractions import Fraction
    >>> decimal(Fraction(3, 200)), decimal(Fraction(1, 3))
    ('0.015', None)
    """
    behind = places(value.denominator)
    if behind is None:
        return None
    sign, size = ("-", -value) if value < 0 else ("", value)
    digits = str(size.numerator * (10**behind // size.denominator)).rjust(behind + 1, "0")
    return f"{sign}{digits[:-behind]}.{digits[-behind:]}" if behind else sign + digits
