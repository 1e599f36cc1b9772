"""Other values for what a question states, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from ddcalc.ask.variants.grid import around, multiples, short, step_of
from ddcalc.errors import BadValue
from ddcalc.numbers.display import exact_text
from ddcalc.numbers.number import Number, in_units, product
from ddcalc.numbers.units import Measured
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated

TRIES = 20  # for each member of a list, to find values that all differ

Text = str | list[str]


def pick(random: Random, length: int) -> int:
    """An index below *length*; the same one of every Python for a seed."""
    return int(random.random() * length)


def shuffled(random: Random, length: int) -> list[int]:
    """The indexes below *length* in any order."""
    order = list(range(length))
    for i in range(length - 1, 0, -1):
        other = pick(random, i + 1)
        order[i], order[other] = order[other], order[i]
    return order


def base_texts(stated: Stated) -> dict[str, Text]:
    """What *stated* states, as texts: givens as they are written, and choices."""
    texts: dict[str, Text] = dict(stated.shape.words)
    for name, measured in stated.measured.items():
        listed = isinstance(measured, tuple)
        texts[name] = [each.text for each in measured] if listed else measured.text  # type: ignore[union-attr]
    texts.update(stated.shape.reading)
    order = [*stated.problem.givens, *stated.problem.choices]
    return {name: texts[name] for name in order if name in stated.said and name in texts}


@dataclass(frozen=True)
class Dial:
    """A given with one value that may be another one."""

    given: Given
    measured: Measured

    @property
    def name(self) -> str:
        return self.given.name

    @cached_property
    def texts(self) -> list[str]:
        """The values that it may take, as it would be written."""
        told = _number(self.measured)
        found = filter(self._admits, around(told, self.given.whole))
        return [text_of(number, self.measured) for number in found]

    def drawn(self, random: Random) -> str:
        """One of them."""
        return self.texts[pick(random, len(self.texts))]

    def _admits(self, number: Number) -> bool:
        try:
            self.given.check("", product(number, self.measured.unit.worth))
        except BadValue:
            return False
        return True


@dataclass(frozen=True)
class Dials:
    """A list of which the members may be others: equal ones stay equal, smaller ones smaller."""

    given: Given
    measured: Sequence[Measured]

    @property
    def name(self) -> str:
        return self.given.name

    def drawn(self, random: Random) -> list[str] | None:
        """Other members; None where no values were drawn that all differ."""
        found: dict[Number, None] = {}
        for numbers in self._ranges:
            for _ in range(TRIES):
                number = numbers[pick(random, len(numbers))]
                if number not in found:
                    found[number] = None
                    break
            else:
                return None
        return self._texts(sorted(found))

    def nudged(self, random: Random) -> list[str]:
        """One member changed, between its neighbours."""
        at = pick(random, len(self._ranks))
        found = list(self._ranks)
        low, high = found[at - 1 : at], found[at + 1 : at + 2]
        between = [
            number
            for number in self._ranges[at]
            if all(each < number for each in low) and all(number < each for each in high)
        ]
        found[at] = between[pick(random, len(between))] if between else found[at]
        return self._texts(found)

    def _texts(self, by_rank: Sequence[Number]) -> list[str]:
        told = dict(zip(self._ranks, by_rank, strict=True))
        return [text_of(told[_number(each)], each) for each in self.measured]

    @cached_property
    def _ranks(self) -> list[Number]:
        """The members in order, each once, in the unit of the first."""
        return sorted({_number(each) for each in self.measured})

    @cached_property
    def _ranges(self) -> list[list[Number]]:
        """What each of them may become."""
        ranks, whole = self._ranks, self.given.whole
        if any(ranks) and all(short(each) for each in ranks):
            step = step_of(ranks, whole)
            found = [multiples(each, step) for each in ranks]
        else:
            found = [around(each, whole) for each in ranks]
        return [numbers or [each] for numbers, each in zip(found, ranks, strict=True)]


def dials(stated: Stated, varied: Sequence[str]) -> list[Dial | Dials]:
    """What may change in *stated*; a list in several units stays as it is."""
    found: list[Dial | Dials] = []
    for name in varied:
        given, measured = stated.problem.givens[name], stated.measured.get(name)
        if isinstance(measured, tuple):
            if len({each.unit for each in measured}) == 1:
                found.append(Dials(given, measured))
        elif measured is not None:
            found.append(Dial(given, measured))
    return found


def text_of(number: Number, measured: Measured) -> str:
    """*number* written as *measured* is: in its unit, or without one."""
    value = product(number, measured.unit.worth)
    text = exact_text(value, measured.unit)
    return text.partition(" ")[0] if measured.bare else text


def _number(measured: Measured) -> Number:
    return in_units(measured.value, measured.unit.worth)
