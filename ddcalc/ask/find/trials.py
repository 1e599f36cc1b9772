"""A search by trying, where there are no equations or the unknown is a choice.

Every option of a choice is tried. Of whole numbers those from the least on are, one by one; of
others some far apart (and larger ones, while these come closer), and then, by halving, between one
that does it and its neighbour that does not. There the answer is the simplest number in the last
gap: what changes in a schedule changes at sums of its times. Nothing is proved of numbers that were
not tried, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, pairwise
from math import ceil, floor

from ddcalc.ask.find.answer import (
    Extreme,
    Inversion,
    SearchOutcome,
    Side,
    Sought,
    amount,
    comparison,
    extreme,
    full_amount,
    pieces_text,
    ranges,
)
from ddcalc.ask.find.branching import domain
from ddcalc.ask.find.inverse import InverseQuestion, Relation, number
from ddcalc.ask.find.nearest import nearest_tried
from ddcalc.ask.find.number_line import Piece, merged
from ddcalc.ask.find.wording import Facts, Nearest, Neighbour, of_options, value_in_words
from ddcalc.ask.solve import Derivation
from ddcalc.ask.working import equations
from ddcalc.errors import UNANSWERED, DdcalcError, Missing
from ddcalc.formula.algebraic import floor_of
from ddcalc.formula.expression import Known, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.display import rounded
from ddcalc.numbers.number import Number, plain
from ddcalc.numbers.units import Unit
from ddcalc.problem.quantity import Choice
from ddcalc.problem.speaker import hedged
from ddcalc.problem.stated import restated
from ddcalc.problem.steps import Compare, State, Step, Table
from ddcalc.schedule.engine import PLAYED
from ddcalc.schedule.watching import watch

TRIED = 200  # numbers, at most
LONG = 5  # long plays of numbers far apart, at most
WORK = 30_000_000  # computations that are played, after which no gap is halved any more
ROWS = 10  # of a table of what was tried
DOUBLINGS = 12  # of the largest number of the kind that is stated, up and down
PARTS = 24  # of what is admitted, where that has two ends
CLOSE = 10**9  # of a number, to which a gap is halved
DIGITS = 6  # of an edge that is no simple number
CHANCE = 100  # by this factor the simplest number of a gap is simpler than those of other gaps

Compared = Known  # what is compared, by name


def by_trials(question: InverseQuestion) -> Inversion:
    """The values for which the relations hold, among those that are tried.

    Raises what every value is refused with, BadValue where what is compared is no number.
    """
    if isinstance(question.unknown, Choice):
        return _by_options(question, question.unknown)
    if watching := watch.get():
        watching.seek("number", TRIED)
    trials = _OneByOne(question) if question.given.whole else _Halving(question)
    trials.run()
    value = trials.answer.value
    at = None if value is None else trials.solved(value)
    outcome = SearchOutcome(
        value=value,
        says=trials.says,
        proof=trials.proof(),
        steps=lambda: trials.steps(at),
        solutions=trials.solutions,
        kind=trials.answer.kind,
        end=trials.answer.end,
        complete=trials.complete,
        facts=trials.facts,
    )
    return Inversion(question, outcome, at)


def _compared(question: InverseQuestion, solved: Derivation) -> Compared:
    values: dict[str, Number | None] = {}
    for name in question.compared:
        result = solved.quantities.get(name)
        value = () if isinstance(result, tuple) else None if result is None else result.value
        values[name] = number(name, value)
    return values


def _does(question: InverseQuestion, values: Compared) -> bool:
    return all(relation.holds_among(values) for relation in question.relations)


def _cells(question: InverseQuestion, values: Compared) -> Iterator[str]:
    """What is compared, for a table."""
    for name, quantity in question.compared.items():
        value = values[name]
        yield "no value" if value is None else hedged(amount_of(value, quantity.unit))


# Options


@dataclass(frozen=True, slots=True)
class _Option:
    """An option with what is compared in the question so read, or why it cannot be read so."""

    name: str
    solved: Derivation | None = None
    values: Compared | None = None
    refusal: DdcalcError | None = None


def _by_options(question: InverseQuestion, choice: Choice) -> Inversion:
    options = [_read(question, name) for name in choice.options]
    refusals = [option.refusal for option in options if option.refusal]
    if len(refusals) == len(options):
        raise refusals[0]
    right = [o for o in options if o.values is not None and _does(question, o.values)]
    names = [option.name for option in right]
    at = right[0].solved if len(right) == 1 else None
    says = f"{choice.name} = {' or '.join(names).replace('_', '-')}"
    if len(right) == 1:
        says += f"  ({choice.options[names[0]]})"

    known = {option.name: option.values for option in options if option.values is not None}
    nearest = None if right else nearest_tried(question.relations, known)

    def steps() -> Iterator[Step]:
        rows = tuple(_row(question, option, option in right) for option in options)
        head = (choice.name, *question.compared, "")
        yield Table("Every option", "tried one by one", head, rows)
        if at is not None:
            yield from (step for step in at.steps if not isinstance(step, State))

    outcome = SearchOutcome(
        value=Sym(names[0]) if at is not None else None,
        says=lambda _: says if right else f"no option of {choice.name} satisfies it",
        proof=f"all {len(options)} options were tried",
        steps=steps,
        options=tuple(names),
        options_text=lambda: of_options(
            question, choice, _compared_with(question, right), len(options), nearest
        ),
        facts=lambda: Facts(nearest=nearest),
    )
    return Inversion(question, outcome, at)


def _compared_with(question: InverseQuestion, options: Sequence[_Option]) -> dict[str, str]:
    """What is compared with each of the *options*, in words."""
    return {
        option.name: ", ".join(
            value_in_words(question.compared[name], option.values[name])
            for name in question.compared
        )
        for option in options
        if option.values is not None
    }


def _read(question: InverseQuestion, option: str) -> _Option:
    stated = question.stated
    shape = stated.shape.with_choice(question.unknown.name, option)
    if unmet := stated.problem.unmet(shape):
        return _Option(option, refusal=Missing(" or ".join(group) for group in unmet))
    try:
        solved = Derivation(replace(stated, shape=shape))
    except UNANSWERED as error:
        return _Option(option, refusal=error)
    return _Option(option, solved, _compared(question, solved))


def _row(question: InverseQuestion, option: _Option, does: bool) -> tuple[str, ...]:
    name = option.name.replace("_", "-")
    if option.values is None:
        return (name, *("" for _ in question.compared), f"not possible: {option.refusal}")
    return (name, *_cells(question, option.values), "yes" if does else "no")


# Numbers


class _Trials:
    """Numbers tried for the unknown, with what is compared (None where it is not admitted).

    After :meth:`run` there are the *solutions* among them and the *answer*, with a number *beside*
    it that fails.
    """

    def __init__(self, question: InverseQuestion) -> None:
        self.question, self.unknown = question, question.given
        self.admitted = domain(question.given)
        self.values: dict[Number, Compared | None] = {}
        self.long = self.work = 0
        self.played: dict[Number, int] = {}  # computations, by number
        self.refusal: DdcalcError | None = None
        self.solutions: tuple[Piece, ...] = ()
        self.complete = False
        self.answer = Extreme("none")
        self.beside: Number | None = None
        self.passing: tuple[Number, ...] = ()  # two numbers, where none does it between them

    def facts(self) -> Facts:
        """What a sentence says of the answer."""
        value = self.answer.value
        beside = self.passing if self.beside is None else (self.beside,)
        return Facts(
            admitted=[self.admitted],
            here=None if value is None else self._neighbour(value),
            beside=[*filter(None, map(self._neighbour, beside))],
            nearest=self._nearest(),
            span="" if self.complete else self.tried(),
            ends=() if self.complete else self._ends(),
        )

    def _nearest(self) -> Nearest | None:
        if self.answer.kind != "none":
            return None
        known = {at: values for at, values in self.values.items() if values is not None}
        return nearest_tried(self.question.relations, known)

    def tried(self) -> str:
        """The least and the largest number that was tried."""
        unit = self.unknown.unit
        least, most = (amount_of(x, unit) for x in self._ends())
        return f"from {least} to {most}" if least != most else f"{least}"

    def _ends(self) -> tuple[Number, Number]:
        known = self._admitted()
        return min(known), max(known)

    def _admitted(self) -> list[Number]:
        """The numbers that were tried and that the question admits."""
        return [number for number, values in self.values.items() if values is not None]

    def _neighbour(self, at: Number) -> Neighbour | None:
        values = self.values.get(at)
        return None if values is None else Neighbour(at, values)

    def steps(self, at: Derivation | None) -> Iterator[Step]:
        """What follows at the answer, and what is compared there and just beside it."""
        if at is None:
            return
        yield from (step for step in at.steps if not isinstance(step, State))
        yield from self._comparisons(self.answer.value)
        yield from (step for step in self._comparisons(self.beside) if not step.holds)

    def solved(self, number: Number) -> Derivation:
        """The question with *number* put in."""
        return Derivation(restated(self.question.stated, {self.unknown.name: number}))

    def does(self, number: Number) -> bool | None:
        """Whether all relations hold at *number*; None where the question does not admit it."""
        if number not in self.values:
            self.values[number] = self._tried(number)
        values = self.values[number]
        return None if values is None else _does(self.question, values)

    def _tried(self, number: Number) -> Compared | None:
        if watching := watch.get():
            watching.tried()
        try:
            solved = self.solved(number)
            values = _compared(self.question, solved)
        except UNANSWERED as error:
            if error.parameter == "where":
                raise
            self.refusal = self.refusal or error
            return None
        self.long += solved.working.long
        self.work += solved.working.work
        self.played[number] = solved.working.work
        return values

    def _comparisons(self, number: Number | None) -> Iterator[Compare]:
        values = None if number is None else self.values.get(number)
        if number is None or values is None:
            return
        for relation in self.question.relations:
            left, right = relation.sides(values)
            if left is not None and right is not None:
                unit = self.question.compared[relation.name].unit
                side: Side = (Sym(relation.letter), {}, unit)
                yield comparison(relation, self.unknown, number, (left, right), side)


class _OneByOne(_Trials):
    """Whole numbers, from the least that there can be."""

    def run(self) -> None:
        """Try numbers; raises what every one is refused with."""
        most = self.admitted.high
        number = first = 1 if self.admitted.low is None else floor_of(self.admitted.low)
        right = []
        while len(self.values) < TRIED and self.long < LONG and (most is None or number <= most):
            if self.does(number):
                right.append(Piece(number, number, whole=True))
            number += 1
        if self.refusal is not None and not any(v is not None for v in self.values.values()):
            raise self.refusal
        self.complete = most is not None and number > most
        left = () if self.complete else (Piece(number, most, whole=True),)
        sought = Sought(merged(right), len(self.values), left)
        self.solutions, self.answer = sought.solutions, self._answered(sought)
        value, side = self.answer.value, 1 if self.answer.kind == "greatest" else -1
        self.beside = None if value is None else value + side
        self.span = f"from {first} to {number - 1}"

    def _answered(self, sought: Sought) -> Extreme:
        """The answer; the greatest solution where they begin with the first number that the
        question admits, and a larger one fails: then that is what can still be said of them."""
        answer = extreme(sought, [self.admitted])
        if answer.kind != "least" or sought.solutions[0].low != self._ends()[0]:
            return answer
        if all(map(self.does, self._admitted())):
            return replace(answer, kind="always")
        last = sought.solutions[-1].high
        return answer if last == self._ends()[1] else Extreme("greatest", last, True)

    def says(self, unit: Unit) -> str:
        shown = letter(self.unknown.letter)
        if not self.solutions:
            return f"no {shown} {self.span} satisfies it"
        solutions = pieces_text(self.solutions, shown, unit)
        return f"{shown} = {self.answer.value}  (tried {self.span}: {solutions})"

    def proof(self) -> str:
        refused = sum(values is None for values in self.values.values())
        proof = f"every {letter(self.unknown.letter)} {self.span}, one by one"
        if refused:
            proof += f", of which the question does not admit {refused}"
        return proof if self.complete else f"{proof}; larger ones were not tried"

    def steps(self, at: Derivation | None) -> Iterator[Step]:
        yield from super().steps(at)
        if len(self.solutions) > 1:
            yield ranges(self.solutions, self.unknown)
        elif not self.solutions:
            tried = ((x, values) for x, values in self.values.items() if values is not None)
            rows = tuple((str(x), *_cells(self.question, v)) for x, v in islice(tried, ROWS))
            head = (letter(self.unknown.letter), *self.question.compared)
            yield Table("Tried", "the first ones", head, rows)


class _Halving(_Trials):
    """Numbers far apart, and then in the gaps where the relations begin and cease to hold."""

    def run(self) -> None:
        points = [x for x in self._far_apart() if self._goes_on and self.does(x) is not None]
        if not points and self.refusal is not None:
            raise self.refusal
        points = self._with_crossing(self._and_farther(points))
        right = [i for i, x in enumerate(points) if self.does(x)]
        if not right:
            return
        first = last = right[0]
        while last + 1 < len(points) and self.does(points[last + 1]):
            last += 1
        low = self._edge(points[first - 1], points[first]) if first else None
        high = self._edge(points[last + 1], points[last]) if last + 1 < len(points) else None
        piece = Piece(
            None if low is None else low.at,
            None if high is None else high.at,
            low is None or low.reached,
            high is None or high.reached,
        )
        self.solutions = (piece,)
        if low is None and high is None:
            self.answer = Extreme("always", points[len(points) // 2], True)
            return
        edges = [edge for edge in (low, high) if edge is not None]
        edge = next((edge for edge in edges if edge.reached), edges[0])
        self.answer = Extreme(
            "least" if edge.at == piece.low else "greatest", edge.at, edge.reached
        )
        self.beside = self._plainly_beside(edge) if edge.reached else None

    def says(self, unit: Unit) -> str:
        shown, span = letter(self.unknown.letter), self._span(unit)
        if not self.solutions:
            return f"no {shown} that was tried satisfies it ({span})"
        if self.answer.kind == "always":
            return f"every {shown} that was tried satisfies it ({span})"
        solutions = pieces_text(self.solutions, shown, unit)
        if self.answer.value is None:
            return f"{solutions}  (tried {span})"
        return f"{shown} = {full_amount(self.answer.value, unit)}  (tried {span}: {solutions})"

    def proof(self) -> str:
        proof = f"{len(self.values)} numbers; nothing is proved of those between and beyond them"
        if self.beside is None:
            return proof
        return f"{proof}. Tried next to it: {amount(self.beside, self.unknown.unit)}, which fails"

    @property
    def _late(self) -> bool:
        """Whether no gap is halved any more."""
        return len(self.values) >= TRIED or self.work >= WORK

    @property
    def _goes_on(self) -> bool:
        """Whether more numbers far apart are tried."""
        return self.long < LONG and not self._late

    def _span(self, unit: Unit) -> str:
        least, most = self._ends()
        return f"from {amount(least, unit)} to {amount(most, unit)}"

    def _far_apart(self) -> Iterator[Number]:
        """Numbers to begin with, in order."""
        unit = self.unknown.unit
        low, high = self.admitted.low, self.admitted.high
        base = low if isinstance(low, int | Fraction) else Fraction(0)
        alike = [
            measured.value
            for name, stated in self.question.stated.measured.items()
            for measured in (stated if isinstance(stated, tuple) else (stated,))
            if measured.unit.dimension == unit.dimension and name != self.unknown.name
        ]
        scales = {Fraction(max(alike, default=0) or unit.worth)}
        if equations(self.question.stated) is not None:  # no play takes long
            scales.add(Fraction(unit.worth))
        doublings = [Fraction(2) ** power for power in range(-DOUBLINGS, DOUBLINGS + 1)]
        numbers = {base, *(base + scale * by for scale in scales for by in doublings)}
        if isinstance(high, int | Fraction):
            numbers |= {base + Fraction(high - base) * i / PARTS for i in range(PARTS + 1)}
        return (plain(number) for number in sorted(numbers) if number in self.admitted)

    def _and_farther(self, points: list[Number]) -> list[Number]:
        """*points* and, where none of them does it but they come ever closer, larger ones."""
        if any(map(self.does, points)):
            return points
        while len(points) > 1 and not self._late and self._comes_closer(*points[-2:]):
            number = plain(points[-1] + 2 * Fraction(points[-1] - points[-2]))
            if number not in self.admitted or self.does(number) is None:
                break
            points = [*points, number]
            if self.does(number):
                break
        return points

    def _comes_closer(self, low: Number, high: Number) -> bool:
        """Whether all that fails at *high* is closer to its bound there than at *low*, and at this
        pace reaches it before a run gets too long to be played."""
        before, after = self.values[low], self.values[high]
        assert before is not None
        assert after is not None
        for relation in self.question.relations:
            old, new = relation.gap(before), relation.gap(after)
            if relation.holds_among(after):
                continue
            if old is None or new is None or not (old < new <= 0 or 0 <= new < old):
                return False
            more, left = self.played[high] - self.played[low], PLAYED - self.played[high]
            if more * abs(Fraction(new)) > left * abs(Fraction(old - new)):
                return False
        return True

    def _with_crossing(self, points: list[Number]) -> list[Number]:
        """*points* with one more that does it, where none of them does: one between two of them,
        on the way to where something that is compared passes its bound."""
        if any(map(self.does, points)):
            return points
        for low, high in pairwise(points):
            for relation in self.question.relations:
                if self._sign(relation, low) != self._sign(relation, high):
                    between = self._on_the_way(relation, low, high)
                    if between is not None:
                        return sorted({*points, between})
        return points

    def _on_the_way(self, relation: Relation, low: Number, high: Number) -> Number | None:
        """A number that does it, among those halfway to where *relation* passes its bound."""
        for _ in range(CLOSE.bit_length()):
            if self._late:
                return None
            middle = plain(Fraction(low + high) / 2)
            if self.does(middle):
                return middle
            if self._sign(relation, middle) == self._sign(relation, low):
                low = middle
            else:
                high = middle
        simple = plain(_simplest(Fraction(low), Fraction(high)))
        if self.does(simple):
            return simple
        self.passing = self._shortly_around(relation, simple)
        return None

    def _shortly_around(self, relation: Relation, number: Number) -> tuple[Number, ...]:
        """Two numbers with few digits next to *number*, between which *relation*'s left side passes
        its bound."""
        short = Fraction(rounded(number, DIGITS))
        step = abs(short - Fraction(rounded(short * (1 + Fraction(1, 10 ** (DIGITS - 1))), DIGITS)))
        for low in (short - step, short):
            ends = (plain(low), plain(low + step))
            if all(end in self.admitted and self.does(end) is not None for end in ends):
                signs = {self._sign(relation, end) for end in ends}
                if signs == {-1, 1}:
                    return ends
        return ()

    def _sign(self, relation: Relation, number: Number) -> int | None:
        """Whether the left side is above (1), at (0) or below (-1) its bound; None without one."""
        values = self.values[number]
        gap = None if values is None else relation.gap(values)
        return None if gap is None else (gap > 0) - (gap < 0)

    def _edge(self, fails: Number, does: Number) -> _Edge:
        """Where what does it ends, towards a number that fails."""
        size = max(abs(Fraction(does)), abs(Fraction(fails)))
        while abs(Fraction(does - fails)) * CLOSE > size and not self._late:
            middle = plain(Fraction(fails + does) / 2)
            if self.does(middle):
                does = middle
            else:
                fails = middle
        simple = _simplest(Fraction(min(fails, does)), Fraction(max(fails, does)))
        if simple.denominator**2 * abs(Fraction(does - fails)) * CHANCE > 1:  # perhaps by chance
            return _Edge(self._short(does, fails), fails, reached=True)
        at = plain(simple)
        return _Edge(at, fails, reached=bool(self.does(at)))

    def _short(self, does: Number, fails: Number) -> Number:
        """*does*, or a number next to it with few digits that does it too."""
        short = Fraction(rounded(does, DIGITS))
        step = abs(short - Fraction(rounded(short * (1 + Fraction(1, 10 ** (DIGITS - 1))), DIGITS)))
        for near in (short, short + step if does > fails else short - step):
            if near in self.admitted and self.does(plain(near)):
                return plain(near)
        return does

    def _plainly_beside(self, edge: _Edge) -> Number:
        """A number next to *edge* that fails, with few digits if there is one."""
        side = 1 if edge.fails > edge.at else -1
        digits = len(str(int(abs(Fraction(edge.at)) / self.unknown.unit.worth)))
        size = Fraction(10 ** (digits - 1)) * self.unknown.unit.worth
        for places in (2, 3, 4, 6):
            near = plain(edge.at + side * size / 10**places)
            if near in self.admitted and self.does(near) is False:
                return near
        return edge.fails


@dataclass(frozen=True, slots=True)
class _Edge:
    """What does it ends *at* this number, which does it if it is *reached*; next to it one
    *fails*."""

    at: Number
    fails: Number
    reached: bool


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
