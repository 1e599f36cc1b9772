"""The range of the answer while uncertain inputs move anywhere between their ends.

Branch and bound: bounds of the formulas by interval arithmetic hold for a whole box of inputs;
answers at its corners are attained. Where the two meet, the range is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count, islice, product
from math import floor

from ddcalc.ask.sensitivity.levers import Point
from ddcalc.ask.sensitivity.uncertain import Spread, box
from ddcalc.formula.expression import Number
from ddcalc.formula.intervals import Bounds, Limit, enclosed, of_number
from ddcalc.numbers.number import quotient

BOXES = 300  # that are examined for each end of the range
CORNERS = 64  # of a box at which answers are worked out
PLAYED = 1024  # corners at which a played question is played
CLOSE = Fraction(1, 10**30)  # relative difference of rounded values that are the same

Box = Mapping[str, tuple[Number, Number]]
Place = Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class End:
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

    low: End
    high: End
    everywhere: bool


def answer_range(point: Point, spreads: Sequence[Spread]) -> Range:
    """The range of the answer of *point* for all inputs that *spreads* admit."""
    whole = {each.key for each in spreads if each.given.whole}
    searches = [_Search(point, whole, sign) for sign in (-1, 1)]
    low, high = (search.end(box(spreads)) for search in searches)
    return Range(low, high, all(search.everywhere for search in searches))


class _Search:
    """The greatest answer times *sign*, in boxes of inputs of which some are *whole*."""

    def __init__(self, point: Point, whole: set[str], sign: int) -> None:
        self.point, self.whole, self.sign = point, whole, sign
        self.best, self.at = point.value, dict[str, Number]()
        self.everywhere = True

    def end(self, start: Box) -> End:
        """The end of the range over *start*."""
        self.at = {name: self._middle(name, ends) for name, ends in start.items()}
        if self.point.played:
            self._try(start, PLAYED)
            return End(self.best, self.at, None)
        numbers, waiting = count(), list[tuple[Limit, int, Box]]()
        heappush(waiting, (-self._bound(start), next(numbers), start))
        for _ in range(BOXES):
            if not waiting or -waiting[0][0] <= self.sign * self.best:
                return End(self.best, self.at, self.best)
            _, _, part = heappop(waiting)
            self._try(part, CORNERS)
            for half in self._halves(part):
                heappush(waiting, (-self._bound(half), next(numbers), half))
        bound = -waiting[0][0] if waiting else self.sign * self.best
        if isinstance(bound, float):
            return End(self.best, self.at, None)
        return End(self.best, self.at, max(bound, self.sign * self.best) * self.sign)

    def _try(self, part: Box, most: int) -> None:
        """Note the best answer at the corners of *part*: all low, all high, then the others."""
        ends = [dict.fromkeys(each) for each in part.values()]
        corners = chain(zip(*part.values(), strict=True), islice(product(*ends), most))
        for corner in dict.fromkeys(corners):
            place = dict(zip(part, corner, strict=True))
            found = self.point.answer(place)
            if found is None:
                self.everywhere = False
            elif self.sign * found > self.sign * self.best:
                self.best, self.at = found, place

    def _bound(self, part: Box) -> Limit:
        """What the answer times the sign surely does not pass in *part*."""
        known = {
            letter: of_number(value)
            for letter, value in self.point.known.items()
            if value is not None
        }
        for name, (low, high) in part.items():
            known[self._letter(name)] = Bounds(low, high)
        for line in self.point.plan.needed(self.point.result.symbol):
            known[line.symbol] = enclosed(line.formula, known)
        found = known[self.point.result.symbol]
        if not found.sure:
            self.everywhere = False
        return found.high if self.sign > 0 else -found.low

    def _letter(self, name: str) -> str:
        given, _, index = name.partition("[")
        letter = self.point.solved.problem.givens[given].letter
        return f"{letter}_{index[:-1]}" if index else letter

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
