"""Uncertain inputs (``4±0.5 s``, ``4 s +- 10 %``, ``3..5 s``), and the range of the answer.

The range is found by branch and bound: bounds of the formulas by interval arithmetic hold for a
whole box of inputs; answers at its corners are attained. Where the two meet, the range is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count, islice, product
from math import floor

from ddcalc.ask.sensitivity.levers import OperatingPoint
from ddcalc.errors import BadValue, DdcalcError, raise_all
from ddcalc.formula.expression import Number
from ddcalc.formula.intervals import Bounds, Limit, enclosed, of_number
from ddcalc.numbers.irrational import ratio
from ddcalc.numbers.number import parse, plain, quotient, split
from ddcalc.numbers.units import Measured, Unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

LENGTH = 300  # characters of an uncertain input
BOXES = 300  # that are examined for each end of the range
CORNERS = 64  # of a box at which answers are worked out
ALL_CORNERS = 1024  # where there are no formulas, so that there is one box
CLOSE = Fraction(1, 10**30)  # relative difference of rounded values that are the same

_FORM = re.compile(r"(.*?) *(±|\+/?-|\.\.) *(.*)", re.DOTALL)
Ends = tuple[Number, Number, Number, Unit]
Box = Mapping[str, tuple[Number, Number]]
Place = Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class Spread:
    """A given or member of a list (``finish[2]``) lies between *low* and *high* (base units).

    *middle* is what the question is solved for.
    """

    key: str
    given: Given
    low: Number
    middle: Number
    high: Number
    text: str
    shown: str  # the middle as a text that the given reads


def certain(
    problem: type[Problem], texts: Texts
) -> tuple[dict[str, str | Sequence[str]], tuple[Spread, ...]]:
    """*texts* with the middle of each uncertain input in its place, and those inputs.

    Raises a DdcalcError, Several where more than one thing is wrong.
    """
    plain: dict[str, str | Sequence[str]] = {}
    spreads: list[Spread] = []
    errors: list[DdcalcError] = []
    for key, text in texts.items():
        given = problem.givens.get(key.replace("-", "_"))
        plain[key] = text
        if given is None:
            continue
        members = [text] if isinstance(text, str) else list(text)
        for i, member in enumerate(members):
            name = given.name if isinstance(text, str) else f"{given.name}[{i + 1}]"
            try:
                spread = _spread(name, given, member)
            except DdcalcError as error:
                errors.append(error.about(name))
                continue
            if spread is not None:
                spreads.append(spread)
                members[i] = spread.shown
        plain[key] = members[0] if isinstance(text, str) else members
    raise_all(errors)
    return plain, tuple(spreads)


def _spread(name: str, given: Given, text: str) -> Spread | None:
    parts = _FORM.fullmatch(text) if len(text) <= LENGTH else None
    if parts is None:
        return None
    left, sign, right = parts.groups()
    around = sign != ".."
    low, middle, high, unit = (_around if around else _between)(given, left, right, text)
    if low > high:
        raise BadValue(text, "has a negative spread" if around else "ends before it begins")
    for end in (low, high):
        given.check(text, end)
    shown = f"{ratio(middle, unit.worth)} {unit.name}".strip()
    return Spread(name, given, low, middle, high, text, shown)


def _around(given: Given, left: str, right: str, text: str) -> Ends:
    number, unit = split(right)
    if unit == "%":
        middle = _value(given, left, "", text)
        half = middle.value * parse(number) / Fraction(100)
    else:
        middle = _value(given, left, unit, text)
        half = Fraction(_value(given, right, split(left)[1], text).value)
    ends = (plain(middle.value - half), middle.value, plain(middle.value + half))
    return *ends, middle.unit


def _between(given: Given, left: str, right: str, text: str) -> Ends:
    low = _value(given, left, split(right)[1], text)
    high = _value(given, right, split(left)[1], text)
    middle = Fraction(low.value + high.value) / 2
    return low.value, floor(middle) if given.whole else plain(middle), high.value, low.unit


def _value(given: Given, side: str, unit: str, text: str) -> Measured:
    """What one *side* of *text* says; without a unit of its own it has that of the other."""
    if not side:
        raise BadValue(text, "has nothing on one side; write for example 4±0.5 s or 3..5 s")
    return given.measured(side if split(side)[1] or not unit else f"{side} {unit}")


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """The *attained* end of the range, *at* these inputs; *bound* is proved not to be passed.

    *exact* where the two are one; the bound is None where nothing is proved.
    """

    attained: Number
    at: Place
    bound: Number | None

    @property
    def exact(self) -> bool:
        """Whether the end is proved."""
        if self.bound is None:
            return False
        gap = abs(Fraction(self.bound) - Fraction(self.attained))
        return gap <= CLOSE * abs(Fraction(self.attained))


@dataclass(frozen=True, slots=True)
class Range:
    """The least and greatest answers; *everywhere* unless some input had no answer."""

    low: RangeEnd
    high: RangeEnd
    everywhere: bool


def answer_range(point: OperatingPoint, spreads: Sequence[Spread]) -> Range:
    """The range of the answer of *point* for all inputs that *spreads* admit."""
    whole = {spread.key for spread in spreads if spread.given.whole}
    box = {spread.key: (spread.low, spread.high) for spread in spreads}
    searches = [_Farthest(point, whole, sign) for sign in (-1, 1)]
    low, high = (search.end(box) for search in searches)
    return Range(low, high, all(search.everywhere for search in searches))


def corners(point: OperatingPoint, spreads: Sequence[Spread]) -> int:
    """At how many places the answer is worked out for its range, at most."""
    here = min(1 << len(spreads), CORNERS if point.lines else ALL_CORNERS) + 2
    return 2 * here * (BOXES if point.lines else 1)


class _Farthest:
    """The greatest answer times *sign*, in boxes of inputs of which some are *whole*."""

    def __init__(self, point: OperatingPoint, whole: set[str], sign: int) -> None:
        self.point, self.whole, self.sign = point, whole, sign
        self.best, self.at = point.value, dict[str, Number]()
        self.everywhere = True

    def end(self, start: Box) -> RangeEnd:
        """The end of the range over *start*."""
        self.at = {name: self._middle(name, ends) for name, ends in start.items()}
        if not self.point.lines:
            self._try(start, ALL_CORNERS)
            return RangeEnd(self.best, self.at, None)
        numbers, waiting = count(), list[tuple[Limit, int, Box]]()
        heappush(waiting, (-self._bound(start), next(numbers), start))
        for _ in range(BOXES):
            if not waiting or -waiting[0][0] <= self.sign * self.best:
                return RangeEnd(self.best, self.at, self.best)
            _, _, part = heappop(waiting)
            self._try(part, CORNERS)
            for half in self._halves(part):
                heappush(waiting, (-self._bound(half), next(numbers), half))
        bound = -waiting[0][0] if waiting else self.sign * self.best
        if isinstance(bound, float):
            return RangeEnd(self.best, self.at, None)
        return RangeEnd(self.best, self.at, max(bound, self.sign * self.best) * self.sign)

    def _try(self, part: Box, most: int) -> None:
        """Note the best answer at the corners of *part*: all low, all high, then the others."""
        sides = [dict.fromkeys(ends) for ends in part.values()]
        corners = chain(zip(*part.values(), strict=True), islice(product(*sides), most))
        for corner in dict.fromkeys(corners):
            place = dict(zip(part, corner, strict=True))
            answer = self.point.answer(place)
            if answer is None:
                self.everywhere = False
            elif self.sign * answer > self.sign * self.best:
                self.best, self.at = answer, place

    def _bound(self, part: Box) -> Limit:
        """What the answer times the sign surely does not pass in *part*."""
        known = {
            letter: of_number(value)
            for letter, value in self.point.known.items()
            if value is not None
        }
        for name, (low, high) in part.items():
            known[self._letter(name)] = Bounds(low, high)
        for line in self.point.lines:
            known[line.symbol] = enclosed(line.formula, known)
        bounds = known[self.point.result.symbol]
        if not bounds.sure:
            self.everywhere = False
        return bounds.high if self.sign > 0 else -bounds.low

    def _letter(self, name: str) -> str:
        given_name, _, index = name.partition("[")
        given = self.point.solved.problem.givens[given_name]
        measured = self.point.stated.measured[given_name]
        if isinstance(measured, Measured):
            return given.letter
        return given.lettered(len(measured))[int(index[:-1]) - 1]

    def _halves(self, part: Box) -> Iterator[Box]:
        """*part* cut in two across its longest side; nothing where it is a point."""
        name = max(part, key=lambda name: self._length(name, part[name]))
        low, high = part[name]
        if low == high:
            return
        middle = self._middle(name, part[name])
        yield {**part, name: (low, middle)}
        yield {**part, name: (middle + 1 if name in self.whole else middle, high)}

    def _length(self, name: str, ends: tuple[Number, Number]) -> float:
        """How long a side is beside what it is about; counts first, they end in points."""
        low, high = ends
        about = max(abs(Fraction(low)), abs(Fraction(high)))
        return 0.0 if low == high else float((high - low) / about) + (name in self.whole)

    def _middle(self, name: str, ends: tuple[Number, Number]) -> Number:
        total = ends[0] + ends[1]
        middle = quotient(total.numerator, total.denominator * 2)
        return floor(middle) if name in self.whole else middle
