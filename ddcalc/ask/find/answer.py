"""The answer of a search: which of all solutions it is, how it reads, and what rests on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from ddcalc.ask.find.inverse import InverseQuestion, Relation, holds
from ddcalc.ask.find.number_line import Piece
from ddcalc.ask.find.wording import Facts, Telling, numbers_in, title
from ddcalc.ask.solve import Assumption, Derivation, Reading, Result, Results
from ddcalc.ask.unused import Unused
from ddcalc.ask.working import Working, equations
from ddcalc.formula.algebraic import Edge, Root, close_to
from ddcalc.formula.expression import Expr, Number, Rel, Sym
from ddcalc.formula.letters import letter
from ddcalc.numbers.amounts import STATED, count_text, fitting, in_unit
from ddcalc.numbers.amounts import amount as amount_of
from ddcalc.numbers.display import ABOUT
from ddcalc.numbers.irrational import SURE, Approximate
from ddcalc.numbers.number import plain
from ddcalc.numbers.units import COUNT, Unit
from ddcalc.problem.quantity import Choice, Given
from ddcalc.problem.speaker import Filled
from ddcalc.problem.steps import BOUND, Compare, PutIn, Report, Solve, State, Step, Table, Value

DIGITS = 50  # of an irrational end
SHOWN_DIGITS = 20  # of an irrational end, more than a text has
RANGES = 3  # that are written in one line; of more than that the first FEW
FEW = 2
ROWS = 20  # of a table of ranges
CONCLUDING = 2  # sentences of the type that follow the answer, at most

Kind = Literal["none", "only", "least", "greatest", "always"]
Side = tuple[Expr, Mapping[str, PutIn], Unit]  # a formula, its numbers, and the unit of its value


# Which solution is the answer


@dataclass(frozen=True, slots=True)
class Sought:
    """The *solutions* in order; *examined* pieces prove them, but for what is left *open*."""

    solutions: tuple[Piece, ...]
    examined: int
    open: tuple[Piece, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether there are surely no other solutions."""
        return not self.open


@dataclass(frozen=True, slots=True)
class Extreme:
    """The *end* of the solutions that is the answer, *reached* if it is a solution itself."""

    kind: Kind
    end: Edge | None = None
    reached: bool = False

    @property
    def value(self) -> Number | None:
        """The answer as a number; None where there is none, or it is irrational."""
        if not self.reached or self.end is None or isinstance(self.end, Root):
            return None
        return plain(self.end)


def extreme(sought: Sought, admitted: Sequence[Piece]) -> Extreme:
    """The least solution, unless it is the least that is *admitted* at all: then the greatest.

    The greatest too where there is no least one but a greatest one.
    """
    if not sought.solutions:
        return Extreme("none")
    first, last = sought.solutions[0], sought.solutions[-1]
    if len(sought.solutions) == 1 and first.is_point and sought.complete:
        return Extreme("only", first.low, True)
    least = Extreme("least", first.low, first.low is not None and first.low_in)
    greatest = Extreme("greatest", last.high, last.high is not None and last.high_in)
    start, end = admitted[0], admitted[-1]
    from_start = (first.low, first.low_in) == (start.low, start.low_in)
    to_end = (last.high, last.high_in) == (end.high, end.high_in) or not sought.complete
    if from_start and to_end:
        return replace(least, kind="always" if sought.solutions == tuple(admitted) else "least")
    if from_start or (not least.reached and greatest.reached and not to_end):
        return greatest
    return least


