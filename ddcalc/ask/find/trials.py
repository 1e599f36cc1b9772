"""A search by trying, where there are no equations or the unknown is a choice.

Every option of a choice is tried. Of whole numbers those from the least on are, one by one; of
others some far apart, and then, by halving, where the relations begin and cease to hold. There the
answer is the simplest number in the last gap: what changes in a schedule changes at sums of its
times. Nothing is proved of numbers that were not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from math import ceil, floor

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.branching import Sought, domain
from ddcalc.ask.find.inverse import InverseQuestion, Relation, number
from ddcalc.ask.find.nearest import nearest_tried
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.outcome import SearchOutcome, Side, amount, answered, comparison, table_of
from ddcalc.ask.find.wording import of_options
from ddcalc.ask.solve import Derivation
from ddcalc.errors import UNANSWERED, DdcalcError, Missing
from ddcalc.formula.algebraic import floor_of
from ddcalc.formula.expression import Known, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, plain
from ddcalc.problem.quantity import Choice
from ddcalc.problem.speaker import hedged
from ddcalc.problem.stated import restated
from ddcalc.problem.steps import State, Step, Table
from ddcalc.schedule.watching import tell

TRIED = 200  # numbers, at most
LONG = 5  # long plays, at most
WORK = 30_000_000  # computations that are played, after which no gap is halved any more
ROWS = 10  # of a table of what was tried
DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
PARTS = 24  # of what is admitted, where that has two ends
CLOSE = 10**9  # of a number, to which a gap is halved
DIGITS = 6  # of an edge that is no simple number


def by_trials(question: InverseQuestion) -> Inversion:
    """The values for which the relations hold, among those that are tried.

    Raises what every value is refused with, BadValue where what is compared is no number.
    """
    if isinstance(question.unknown, Choice):
        return _by_options(question, question.unknown)
    return _Trials(question).answered()


def _compared(question: InverseQuestion, solved: Derivation) -> Known:
    """What is compared, by name."""
    values: dict[str, Number | None] = {}
    for name in question.compared:
        result = solved.quantities.get(name)
        value = () if isinstance(result, tuple) else None if result is None else result.value
        values[name] = number(name, value)
    return values


def _cells(question: InverseQuestion, values: Known) -> Iterator[str]:
    """What is compared, for a table."""
    for name, quantity in question.compared.items():
        value = values[name]
        yield "no value" if value is None else hedged(amount_of(value, quantity.unit))


def _by_options(question: InverseQuestion, choice: Choice) -> Inversion:
    rows: list[tuple[str, ...]] = []
    known: dict[str, Known] = {}
    right: dict[str, Derivation] = {}
    refusals: list[DdcalcError] = []
    for name in choice.options:
        stated = question.stated
        shape, spelt = stated.shape.with_choice(choice.name, name), name.replace("_", "-")
        try:
            if unmet := stated.problem.unmet(shape):
                raise Missing(" or ".join(group) for group in unmet)
            solved = Derivation(replace(stated, shape=shape))
        except (*UNANSWERED, Missing) as error:
            refusals.append(error)
            rows.append((spelt, *("" for _ in question.compared), f"not possible: {error}"))
            continue
        known[name] = _compared(question, solved)
        if all(relation.holds_among(known[name]) for relation in question.relations):
            right[name] = solved
        rows.append((spelt, *_cells(question, known[name]), "yes" if name in right else "no"))
    if not known:
        raise refusals[0]
    at = next(iter(right.values())) if len(right) == 1 else None

    def steps() -> Iterator[Step]:
        yield Table("Every option", "tried one by one", (choice.name, *question.compared, ""),
                    tuple(rows))  # fmt: skip
        if at is not None:
            yield from (step for step in at.steps if not isinstance(step, State))

    outcome = SearchOutcome(
        unknown=choice,
        kind="only" if right else "none",
        options=tuple(right),
        proof=f"all {len(rows)} options were tried",
        nearest=lambda: None if right else nearest_tried(question.relations, known),
        steps=steps,
    )
    words = of_options(question, {name: known[name] for name in right}, len(rows), outcome)
    return Inversion(question, replace(outcome, options_text=words), at)


class _Trials:
    """Numbers tried for the unknown, with what is compared (None where it is not admitted)."""

    def __init__(self, question: InverseQuestion) -> None:
        self.question, self.unknown = question, question.given
        self.admitted = domain(question.given)
        self.values: dict[Number, Known | None] = {}
        self.long = self.work = 0
        self.refusal: DdcalcError | None = None

    def answered(self) -> Inversion:
        """The answer; raises what every number is refused with."""
        outcome = self._one_by_one() if self.unknown.whole else self._by_halving()
        tried = sorted(x for x, values in self.values.items() if values is not None)
        if not tried and self.refusal is not None:
            raise self.refusal
        if not outcome.complete:
            outcome = replace(outcome, tried=(tried[0], tried[-1]))
        value = outcome.value
        beside = self._beside(value, outcome.kind) if value is not None else ()
        at = None if value is None else self._solved(value)
        known = {x: values for x, values in self.values.items() if values is not None}
        near = nearest_tried(self.question.relations, known) if outcome.kind == "none" else None
        outcome = replace(
            outcome,
            beside=beside,
            compared=lambda x: self.values.get(x) or {},
            nearest=lambda: near,
            steps=lambda: self._steps(outcome, at),
        )
        return Inversion(self.question, replace(outcome, proof=self._proof(outcome)), at)

    def _proof(self, outcome: SearchOutcome) -> str:
        if not self.unknown.whole:
            span = outcome.span(self.unknown.unit)
            proof = f"{len(self.values)} numbers {span}; nothing is proved of others"
            next_to = " and ".join(str(amount_of(x, self.unknown.unit)) for x in outcome.beside)
            return f"{proof}. Next to it {next_to} was tried, which fails" if next_to else proof
        refused = sum(values is None for values in self.values.values())
        first, last = min(self.values), max(self.values)
        proof = f"every {letter(self.unknown.letter)} from {first} to {last}, one by one"
        proof += f", of which the question does not admit {refused}" if refused else ""
        return f"{proof}; larger ones were not tried" if outcome.tried else proof

    def _steps(self, outcome: SearchOutcome, at: Derivation | None) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        if at is not None:
            yield from (step for step in at.steps if not isinstance(step, State))
        numbers = [] if outcome.value is None else [outcome.value, *outcome.beside]
        for x in numbers:
            for relation in self.question.relations:
                unit = self.question.compared[relation.name].unit
                side: Side = (Sym(relation.letter), {}, unit)
                values = self.values[x]
                made = values and comparison(relation, self.unknown, x, values, side)
                if made and (x == outcome.value or not made.holds):
                    yield made
        if len(outcome.solutions) > 1:
            yield table_of(outcome.solutions, self.unknown)
        elif not outcome.solutions:
            known = ((x, values) for x, values in self.values.items() if values is not None)
            rows = [
                (amount(x, self.unknown.unit), *_cells(self.question, values))
                for x, values in islice(known, ROWS)
            ]
            head = (letter(self.unknown.letter), *self.question.compared)
            yield Table("Tried", "the first ones", head, tuple(rows))

    def _solved(self, x: Number) -> Derivation:
        """The question with the number *x* put in."""
        return Derivation(restated(self.question.stated, {self.unknown.name: x}))

    def _does(self, x: Number) -> bool | None:
        """Whether all relations hold at *x*; None where the question does not admit it."""
        if x not in self.values:
            tell("number")
            try:
                solved = self._solved(x)
                self.values[x] = _compared(self.question, solved)
                self.long += solved.working.long
                self.work += solved.working.work
            except UNANSWERED as error:
                if error.parameter == "where":
                    raise
                self.refusal = self.refusal or error
                self.values[x] = None
        values = self.values[x]
        if values is None:
            return None
        return all(relation.holds_among(values) for relation in self.question.relations)

    @property
    def _late(self) -> bool:
        """Whether no more numbers are tried."""
        return len(self.values) >= TRIED or self.work >= WORK

    def _beside(self, value: Number, kind: str) -> tuple[Number, ...]:
        """A number next to the answer that fails, with few digits if there is one."""
        side = 1 if kind == "greatest" else -1
        near: Number = value + side
        if not self.unknown.whole:
            near = plain(Fraction(rounded(value * (1 + Fraction(side, 100)), 3)))
        admitted = near in self.admitted and kind != "always"
        return (near,) if admitted and self._does(near) is False else ()

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
        known = [number for number, values in self.values.items() if values is not None]
        left = () if most is not None and x > most else (Piece(x, most, whole=True),)
        sought = Sought(merged(right), len(self.values), left)
        outcome = answered(sought, [self.admitted], self.unknown)
        if outcome.kind == "least" and right[0].low == known[0]:
            if len(right) == len(known):
                return replace(outcome, kind="always")
            if right[-1].low != known[-1]:
                return replace(outcome, kind="greatest", end=right[-1].low)
        return outcome

    # Other numbers

    def _by_halving(self) -> SearchOutcome:
        """The first range of numbers far apart that do it, to its edges; without an end where all
        beyond that was tried does it."""
        points = [x for x in self._far_apart()
                  if not self._late and self.long < LONG and self._does(x) is not None]  # fmt: skip
        if not any(map(self._does, points)):
            points = self._with_crossing(points)
        outcome = SearchOutcome(unknown=self.unknown, complete=False, admitted=(self.admitted,))
        right = [i for i, x in enumerate(points) if self._does(x)]
        if not right:
            return outcome
        first = last = right[0]
        while last + 1 in right:
            last += 1
        low, low_in = self._edge(points[first - 1], points[first]) if first else (None, True)
        high, high_in = None, True
        if last + 1 < len(points):
            high, high_in = self._edge(points[last + 1], points[last])
        outcome = replace(outcome, solutions=(Piece(low, high, low_in, high_in),))
        if low is None and high is None:
            return replace(outcome, kind="always", end=points[len(points) // 2], reached=True)
        if low is None or (high is not None and high_in and not low_in):
            return replace(outcome, kind="greatest", end=high, reached=high_in)
        return replace(outcome, kind="least", end=low, reached=low_in)

    def _far_apart(self) -> list[Number]:
        """Numbers to begin with, in order."""
        unit, low, high = self.unknown.unit, self.admitted.low, self.admitted.high
        base = Fraction(low) if isinstance(low, int | Fraction) else Fraction(0)
        stated = self.question.stated.measured.items()
        alike = [
            one.value
            for name, measured in stated
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

    def _with_crossing(self, points: list[Number]) -> list[Number]:
        """*points* with one more between two of them, where something that is compared passes its
        bound, if it does it."""
        for relation in self.question.relations:

            def above(x: Number, relation: Relation = relation) -> bool:
                self._does(x)
                gap = relation.gap(self.values[x] or {})
                return gap is not None and gap > 0

            for low, high in pairwise(points):
                if above(low) != above(high):
                    one, other = (high, low) if above(high) else (low, high)
                    ends = self._halved(one, other, above)
                    self._does(plain(_simplest(*sorted(map(Fraction, ends)))))
                    if right := [x for x in self.values if low < x < high and self._does(x)]:
                        return sorted({*points, right[0]})
        return points

    def _halved(
        self, one: Number, other: Number, like_one: Callable[[Number], bool | None]
    ) -> tuple[Number, Number]:
        """A gap between two numbers, halved where what is *like_one* of them ends."""
        size = max(abs(Fraction(one)), abs(Fraction(other)))
        while abs(Fraction(one - other)) * CLOSE > size and not self._late:
            middle = plain(Fraction(one + other) / 2)
            if like_one(middle):
                one = middle
            else:
                other = middle
        return one, other

    def _edge(self, fails: Number, does: Number) -> tuple[Number, bool]:
        """Where what does it ends, towards a number that fails, and whether that does it itself."""
        does, fails = self._halved(does, fails, self._does)
        simple = _simplest(*sorted((Fraction(fails), Fraction(does))))
        if simple.denominator**2 * abs(Fraction(does - fails)) * 100 <= 1:  # hardly by chance
            return plain(simple), bool(self._does(plain(simple)))
        short = Fraction(rounded(does, DIGITS))
        step = abs(short - Fraction(rounded(short * (1 + Fraction(1, 10 ** (DIGITS - 1))), DIGITS)))
        near = [plain(short), plain(short + (step if does > fails else -step))]
        return next((x for x in near if x in self.admitted and self._does(x)), does), True


def _simplest(low: Fraction, high: Fraction) -> Fraction:
    """The number from *low* to *high* with the least denominator.

    >>> _simplest(Fraction(399, 100), Fraction(401, 100)), _simplest(Fraction(1, 4), Fraction(2, 5))
    (Fraction(4, 1), Fraction(1, 3))
    """
    if low < 0:
        return Fraction(0) if high >= 0 else -_simplest(-high, -low)
    if ceil(low) <= high:
        return Fraction(ceil(low))
    whole = floor(low)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
