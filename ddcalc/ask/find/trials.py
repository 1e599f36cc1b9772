"""A search by trying, where there are no equations or the unknown is a choice.

Every option of a choice is tried. Of whole numbers those from the least on are, one by one; of
others some far apart, and then, by halving, where the relations begin and cease to hold. There the
answer is the simplest number in the last gap: what changes in a schedule changes at sums of its
times. Nothing is proved of numbers that were not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count, groupby, pairwise
from typing import Any

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.branching import NEAR, domain
from ddcalc.ask.find.inverse import InverseQuestion, number
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import SearchOutcome, Sought, chosen
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
LONG = 5  # long plays for whole numbers, at most
WORK = 30_000_000  # computations that are played, after which no more numbers are tried
DIGITS = 6  # of an end that is no simple number
DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
PARTS = 24  # of what is admitted, where that has two ends
CLOSE = 10**9  # of a number, to which a gap is halved


def by_trials(question: InverseQuestion) -> Inversion:
    """The values for which the relations hold, among those that are tried.

    Raises what every value is refused with, BadValue where what is compared is no number, or what
    is to be least or greatest gets better up to the last number that is tried.
    """
    unknown, trials = question.unknown, Trials(question)
    if isinstance(unknown, Choice):
        options = tuple(trials.best([name for name in unknown.options if trials.holds(name)]))
        outcome = Tried(trials=trials, unknown=unknown, options=options)
        if options:
            outcome = replace(outcome, kind="only")
        answer: Any = options[0] if len(options) == 1 else None
    else:
        outcome = _of_numbers(trials, unknown)
        answer = outcome.value
    if trials.refusals and not trials.known:
        raise next(iter(trials.refusals.values()))
    at = None if answer is None else trials.solved(answer)
    return Inversion(question, replace(outcome, at=at), at)


def _of_numbers(trials: Trials, given: Given) -> Tried:
    """What comes of the numbers that are tried, as if there were no others but these."""
    left = trials.one_by_one() if given.whole else trials.by_halving()
    question, tried = trials.question, [*trials.known]
    if not tried:
        return Tried(trials=trials, unknown=given)
    right = trials.best([x for x in tried if trials.holds(x)])
    extremes = [one.written for one in question.relations if one.extreme]
    asked = question.end or ("least" if extremes else "")
    sought, admitted = Sought(trials.pieces(right), len(tried)), trials.pieces(tried)
    kind, end, reached = chosen(sought, admitted, given, asked)
    gets_better = question.extreme or question.end == "greatest"
    if gets_better and left and end == max(trials.tried):
        reason = f"is not found: it still gets better at {end}, the last that was tried"
        raise BadValue(extremes[0], reason).about("where")
    if end is None and kind == "always":
        end, reached = tried[len(tried) // 2], True
    return Tried(
        trials=trials, unknown=given, kind=kind, end=end, reached=reached,
        solutions=sought.solutions, complete=not left, admitted=(trials.admitted,),
        tried=(tried[0], tried[-1]) if left else None,
    )  # fmt: skip


class Trials:
    """Numbers or options tried for the unknown of a *question*: what is compared at each, by name,
    or with what it is refused."""

    def __init__(self, question: InverseQuestion) -> None:
        self.question, self.unknown = question, question.unknown
        self.tried: dict[Any, Known] = {}
        self.refusals: dict[Any, DdcalcError] = {}
        self.long = self.work = 0
        if isinstance(self.unknown, Given):
            self.admitted = domain(self.unknown)

    @property
    def known(self) -> dict[Any, Known]:
        """What is compared at the numbers or options that the question admits, in order."""
        tried = self.tried if isinstance(self.unknown, Choice) else sorted(self.tried)
        return {x: values for x in tried if (values := self.tried[x])}

    def solved(self, x: Any) -> Derivation:
        """The question with the number or option *x* put in."""
        stated = self.question.stated
        if not isinstance(x, str):
            return Derivation(with_moved(stated, {self.unknown.name: x}))
        shape = stated.shape.with_choice(self.unknown.name, x)
        if unmet := stated.problem.unmet(shape):
            raise Missing(" or ".join(group) for group in unmet)
        return Derivation(replace(stated, shape=shape))

    def values(self, x: Any) -> Known:
        """What is compared at *x*; nothing where the question does not admit it."""
        if x not in self.tried:
            tell("number")
            try:
                solved = self.solved(x)
                known = solved.quantities
                values = {name: getattr(one, "value", None) for name, one in known.items()}
                for name in self.question.compared:
                    is_list = isinstance(known.get(name), tuple)
                    values[name] = number(name, () if is_list else values.get(name))
                self.tried[x] = values
                self.long += solved.working.long
                self.work += solved.working.work
            except (*UNANSWERED, Missing) as error:
                if error.parameter == "where":
                    raise
                self.refusals[x], self.tried[x] = error, {}
        return self.tried[x]

    def holds(self, x: Any) -> bool:
        """Whether all relations hold at *x*."""
        values = self.values(x)
        return bool(values) and all(one.holds_among(values) for one in self.question.bounds)

    def best(self, among: Sequence[Any]) -> Sequence[Any]:
        """Of these the ones at which something is least, or greatest; all, if that is not asked."""
        if (relation := self.question.extreme) is None:
            return among
        worth = {x: Fraction(y) for x in among if (y := self.values(x)[relation.name]) is not None}
        best = (min if relation.extreme == "least" else max)([*worth.values()], default=Fraction(0))
        return [x for x, value in worth.items() if abs(value - best) <= abs(best) * NEAR]

    @property
    def _late(self) -> bool:
        """Whether no more numbers are tried."""
        is_long = self.question.given.whole and self.long >= LONG
        return is_long or len(self.tried) >= TRIED or self.work >= WORK

    def one_by_one(self) -> bool:
        """Try whole numbers, from the least that there can be; whether some are left."""
        for x in count(1 if self.admitted.low is None else floor_of(self.admitted.low)):
            if x not in self.admitted:
                return False
            if self._late:
                return True
            self.values(x)
        raise AssertionError

    def by_halving(self) -> bool:
        """Try numbers far apart, and others between those that differ, until each gap in which
        something changes is narrow, and the simplest number in it; there are always some left."""

        def is_wide(low: Number, high: Number) -> bool:
            return Fraction(high - low) * CLOSE > abs(Fraction(high)) + abs(Fraction(low))

        for low, end in pairwise([x for x in self._far_apart() if self.values(x)]):
            while not self._late and (below := self._sides(low)) != self._sides(end):
                high = end
                while not self._late and Fraction(high - low) * CLOSE > abs(Fraction(high)) + abs(
                    Fraction(low)
                ):
                    middle = plain(Fraction(low + high) / 2)
                    low, high = (middle, high) if self._sides(middle) == below else (low, middle)
                middle = Fraction(low + high) / 2
                near = (middle.limit_denominator(2**k) for k in count())
                self.values(plain(next(x for x in near if low <= x <= high)))
                low = high
        return True

    def _far_apart(self) -> list[Number]:
        """Numbers to begin with, in order: doubled and halved from the largest of the kind that is
        stated, and from the unit."""
        unit, (low, high) = self.question.given.unit, (self.admitted.low, self.admitted.high)
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
        return [plain(x) for x in sorted(numbers) if x in self.admitted]

    def _sides(self, x: Number) -> list[bool]:
        """Whether all relations hold, and what is compared is above its bound, one by one."""
        values = self.values(x)
        above = (replace(relation, op=">") for relation in self.question.relations)
        return [self.holds(x), *(relation.holds_among(values) for relation in above)]

    def pieces(self, right: Sequence[Number]) -> tuple[Piece, ...]:
        """The numbers *right*, which are some of those that were tried, as pieces: of whole numbers
        they themselves; of others, what is between them, without an end where all beyond does."""
        if self.question.given.whole:
            return merged([Piece(x, x, whole=True) for x in right])
        tried, made = [*self.known], list[Piece]()
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
        return next((x for x in near if x in self.admitted and self.holds(x)), does), True


@dataclass(frozen=True, kw_only=True)
class Tried(SearchOutcome):
    """What came of *trials*, and what follows *at* the answer."""

    trials: Trials
    at: Derivation | None = None

    @property
    def proof(self) -> str:
        """How far it is known that there are no others."""
        tried = self.trials.tried
        if isinstance(self.unknown, Choice):
            return f"all {len(tried)} options were tried"
        if not self.unknown.whole:
            span = self.span(self.unknown.unit)
            return f"{len(tried)} numbers {span}; nothing is proved of others"
        first, last = min(tried), max(tried)
        proof = f"every {letter(self.unknown.letter)} from {first} to {last}, one by one"
        return f"{proof}; larger ones were not tried" if self.tried else proof

    def compared(self, at: Any) -> Known:
        return self.trials.tried.get(at, {})

    @cached_property
    def beside(self) -> Sequence[Number]:
        """The next whole numbers that the question admits; of others some with few digits."""
        if (value := self.value) is None or self.trials.question.extreme:
            return ()
        given, known = self.trials.question.given, [*self.trials.known]
        if given.whole:
            places = (known.index(value) + side for side in self.sides)
            return [known[at] for at in places if 0 <= at < len(known)]
        near = (Fraction(rounded(value * (1 + Fraction(side, 100)), 3)) for side in self.sides)
        return [x for x in map(plain, near) if x in self.trials.admitted and self.trials.values(x)]

    def steps(self) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        extreme = self.trials.question.extreme
        if isinstance(self.unknown, Choice) or (extreme and self.value is not None):
            yield self._compared()
        if self.at is not None:
            letters = {one.letter for one in self.trials.question.compared.values()}
            compared = self.at.working.rests_on(letters)
            for step in self.at.steps:
                needed = getattr(step, "name", "") in compared
                needed = needed or not self.at.commentary().is_aside(step)
                if needed and not isinstance(step, State):
                    yield step
        if extreme is None and self.value is not None:
            yield from comparisons(self.trials.question, self.value, self)

    def _compared(self) -> Table:
        """What is asked and compared with every option, or at the best number and those admitted
        next to it, and what will do."""
        trials, question = self.trials, self.trials.question
        shown, title, why = trials.tried, "Every option", "tried one by one"
        if (best := self.value) is not None:
            known, extreme = [*trials.known], question.extreme
            at = known.index(best)
            shown = {x: trials.tried[x] for x in known[max(at - 1, 0) : at + 2]}
            title = f"The {extreme.extreme if extreme else ''} and its neighbours"
            why = f"every {letter(question.given.letter)} from {known[0]} to {known[-1]} tried"
        marks = question.marks(shown, self.options if best is None else [best])
        marks |= {x: f"not possible: {why}" for x, why in trials.refusals.items() if x in shown}
        names = (*question.stated.shape.wanted, *question.compared)
        return table(question, title, why, shown, names, marks)
