"""A search by trying, where there are no equations or the unknown is a choice.

Every option of a choice is tried. Of whole numbers those from the least on are, one by one; of
others some far apart, and then, by halving, where the relations begin and cease to hold. There the
answer is the simplest number in the last gap: what changes in a schedule changes at sums of its
times. Nothing is proved of numbers that were not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import count, groupby, pairwise
from math import floor
from typing import Any

from ddcalc.ask.find.branching import NEAR, domain
from ddcalc.ask.find.inverse import InverseQuestion, number
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import SearchOutcome, Sought
from ddcalc.ask.find.shown import NEXT, comparisons, table
from ddcalc.ask.solve import Derivation
from ddcalc.errors import UNANSWERED, BadValue, DdcalcError, Missing
from ddcalc.formula.algebraic import floor_of
from ddcalc.formula.expression import Known
from ddcalc.formula.letters import letter
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.earlier import with_moved
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.steps import State, Step, Table
from ddcalc.schedule.watching import tell

TRIED = 200  # numbers, at most
LONG = 5  # long plays for whole numbers, at most
WORK = 30_000_000  # computations that are played, after which no more numbers are tried
DIGITS = 6  # of an end that is no simple number
DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
CLOSE = 10**9  # of a number, to which a gap is halved


class Tried(SearchOutcome):
    """What came of trying numbers or options for the unknown of a *question*: with what is compared
    at each, by name, or with what it is refused.

    Raises what every one is refused with, BadValue where what is compared is no number, or what is
    to be least or greatest gets better up to the last number that is tried.
    """

    def __init__(self, question: InverseQuestion) -> None:
        super().__init__(question)
        self.values: dict[Any, Known] = {}
        self.refusals: dict[Any, DdcalcError] = {}
        self.long = self.work = 0
        if isinstance(self.unknown, Choice):
            self.options = tuple(self._best(filter(self._holds, self.unknown.options)))
            self.kind = "only" if self.options else "none"
        else:
            self._try_numbers(self.unknown)
        if self.refusals and not self._known:
            raise next(iter(self.refusals.values()))
        answer: Any = self.options[0] if len(self.options) == 1 else self.value
        self.at = None if answer is None else self._solved(answer)

    def _try_numbers(self, given: Given) -> None:
        """Take what comes of some numbers, as if there were no others, for what is known."""
        question, self.domain = self.question, domain(given)
        extremes = [one.written for one in question.relations if one.extreme]
        if extremes and not given.whole:
            reason = f"is found by a sweep here: --vary {given.name}=… --minimize …"
            raise BadValue(extremes[0], reason).about("where")
        is_left = self._one_by_one() if given.whole else self._by_halving()
        if not (known := self._known):
            return
        right = self._best(filter(self._holds, known))
        asked = question.end or ("least" if extremes else "")
        sought, admitted = Sought(self._pieces(right), len(known)), self._pieces(known)
        super().__init__(question, sought, admitted, asked)
        self.admitted, self.complete = (self.domain,), not is_left
        if is_left:
            self.tried = known[0], known[-1]
        gets_better = question.extreme or question.end == "greatest"
        if gets_better and is_left and self.end == max(self.values):
            reason = f"is not found: it still gets better at {self.end}, the last that was tried"
            raise BadValue(extremes[0], reason).about("where")
        if self.kind == "always" and self.end is None:
            self.end, self.reached = known[len(known) // 2], True

    @property
    def _known(self) -> list[Any]:
        """The numbers or options that the question admits, in order."""
        tried = self.values if isinstance(self.unknown, Choice) else sorted(self.values)
        return [x for x in tried if self.values[x]]

    def _solved(self, x: Any) -> Derivation:
        """The question with the number or option *x* put in."""
        stated = self.question.stated
        if not isinstance(x, str):
            return Derivation(with_moved(stated, {self.unknown.name: x}))
        shape = stated.shape.with_choice(self.unknown.name, x)
        if unmet := stated.problem.unmet(shape):
            raise Missing(" or ".join(group) for group in unmet)
        return Derivation(replace(stated, shape=shape))

    def compared(self, at: Any) -> Known:
        return self.values.get(at, {})

    def _values(self, x: Any) -> Known:
        """What is compared at *x*; nothing where the question does not admit it."""
        if x not in self.values:
            tell("number")
            try:
                solved, question = self._solved(x), self.question
                known: dict[str, Any] = {n: solved.value(n) for n in question.stated.shape.wanted}
                known = {n: one for n, one in known.items() if not isinstance(one, tuple)}
                known |= {n: number(n, solved.value(n)) for n in question.compared}
                self.values[x] = known
                self.long += solved.working.long
                self.work += solved.working.work
            except (*UNANSWERED, Missing) as error:
                if error.parameter == "where":
                    raise
                self.refusals[x], self.values[x] = error, {}
        return self.values[x]

    def _holds(self, x: Any) -> bool:
        """Whether all relations hold at *x*."""
        values = self._values(x)
        return bool(values) and all(one.holds_among(values) for one in self.question.bounds)

    def _best(self, among: Iterable[Any]) -> list[Any]:
        """Of these the ones at which something is least, or greatest; all, if that is not asked."""
        if (relation := self.question.extreme) is None:
            return [*among]
        worth = {x: Fraction(y) for x in among if (y := self._values(x)[relation.name]) is not None}
        best = (min if relation.extreme == "least" else max)([*worth.values()], default=Fraction(0))
        return [x for x, value in worth.items() if abs(value - best) <= abs(best) * NEAR]

    @property
    def _late(self) -> bool:
        """Whether no more numbers are tried."""
        is_long = self.question.given.whole and self.long >= LONG
        return is_long or len(self.values) >= TRIED or self.work >= WORK

    def _one_by_one(self) -> bool:
        """Try whole numbers, from the least that there can be, up to some beyond the most that are
        asked for; whether some are left."""
        about = [one for one in self.question.bounds if one.names == (self.unknown.name,)]
        most = [floor(one.bound.value) for one in about if one.op[0] in "<="]
        for x in count(1 if self.domain.low is None else floor_of(self.domain.low)):
            if x not in self.domain or x > min(most, default=x) + NEXT:
                return False
            if self._late:
                return True
            self._values(x)
        raise AssertionError

    def _by_halving(self) -> bool:
        """Try numbers far apart, and others between those that differ, until each gap in which
        something changes is narrow, and the simplest number in it; there are always some left."""
        for low, end in pairwise([x for x in self._far_apart() if self._values(x)]):
            while not self._late and (below := self._sides(low)) != self._sides(end):
                high = end
                while not self._late and _is_wide(Fraction(low), Fraction(high)):
                    middle = plain(Fraction(low + high) / 2)
                    low, high = (middle, high) if self._sides(middle) == below else (low, middle)
                middle = Fraction(low + high) / 2
                near = (middle.limit_denominator(2**k) for k in count())
                self._values(plain(next(x for x in near if low <= x <= high)))
                low = high
        return True

    def _far_apart(self) -> list[Number]:
        """Numbers to begin with, in order: doubled and halved from the largest of the kind that is
        stated, and from the unit."""
        unit, low = self.question.given.unit, self.domain.low
        base = Fraction(low) if isinstance(low, int | Fraction) else Fraction(0)
        alike = [
            one.value
            for name, measured in self.question.stated.measured.items()
            for one in (measured if isinstance(measured, tuple) else (measured,))
            if one.unit.dimension == unit.dimension and name != self.unknown.name
        ]
        scales = {Fraction(max(alike, default=0) or unit.worth)}
        if not self.question.stated.is_played:  # then none takes long
            scales.add(Fraction(unit.worth))
        powers = range(-DOUBLINGS, DOUBLINGS + 1)
        numbers = {base, *(base + scale * Fraction(2) ** k for scale in scales for k in powers)}
        return [plain(x) for x in sorted(numbers) if x in self.domain]

    def _sides(self, x: Number) -> list[bool]:
        """Whether all relations hold, and what is compared is above its bound, one by one."""
        values = self._values(x)
        above = (replace(relation, op=">") for relation in self.question.relations)
        return [self._holds(x), *(relation.holds_among(values) for relation in above)]

    def _pieces(self, right: Sequence[Number]) -> tuple[Piece, ...]:
        """The numbers *right*, which are some of those that were tried, as pieces: of whole numbers
        they themselves; of others, what is between them, without an end where all beyond does."""
        if self.question.given.whole:
            return merged([Piece(x, x, whole=True) for x in right])
        tried, made = self._known, list[Piece]()
        does = [x in {*right} for x in tried]
        for is_right, group in groupby(range(len(tried)), does.__getitem__):
            if is_right:
                first, *_, last = [*group] * 2
                low, low_in = self._end(tried, first - 1, first)
                high, high_in = self._end(tried, last + 1, last)
                made.append(Piece(low, high, low_in, high_in))
        return tuple(made)

    def _end(self, tried: Sequence[Number], beyond: int, last: int) -> tuple[Number | None, bool]:
        """The end of what does it, between the *last* place that does and the one *beyond* it, and
        whether it does that itself; one of few digits that does where it is no simple number."""
        if not 0 <= beyond < len(tried):
            return None, True
        fails, does = tried[beyond], tried[last]
        simple = min(fails, does, key=lambda x: x.denominator)
        if simple.denominator**2 * abs(Fraction(does - fails)) * 100 <= 1:  # hardly by chance
            return simple, simple == does
        short = Fraction(rounded(does, DIGITS))
        inside = abs(short) / 10 ** (DIGITS - 1) * (1 if does > fails else -1)
        near = [plain(short), plain(Fraction(rounded(short + inside, DIGITS)))]
        return next((x for x in near if x in self.domain and self._holds(x)), does), True

    @property
    def proof(self) -> str:  # type: ignore[override]
        if isinstance(self.unknown, Choice):
            return f"all {len(self.values)} options were tried"
        if not self.unknown.whole:
            span = self.span(self.unknown.unit)
            return f"{len(self.values)} numbers {span}; nothing is proved of others"
        first, last = min(self.values), max(self.values)
        proof = f"every {letter(self.unknown.letter)} from {first} to {last}, one by one"
        return f"{proof}; larger ones were not tried" if self.tried else proof

    @cached_property
    def beside(self) -> Sequence[Number]:  # type: ignore[override]
        """The next whole numbers that the question admits; of others some with few digits."""
        if (value := self.value) is None or self.question.extreme:
            return ()
        if self.question.given.whole:
            known = self._known
            places = (known.index(value) + side for side in self.sides)
            return [known[at] for at in places if 0 <= at < len(known)]
        near = (Fraction(rounded(value * (1 + Fraction(side, 100)), 3)) for side in self.sides)
        return [x for x in map(plain, near) if x in self.domain and self._values(x)]

    def steps(self) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        if isinstance(self.unknown, Choice):
            yield self._table()
        if self.at is not None:
            letters = {one.letter for one in self.question.compared.values()}
            compared = self.at.working.rests_on(letters)
            for step in self.at.steps:
                needed = getattr(step, "name", "") in compared
                needed = needed or not self.at.commentary().is_aside(step)
                if needed and not isinstance(step, State):
                    yield step
        if self.value is not None and self.question.extreme:
            yield self._table()
        elif self.value is not None:
            yield from comparisons(self.question, self.value, self)

    def _table(self) -> Table:
        """What is asked and compared with every option, or at the best number and those admitted
        next to it, and what will do."""
        question, shown, title, why = self.question, self.values, "Every option", "tried one by one"
        if (best := self.value) is not None and question.extreme:
            known = self._known
            at = known.index(best)
            shown = {x: self.values[x] for x in known[max(at - NEXT, 0) : at + NEXT + 1]}
            title = f"The {question.extreme.extreme} and its neighbours"
            why = f"every {letter(question.given.letter)} from {known[0]} to {known[-1]} tried"
        marks = question.marks(shown, self.options if best is None else [best])
        marks |= {x: f"not possible: {why}" for x, why in self.refusals.items() if x in shown}
        names = (*question.stated.shape.wanted, *question.compared)
        return table(question, title, why, shown, names, marks)


def _is_wide(low: Fraction, high: Fraction) -> bool:
    """Whether a gap is still to be halved."""
    return (high - low) * CLOSE > abs(high) + abs(low)
