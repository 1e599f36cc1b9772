"""Other values for what a question states, about as large and as round, drawn by a seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from random import Random

from ddcalc.errors import BadValue
from ddcalc.numbers.display import decimals, exact_text
from ddcalc.numbers.number import Number, in_units, magnitude, plain, product
from ddcalc.numbers.units import Measured
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated

SPAN = 4  # times that a number may grow or shrink
LONG = 3  # significant digits from which steps of the last one would not be round
FEWEST = 12  # numbers below which a long one is varied by its first digits instead
RATIOS = 8  # the largest part of a ratio by which a long number is varied
ODD = 15  # the largest odd factor of a number whose power of two is kept
BINARY = 16  # the least power of two that is kept
TRIES = 20  # for each member of a list, to find values that all differ

# Numbers like a given one


def around(value: Number, whole: bool = False) -> list[Number]:
    """Numbers like *value*, in order, *value* among them; only *whole* ones if that is wanted.

    Multiples of a power of two stay that, short numbers keep their last digit's place, and long
    ones change by simple ratios.

    >>> [str(number) for number in around(1536, True)][:5]
    ['384', '512', '768', '1024', '1536']
    >>> around(6, True) == list(range(2, 25)), len(around(Fraction(3, 2)))
    (True, 57)
    """
    if value < 0:
        return [-number for number in reversed(around(-value, whole))]
    if value == 0:
        return [0]
    like = _binary(value) or (_steps(value, step_of([value], whole)) if short(value) else [])
    if not like:
        like = _ratios(value, whole)
        if len(like) < FEWEST:
            like += _steps(value, _first_digits(value, whole))
    least = 2 if whole and value > 1 else 0
    return sorted({value, *(number for number in like if number >= least)})


def multiples(value: Number, step: Number) -> list[Number]:
    """The multiples of *step* about as large as *value*, in order; zero stays zero."""
    if value < 0:
        return [-number for number in reversed(multiples(-value, step))]
    return _steps(value, step) if value else [0]


def step_of(values: Sequence[Number], whole: bool) -> Number:
    """The largest power of ten, or half of one, of which all *values* (not all 0) are multiples.

    Not larger than half of the smallest of them, unless that would not be a *whole* number.

    >>> step_of([Fraction(3, 20), Fraction(1, 5)], False), step_of([1536], True)
    (Fraction(1, 20), 1)
    """
    sizes = [Fraction(magnitude(value)) for value in values if value]
    places = max(decimals(size) or 0 for size in sizes)
    step = Fraction(1, int(10**places))
    while all(size % (10 * step) == 0 for size in sizes):
        step *= 10
    if len(sizes) > 1 and all(size % (5 * step) == 0 for size in sizes):
        step *= 5
    if step > min(sizes) / 2:
        step /= 2 if step.numerator % 5 else 5 if step.numerator % 2 else 2
    if whole and step < 1:
        return 1
    return plain(step)


def short(value: Number) -> bool:
    """Whether *value* ends, and has so few significant digits that its last one may change."""
    places = decimals(value)
    if places is None:
        return False
    mantissa = abs(value.numerator) * 10**places // value.denominator
    return len(str(mantissa).rstrip("0")) < LONG


def _binary(value: Number) -> list[Number]:
    """Powers of two, and their multiples by the odd part of *value*; none where it is not one."""
    if value.denominator != 1:
        return []
    odd, power = value.numerator, 1
    while odd % 2 == 0:
        odd, power = odd // 2, power * 2
    if power < BINARY or odd > ODD or value % 10 == 0:
        return []
    like: list[Number] = []
    for part in {1, odd}:
        number = part
        while number <= value * SPAN:
            if number * SPAN >= value:
                like.append(number)
            number *= 2
    return like


def _steps(value: Number, step: Number) -> list[Number]:
    first, last = ceil(Fraction(value) / SPAN / step), floor(Fraction(value) * SPAN / step)
    return [plain(times * step) for times in range(max(1, first), last + 1)]


def _ratios(value: Number, whole: bool) -> list[Number]:
    """Simple multiples and parts of *value* that have no more digits than it."""
    most, places = _digits(value), decimals(value)
    like = []
    for top in range(1, RATIOS + 1):
        for bottom in range(1, RATIOS + 1):
            number = plain(Fraction(value) * top / bottom)
            if not value <= number * SPAN <= value * SPAN**2 or (whole and number.denominator > 1):
                continue
            behind = decimals(number)
            is_short = behind is not None and behind <= (places or 0) and _digits(number) <= most
            if places is None or is_short:
                like.append(number)
    return like


def _first_digits(value: Number, whole: bool) -> Number:
    """A step in the second digit of *value*."""
    first = (Decimal(value.numerator) / value.denominator).adjusted()
    step = Fraction(10) ** (first - 1)
    return 1 if whole and step < 1 else plain(step)


def _digits(value: Number) -> int:
    """The significant digits of *value*; many where it never ends."""
    places = decimals(value)
    if places is None:
        return 99
    return len(str(value.numerator * 10**places // value.denominator).strip("0"))


# Drawing


def pick(random: Random, length: int) -> int:
    """An index below *length*; for a seed it is the same in every version of Python."""
    return int(random.random() * length)


def shuffled(random: Random, length: int) -> list[int]:
    """The indexes below *length* in any order."""
    order = list(range(length))
    for i in range(length - 1, 0, -1):
        other = pick(random, i + 1)
        order[i], order[other] = order[other], order[i]
    return order


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
        like = around(_number(self.measured), self.given.whole)
        return [text_of(number, self.measured) for number in filter(self._admits, like)]

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
        drawn: set[Number] = set()
        for numbers in self._ranges:
            for _ in range(TRIES):
                number = numbers[pick(random, len(numbers))]
                if number not in drawn:
                    drawn.add(number)
                    break
            else:
                return None
        return self._texts(sorted(drawn))

    def nudged(self, random: Random) -> list[str]:
        """One member changed, between its neighbours."""
        at = pick(random, len(self._ranks))
        members = list(self._ranks)
        below, above = members[at - 1 : at], members[at + 1 : at + 2]
        between = [
            number
            for number in self._ranges[at]
            if all(low < number for low in below) and all(number < high for high in above)
        ]
        members[at] = between[pick(random, len(between))] if between else members[at]
        return self._texts(members)

    def _texts(self, by_rank: Sequence[Number]) -> list[str]:
        by_member = dict(zip(self._ranks, by_rank, strict=True))
        return [text_of(by_member[_number(member)], member) for member in self.measured]

    @cached_property
    def _ranks(self) -> list[Number]:
        """The members in order, each once, in the unit of the first."""
        return sorted(set(map(_number, self.measured)))

    @cached_property
    def _ranges(self) -> list[list[Number]]:
        """What each of them may become."""
        ranks, bare = self._ranks, not self.given.unit.name
        whole = self.given.whole or (bare and all(rank.denominator == 1 for rank in ranks))
        if any(ranks) and all(map(short, ranks)):
            step = step_of(ranks, whole)
            return [multiples(member, step) or [member] for member in ranks]
        return [around(member, whole) or [member] for member in ranks]


def dials(stated: Stated, varied: Sequence[str]) -> list[Dial | Dials]:
    """What may change in *stated*; a list in several units stays as it is."""
    free: list[Dial | Dials] = []
    for name in varied:
        given, measured = stated.problem.givens[name], stated.measured.get(name)
        if isinstance(measured, tuple):
            if len({member.unit for member in measured}) == 1:
                free.append(Dials(given, measured))
        elif measured is not None:
            free.append(Dial(given, measured))
    return free


def text_of(number: Number, measured: Measured) -> str:
    """*number* written as *measured* is: in its unit, or without one."""
    value = product(number, measured.unit.worth)
    text = exact_text(value, measured.unit)
    return text.partition(" ")[0] if measured.bare else text


def _number(measured: Measured) -> Number:
    return in_units(measured.value, measured.unit.worth)
