"""The ticks of an axis: round numbers, as many as there is room for."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import ceil, log, log10

from ddcalc.formula.expression import Number
from ddcalc.numbers.amounts import count_text, power_text

Place = Callable[[Number, str], tuple[float, float]]
Ticks = list[tuple[Number, str]]


def ticks(last: Number, most: int, place: Place, first: Number = 0) -> Ticks:
    """Round numbers from *first* to *last* with their texts, about *most*, no two of them touching.

    *place* says from where to where a text goes. The last number is left out where it alone lacks
    room, and where there is room for one alone, that is all.
    """
    for count in range(most, 0, -1) if first < last else ():
        marks = [(at, count_text(at)) for at in _round_numbers(first, last, count)]
        apart = _apart(marks, place)
        if marks and all(apart):
            return marks
        if len(apart) > 1 and all(apart[:-1]):
            return marks[:-1]
    return [(first, count_text(first))]


def decades(last: Number, most: int, place: Place, first: Number) -> Ticks:
    """1, 2 and 5 times the powers of ten from *first* to *last*, or the powers alone, of which
    there may be very many; as in :func:`ticks`."""
    low, high = decade(first), decade(last, up=True)
    tens = [low]
    while tens[-1] < high and len(tens) <= most:
        tens.append(tens[-1] * 10)
    for parts in ((1, 2, 5), (1, 3), (1,)):
        places = (ten * part for ten in tens for part in parts if first <= ten * part <= last)
        marks: Ticks = [(at, count_text(at)) for at in places]
        if len(tens) <= most and len(marks) > 1 and all(_apart(marks, place)):
            return marks
    return powers(decade(last), most, place, decade(first, up=True))


def powers(last: Number, most: int, place: Place, first: Number) -> Ticks:
    """Powers of ten from *first* to *last*, which are such themselves; as in :func:`ticks`."""
    low, high = (_power(Fraction(end)) for end in (first, last))
    least = distance(max(high - low, 1), most)
    for step in (max(1, int(least * times)) for times in (1, 2, 5, 10)):
        tens = [Fraction(10) ** at for at in range(-(-low // step) * step, high + 1, step)]
        marks: Ticks = [(at, power_text(at)) for at in tens]
        if marks and all(_apart(marks, place)):
            return marks
    return [(first, count_text(first))]


def _apart(marks: Ticks, place: Place) -> list[bool]:
    """Whether each text ends before the next one begins."""
    places = [place(at, words) for at, words in marks]
    return [left[1] < right[0] for left, right in pairwise(places)]


def decade(size: Number, up: bool = False) -> Fraction:
    """The power of ten next to *size*, which is positive: below it, or above it if *up*."""
    power = Fraction(10) ** _power(Fraction(size))
    while power > size:
        power /= 10
    while power * 10 <= size:
        power *= 10
    return power * 10 if up and power < size else power


def _power(size: Fraction) -> int:
    """The exponent of ten of *size*, exact where it is a power of ten."""
    return round(log10(size.numerator) - log10(size.denominator))


def distance(size: Number, count: int) -> Fraction:
    """The least 1, 2 or 5 times a power of ten of which *count* reach over *size* (above 0)."""
    step = Fraction(1)
    while step * count < size:
        step *= 10
    while step * count >= 10 * size:
        step /= 10
    parts = (Fraction(1, 5), Fraction(1, 2), Fraction(1))
    return next(step * part for part in parts if step * part * count >= size)


def share(x: Number, ends: tuple[Number, Number], factors: bool = False) -> float:
    """How far *x* is on the way between the *ends* of a scale, from 0 to 1; by *factors* where
    equal distances are equal factors."""
    first, last = ends
    if factors and 0 < first < last:
        return (_log(x) - _log(first)) / (_log(last) - _log(first))
    return float(Fraction(x - first) / Fraction(last - first or 1))


def _log(x: Number) -> float:
    """The logarithm, of numbers that no float holds too."""
    return log(x.numerator) - log(x.denominator)


def _round_numbers(first: Number, last: Number, count: int) -> list[Number]:
    """Numbers from *first* to *last*, about *count* steps of 1, 2 or 5 times a power of ten."""
    step = distance(last - first, count)
    return [i * step for i in range(ceil(first / step), int(last // step) + 1)]
