"""Other values for what a question states, about as large and as round, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from random import Random

from ddcalc.errors import BadValue
from ddcalc.numbers.display import decimals, exact_text, first_place
from ddcalc.numbers.number import Number, in_units, magnitude, plain, product
from ddcalc.numbers.units import Measured
from ddcalc.problem.quantity import Given

SPAN = 4  # times that a number may grow or shrink
LONG = 3  # significant digits from which steps of the last one would not be round
FEWEST = 12  # numbers below which a long one is varied by its first digits instead
RATIOS = 8  # the largest part of a ratio by which a long number is varied
BINARY = 16  # numbers that it divides are varied so, too: batches stay round in powers of two
TRIES = 20  # for each member of a list, to find values that all differ
ENDLESS = 99  # digits of a number that never ends

Drawn = tuple[Measured, ...]


def around(value: Number, whole: bool = False) -> list[Number]:
    """Numbers like *value*, in order, *value* among them; only *whole* ones if that is wanted.

    Short numbers keep their last digit's place; long ones, and multiples of 16, change by ratios.

    >>> [str(number) for number in around(1536, True)][:5]
    ['384', '512', '576', '768', '960']
    >>> around(6, True) == list(range(2, 25)), len(around(Fraction(3, 2)))
    (True, 57)
    """
    if value < 0:
        return [-number for number in reversed(around(-value, whole))]
    if value == 0:
        return [0]
    if _digits(value) < LONG and value % BINARY:
        like = multiples(value, step_of([value], whole))
    else:
        like = _by_ratios(value, whole)
        if len(like) < FEWEST:
            second = Fraction(10) ** (first_place(value) - 1)
            like += multiples(value, 1 if whole and second < 1 else plain(second))
    least = 2 if whole and value > 1 else 0
    return sorted({value, *(number for number in like if number >= least)})


def multiples(value: Number, step: Number) -> list[Number]:
    """The multiples of *step* about as large as *value*, in order; zero stays zero."""
    if value < 0:
        return [-number for number in reversed(multiples(-value, step))]
    if not value:
        return [0]
    first, last = ceil(Fraction(value) / SPAN / step), floor(Fraction(value) * SPAN / step)
    return [plain(times * step) for times in range(max(1, first), last + 1)]


def step_of(values: Sequence[Number], whole: bool) -> Number:
    """The largest power of ten, or half of one, of which all *values* (not all 0) are multiples.

    Not larger than half of the smallest of them, unless that would not be a *whole* number.

    >>> step_of([Fraction(3, 20), Fraction(1, 5)], False), step_of([1536], True)
    (Fraction(1, 20), 1)
    """
    sizes = [Fraction(magnitude(value)) for value in values if value]
    step = Fraction(1, 10 ** max(decimals(size) or 0 for size in sizes))
    while all(size % (10 * step) == 0 for size in sizes):
        step *= 10
    if len(sizes) > 1 and all(size % (5 * step) == 0 for size in sizes):
        step *= 5
    if step > min(sizes) / 2:
        step /= 2 if step.numerator % 5 else 5 if step.numerator % 2 else 2
    return 1 if whole and step < 1 else plain(step)


def _digits(value: Number) -> int:
    """The significant digits of *value*."""
    if (places := decimals(value)) is None:
        return ENDLESS
    return len(str(abs(value.numerator) * 10**places // value.denominator).rstrip("0"))


def _by_ratios(value: Number, whole: bool) -> list[Number]:
    """Simple multiples and parts of *value* that have no more digits than it."""
    digits, places, like = _digits(value), decimals(value), []
    for top in range(1, RATIOS + 1):
        for bottom in range(max(1, ceil(top / SPAN)), min(RATIOS, top * SPAN) + 1):
            number = plain(Fraction(value) * top / bottom)
            behind = decimals(number)
            as_short = behind is not None and behind <= (places or 0) and _digits(number) <= digits
            if (places is None or as_short) and not (whole and number.denominator > 1):
                like.append(number)
    return like


# Drawing


def pick(random: Random, length: int) -> int:
    """An index below *length*; for a seed it is the same in every version of Python."""
    return int(random.random() * length)


@dataclass(frozen=True, eq=False)
class Dial:
    """A *given* that may be stated otherwise. The members of a *list* change alike: equal ones stay
    equal, smaller ones smaller."""

    given: Given
    written: Drawn
    is_list: bool

    @cached_property
    def members(self) -> list[Number]:
        """The numbers in order, each once, in their unit."""
        return sorted({in_units(one.value, one.unit.worth) for one in self.written})

    @cached_property
    def ranges(self) -> list[list[Number]]:
        """What each of them may become."""
        members, whole = self.members, self.given.whole
        if not self.is_list:
            like = around(members[0], whole)
            return [[number for number in like if self.stated([number]) is not None]]
        whole = whole or not (self.given.unit.name or any(one.denominator > 1 for one in members))
        if any(members) and all(_digits(one) < LONG for one in members):
            step = step_of(members, whole)
            return [multiples(one, step) or [one] for one in members]
        return [around(one, whole) for one in members]

    @property
    def is_free(self) -> bool:
        """Whether it may change: a list in several units stays as it is."""
        return len({one.unit for one in self.written}) == 1 and bool(self.ranges[0])

    def drawn(self, random: Random) -> Drawn | None:
        """Other numbers; None where none were drawn that all differ."""
        drawn: set[Number] = set()
        for numbers in self.ranges:
            tries = (numbers[pick(random, len(numbers))] for _ in range(TRIES))
            if (number := next((one for one in tries if one not in drawn), None)) is None:
                return None
            drawn.add(number)
        return self.stated(sorted(drawn))

    def stated(self, others: Sequence[Number]) -> Drawn | None:
        """The *others* instead of the members, written as these are: in their unit, or without one;
        None where the given takes none such."""
        instead, made = dict(zip(self.members, others, strict=True)), []
        for one in self.written:
            value = product(instead[in_units(one.value, one.unit.worth)], one.unit.worth)
            try:
                self.given.check("", value)
            except BadValue:
                return None
            text = exact_text(value, one.unit)
            text = text.partition(" ")[0] if one.bare else text
            made.append(Measured(value, one.unit, one.bare, text))
        return tuple(made)
