"""Axes: what is varied, and the values it takes, as texts say: ``workers=1..128``,
``compute=1s..5s:0.5s``, ``batch=256,512``.

``1-128`` and ``1:128`` are ranges, too. One may go on by a step or, with ``x2``, by a factor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.column import WHOLE, Column, of_numbers, of_whole
from ddcalc.errors import BadValue, OverLimit, UnknownName, blaming
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import decimal
from ddcalc.numbers.number import in_units, parse, plain, product, range_text, split
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.known.presets import Slot
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given, letters, named
from ddcalc.problem.stated import Texts

TO = ".."
LISTED = 100_000  # values that are no even steps
WORDS = 1000  # values that are names
BITS = 400  # of a value that factors lead to, as of every value that is written

Values = str | range | Sequence[str]
Positions = NDArray[np.intp]
"""Where points lie on an axis."""


@dataclass(frozen=True, slots=True)
class EvenSteps:
    """*size* numbers (base units) from *first* on, in equal steps."""

    first: Number
    step: Number
    size: int

    def __getitem__(self, i: int) -> Number:
        return plain(self.first + product(self.step, i))


@dataclass(frozen=True, slots=True)
class Numeric:
    """A given that takes *numbers* (base units), which are shown in *unit*, or without if *bare*.

    With *factors* they go up by one.
    """

    given: Given
    numbers: EvenSteps | tuple[Number, ...]
    unit: Unit
    bare: bool
    factors: bool = False

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def size(self) -> int:
        return self.numbers.size if isinstance(self.numbers, EvenSteps) else len(self.numbers)

    def measured(self, i: int) -> Measured:
        """The value at position *i* as a question would state it."""
        amount = in_units(self.numbers[i], self.unit.worth)
        number = decimal(amount) or str(amount)
        text = number if self.bare else f"{number} {self.unit.name}"
        return Measured(self.numbers[i], self.unit, self.bare, text)

    def check(self) -> None:
        """Raise BadValue for the first value that the given does not admit."""
        ends = 0, min(1, self.size - 1), self.size - 1  # limits admit what lies between
        for i in ends if isinstance(self.numbers, EvenSteps) else range(self.size):
            measured = self.measured(i)
            self.given.check(measured.text, measured.value)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        return amount_text(self.numbers[i], self.unit)

    def column(self, at: Positions) -> Column:
        """The numbers at those positions; FloatingPointError where no floats are near."""
        if isinstance(self.numbers, EvenSteps):
            first, step = self.numbers.first, self.numbers.step
            parts = lcm(first.denominator, step.denominator)
            low, by = int(first * parts), int(step * parts)
            if max(parts, abs(low), abs(by), abs(low + by * int(at.max()))) < WHOLE:
                return of_whole(low + by * at, parts)
        places, back = np.unique(at, return_inverse=True)
        made = of_numbers([self.numbers[i] for i in places.tolist()])
        return replace(made, top=made.top[back])


@dataclass(frozen=True, slots=True)
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


_EUROS: Final = re.compile(r"(\d[\d.]*) *(?:EUR|€)")


def written(text: str) -> tuple[str, str]:
    """The name and the values in ``NAME=VALUES``."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        reason = "is not written as NAME=VALUES, for example workers=1..128"
        raise BadValue(text, reason).about("vary")
    return name.strip(), values.strip()


def axis(problem: type[Problem], name: str, values: Values, texts: Texts | None = None) -> Axis:
    """The axis of the given or choice called *name*; *values* are written as for ``--vary``, in
    euros too if *texts* state their rate of exchange.

    Raises a DdcalcError that says what is wrong with them.
    """
    slots = {slot: Slot(slot) for slot in problem.slots}
    known: dict[str, Given | Choice | Slot] = {**slots, **problem.givens, **problem.choices}
    declared = known.get(named(name, problem.givens))
    if declared is None:
        by_letter = letters(problem.givens.values())
        raise UnknownName("parameter", name, known, letters=by_letter).about("vary")
    if isinstance(values, range):
        values = f"{values.start}{TO}{values.stop - 1}:{values.step}"
    if isinstance(values, str) and isinstance(rate := (texts or {}).get("exchange"), str):
        euro = problem.givens["exchange"].read(rate).value
        values = _EUROS.sub(lambda found: f"{parse(found[1]) * euro} USD", values)
    members = [part.strip() for part in values.split(",")] if isinstance(values, str) else values
    with blaming(f"vary {declared.name}"):
        if isinstance(declared, Given) and not any(text in declared.words for text in members):
            made = _numeric(declared, [range_text(member) or member for member in members])
            made.check()
            return made
        if len(members) > WORDS:
            raise OverLimit(f"{len(members)} values by name; at most {WORDS} are possible")
        if not isinstance(declared, Given):
            return Named(declared, tuple(map(declared.read, members)))
        for member in members:
            if member not in declared.words:
                declared.measured(member)
        return Named(declared, tuple(members))


def _numeric(given: Given, members: Sequence[str]) -> Numeric:
    if given.many == "list":
        reason = f"is for {given.name}, which takes a list; only single values can vary"
        raise BadValue(", ".join(members), reason)
    first = given.measured(_parts(members[0])[0])
    parts = [part for member in members for part in _parts(member) if part[:1] not in ("", "x")]
    bare = [part for part in parts if given.unit.name and not split(part)[1]]
    if bare and len(bare) < len(parts):  # none counts for the numbers beside it
        raise BadValue(bare[0], "has no unit, though others have; write a unit behind each")
    if len(members) == 1 and TO in members[0]:
        factors = ":x" in members[0].replace(" ", "")
        return Numeric(given, _range(given, members[0]), first.unit, first.bare, factors)
    values: list[Number] = []
    for member in members:
        more = _range(given, member) if TO in member else (given.measured(member).value,)
        size = more.size if isinstance(more, EvenSteps) else len(more)
        if len(values) + size > LISTED:
            raise OverLimit(f"a list of more than {LISTED} values; a range may be longer")
        values += (more[i] for i in range(size))
    return Numeric(given, tuple(values), first.unit, first.bare)


def _range(given: Given, text: str) -> EvenSteps | tuple[Number, ...]:
    first, last, step = _parts(text)
    low, high = given.measured(first).value, given.measured(last).value
    if high < low:
        raise BadValue(text, "ends before it begins")
    if step.startswith("x"):
        return tuple(_powers(text, low, high, step[1:]))
    if not step and not given.whole:
        raise BadValue(text, f"needs a step, for example {text}:1{split(last)[1]}")
    by = given.measured(step).value if step else 1
    if by <= 0:
        raise BadValue(text, "has a step that leads nowhere")
    return EvenSteps(low, by, int((high - low) // by) + 1)


def _powers(text: str, low: Number, high: Number, factor: str) -> Iterator[Number]:
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


def _parts(text: str) -> tuple[str, str, str]:
    """The ends and the step of a range, or one value; BadValue where one is left out."""
    first, to, rest = text.partition(TO)
    last, colon, step = rest.partition(":")
    parts = first.strip(), last.strip(), step.strip()
    if (to and not (parts[0] and parts[1])) or (colon and not parts[2]):
        raise BadValue(text, "is not written as FIRST..LAST or FIRST..LAST:STEP")
    return parts