@dataclass(frozen=True, slots=True)
class SearchVerdict:
    """What was *sought* for a given, and the *answer*; *idle* if the given changes nothing.

    Other values than those *admitted* are no question of this type.
    """

    given: Given
    admitted: tuple[Piece, ...]
    sought: Sought
    answer: Extreme
    idle: bool = False

    def says(self, unit: Unit) -> str:
        """The answer and all solutions, in *unit*."""
        idle = f": {self._letter} does not change what is compared" if self.idle else ""
        if self.answer.kind == "none":
            return f"no {self._letter} satisfies it{idle}"
        if self.answer.kind == "always":
            return f"{self._every(unit)} satisfies it{idle}"
        says = self._reached(unit) if self.answer.reached else self._open_end(unit)
        if self.answer.kind == "only":
            return f"{says}, and no other"
        more = "" if self.sought.complete else " so far"
        return f"{says}  (solutions{more}: {self._ranges(self.sought.solutions, unit)})"

    def in_short(self, unit: Unit) -> str:
        """All solutions that are known, in *unit*, and what is not decided."""
        if self.answer.kind == "none":
            return f"none: {self._letter} changes nothing" if self.idle else "none"
        if self.answer.kind == "always":
            return f"any{f': {self._letter} changes nothing' if self.idle else ''}"
        known = self._ranges(self.sought.solutions, unit)
        if self.sought.complete:
            return known
        return f"{known} so far (not decided: {self._ranges(self.sought.open, unit)})"

    def proof(self) -> str:
        """How many pieces of the number line were examined, and what that shows."""
        unit = self.given.unit
        if not self.sought.complete:
            left = self._ranges(self.sought.open, unit)
            return f"the search was ended after {self._pieces()}; not decided: {left}"
        return f"{self._every(unit)} was checked, in {self._pieces()} decided exactly"

    def given_up(self) -> str:
        """Why there is no answer."""
        left = self._ranges(self.sought.open, self.given.unit)
        known = self._ranges(self.sought.solutions, self.given.unit) or f"no {self._letter}"
        return (
            f"gave up after {self._pieces()}: not decided is {left}; elsewhere {known} satisfies it"
        )

    @property
    def _letter(self) -> str:
        return letter(self.given.letter)

    def _ranges(self, pieces: Sequence[Piece], unit: Unit) -> str:
        return pieces_text(pieces, self._letter, unit)

    def _every(self, unit: Unit) -> str:
        return f"every {self._ranges(self.admitted, unit).removeprefix('every ')}"

    def _pieces(self) -> str:
        count = self.sought.examined
        return "one interval" if count == 1 else f"{count_text(count)} intervals"

    def _reached(self, unit: Unit) -> str:
        assert self.answer.end is not None
        text = full_amount(self.answer.end, unit)
        sign = "≈" if text.startswith("about ") else "="
        return f"{self._letter} {sign} {text.removeprefix('about ')}"

    def _open_end(self, unit: Unit) -> str:
        """The end of the solutions, which is no solution itself."""
        if self.answer.end is None:
            return "there is no least one"
        sign = "<" if self.answer.kind == "greatest" else ">"
        return f"{self._letter} {sign} {full_amount(self.answer.end, unit)}"


# Numbers and ranges in words, and as steps


def amount(x: Edge, unit: Unit) -> str:
    """*x* (base units) as a number of *unit*: exact if that is short, else about."""
    if isinstance(x, Root) and x.form and unit.worth == 1:
        return f"{x.form} {unit.name}".rstrip()
    made = in_unit(close_to(x, SHOWN_DIGITS), unit, exact=STATED)
    return str(made) if made.exact and not isinstance(x, Root) else f"about {made}"


def full_amount(x: Edge, unit: Unit) -> str:
    """*x* as :func:`amount` writes it, and the decimal beside a formula."""
    text = amount(x, unit)
    if not isinstance(x, Root) or text.startswith("about "):
        return text
    return f"{text} {ABOUT}{in_unit(close_to(x, SHOWN_DIGITS), unit)}"


def pieces_text(pieces: Sequence[Piece], letter: str, unit: Unit) -> str:
    """All *pieces* (``m = 3 or m ≥ 13``), or the first of them and how many there are."""
    shown = pieces if len(pieces) <= RANGES else pieces[:FEW]
    texts = [_piece_text(piece, letter, unit) for piece in shown]
    if len(shown) < len(pieces):
        return f"{', '.join(texts)}, … ({count_text(len(pieces))} ranges)"
    return " or ".join(texts)


