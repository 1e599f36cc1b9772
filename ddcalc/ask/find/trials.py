"""A search by trying, where there are no equations or the unknown is a choice.

Whole numbers are tried one by one, from the least on; of others some far apart, and then, by
halving, where the relations begin and cease to hold. There the answer is the simplest number in the
last gap: what changes in a schedule changes at sums of its times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count, groupby, pairwise
from math import floor
from typing import Any

from ddcalc.ask.find.branching import NEAR, domain
from ddcalc.ask.find.inverse import InverseQuestion, Relation
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import NEXT, Outcome, nearly
from ddcalc.ask.solve import Derivation
from ddcalc.errors import BadValue
from ddcalc.formula.algebraic import floor_of
from ddcalc.formula.expression import letter
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.quantity import Choice, Given
from ddcalc.schedule.watching import tell

TRIED = 200  # numbers, at most
LONG = 5  # long plays for whole numbers, at most
WORK = 30_000_000  # computations that are played, after which no more numbers are tried
DOUBLINGS = 20  # of the largest number of the kind that is stated, up and down
PLAYED = 12  # of those, where each is played
CLOSE = 10**9  # of a number, to which a gap is halved


class Tried(Outcome):
    """What came of trying numbers or options for the unknown of a *question*. Raises what every one
    is refused with, BadValue where what is compared is no number, or what is to be least or
    greatest gets better up to the last number that is tried."""

    def __init__(self, question: InverseQuestion) -> None:
        super().__init__(question)
        self.plays_long = self.played = 0
        self.met = set[Number]()  # numbers in whose gap what is to be equal crosses its bound
        if isinstance(self.unknown, Choice):
            self.options = tuple(self._best(self.unknown.options))
            self.kind = "only" if self.options else "none"
            self.proof = f"all {len(self.compared_at)} options were tried"
        else:
            self._try_numbers(self.unknown)
        if self.refused and not self._known:
            raise next(iter(self.refused.values()))

    def solved(self, x: Any) -> Derivation:
        tell("number")
        made = super().solved(x)
        self.plays_long += made.working.long
        self.played += made.working.work
        return made

    def _try_numbers(self, given: Given) -> None:
        """Take what comes of some numbers, as if there were no others, for what is known."""
        question, self.domain = self.question, domain(given)
        extremes = [one.written for one in question.relations if one.extreme]
        if extremes and not given.whole:
            reason = f"is found by a sweep here: --vary {given.name}=… --best …"
            raise BadValue(extremes[0], reason).about("where")
        is_left = self._one_by_one() if given.whole else self._by_halving()
        if not (known := self._known):
            return
        self.solutions, self.admitted = self._pieces(self._best(known)), self._pieces(known)
        self.choose()
        self.admitted = self.possible = (self.domain,)
        self.complete = not is_left
        if is_left:
            self.tried = known[0], known[-1]
        gets_better = question.extreme or question.end == "greatest"
        if gets_better and is_left and self.end == max(self.compared_at):
            reason = f"is not found: it still gets better at {self.end}, the last that was tried"
            raise BadValue(extremes[0], reason).about("where")
        if self.kind == "always" and self.end is None:
            self.end, self.reached = known[len(known) // 2], True
        if given.whole:
            first, last = min(self.compared_at), max(self.compared_at)
            values = "that is stated" if self.listed else f"from {first} to {last}"
            self.proof = f"every {letter(given.letter)} {values}, one by one"
            self.proof += "; larger ones were not tried" * is_left
        else:
            span = self.span(given.unit)
            self.proof = f"{len(self.compared_at)} numbers {span}; nothing is proved of others"

    @property
    def _known(self) -> list[Any]:
        tried = [x for x, values in self.compared_at.items() if values]
        return tried if isinstance(self.unknown, Choice) else sorted(tried)

    def _holds(self, x: Any, but: Sequence[Relation] = ()) -> bool:
        values = self.compared(x)
        bounds = (one for one in self.question.bounds if not (x in self.met and one.op == "=="))
        bounds = (one for one in bounds if one not in but)
        return bool(values) and all(one.holds_among(values) for one in bounds)

    def is_same_without(self, bounds: Sequence[Relation]) -> bool:
        return bool(self.options) and self._best(self._known, bounds) == [*self.options]

    def _best(self, among: Iterable[Any], but: Sequence[Relation] = ()) -> list[Any]:
        """Those *among* these for which all holds *but* some bounds, what is to be least or
        greatest too."""
        right = [x for x in among if self._holds(x, but)]
        if (relation := self.question.extreme) is None:
            return right
        known = ((x, self.compared(x)[relation.name]) for x in right)
        worth = {x: Fraction(y) for x, y in known if y is not None}
        best = (min if relation.extreme == "least" else max)([*worth.values()], default=Fraction(0))
        return [x for x, value in worth.items() if abs(value - best) <= abs(best) * NEAR]

    @property
    def _late(self) -> bool:
        is_long = self.question.given.whole and self.plays_long >= LONG
        return is_long or len(self.compared_at) >= TRIED or self.played >= WORK

    def _one_by_one(self) -> bool:
        """Try whole numbers, from the least that there can be, up to some beyond the most that are
        asked for; whether some are left."""
        about = [one for one in self.question.bounds if one.names == (self.answer,)]
        most = [floor(one.bound.value) for one in about if one.op[0] in "<="]
        for x in self.listed:
            self.compared(x)
        x = 1 if self.domain.low is None else floor_of(self.domain.low)
        while not self.listed and x in self.domain and x <= min(most, default=x) + NEXT:
            if self._late:
                return True
            self.compared(x)
            x += 1
        return False

    def _by_halving(self) -> bool:
        """Try numbers far apart, and others between those that differ, until each gap in which
        something changes is narrow, and the simplest number in it; there are always some left."""
        gaps = [*pairwise(x for x in self._far_apart() if self.compared(x))][::-1]
        while gaps and not self._late:
            low, high = map(Fraction, gaps.pop())
            if self._sides(low) == self._sides(high):
                continue
            middle = plain((low + high) / 2)
            if (high - low) * CLOSE > abs(high) + abs(low):
                gaps += [(middle, high), (low, middle)]  # the lower half is looked at first
                continue
            near = (Fraction(middle).limit_denominator(2**k) for k in count())
            number = plain(next(x for x in near if low <= x <= high))
            values = self.compared(number)
            equal = (one.sides(values) for one in self.question.bounds if one.op == "==")
            if all(nearly(*both) for both in equal):  # as far as a narrow gap tells
                self.met.add(number)
        return True

    def _far_apart(self) -> list[Number]:
        """Numbers to begin with: doubled and halved from the largest stated, and from the unit."""
        unit, low, stated = self.question.given.unit, self.domain.low, self.question.stated
        base = Fraction(low) if isinstance(low, int | Fraction) else Fraction(0)
        others = (every for name, every in stated.measured.items() if name != self.answer)
        alike = (x.value for every in others for x in every if x.unit.dimension == unit.dimension)
        scales = {Fraction(max(alike, default=0) or unit.worth)}
        if not stated.is_played:  # then none takes long
            scales.add(Fraction(unit.worth))
        most = PLAYED if stated.is_played else DOUBLINGS
        powers = range(-most, most + 1)
        numbers = {base, *(base + scale * Fraction(2) ** k for scale in scales for k in powers)}
        return [plain(x) for x in sorted(numbers) if x in self.domain]

    def _sides(self, x: Number) -> list[bool]:
        """Whether all relations hold, and what is compared is above its bound, one by one."""
        values = self.compared(x)
        above = (replace(relation, op=">") for relation in self.question.relations)
        return [self._holds(x), *(relation.holds_among(values) for relation in above)]

    def _pieces(self, right: Sequence[Number]) -> tuple[Piece, ...]:
        """The numbers *right*, which are some of those that were tried, as pieces: of whole numbers
        they themselves; of others, what is between them, without an end where all beyond does."""
        if self.question.given.whole:
            return merged([Piece(x, x, whole=1) for x in right])
        tried, made = self._known, list[Piece]()
        for is_right, group in groupby(range(len(tried)), lambda i: tried[i] in {*right}):
            if is_right:
                first, *_, last = [*group] * 2
                if first == last and tried[first] in self.met:
                    made.append(Piece(tried[first], tried[first]))
                    continue
                low, low_in = self._end(tried, first - 1, first)
                high, high_in = self._end(tried, last + 1, last)
                made.append(Piece(low, high, low_in, high_in))
        return tuple(made)

    def _end(self, tried: Sequence[Number], beyond: int, last: int) -> tuple[Number | None, bool]:
        """The end of what does it, between the *last* place that does and the one *beyond* it, and
        whether it does that itself."""
        if not 0 <= beyond < len(tried):
            return None, True
        fails, does = tried[beyond], tried[last]
        simple = min(fails, does, key=lambda x: x.denominator)
        is_chance = simple.denominator**2 * abs(Fraction(does - fails)) * 100 > 1
        return (does, True) if is_chance else (simple, simple == does)

    def neighbours(self, x: Number, sides: Sequence[int], count: int = 1) -> Sequence[Number]:
        """The next whole numbers that the question admits; of others some with few digits."""
        if self.value is None:
            return ()
        if self.question.given.whole:
            known, at = self._known, self._known.index(x)
            places = (at + side * by for side in sides for by in range(1, count + 1))
            return [known[place] for place in places if 0 <= place < len(known)]
        near = (plain(Fraction(rounded(x * (1 + Fraction(side, 100)), 3))) for side in sides)
        return [at for at in near if at in self.domain and self.compared(at)]
