"""The range of the answer for uncertain inputs, by branch and bound.

Bounds of the formulas by interval arithmetic hold for a whole box of inputs; answers at its corners
are reached. Where the two meet, an end of the range is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush
from itertools import chain, count, islice, product
from math import floor, inf

from ddcalc.ask.sensitivity.levers import OperatingPoint
from ddcalc.ask.sensitivity.uncertainty import Spread
from ddcalc.formula.expression import Number
from ddcalc.formula.intervals import Bounds, Limit, enclosed, of_number
from ddcalc.numbers.number import magnitude, plain
from ddcalc.numbers.units import Measured
from ddcalc.problem.plan import Line

BOXES = 300  # that are examined for each end of the range
CORNERS = 64  # of a box at which answers are worked out
CLOSE = Fraction(1, 10**30)  # relative difference of rounded values that are the same

Box = Mapping[str, tuple[Number, Number]]
Place = Mapping[str, Number]


@dataclass(frozen=True, slots=True)
class RangeEnd:
    """The end of the range that is *attained*, *at* these inputs; *bound* is proved not to be
    passed, None where nothing is proved."""

    attained: Number
    at: Place
    bound: Number | None

    @property
    def exact(self) -> bool:
        """Whether the end is proved."""
        if self.bound is None:
            return False
        return magnitude(self.bound - self.attained) <= CLOSE * magnitude(self.attained)


@dataclass(frozen=True, slots=True)
class Range:
    """The least and greatest answers; *everywhere* unless some input has no answer."""

    low: RangeEnd
    high: RangeEnd
    everywhere: bool


def answer_range(point: OperatingPoint, spreads: Sequence[Spread]) -> Range:
    """The range of the answer of *point* for all inputs that *spreads* admit."""
    box = {spread.key: (spread.low, spread.high) for spread in spreads}
    whole = {spread.key for spread in spreads if spread.given.whole}
    searches = [_Farthest(point, whole, sign) for sign in (-1, 1)]
    low, high = (search.end(box) for search in searches)
    return Range(low, high, all(search.everywhere for search in searches))


@dataclass
class _Farthest:
    """The search for the greatest answer times *sign*, in boxes of inputs, some of them *whole*."""

    point: OperatingPoint
    whole: set[str]
    sign: int
    everywhere: bool = True
    best: Number = field(init=False)
    at: Place = field(init=False)
    lines: Sequence[Line] = field(init=False)

    def end(self, start: Box) -> RangeEnd:
        """The end of the range over *start*."""
        plan = self.point.solved.working.plan
        self.lines = [] if plan is None else plan.needed(self.point.result.symbol)
        self.best = self.point.value
        self.at = {name: self._middle(name, *ends) for name, ends in start.items()}
        number = count()
        waiting: list[tuple[Limit, int, Box]] = [(-self._bound(start), next(number), start)]
        for _ in range(BOXES if self.lines else 1):
            if not waiting or -waiting[0][0] <= self.sign * self.best:
                return RangeEnd(self.best, self.at, self.best)
            _, _, box = heappop(waiting)
            self._try(box)
            for half in self._halves(box):
                heappush(waiting, (-self._bound(half), next(number), half))
        bound = max(self.sign * self.best, -waiting[0][0] if waiting else -inf)
        return RangeEnd(self.best, self.at, None if isinstance(bound, float) else bound * self.sign)

    def _bound(self, box: Box) -> Limit:
        """What the answer times the sign surely does not pass in *box*."""
        if not self.lines:
            return inf
        letters = self.point.solved.working.letters
        known = {name: of_number(value) for name, value in letters.items() if value is not None}
        known |= {self._letter(name): Bounds(low, high) for name, (low, high) in box.items()}
        for line in self.lines:
            known[line.symbol] = enclosed(line.formula, known)
        bounds = known[self.point.result.symbol]
        self.everywhere = self.everywhere and bounds.sure
        return bounds.high if self.sign > 0 else -bounds.low

    def _try(self, box: Box) -> None:
        """Note the best answer at the corners of *box*: all low, all high, then the others."""
        ends = [dict.fromkeys(pair) for pair in box.values()]
        for corner in chain(zip(*box.values(), strict=True), islice(product(*ends), CORNERS)):
            place = dict(zip(box, corner, strict=True))
            answer = self.point.answer(place)
            if answer is None:
                self.everywhere = False
            elif self.sign * answer > self.sign * self.best:
                self.best, self.at = answer, place

    def _letter(self, name: str) -> str:
        given_name, _, index = name.partition("[")
        given = self.point.solved.problem.givens[given_name]
        measured = self.point.stated.measured[given_name]
        if isinstance(measured, Measured):
            return given.letter
        return given.lettered(len(measured))[int(index[:-1]) - 1]

    def _halves(self, box: Box) -> Iterator[Box]:
        """*box* cut in two across its longest side; nothing where it is a point."""
        name = max(box, key=lambda name: self._length(name, *box[name]))
        low, high = box[name]
        if low < high:
            middle = self._middle(name, low, high)
            yield {**box, name: (low, middle)}
            yield {**box, name: (middle + 1 if name in self.whole else middle, high)}

    def _length(self, name: str, low: Number, high: Number) -> Number:
        """How long a side is beside what it is about; counts first, they end in points."""
        if low == high:
            return 0
        return Fraction(high - low) / max(magnitude(low), magnitude(high)) + (name in self.whole)

    def _middle(self, name: str, low: Number, high: Number) -> Number:
        middle = Fraction(low + high) / 2
        return floor(middle) if name in self.whole else plain(middle)