def _piece_text(piece: Piece, letter: str, unit: Unit) -> str:
    low, high = piece.low, piece.high
    if low is None and high is None:
        return f"every {letter}"
    if low is not None and piece.is_point:
        return f"{letter} = {amount(low, unit)}"
    above = "" if high is None else f" {'≤' if piece.high_in else '<'} {amount(high, unit)}"
    if low is None:
        return f"{letter}{above}"
    if high is None:
        return f"{letter} {'≥' if piece.low_in else '>'} {amount(low, unit)}"
    return f"{amount(low, unit)} {'≤' if piece.low_in else '<'} {letter}{above}"


def ranges(pieces: Sequence[Piece], given: Given) -> Table:
    """All *pieces* of the values of *given* as a table; of many the first ones and the last."""

    def end(x: Edge | None, before: str) -> str:
        return "no end" if x is None else f"{before}{amount(x, given.unit)}"

    rows = [
        (
            end(piece.low, "" if piece.low_in else "more than "),
            end(piece.high, "" if piece.high_in else "less than "),
        )
        for piece in pieces
    ]
    if len(rows) > ROWS:
        rows = [*rows[: ROWS - 2], ("…", "…"), rows[-1]]
    why = f"{len(pieces)} ranges of {letter(given.letter)}"
    return Table("All solutions", why, ("from", "to"), tuple(rows))


def comparison(
    relation: Relation, unknown: Given, at: Number, worth: tuple[Number, Number], side: Side
) -> Compare:
    """*relation* where the *unknown* is worth *at* and both sides so much, the left *side* shown
    with its formula."""
    formula, numbers, unit = side
    left, bound = worth
    true = holds(relation.op, left, bound)
    return Compare(
        title=f"{letter(unknown.letter)} {amount_of(at, unknown.unit).marked}"
        if not amount_of(at, unknown.unit).exact
        else f"{letter(unknown.letter)} = {amount_of(at, unknown.unit)}",
        why="holds" if true else "does not hold",
        relation=Rel(relation.op, formula, Sym(BOUND)),
        symbol=unknown.letter,
        at=at,
        numbers={**numbers, BOUND: amount_of(bound, unit)},
        left=left,
        right=bound,
        unit=unit,
        holds=true,
    )


# The answered question


