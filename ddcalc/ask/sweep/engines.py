"""How the points of a sweep are worked out: those of equations many at once, in floats, and as
fractions wherever floats do not decide; played ones one after the other, exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import product
from operator import or_
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep import column as ops
from ddcalc.ask.sweep.axes import Numeric
from ddcalc.ask.sweep.column import (
    NOTHING,
    UNDEFINED,
    UNSURE,
    Column,
    Known,
    Mask,
    State,
    constant,
    satisfied,
    settled,
    tightened,
    worked_out,
)
from ddcalc.ask.sweep.grid import (
    Block,
    Counts,
    Kind,
    Names,
    Patch,
    PatchValues,
    Position,
    Reason,
    SweepQuestion,
    refuse_list,
)
from ddcalc.ask.working import working
from ddcalc.errors import BadValue, DdcalcError, NoAnswer, OverLimit
from ddcalc.formula.algebra import Rel
from ddcalc.formula.coherence import may_round
from ddcalc.formula.evaluation import compiled, evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Operator, symbols
from ddcalc.numbers.number import plain
from ddcalc.problem.plan import Line, Values, plan
from ddcalc.problem.quantity import Given
from ddcalc.problem.steps import Value

BLOCK: Final = 1 << 16  # points worked out at once: their numbers stay in the processor's cache
PLAYED_BLOCK: Final = 16  # played points of a block
MEMBERS: Final = 12  # of a maximum up to which the largest is named
NO_ANSWER: Final = Reason("no answer", "")

Letters = dict[str, Number | None]


class EquationReading:
    """The equations of a question at *names*, the positions on its axes that have names."""

    def __init__(self, question: SweepQuestion, names: Names) -> None:
        self.question = question
        self.stated = question.stated(names)
        self.plan = plan(question.problem, self.stated.shape)
        letters = {name: quantity.letter for name, quantity in question.problem.quantities.items()}
        self.varied = {i: letters[axis.name] for i, axis in question.numeric.items()}
        for quantity in question.quantities:
            if any(name == quantity.name and stop for name, _, stop in self.plan.layout):
                raise refuse_list(quantity.name)
        wanted = {quantity.name: quantity.letter for quantity in question.quantities}
        self.lines = self.plan.needed(*wanted.values())
        derived = {line.symbol for line in self.lines}
        self.letters = {name: letter for name, letter in wanted.items() if letter in derived}
        numbers = dict(zip(self.plan.givens, self.stated.numbers(), strict=True))
        still = {letter: n for letter, n in numbers.items() if letter not in self.varied.values()}
        self.still: Mapping[str, Number] = still
        self.kept: dict[str, tuple[Known, Column]] = {}
        """What lines came to in the piece before, where many pieces may have it in common."""
        self.spans: dict[tuple[str, int], Column] = {}
        """The numbers of whole axes, by letter and how many directions a block has."""

    @property
    def shaping(self) -> set[str]:
        """The choices of which another option changes the equations."""
        wanted = self.letters.values()
        return {
            name
            for name, _, other in self.plan.neighbours
            if [(line.symbol, line.formula) for line in other.needed(*wanted)] != self._rules
        }

    @property
    def rounds(self) -> bool:
        """Whether values may be irrational."""
        return any(may_round(formula) for _, formula in self._rules)

    @property
    def _rules(self) -> list[tuple[str, Expr]]:
        return [(line.symbol, line.formula) for line in self.lines]

    @property
    def conditions(self) -> list[Rel]:
        """What the numbers must satisfy."""
        return [condition.relation for condition in self.plan.conditions]

    @cached_property
    def needs(self) -> Sequence[tuple[Rel, frozenset[str]]]:
        """The conditions with their letters."""
        return [(relation, frozenset(symbols(relation))) for relation in self.conditions]

    @cached_property
    def numbers(self) -> Letters:
        """What does not vary: givens, and what follows from them alone."""
        numbers: Letters = dict(self.still)
        for line in self.lines:
            if numbers.keys() >= {*symbols(line.formula)}:
                with suppress(ArithmeticError):
                    numbers[line.symbol] = evaluate(line.formula, numbers)
        return numbers

    @cached_property
    def varying(self) -> Sequence[tuple[Line, frozenset[str]]]:
        """The lines that follow from what varies, or have no value, with their letters."""
        return [
            (line, frozenset(symbols(line.formula)))
            for line in self.lines
            if line.symbol not in self.numbers
        ]

    @cached_property
    def _function(self) -> Callable[..., tuple[Number | None, ...]]:
        return compiled(self.plan.givens, self._rules)

    def exactly(self, place: Position) -> Letters | Reason:
        """All letters at *place*, or why they have no values."""
        known: Letters = dict(self.still)
        for i, letter in self.varied.items():
            axis = self.question.numeric[i]
            value = axis.numbers[place[i]]
            if not axis.all_admitted:
                try:
                    axis.measured(place[i])
                except BadValue:
                    return Reason("refused", axis.name)
            known[letter] = value
        for i, relation in enumerate(self.conditions):
            if not evaluate(relation, known):
                return Reason("condition", str(i))
        try:
            values = self._function(*(known[letter] for letter in self.plan.givens))
        except ArithmeticError:
            return NO_ANSWER
        plainly = (None if value is None else plain(value) for value in values)
        return known | dict(zip((line.symbol for line in self.lines), plainly, strict=True))


@dataclass(frozen=True, slots=True)
class Turn:
    """A *decision* in the formula of *symbol*: a distinction, a maximum, or a minimum."""

    symbol: str
    decision: Cases | Fun


Turns = Counts[tuple[Turn, int]]
"""At how many points each way out of a decision is taken."""


@dataclass(slots=True)
class Census:
    """How many points have no value, by the reason; and, where it is wanted, how many take each
    way where the equations turn."""

    reasons: Counts[Reason] = field(default_factory=Counts)
    turns: Turns | None = None


class Arrays:
    """Works out the points of *question* in blocks."""

    most = BLOCK

    def __init__(self, question: SweepQuestion) -> None:
        self.question = question
        self.readings: dict[Names, EquationReading] = {}
        for quantity in question.quantities if not question.named else ():
            if quantity.name not in self.reading(()).letters:
                reason = "does not follow from what is stated"
                raise BadValue(quantity.name, reason).about("quantity")

    def reading(self, names: Names) -> EquationReading:
        """The reading at *names*."""
        if names not in self.readings:
            self.readings[names] = EquationReading(self.question, names)
        return self.readings[names]

    def pieces(self, block: Block, census: Census) -> Iterator[Patch]:
        """The points of *block*, those of one reading together; they count in *census*."""
        still = len(block.fixed)
        named = [i for i in self.question.named if i >= still]
        spans = [range(block.first, block.first + block.shape[0])]
        spans += [range(length) for length in block.shape[1:]]
        for at in product(*(spans[i - still] for i in named)):
            offset, shape = [0] * len(block.shape), list(block.shape)
            for i, position in zip(named, at, strict=True):
                offset[i - still] = position - spans[i - still].start
                shape[i - still] = 1
            yield self._piece(Patch(block, tuple(offset), tuple(shape), {}, self.at), census)

    def _piece(self, bare: Patch, census: Census) -> Patch:
        """The piece of which the cells are *bare* yet."""
        names = self.question.names(bare.place(0))
        try:
            self.question.stated(names)
        except DdcalcError as error:
            census.reasons.add(Reason("not read", str(error)), bare.size, bare.number(0))
            return bare
        return _Work(self.question, bare, self.reading(names), census).piece()

    def at(self, place: Position) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        names = self.question.names(place)
        try:
            self.question.stated(names)
        except DdcalcError:
            return {}
        reading = self.reading(names)
        known = reading.exactly(place)
        if isinstance(known, Reason):
            return {}
        return {name: known[letter] for name, letter in reading.letters.items()}


class _Work:
    """Works out one piece, whose cells are not *bare* then."""

    def __init__(
        self, question: SweepQuestion, bare: Patch, reading: EquationReading, census: Census
    ) -> None:
        self.question, self.bare, self.shape = question, bare, bare.shape
        self.reading, self.census = reading, census
        self.taken: Mask = False
        self.wrong: State = 0
        self.numbers: Letters = dict(self.reading.numbers)
        self.columns: dict[str, Column] = {}

    def piece(self) -> Patch:
        with np.errstate(all="ignore"):
            refused = list(self._axes())
            failing = list(self._conditions())
            self._lines()
            letters = self.reading.letters.items()
            shown = {name: self._shown(letter) for name, letter in letters}
            for reason, mask in refused:
                self._claim(reason, mask)
            for reason, mask, sure in failing:
                self._claim(reason, mask if sure else False)
            single = self._single()
            for reason, mask, _ in failing:
                self._claim(reason, mask)
            self._claim(NO_ANSWER, _has(self.wrong, UNDEFINED))
            if self.census.turns is not None:
                self._count(self.census.turns, single)
            cells = {
                name: self._cells(name, self.reading.letters[name], column, is_sharp, single)
                for name, (column, is_sharp) in shown.items()
            }
        for quantity in self.question.quantities:
            if quantity.name not in shown:
                reason = Reason("not derived", quantity.name)
                self.census.reasons.add(reason, self.bare.size, self.bare.number(0))
        return replace(self.bare, cells=cells)

    def _count(self, turns: Turns, single: Mapping[int, Letters]) -> None:
        """Counts where the equations turn, among the points that have a value."""
        valid = ~np.broadcast_to(self.taken, self.shape)
        for line in self.reading.lines:
            for decision in decisions(line.formula) if line.symbol in self.columns else ():
                known = {letter: self._column(letter) for letter in symbols(decision)}
                taken = np.where(valid, ways(decision, known, self.shape), -1).ravel()
                for local, letters in single.items():
                    taken[local] = exact_way(decision, letters)
                for way, count in enumerate(np.bincount(taken + 1)[1:].tolist()):
                    if count:
                        first = self.bare.number(int((taken == way).argmax()))
                        turns.add((Turn(line.symbol, decision), way), count, first)

    def _axes(self) -> Iterator[tuple[Reason, Mask]]:
        """Puts in the numbers that are varied; yields where they are refused."""
        still = len(self.bare.block.fixed)
        for i, letter in self.reading.varied.items():
            axis = self.question.numeric[i]
            if i < still:
                self.numbers[letter] = axis.numbers[self.bare.block.fixed[i]]
            else:
                self.columns[letter] = self._along(axis, i - still, letter)
            if not axis.all_admitted:
                yield Reason("refused", axis.name), self._refused(axis.given)

    def _along(self, axis: Numeric, direction: int, letter: str) -> Column:
        """The numbers of *axis* in their *direction*: all of them but where the block moves."""
        key = letter, len(self.shape)
        if direction and key in self.reading.spans:
            return self.reading.spans[key]
        start = 0 if direction else self.bare.block.first
        column = axis.numbers.column(start, start + self.shape[direction])
        shape = [1] * len(self.shape)
        shape[direction] = column.values.size
        values = np.broadcast_to(column.values, (column.values.size,)).reshape(shape)
        column = replace(column, values=values)
        if direction:
            self.reading.spans[key] = column
        return column

    def _refused(self, given: Given) -> Mask:
        """Where *given* does not admit its number."""
        values = self._column(given.letter)
        tests: list[tuple[Mask, State]] = []
        if given.whole:
            fits, state = ops.holds("==", ops.floor(values), values)
            tests.append((~np.asarray(fits), state))
        for op, limit in (("<", given.least), ("<=", given.above), (">", given.most)):
            if limit is not None:
                tests.append(ops.holds(cast(Operator, op), values, constant(limit)))
        self.wrong = reduce(or_, (state & UNSURE for _, state in tests), self.wrong)
        return reduce(
            or_, (mask & ~np.asarray(_has(state, UNSURE)) for mask, state in tests), False
        )

    def _conditions(self) -> Iterator[tuple[Reason, Mask, bool]]:
        """Where each condition fails, and whether that is sure."""
        for i, (relation, letters) in enumerate(self.reading.needs):
            known = {letter: self._column(letter) for letter in letters}
            holds, state = satisfied(relation, known)
            self.wrong = self.wrong | state
            yield Reason("condition", str(i)), ~np.asarray(holds), not np.any(state)

    def _lines(self) -> None:
        """Works out what is derived, exactly where it is one number for the whole piece."""
        for line, letters in self.reading.varying:
            if letters <= self.numbers.keys():
                try:
                    self.numbers[line.symbol] = evaluate(line.formula, self.numbers)
                except ArithmeticError:
                    self.columns[line.symbol] = replace(constant(0), state=UNDEFINED, number=None)
                    self.wrong = self.wrong | UNDEFINED
                continue
            known = {letter: self._column(letter) for letter in letters}
            column = self.columns[line.symbol] = self._worked_out(line, known)
            self.wrong = self.wrong | column.state & (UNDEFINED | UNSURE)

    def _worked_out(self, line: Line, known: Known) -> Column:
        """The values of *line*, or those of the piece before if no operand is another now."""
        kept = self.reading.kept.get(line.symbol)
        if kept is not None and all(kept[0][letter] is known[letter] for letter in known):
            return kept[1]
        column = tightened(worked_out(line.formula, known))
        if column.values.size < self.bare.size:  # it does not vary along every axis
            self.reading.kept[line.symbol] = known, column
        return column

    def _column(self, letter: str) -> Column:
        if letter not in self.columns:
            number = self.numbers[letter]
            self.columns[letter] = ops.nothing() if number is None else constant(number)
        return self.columns[letter]

    def _shown(self, letter: str) -> tuple[Column, bool]:
        """A quantity that is asked for, and whether its floats are sharp; notes where floats do
        not say it accurately."""
        column, is_sharp = settled(self._column(letter))
        self.wrong = self.wrong | column.state & UNSURE
        return column, is_sharp

    def _claim(self, reason: Reason, mask: Mask) -> None:
        """Counts the points of *mask* that have no value for *reason*, if for none before it."""
        full = self._new(mask)
        if full is not None:
            first = self.bare.number(int(full.argmax()))
            self.census.reasons.add(reason, int(np.count_nonzero(full)), first)

    def _new(self, mask: Mask) -> NDArray[np.bool_] | None:
        """The points of *mask* that are not taken yet, which they then are; None for none."""
        if mask is False or not np.any(mask):
            return None
        full = np.broadcast_to(mask, self.shape) & ~np.broadcast_to(self.taken, self.shape)
        self.taken = self.taken | full
        return full if full.any() else None

    def _single(self) -> dict[int, Letters]:
        """The points that are unsure, worked out by themselves."""
        full = self._new(_has(self.wrong, UNSURE))
        solved: dict[int, Letters] = {}
        if full is None:
            return solved
        numbers = np.flatnonzero(full).tolist()
        for local in numbers:
            letters = self.reading.exactly(self.bare.place(local))
            if isinstance(letters, Reason):
                self.census.reasons.add(letters, 1, self.bare.number(local))
            else:
                solved[local] = letters
        return solved

    def _cells(
        self,
        name: str,
        letter: str,
        column: Column,
        is_sharp: bool,
        single: Mapping[int, Letters],
    ) -> PatchValues:
        nothing_solves = _has(column.state, NOTHING)
        missing = self.taken
        reason = Reason("nothing", name)
        if nothing_solves is not False:
            before = self.taken
            self._claim(reason, nothing_solves)
            missing, self.taken = self.taken, before
        values: dict[int, Value] = {}
        for local, letters in single.items():
            if letters[letter] is None:
                self.census.reasons.add(reason, 1, self.bare.number(local))
            else:
                values[local] = letters[letter]
        return PatchValues(column, missing, values, is_sharp)


def _has(state: State, bit: int) -> Mask:
    return bool(state & bit) if isinstance(state, int) else (state & bit) != 0


def decisions(formula: Expr) -> Iterator[Cases | Fun]:
    """The outermost decisions of *formula*."""
    match formula:
        case Cases():
            yield formula
        case Fun("max" | "min", args) if 1 < len(args) <= MEMBERS:
            yield formula
        case _:
            for part in formula.parts():
                yield from decisions(part)


def ways(decision: Cases | Fun, known: Known, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Which way is taken, counted from 0, at every point of *shape*."""
    if isinstance(decision, Cases):
        taken = np.full(shape, len(decision.cases))
        for i, case in reversed([*enumerate(decision.cases)]):
            taken = np.where(satisfied(case.test, known)[0], i, taken)
        return np.broadcast_to(taken, shape)
    members = [worked_out(arg, known) for arg in decision.args]
    if decision.name == "min":
        members = [ops.minus(member) for member in members]
    at = ops.position_of_largest(members)
    return np.broadcast_to(np.asarray(at.values, dtype=np.int64) - 1, shape)


