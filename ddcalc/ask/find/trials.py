"""A search by trying, where there are no equations or the unknown is a choice.

Every option of a choice is tried. Of whole numbers those from the least on are, one by one; of
others some far apart, and then, by halving, where the relations begin and cease to hold. There the
answer is the simplest number in the last gap: what changes in a schedule changes at sums of its
times. Nothing is proved of numbers that were not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count, islice, pairwise
from typing import Any

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.branching import Sought, domain
from ddcalc.ask.find.extremes import NEAR
from ddcalc.ask.find.inverse import InverseQuestion, Relation, number
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import SearchOutcome, answered
from ddcalc.ask.find.shown import comparisons, table
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
LONG = 5  # long plays, at most
WORK = 30_000_000  # computations that are played, after which no gap is halved any more
DIGITS = 6  # of an end that is no simple number
DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
PARTS = 24  # of what is admitted, where that has two ends
CLOSE = 10**9  # of a number, to which a gap is halved


def by_trials(question: InverseQuestion) -> Inversion:
    """The values for which the relations hold, among those that are tried.

    Raises what every value is refused with, BadValue where what is compared is no number.
    """
    return _Trials(question).answered()


class _Trials:
    """Numbers or options tried for the unknown, with what is compared (None where they are not
    admitted)."""

    def __init__(self, question: InverseQuestion) -> None:
        self.question, self.unknown = question, question.unknown
        self.values: dict[Any, Known | None] = {}
        self.refusals: dict[Any, DdcalcError] = {}
        self.long = self.work = 0
        if isinstance(self.unknown, Given):
            self.admitted = domain(self.unknown)

    @property
    def known(self) -> dict[Any, Known]:
        """What is compared at the numbers or options that the question admits, in order."""
        tried = self.values if isinstance(self.unknown, Choice) else sorted(self.values)
        return {x: known for x in tried if (known := self.values[x]) is not None}

    def answered(self) -> Inversion:
        """The answer; raises what every number or option is refused with."""
        if isinstance(choice := self.unknown, Choice):
            right = tuple(name for name in choice.options if self._does(name))
            found = SearchOutcome(unknown=choice, kind="only" if right else "none", options=right)
        else:
            found = self._one_by_one() if choice.whole else self._by_halving()
        outcome = self._best(found)
        answer: Any = outcome.options[0] if len(outcome.options) == 1 else outcome.value
        at = None if answer is None else self._solved(answer)
        known = self.known
        if not known and self.refusals:
            raise next(iter(self.refusals.values()))
        outcome = replace(
            outcome,
            tried=None if outcome.complete else (min(known), max(known)),
            beside=() if outcome.value is None else self._beside(outcome.value, outcome.kind),
            compared=lambda x: self.values.get(x) or {},
            steps=lambda: self._steps(outcome, at),
        )
        return Inversion(self.question, replace(outcome, proof=self._proof(outcome)), at)

    def _proof(self, outcome: SearchOutcome) -> str:
        if isinstance(self.unknown, Choice):
            return f"all {len(self.values)} options were tried"
        if not self.unknown.whole:
            span = outcome.span(self.unknown.unit)
            return f"{len(self.values)} numbers {span}; nothing is proved of others"
        first, last = min(self.values), max(self.values)
        proof = f"every {letter(self.unknown.letter)} from {first} to {last}, one by one"
        return f"{proof}; larger ones were not tried" if outcome.tried else proof

    def _steps(self, outcome: SearchOutcome, at: Derivation | None) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        extreme, value = self.question.extreme, outcome.value
        if isinstance(self.unknown, Choice):
            yield self._every_option(self.unknown, outcome)
        elif extreme is not None and value is not None:
            yield self._neighbours(value, extreme)
        if at is not None:
            yield from self._followed(at)
        if extreme is None and value is not None:
            yield from comparisons(self.question, value, outcome)

    def _followed(self, at: Derivation) -> Iterator[Step]:
        """The steps on which what is compared and said rests, where the answer is put in."""
        letters = {one.letter for one in self.question.compared.values()}
        compared = at.working.rests_on(letters)
        for step in at.steps:
            needed = getattr(step, "name", "") in compared or not at.commentary().is_aside(step)
            if needed and not isinstance(step, State):
                yield step

    def _neighbours(self, best: Number, extreme: Relation) -> Table:
        """What is asked and compared at the *best* number and at those admitted next to it."""
        known, names = self.known, (*self.question.stated.shape.wanted, *self.question.compared)
        at = [*known].index(best)
        solved = {x: self._solved(x) for x in [*known][max(at - 1, 0) : at + 2]}
        shown: dict[Number, Known] = {
            x: {name: getattr(one, "value", None) for name, one in there.quantities.items()}
            for x, there in solved.items()
        }
        sign, span = letter(self.question.given.letter), f"from {min(known)} to {max(known)}"
        title = f"The {extreme.extreme} and its neighbours"
        marks = {x: "" if self._does(x) else "not allowed" for x in shown}
        marks[best] = extreme.extreme
        return table(self.question, title, f"every {sign} {span} tried", shown, names, marks)

    def _every_option(self, choice: Choice, outcome: SearchOutcome) -> Table:
        """What is compared with every option, and which will do."""
        extreme = self.question.extreme
        does, fails = ("yes", "no") if extreme is None else ("", "not allowed")
        marks = {x: does if self._does(x) else fails for x in choice.options}
        marks |= {x: f"not possible: {error}" for x, error in self.refusals.items()}
        if extreme is not None:
            marks |= dict.fromkeys(outcome.options, extreme.extreme)
        title, why = "Every option", "tried one by one"
        values = {x: self.values[x] or {} for x in choice.options}
        return table(self.question, title, why, values, self.question.compared, marks)

    def _solved(self, x: Any) -> Derivation:
        """The question with the number or option *x* put in."""
        stated = self.question.stated
        if not isinstance(x, str):
            return Derivation(with_moved(stated, {self.unknown.name: x}))
        shape = stated.shape.with_choice(self.unknown.name, x)
        if unmet := stated.problem.unmet(shape):
            raise Missing(" or ".join(group) for group in unmet)
        return Derivation(replace(stated, shape=shape))

    def _values(self, x: Any) -> Known | None:
        """What is compared at *x*; None where the question does not admit it."""
        if x not in self.values:
            tell("number")
            try:
                solved = self._solved(x)
                results = ((name, solved.quantities.get(name)) for name in self.question.compared)
                self.values[x] = {
                    name: number(name, () if isinstance(one, tuple) else one and one.value)
                    for name, one in results
                }
                self.long += solved.working.long
                self.work += solved.working.work
            except (*UNANSWERED, Missing) as error:
                if error.parameter == "where":
                    raise
                self.refusals[x], self.values[x] = error, None
        return self.values[x]

    def _does(self, x: Any) -> bool:
        """Whether all relations hold at *x*."""
        values = self._values(x)
        return values is not None and all(one.holds_among(values) for one in self.question.bounds)

    @property
    def _late(self) -> bool:
        """Whether no more numbers are tried."""
        return len(self.values) >= TRIED or self.work >= WORK

    def _beside(self, value: Number, kind: str) -> tuple[Number, ...]:
        """A number next to the answer that fails, with few digits if there is one."""
        side = 1 if kind == "greatest" else -1
        beyond = (x for x in [*self.known][::side] if (x > value) == (side > 0) and x != value)
        near: Number = next(beyond, value)
        if not self.question.given.whole:
            near = plain(Fraction(rounded(value * (1 + Fraction(side, 100)), 3)))
        admits = kind != "always" and near in self.admitted and self._values(near) is not None
        return (near,) if admits and not self._does(near) else ()

    def _best(self, outcome: SearchOutcome) -> SearchOutcome:
        """Of those that do it, the ones at which something is least, or greatest, if that is asked.

        Raises BadValue where it still gets better at the last number that is tried.
        """
        relation = self.question.extreme
        if relation is None:
            return outcome
        known = ((x, values[relation.name]) for x, values in self.known.items() if self._does(x))
        worth = {x: value for x, value in known if value is not None}
        if not worth:
            return replace(outcome, kind="none", options=(), solutions=())
        best = Fraction((min if relation.extreme == "least" else max)(worth.values()))
        same = [x for x, y in worth.items() if abs(y - best) <= abs(best) * NEAR]
        if isinstance(self.unknown, Choice):
            return replace(outcome, kind="only", options=tuple(same))
        if not outcome.complete and same[0] == max(self.values):
            reason = f"is not found: it still gets better at {same[0]}, the last that was tried"
            raise BadValue(relation.written, reason).about("where")
        found = merged([Piece(x, x, whole=True) for x in same])
        return replace(outcome, kind="least", end=same[0], reached=True, solutions=found)

    # Whole numbers

    def _one_by_one(self) -> SearchOutcome:
        """Whole numbers, from the least that there can be."""
        most = self.admitted.high
        x = 1 if self.admitted.low is None else floor_of(self.admitted.low)
        right: list[Piece] = []
        while len(self.values) < TRIED and self.long < LONG and (most is None or x <= most):
            if self._does(x):
                right.append(Piece(x, x, whole=True))
            x += 1
        known = [*self.known]
        left = () if most is not None and x > most else (Piece(x, most, whole=True),)
        sought = Sought(merged(right), len(self.values), left)
        extremes, end = [one for one in self.question.relations if one.extreme], self.question.end
        outcome = answered(sought, [self.admitted], self.question.given, end)
        if end == "greatest" and left and outcome.end == x - 1:
            reason = f"is not found: larger ones than {x - 1} are not tried"
            raise BadValue(extremes[0].written, reason).about("where")
        if outcome.kind == "least" and right[0].low == known[0] and not extremes:
            if len(right) == len(known):
                return replace(outcome, kind="always")
            if right[-1].low != known[-1]:
                return replace(outcome, kind="greatest", end=right[-1].low)
        return outcome

    # Other numbers

    def _by_halving(self) -> SearchOutcome:
        """The first range of numbers that do it among some far apart and those found by halving
        where what is compared passes a bound; without an end where all beyond does it."""
        points = [*islice((x for x in self._far_apart() if self._values(x) is not None), TRIED)]
        for one, other in pairwise(points):
            self._halve(one, other)
        tried = [*self.known]
        outcome = SearchOutcome(unknown=self.unknown, complete=False, admitted=(self.admitted,))
        does = [self._does(x) for x in tried]
        if True not in does:
            return outcome
        first = does.index(True)
        beyond = next((i for i in range(first, len(does)) if not does[i]), None)
        low = self._end(tried[first - 1], tried[first]) if first else (None, True)
        high = self._end(tried[beyond], tried[beyond - 1]) if beyond else (None, True)
        found = replace(outcome, solutions=(Piece(low[0], high[0], low[1], high[1]),))
        if low[0] is None and high[0] is None:
            return replace(found, kind="always", end=points[len(points) // 2], reached=True)
        if low[0] is None or (high[0] is not None and high[1] and not low[1]):
            return replace(found, kind="greatest", end=high[0], reached=high[1])
        return replace(found, kind="least", end=low[0], reached=low[1])

    def _far_apart(self) -> list[Number]:
        """Numbers to begin with, in order: doubled and halved from the largest of the kind that is
        stated, and from the unit."""
        unit, admitted = self.question.given.unit, self.admitted
        low, high = admitted.low, admitted.high
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
        if isinstance(high, int | Fraction):
            numbers |= {base + (high - base) * i / PARTS for i in range(PARTS + 1)}
        return [plain(x) for x in sorted(numbers) if x in admitted]

    def _sides(self, x: Number) -> list[bool]:
        """Whether all relations hold, and what is compared is above its bound, one by one."""
        values = self._values(x) or {}
        above = (replace(relation, op=">") for relation in self.question.relations)
        return [self._does(x), *(relation.holds_among(values) for relation in above)]

    def _halve(self, low: Number, end: Number) -> None:
        """Try numbers between two that differ, until each gap in which something changes is narrow,
        and the simplest number in it."""
        while not self._late and (below := self._sides(low)) != self._sides(end):
            high = end
            while not self._late and abs(Fraction(high - low)) * CLOSE > abs(Fraction(high)) + abs(
                Fraction(low)
            ):
                middle = plain(Fraction(low + high) / 2)
                low, high = (middle, high) if self._sides(middle) == below else (low, middle)
            middle = Fraction(low + high) / 2
            near = (middle.limit_denominator(2**k) for k in count())
            self._does(plain(next(x for x in near if low <= x <= high)))
            low = high

    def _end(self, fails: Number, does: Number) -> tuple[Number, bool]:
        """The end of what does it, towards a number that fails, and whether that does it itself;
        one of few digits that does where it is no simple number."""
        simple = min(fails, does, key=lambda x: x.denominator)
        if simple.denominator**2 * abs(Fraction(does - fails)) * 100 <= 1:  # hardly by chance
            return simple, simple == does
        short = Fraction(rounded(does, DIGITS))
        inside = abs(short) / 10 ** (DIGITS - 1) * (1 if does > fails else -1)
        near = [plain(short), plain(Fraction(rounded(short + inside, DIGITS)))]
        return next((x for x in near if x in self.admitted and self._does(x)), does), True
