"""Numbers like a given one: about its size, and as round."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor

from ddcalc.numbers.number import Number, plain

SPAN = 4  # times that a number may grow or shrink
LONG = 3  # significant digits from which steps of the last one would not be round
FEWEST = 12  # numbers below which a long one is varied by its first digits instead
RATIOS = 8  # the largest part of a ratio by which a long number is varied
ODD = 15  # the largest odd factor of a number that is told by its power of two
BINARY = 16  # the least power of two that makes it one


def decimals(value: Number) -> int | None:
    """The digits behind the point of *value*; None where they never end.

    >>> decimals(Fraction(1191, 2)), decimals(8000), decimals(Fraction(200, 3))
    (1, 0, None)
    """
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


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
    found = _binary(value) or (_steps(value, step_of([value], whole)) if short(value) else [])
    if not found:
        found = _ratios(value, whole)
        if len(found) < FEWEST:
            found += _steps(value, _first_digits(value, whole))
    least = 2 if whole and value > 1 else 0
    return sorted({value, *(number for number in found if number >= least)})


def multiples(value: Number, step: Number) -> list[Number]:
    """The multiples of *step* about as large as *value*, in order; zero stays zero."""
    if value < 0:
        return [-number for number in reversed(multiples(-value, step))]
    return _steps(value, step) if value else [0]


def step_of(values: Sequence[Number], whole: bool) -> Number:
    """The largest power of ten, or half of one, of which all *values* (not all 0) are multiples.

    Not larger than half of the smallest of them, unless that would be no *whole* number.

    >>> step_of([Fraction(3, 20), Fraction(1, 5)], False), step_of([1536], True)
    (Fraction(1, 20), 1)
    """
    sizes = [Fraction(max(value, -value)) for value in values if value]
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
    """Powers of two, and their multiples by the odd part of *value*; none where it is no such."""
    if value.denominator != 1:
        return []
    odd, power = value.numerator, 1
    while odd % 2 == 0:
        odd, power = odd // 2, power * 2
    if power < BINARY or odd > ODD or value % 10 == 0:
        return []
    found: list[Number] = []
    for part in {1, odd}:
        number = part
        while number <= value * SPAN:
            if number * SPAN >= value:
                found.append(number)
            number *= 2
    return found


def _steps(value: Number, step: Number) -> list[Number]:
    first, last = ceil(Fraction(value) / SPAN / step), floor(Fraction(value) * SPAN / step)
    return [plain(times * step) for times in range(max(1, first), last + 1)]


def _ratios(value: Number, whole: bool) -> list[Number]:
    """Simple multiples and parts of *value* that have no more digits than it."""
    most, places = _digits(value), decimals(value)
    found = []
    for top in range(1, RATIOS + 1):
        for bottom in range(1, RATIOS + 1):
            number = plain(Fraction(value) * top / bottom)
            if not value <= number * SPAN <= value * SPAN**2 or (whole and number.denominator > 1):
                continue
            own = decimals(number)
            if places is None or (own is not None and own <= places and _digits(number) <= most):
                found.append(number)
    return found


def _first_digits(value: Number, whole: bool) -> Number:
    """A step in the second digit of *value*."""
    power = len(str(int(value))) - 2 if value >= 10 else -1 - max(0, _zeros(value))
    step = Fraction(int(10**power)) if power >= 0 else Fraction(1, int(10**-power))
    return 1 if whole and step < 1 else plain(step)


def _zeros(value: Number) -> int:
    """How many powers of ten below 1 the first digit of *value* stands."""
    zeros = 0
    while value * 10**zeros < 1:
        zeros += 1
    return zeros


def _digits(value: Number) -> int:
    """The significant digits of *value*; many where it never ends."""
    places = decimals(value)
    if places is None:
        return 99
    return len(str(value.numerator * 10**places // value.denominator).strip("0"))