@dataclass(frozen=True, slots=True)
class InvertedReading:
    """What comes of another *reading*, and how it *says* that in a unit."""

    reading: Reading
    says: Callable[[Unit], str]


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What came of a question, whatever the way to it.

    *solutions* are in order; of a choice there are *options* instead. The answer is the *end* of
    them that *kind* names, though it may just not be a solution. *says* writes it in a unit,
    *proof* says why there are no others; *complete* is False where that is not known. *steps* and
    *others*, other readings, and the *facts* for a sentence are made on demand; of a choice that
    sentence is the *options_text*.
    """

    value: Value
    says: Callable[[Unit], str]
    proof: str
    steps: Callable[[], Iterable[Step]]
    solutions: tuple[Piece, ...] = ()
    options: tuple[str, ...] = ()
    kind: Kind = "only"
    end: Edge | None = None
    complete: bool = True
    others: Callable[[], Iterable[InvertedReading]] = tuple
    facts: Callable[[], Facts] = Facts
    options_text: Callable[[], str] | None = None


class _Searched(Working):
    """The working of an inverse question: that *at* the answer, if it has one, reached by search.

    Without one it is not known what a play would read: then everything counts as read.
    """

    dear = True

    def __init__(self, question: InverseQuestion, outcome: SearchOutcome, at: Derivation | None):
        self.answer = question.unknown.name
        self._at, self._steps = at, outcome.steps
        self.values = {} if at is None else at.values
        if equations(question.stated) is None:
            self.read = question.stated.measured
        if at is not None:
            self.read, self.idle, self.long = at.working.read, at.working.idle, at.working.long

    @property
    def named(self) -> Collection[str]:
        """The choices that shape what is played at the answer."""
        if self._at is None or self._at.working.plan is not None:
            return ()
        return [assumption.choice for assumption in self._at.assumptions]

    def steps(self) -> Iterable[Step]:
        return self._steps()


class Inversion(Derivation):
    """An inverse *question* answered: the *outcome* of the search, and what follows *at* it.

    All other quantities are worth what they are there; *at* is None where there is no answer, or
    something has no value at it.
    """

    def __init__(
        self, question: InverseQuestion, outcome: SearchOutcome, at: Derivation | None
    ) -> None:
        stated = question.stated if at is None else at.stated
        super().__init__(stated, _Searched(question, outcome, at))
        self.question, self.outcome, self.at = question, outcome, at

    def show_in(self, units: Mapping[str, Unit]) -> None:
        super().show_in(units)
        if self.at is not None:
            self.at.show_in(units)

    @property
    def answer(self) -> Result:
        """The unknown with its value, None where there is none."""
        unknown = self.question.unknown
        if isinstance(unknown, Given):
            return Result(unknown.name, unknown.letter, unknown.unit, self.outcome.value)
        return Result(unknown.name, unknown.name, COUNT, self.outcome.value)

    @property
    def end(self) -> Result:
        """The answer; where it has no value, the end of the solutions if they have one.

        An irrational end is rounded. One that is no number may just not be a solution.
        """
        answer, end = self.answer, self.outcome.end
        if answer.value is not None or end is None or (self.is_any and not self.is_reached):
            return answer
        value = Approximate(close_to(end, DIGITS), SURE) if isinstance(end, Root) else end
        return replace(answer, value=value)

    @property
    def is_reached(self) -> bool:
        """Whether the end of the solutions is one itself."""
        end = self.outcome.end
        return end is not None and any(end in piece for piece in self.outcome.solutions)

    @property
    def is_any(self) -> bool:
        """Whether each solution is an answer: all numbers do it, or those that make both sides of
        an equation equal; not only the least or the greatest of them."""
        equal = any(relation.op == "==" for relation in self.question.relations)
        return equal or self.outcome.kind == "always"

    def is_solution(self, value: Number) -> bool:
        """Whether *value* is one of the solutions."""
        pieces = self.outcome.solutions
        return any(value in piece for piece in pieces if not piece.whole or isinstance(value, int))

    @cached_property
    def quantities(self) -> Mapping[str, Results]:
        """Givens and derived quantities by name; the givens alone where there is no value."""
        known: dict[str, Results] = {}
        if self.at is not None:
            known.update(self.at.quantities)
        else:
            for step in self._givens():
                if step.written is not None and not step.many:
                    value = step.written[0].value
                    known[step.name] = Result(step.name, step.symbol, step.unit, value)
        return {**known, self.answer.name: self.answer}

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """The answers with one choice changed at a time, those that differ."""
        return tuple(other.reading for other in self._others)

    @cached_property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The choices that shaped the answer, and those that the question made itself."""
        unknown = self.question.unknown.name
        return tuple(made for made in super().assumptions if made.choice != unknown)

    @cached_property
    def unused(self) -> tuple[Unused, ...]:
        """What the question states that does not count; not known of a play without a value."""
        unknown = self.question.unknown.name
        return tuple(given for given in super().unused if given.name != unknown)

    @property
    def essential(self) -> Set[str] | None:
        """The quantities on which what is compared rests; None where all are shown."""
        return None if self.at is None else self.at.essential

    @property
    def title(self) -> str:
        """The question in a sentence."""
        return title(self.question)

    def says(self, unit: Unit | None = None) -> str:
        """The answer and all solutions in a line; amounts in *unit*, else in one that fits."""
        return self.outcome.says(unit or self._fitting)

    def sentence(self, unit: Unit | None = None) -> Filled:
        """The answer in a sentence, and what the question then comes to; amounts in *unit*."""
        pieces: list[str | Expr] = [self._headline(unit or self._fitting)]
        for filled in self._concluding(unit)[0]:
            pieces += [" ", *filled]
        return tuple(pieces)

    def _headline(self, unit: Unit) -> str:
        """Which values of the unknown there are."""
        outcome, unknown = self.outcome, self.question.unknown
        if outcome.options_text is not None:
            return outcome.options_text()
        assert isinstance(unknown, Given)
        telling = Telling(self.question, unit, outcome.facts())
        if outcome.kind == "none":
            return telling.none()
        if outcome.kind == "always":
            return telling.always()
        value = None if isinstance(outcome.value, Expr) else outcome.value
        pieces = outcome.solutions
        known = outcome.complete or telling.facts.span
        if len(pieces) == 1 and known:
            return telling.one(pieces[0], value)
        return telling.several(pieces, outcome.kind, value, complete=outcome.complete)

    def _concluding(self, unit: Unit | None) -> tuple[list[Filled], frozenset[str]]:
        """What the type itself concludes, where that says more; and the quantities it rests on."""
        if self.at is None or self.outcome.value is None or self.outcome.kind == "always":
            return [], frozenset()
        headline = self._headline(unit or self._fitting)
        known = {*numbers_in(headline)}
        said: list[Filled] = []
        rests: frozenset[str] = frozenset()
        for filled, names in self.at.commentary().concluding:
            words = "".join(piece if isinstance(piece, str) else "" for piece in filled)
            numbers = {*numbers_in(words)}
            if (numbers and not numbers <= known) and len(said) < CONCLUDING:
                said.append(filled)
                rests |= names
                known |= numbers
        return said, rests

    def report(self, unit: Unit | None = None, everything: bool = False) -> Report:
        """What the search came to, whatever the format; amounts in *unit* if one is given."""
        mechanism = "" if self.at is None else self.at.commentary().mechanism
        steps = self.steps if everything else self._shown(unit)
        shown_in = unit or self._fitting
        return Report(
            self.title,
            steps,
            self.sentence(unit),
            tuple(self._remarks(everything)),
            mechanism,
            tuple((other.reading.says, other.says(shown_in)) for other in self._others),
        )

    def shown_steps(self, everything: bool = False) -> Iterator[Step]:
        """The steps to the answer, without those of what nobody asked for."""
        return iter(self.steps if everything else self._shown(None))

    def _shown(self, unit: Unit | None) -> tuple[Step, ...]:
        """The steps on which the answer and what is said of it rest."""
        steps = tuple(
            replace(step, said=True) if isinstance(step, State) else step for step in self.steps
        )
        if self.at is None or isinstance(self.question.unknown, Choice):
            return steps
        needed = self._concluding(unit)[1]
        by_hand = any(isinstance(step, Solve) and step.argument for step in steps)
        if by_hand:
            needed -= {*self.question.compared}
        else:
            compared = {quantity.letter for quantity in self.question.compared.values()}
            needed |= self.at.working.rests_on(compared)
        derived, shown, reached = {*self.problem.quantities} - {*self.problem.givens}, [], by_hand
        for step in steps:
            solved = isinstance(step, Solve) and bool(step.argument)
            reached = reached and not solved
            if reached or getattr(step, "name", "") not in derived - needed:
                shown.append(step)
        return tuple(shown)

    def _remarks(self, everything: bool) -> Iterator[tuple[str, str]]:
        if not self.outcome.complete:
            yield "Tried", self.outcome.proof
        elif everything:
            yield "Proved", self.outcome.proof
        premises = () if self.at is None else self.at.commentary().premises
        choices = [made.remark for made in self.assumptions]
        if assumed := " · ".join([*choices, *(premise.says for premise in premises)]):
            yield "Assumes", assumed

    @property
    def _fitting(self) -> Unit:
        """The unknown's own unit, but GB rather than very many bytes."""
        unit, value = self.answer.unit, self.end.value
        return fitting(value, unit) if isinstance(value, int | Fraction) else unit

    @cached_property
    def _others(self) -> tuple[InvertedReading, ...]:
        return tuple(self.outcome.others())

    def _givens(self) -> list[State]:
        """The statements without what stands in for the unknown."""
        return [step for step in super()._givens() if step.name != self.question.unknown.name]