def exact_way(decision: Cases | Fun, letters: Letters) -> int:
    """Which way is taken, counted from 0, where *letters* have these values."""
    if isinstance(decision, Cases):
        tests = (i for i, case in enumerate(decision.cases) if evaluate(case.test, letters))
        return next(tests, len(decision.cases))
    members: list[Any] = [evaluate(arg, letters) for arg in decision.args]
    best = max(members) if decision.name == "max" else min(members)
    return members.index(best)


class Points:
    """Works out the points of *question* one by one; *step* is called with 1 after each."""

    most = PLAYED_BLOCK

    def __init__(self, question: SweepQuestion) -> None:
        self.question = question
        self.step: Callable[[int], None] = lambda points: None

    def reading(self, names: Names) -> EquationReading | None:
        """None: points are played."""
        return None

    def pieces(self, block: Block, census: Census) -> Iterator[Patch]:
        """The points of *block*; what has no value counts in *census*."""
        bare = Patch(block, (0,) * len(block.shape), block.shape, {}, self.at)
        single: dict[str, dict[int, Value]] = {q.name: {} for q in self.question.quantities}
        for local in range(block.size):
            values = self._values(bare.place(local))
            self.step(1)
            if isinstance(values, Reason):
                census.reasons.add(values, 1, block.start + local)
                continue
            for name, solved in single.items():
                value = values.get(name)
                if isinstance(value, tuple):
                    raise refuse_list(name)
                if value is None:
                    kind: Kind = "nothing" if name in values else "not derived"
                    census.reasons.add(Reason(kind, name), 1, block.start + local)
                else:
                    solved[local] = value if isinstance(value, Expr) else plain(value)
        missing = np.ones(block.shape, dtype=bool)
        cells = {
            name: PatchValues(ops.nothing(), missing, solved, True)
            for name, solved in single.items()
        }
        yield replace(bare, cells=cells)

    def at(self, place: Position) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        values = self._values(place)
        wanted = [quantity.name for quantity in self.question.quantities]
        if isinstance(values, Reason):
            return {}
        return {
            name: value
            for name, value in values.items()
            if name in wanted and not isinstance(value, tuple)
        }

    def _values(self, place: Position) -> Values | Reason:
        """The quantities at *place*, or why there are none."""
        try:
            self.question.stated(self.question.names(place))
        except DdcalcError as error:
            return Reason("not read", str(error))
        try:
            return working(self.question.point(place)).values
        except BadValue as error:
            return Reason("refused", error.parameter or "")
        except (NoAnswer, OverLimit) as error:
            return Reason("no answer", getattr(error, "name", ""))


PointEngine = Arrays | Points
"""Works out points, *most* of them at once."""
