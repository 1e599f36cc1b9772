"""Axes: what is varied, and the values it takes, as texts say: ``workers=1..128``,
``compute=1s..5s:0.5s``, ``batch=256,512``.

``1-128`` and ``1:128`` are ranges, too. One may go on by a step or, with ``x2``, by a factor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from sys import maxsize
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep.column import Column, Floats, constant, of_numbers, of_whole
from ddcalc.errors import BadValue, OverLimit, UnknownName, blaming
from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import amount_text
from ddcalc.numbers.display import decimal
from ddcalc.numbers.number import in_units, parse, plain, product, range_text, split
from ddcalc.numbers.units import COUNT, Measured, Unit
from ddcalc.problem.known.presets import Slot
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Choice, Given, letters, named
from ddcalc.problem.stated import Texts

TO = ".."
LISTED = 100_000  # values that are no even steps
BITS = 400  # of a value that factors lead to, as of every value that is written
_EUROS: Final = re.compile(r"(\d[\d.]*) *(?:EUR|€)")

Values = str | range | Sequence[str]
Positions = NDArray[np.intp]
"""Where points lie on an axis."""


class EvenSteps(Sequence[Number]):
    """Numbers (base units) from *first* on, in equal steps, up to *last*."""

    def __init__(self, first: Number, last: Number, step: Number) -> None:
        self.first, self.step = first, step
        self._steps = range(int((last - first) // step) + 1)

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, i: Any) -> Any:
        return plain(self.first + product(self.step, self._steps[i]))


@dataclass(frozen=True)
class Axis:
    """What is *declared* takes these *numbers* (base units), which are shown in *unit*, or without
    if *bare*, and with *factors* go up by one; or it takes *names*: a choice, a given of words, or
    what names a preset.
    """

    declared: Any  # a Given, a Choice or a Slot
    numbers: Sequence[Number] = ()
    names: Sequence[str] = ()
    unit: Unit = COUNT
    bare: bool = False
    factors: bool = False

    @property
    def name(self) -> str:
        return str(self.declared.name)

    @property
    def values(self) -> Sequence[Number] | Sequence[str]:
        """The numbers or the names."""
        return self.names or self.numbers

    @property
    def size(self) -> int:
        return len(self.values)

    def stated(self, i: int) -> str:
        """The value at position *i* as a question would state it."""
        return self.names[i] if self.names else self.measured(i).text

    def measured(self, i: int) -> Measured:
        """The number at position *i* as a question would state it."""
        amount = in_units(self.numbers[i], self.unit.worth)
        number = decimal(amount) or str(amount)
        text = number if self.bare else f"{number} {self.unit.name}"
        return Measured(self.numbers[i], self.unit, self.bare, text)

    def text(self, i: int) -> str:
        """The value at position *i* for people."""
        if self.names:
            name = self.names[i]
            return self.declared.written(name) if isinstance(self.declared, Choice) else name
        return amount_text(self.numbers[i], self.unit)

    @cached_property
    def _column(self) -> Column:
        return of_numbers(self.numbers)

    def column(self, at: Positions) -> Column:
        """The numbers at those positions; FloatingPointError where no floats are near."""
        if isinstance(self.numbers, EvenSteps):
            return constant(self.numbers.first) + constant(self.numbers.step) * of_whole(at)
        return replace(self._column, top=self._column.top[at])

    def floats(self, at: Positions) -> Floats:
        """The same in its unit, as floats."""
        return (self.column(at) / constant(self.unit.worth)).values()


def written(text: str) -> tuple[str, str]:
    """The name and the values in ``NAME=VALUES``."""
    name, _, values = (part.strip() for part in text.partition("="))
    if not name or not values:
        reason = "is not written as NAME=VALUES, for example workers=1..128"
        raise BadValue(text, reason).about("vary")
    return name, values


def axis(problem: type[Problem], name: str, values: Values, texts: Texts | None = None) -> Axis:
    """The axis of the given or choice called *name*; *values* are written as for ``--vary``, in
    euros too if *texts* state their rate of exchange.

    Raises a DdcalcError that says what is wrong with them.
    """
    slots = {slot: Slot(slot) for slot in problem.slots}
    known: dict[str, Any] = {**slots, **problem.givens, **problem.choices}
    if (declared := known.get(named(name, problem.givens))) is None:
        by_letter = letters(problem.givens.values())
        raise UnknownName("given", name, known, letters=by_letter).about("vary")
    if isinstance(values, range):
        values = f"{values.start}{TO}{values.stop - 1}:{values.step}"
    if isinstance(values, str) and isinstance(rate := (texts or {}).get("exchange"), str):
        euro = problem.givens["exchange"].read(rate).value
        values = _EUROS.sub(lambda found: f"{parse(found[1]) * euro} USD", values)
    members = [part.strip() for part in values.split(",")] if isinstance(values, str) else values
    with blaming(f"vary {declared.name}"):
        if not isinstance(declared, Given):
            return Axis(declared, names=[*map(declared.read, members)])
        if not any(text in declared.words for text in members):
            return _numeric(declared, [range_text(member) or member for member in members])
        for member in members:
            if member not in declared.words:
                declared.measured(member)
        return Axis(declared, names=members)


def _numeric(given: Given, members: Sequence[str]) -> Axis:
    """The axis of the numbers that *members* say; raises BadValue for the first that *given* does
    not admit."""
    if given.many == "list":
        reason = f"is for {given.name}, which takes a list; only single values can vary"
        raise BadValue(", ".join(members), reason)
    first = given.measured(_parts(members[0])[0])
    parts = [part for member in members for part in _parts(member) if part[:1] not in ("", "x")]
    bare = [part for part in parts if given.unit.name and not split(part)[1]]
    if bare and len(bare) < len(parts):  # none counts for the numbers beside it
        raise BadValue(bare[0], "has no unit, though others have; write a unit behind each")
    numbers, *others = (_run(given, member) for member in members)
    if others:
        if len(numbers) + sum(map(len, others)) > LISTED:
            raise OverLimit(f"a list of more than {LISTED} values; a range may be longer")
        numbers = [*numbers, *chain(*others)]
    by_factors = ":x" in members[0].replace(" ", "")
    made = Axis(given, numbers, (), first.unit, first.bare, by_factors)
    ends = 0, min(1, made.size - 1), made.size - 1  # limits admit what lies between
    for i in ends if isinstance(numbers, EvenSteps) else range(made.size):
        given.check(made.stated(i), numbers[i])
    return made


def _run(given: Given, text: str) -> Sequence[Number]:
    """The values that a member of a list says, one or a range of them."""
    first, last, step = _parts(text)
    low = given.measured(first).value
    if not last:
        return [low]
    high = given.measured(last).value
    if high < low:
        raise BadValue(text, "ends before it begins")
    if step.startswith("x"):
        return list(_powers(text, low, high, step[1:]))
    if not step and not given.whole:
        raise BadValue(text, f"needs a step, for example {text}:1{split(last)[1]}")
    by = given.measured(step).value if step else 1
    if by <= 0:
        raise BadValue(text, "has a step that leads nowhere")
    if (high - low) // by >= maxsize:
        raise OverLimit(f"{text} has more values than can be counted")
    return EvenSteps(low, high, by)


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
