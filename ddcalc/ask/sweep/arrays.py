"""Sweeps of equations: blocks of points at once, in NumPy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import product
from operator import or_
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ddcalc.ask.sweep import column, real
from ddcalc.ask.sweep.axes import Numeric
from ddcalc.ask.sweep.column import Column, as_real
from ddcalc.ask.sweep.exact import NOTHING, UNDEFINED, UNSURE, Exact, State, constant, nothing
from ddcalc.ask.sweep.formulas import satisfied, with_state, worked_out
from ddcalc.ask.sweep.grid import Block, Place
from ddcalc.ask.sweep.piece import Cells, Piece
from ddcalc.ask.sweep.question import Names, Question
from ddcalc.ask.sweep.reading import NO_ANSWER, Reading
from ddcalc.ask.sweep.real import TINY, Real
from ddcalc.ask.sweep.tally import Reason, Tally
from ddcalc.ask.sweep.turns import Turn, Turns, decisions, ways
from ddcalc.ask.sweep.whole import Mask, Whole
from ddcalc.errors import BadValue, DdcalcError, OverLimit
from ddcalc.evaluation import evaluate
from ddcalc.expression import Number, Operator, symbols
from ddcalc.quantity import Given
from ddcalc.steps import Value

BLOCK = 1 << 16  # points worked out at once: their numbers stay in the processor's cache
SINGLY = 1_000_000  # points that may be worked out by themselves


class Arrays:
    """Works out the points of *question* in blocks, and counts in *tally* what has no value.

    Where the equations turn is counted in *turns*, if that is given.
    """

    most = BLOCK

    def __init__(self, question: Question, tally: Tally, turns: Turns | None = None) -> None:
        self.question, self.tally, self.turns = question, tally, turns
        self.readings: dict[Names, Reading] = {}
        self.singly = 0
        for quantity in question.quantities if not question.named else ():
            if quantity.name not in self.reading(()).told:
                reason = "does not follow from what is stated"
                raise BadValue(quantity.name, reason).about("quantity")

    def reading(self, names: Names) -> Reading:
        """The reading at *names*."""
        if names not in self.readings:
            self.readings[names] = Reading(self.question, names)
        return self.readings[names]

    def pieces(self, block: Block) -> Iterator[Piece]:
        """The points of *block*, those of one reading together."""
        still = len(block.fixed)
        named = [i for i in self.question.named if i >= still]
        spans = [range(block.first, block.first + block.shape[0])]
        spans += [range(length) for length in block.shape[1:]]
        for at in product(*(spans[i - still] for i in named)):
            offset, shape = [0] * len(block.shape), list(block.shape)
            for i, position in zip(named, at, strict=True):
                offset[i - still] = position - spans[i - still].start
                shape[i - still] = 1
            yield self._piece(Piece(block, tuple(offset), tuple(shape), {}, self.at))

    def _piece(self, bare: Piece) -> Piece:
        """The piece of which the cells are *bare* yet."""
        names = self.question.names(bare.place(0))
        try:
            self.question.stated(names)
        except DdcalcError as error:
            self.tally.add(Reason("not read", str(error)), bare.size, bare.number(0))
            return bare
        return _Work(self, bare, self.reading(names)).piece()

    def count_singly(self, more: int) -> None:
        """Note that *more* points are worked out by themselves; OverLimit for too many."""
        self.singly += more
        if self.singly > SINGLY:
            raise OverLimit(
                f"more than {SINGLY} points have numbers too wide for quick arithmetic, and are"
                " worked out one by one; vary less"
            )

    def at(self, place: Place) -> Mapping[str, Value]:
        """The exact quantities at *place*; empty where it has none."""
        names = self.question.names(place)
        try:
            self.question.stated(names)
        except DdcalcError:
            return {}
        values = self.reading(names).exactly(place)
        return {} if isinstance(values, Reason) else values


class _Work:
    """Works out one piece, whose cells are not *bare* then."""

    def __init__(self, arrays: Arrays, bare: Piece, reading: Reading) -> None:
        self.arrays, self.bare, self.shape = arrays, bare, bare.shape
        self.reading = reading
        self.taken: Mask = False
        self.wrong: State = 0
        self.numbers: dict[str, Number | None] = dict(self.reading.still)
        self.columns: dict[str, Column] = {}

    def piece(self) -> Piece:
        with np.errstate(all="ignore"):
            refused = list(self._axes())
            failing = list(self._conditions())
            self._lines()
            told = {name: self._told(letter) for name, letter in self.reading.told.items()}
            for reason, mask in refused:
                self._claim(reason, mask)
            for reason, mask, sure in failing:
                self._claim(reason, mask if sure else False)
            single = self._single()
            for reason, mask, _ in failing:
                self._claim(reason, mask)
            self._claim(NO_ANSWER, _has(self.wrong, UNDEFINED))
            if self.arrays.turns is not None:
                self._count(self.arrays.turns)
            cells = {name: self._cells(name, values, single) for name, values in told.items()}
        for quantity in self.arrays.question.quantities:
            if quantity.name not in told:
                reason = Reason("not derived", quantity.name)
                self.arrays.tally.add(reason, self.bare.size, self.bare.number(0))
        return replace(self.bare, cells=cells)

    def _count(self, turns: Turns) -> None:
        """Counts where the equations turn, among the points that have a value."""
        valid = ~np.broadcast_to(self.taken, self.shape)
        for line in self.reading.lines:
            for decision in decisions(line.formula) if line.symbol in self.columns else ():
                known = {letter: self._column(letter) for letter in symbols(decision)}
                taken = np.where(valid, ways(decision, known, self.shape), -1).ravel()
                for way, count in enumerate(np.bincount(taken + 1)[1:].tolist()):
                    if count:
                        first = self.bare.number(int((taken == way).argmax()))
                        turns.add(Turn(line.symbol, decision), way, count, first)

    def _axes(self) -> Iterator[tuple[Reason, Mask]]:
        """Puts in the numbers that are varied; tells where they are refused."""
        still = len(self.bare.block.fixed)
        for i, letter in self.reading.varied.items():
            axis = self.arrays.question.axes[i]
            assert isinstance(axis, Numeric)
            if i < still:
                self.numbers[letter] = axis.numbers[self.bare.block.fixed[i]]
            else:
                start = self.bare.block.first if i == still else 0
                values = axis.numbers.column(start, start + self.shape[i - still])
                self.columns[letter] = _along(values, i - still, len(self.shape))
            if not axis.all_admitted:
                yield Reason("refused", axis.name), self._refused(axis.given)

    def _refused(self, given: Given) -> Mask:
        """Where *given* does not admit its number."""
        values = self._column(given.letter)
        masks: list[Mask] = []
        if given.whole:
            masks.append(_opposite(column.holds("==", column.floor(values), values)[0]))
        for op, limit in (("<", given.least), ("<=", given.above), (">", given.most)):
            if limit is not None:
                masks.append(column.holds(cast(Operator, op), values, constant(limit))[0])
        return reduce(or_, masks, False)

    def _conditions(self) -> Iterator[tuple[Reason, Mask, bool]]:
        """Where each condition fails, and whether that is sure."""
        for i, relation in enumerate(self.reading.conditions):
            known = {letter: self._column(letter) for letter in symbols(relation)}
            holds, state = satisfied(relation, known)
            self.wrong = self.wrong | state
            sure = not np.any(state)
            yield Reason("condition", str(i)), _opposite(holds), sure

    def _lines(self) -> None:
        """Works out what is derived, exactly where it is one number for the whole piece."""
        for line in self.reading.lines:
            letters = {*symbols(line.formula)}
            if letters <= self.numbers.keys():
                try:
                    self.numbers[line.symbol] = evaluate(line.formula, self.numbers)
                except ArithmeticError:
                    self.columns[line.symbol] = with_state(constant(0), UNDEFINED)
                    self.wrong = self.wrong | UNDEFINED
                continue
            known = {letter: self._column(letter) for letter in letters}
            values = self.columns[line.symbol] = worked_out(line.formula, known)
            self.wrong = self.wrong | values.state & (UNDEFINED | UNSURE)

    def _column(self, letter: str) -> Column:
        if letter in self.columns:
            return self.columns[letter]
        number = self.numbers[letter]
        return nothing() if number is None else constant(number)

    def _told(self, letter: str) -> Column:
        """A quantity that is told; notes where floats do not tell it accurately."""
        values = self._column(letter)
        if isinstance(values, Exact) and not TINY < values.unit < 1 / TINY:
            values = as_real(values)
        if isinstance(values, Real):
            values = real.settled(values)
        self.wrong = self.wrong | values.state & UNSURE
        return values

    def _claim(self, reason: Reason, mask: Mask) -> None:
        """Counts the points of *mask* that have no value for *reason*, if for none before it."""
        full = self._new(mask)
        if full is not None:
            first = self.bare.number(int(full.argmax()))
            self.arrays.tally.add(reason, int(np.count_nonzero(full)), first)

    def _new(self, mask: Mask) -> NDArray[np.bool_] | None:
        """The points of *mask* that are not taken yet, which they then are; None for none."""
        if mask is False or not np.any(mask):
            return None
        full = np.broadcast_to(mask, self.shape) & ~np.broadcast_to(self.taken, self.shape)
        self.taken = self.taken | full
        return full if full.any() else None

    def _single(self) -> dict[int, Mapping[str, Value]]:
        """The points that are unsure, worked out by themselves."""
        full = self._new(_has(self.wrong, UNSURE))
        found: dict[int, Mapping[str, Value]] = {}
        if full is None:
            return found
        numbers = np.flatnonzero(full).tolist()
        self.arrays.count_singly(len(numbers))
        for local in numbers:
            values = self.reading.exactly(self.bare.place(local))
            if isinstance(values, Reason):
                self.arrays.tally.add(values, 1, self.bare.number(local))
            else:
                found[local] = values
        return found

    def _cells(self, name: str, values: Column, single: Mapping[int, Mapping[str, Value]]) -> Cells:
        nothing_solves = _has(values.state, NOTHING)
        missing = self.taken
        reason = Reason("nothing", name)
        if nothing_solves is not False:
            before = self.taken
            self._claim(reason, nothing_solves)
            missing, self.taken = self.taken, before
        own: dict[int, Value] = {}
        for local, told in single.items():
            if told[name] is None:
                self.arrays.tally.add(reason, 1, self.bare.number(local))
            else:
                own[local] = told[name]
        return Cells(values, missing, own)


def _along(values: Column, direction: int, directions: int) -> Column:
    """A column whose numbers lie in one of the *directions*."""
    shape = [1] * directions
    shape[direction] = -1
    if isinstance(values, Real):
        return Real(values.values.reshape(shape), values.error.reshape(shape))
    top = values.top
    assert not isinstance(top.values, int)
    laid = Whole(top.values.reshape(shape), top.low, top.high)
    return Exact(laid, values.bottom, values.unit)


def _has(state: State, bit: int) -> Mask:
    return bool(state & bit) if isinstance(state, int) else (state & bit) != 0


def _opposite(mask: Mask) -> Mask:
    return not mask if isinstance(mask, bool) else ~mask
