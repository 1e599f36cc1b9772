"""An exercise: a solved question of which answers are marked, its other readings, and what a
student has answered to it before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.chain import NO_VALUE, ChainValues, EquationChain, chain
from ddcalc.ask.mark.slip import MeasuredValue, Pieces, Put, Suspect
from ddcalc.ask.mark.written import Allowed, Written, right
from ddcalc.ask.solve import Derivation, Results, singles
from ddcalc.ask.working import equations, working
from ddcalc.errors import UNANSWERED
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Sym, symbols
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import UNITS, Measured, Unit
from ddcalc.problem.plan import Values, is_large
from ddcalc.problem.quantity import Given, Quantity
from ddcalc.problem.sentences import capital
from ddcalc.problem.speaker import WHOLE
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Compare, Define, DefineEach, Solve, State, Step, Value

Places: TypeAlias = Mapping[str, tuple[int, Step]]


@dataclass(frozen=True, slots=True)
class AnsweredQuantity:
    """What a student has answered: a quantity, or the member *at* (from 1) of one that is a list.

    *value* is the right one, in base units.
    """

    quantity: Quantity
    letter: str
    value: Number
    at: int | None = None

    @property
    def name(self) -> str:
        return self.quantity.name

    @property
    def unit(self) -> Unit:
        return self.quantity.unit


class Exercise:
    """What marks need of a *solved* question; the same one serves every student."""

    def __init__(self, solved: Derivation) -> None:
        self.solved = solved
        self.problem = solved.problem
        self.suspects: dict[str, list[Suspect]] = {}  # by letter of what is answered

    @cached_property
    def results(self) -> Mapping[str, Results]:
        """What can be answered, by name; of an unknown given, the end of its solutions."""
        solved = self.solved
        if not isinstance(solved, Inversion):
            return solved.quantities
        return {**solved.quantities, solved.end.name: solved.end}

    @property
    def _is_open(self) -> bool:
        """Whether an unknown given has no value, so that nothing follows from it."""
        return isinstance(self.solved, Inversion) and self.solved.at is None

    @cached_property
    def chain(self) -> EquationChain | None:
        """The equations; None where there are none, or too many, or nothing follows from them."""
        plan = None if self._is_open else equations(self.solved.stated)
        if plan is None or is_large(self.solved.stated.shape):
            return None
        return chain(self.problem, self.solved.stated.shape)

    @cached_property
    def known(self) -> dict[str, Number | None]:
        """The values of givens and derived quantities by letter, where they are numbers."""
        known: dict[str, Number | None] = {}
        for results in self.solved.quantities.values():
            for result in singles(results):
                if not isinstance(result.value, Expr):
                    known[result.symbol] = None if result.value is None else plain(result.value)
        return known

    @cached_property
    def base(self) -> ChainValues | None:
        """The numbers of the equations."""
        return None if self.chain is None else self.chain.base(self.known)

    @cached_property
    def otherwise(self) -> tuple[ReadingOfExercise, ...]:
        """The question under every other reading that admits it."""
        return () if self._is_open else tuple(otherwise(self.solved.stated))

    @property
    def leading(self) -> str:
        """The quantity with which the answer in words begins, by name."""
        return self.solved.commentary().leading

    def said(self, letter: str) -> tuple[Number, ...]:
        """The numbers that the answer in words says of the quantity of *letter*."""
        solved = self.solved.at if isinstance(self.solved, Inversion) else self.solved
        return () if solved is None else solved.commentary().said.get(letter, ())

    @cached_property
    def said_whole(self) -> tuple[Number, ...]:
        """What is asked for as the answer in words rounds it up or down to a whole number."""
        made = equations(self.solved.stated)
        whole = [Fun(name, (Sym(self.solved.answer.symbol),)) for name in WHOLE]
        lines = [] if made is None else [line for line in made.lines if line.formula in whole]
        return tuple(number for line in lines for number in self.said(line.symbol))

    @cached_property
    def misread(self) -> tuple[Misread, ...]:
        """Every given with its unit mistaken, in each way."""
        return () if self._is_open else tuple(misread(self.solved.stated))

    @cached_property
    def places(self) -> Places:
        """The number on the page (0 if it is not there) and the step by name of quantity."""
        shown = (x for x in self.solved.shown_steps() if not isinstance(x, State | Compare))
        numbers: dict[str, int] = {}
        for number, step in enumerate(shown, 1):
            numbers.setdefault(getattr(step, "name", ""), number)
        places: dict[str, tuple[int, Step]] = {}
        steps = (step for step in self.solved.steps if not isinstance(step, State | Compare))
        for step in steps:
            name = getattr(step, "name", "")
            places.setdefault(name, (numbers.get(name, 0), step))
        return places

    def forget(self) -> None:
        """Give back the memory that searching for slips has taken."""
        self.suspects.clear()

    def number(self, name: str) -> int | None:
        """The number of the step that derives quantity *name*; 0 if the page does not show it."""
        return self.places[name][0] if name in self.places else None

    def steps_to(self, name: str) -> int | None:
        """How many steps lead to quantity *name*, its own with them; on the page if it is there."""
        return self.number(name) or (
            [*self.places].index(name) + 1 if name in self.places else None
        )

    def reason(self, name: str) -> str:
        """Why quantity *name* is what it is, as its step says; empty where that says nothing."""
        return self.places[name][1].why if name in self.places else ""

    def last_line(self, name: str, at: int | None = None) -> Put | None:
        """What the value of quantity *name* comes to at last, for numbers to be put in, beyond
        steps that only call it by another letter; None where no formula says it."""
        seen: set[str] = set()
        while name in self.places and name not in seen:
            seen.add(name)
            made = last_line(self.places[name][1], at)
            if made is None or not isinstance(made.expr, Sym):
                return made
            quantity = self._quantity(made.expr.name)
            name = quantity.name if quantity else ""
        return None

    def named(self, expr: Expr) -> Pieces:
        """*expr*, and what it stands for where it is one letter."""
        quantity = self._quantity(expr.name) if isinstance(expr, Sym) else None
        return (expr, f" ({quantity.called})") if quantity else (expr,)

    def counts(self, letter: str) -> Pieces:
        """That the quantity of *letter* counts: its step, its reason, and the case that holds."""
        quantity = self._quantity(letter)
        if quantity is None or not (why := self.reason(quantity.name)):
            return ()
        number, value = self.number(quantity.name), self.known.get(letter)
        step = f" (step {number})" if number else ""
        worth = () if value is None else (" is ", MeasuredValue(value, quantity.unit))
        words: Pieces = (capital(quantity.called), *worth, f"{step}: ", why)
        for line in self.chain.lines if self.chain else ():
            if line.symbol == letter and isinstance(line.formula, Cases):
                test = line.formula.cases[0].test
                words = (*words, ", as ", test, self._from(test))
        return words

    def _from(self, test: Expr) -> str:
        quantities = filter(None, map(self._quantity, symbols(test)))
        numbers = sorted({n for quantity in quantities if (n := self.number(quantity.name))})
        return f" (step {' and '.join(map(str, numbers))})" if numbers else ""

    def _quantity(self, letter: str) -> Quantity | None:
        return self._letters.get(letter) or self._letters.get(letter.rpartition("_")[0])

    @cached_property
    def _letters(self) -> dict[str, Quantity]:
        return {quantity.letter: quantity for quantity in self.problem.quantities.values()}


def last_line(step: Step, at: int | None = None) -> Put | None:
    """The formula of *step*, or of the member *at* (from 1) of a list, with its numbers; None where
    there are no letters in it."""
    if isinstance(step, DefineEach) and at is not None and at <= len(step.rows):
        step = step.rows[at - 1]
    if isinstance(step, Define):
        made = Put(step.applied, step.numbers)
    elif isinstance(step, Solve):
        made = Put(step.formula, step.numbers)
    else:
        return None
    return made if symbols(made.expr) else None


# Other readings, one choice at a time


@dataclass(frozen=True, slots=True)
class ReadingOfExercise:
    """The question with one *choice* read as another *option*, and all its *values*."""

    stated: Stated
    choice: str
    option: str
    values: Values


def otherwise(stated: Stated) -> Iterator[ReadingOfExercise]:
    """The question under every other reading that admits it; none of what takes long to play."""
    if working(stated).long:
        return
    for choice, option, shape in stated.problem.neighbours(stated.shape):
        other = replace(stated, shape=shape)
        try:
            values = working(other).values
        except UNANSWERED:
            continue
        yield ReadingOfExercise(other, choice, option, values)


def member(value: Value | tuple[Value, ...], at: int | None) -> Value:
    """The value, or the one numbered *at* of a list, a plain number; None where there is none."""
    if isinstance(value, tuple):
        value = value[at - 1] if at is not None and at <= len(value) else None
    elif at is not None:
        return None
    return value if value is None or isinstance(value, Expr) else plain(value)


# Givens whose unit is mistaken: bits taken as bytes, milliseconds as seconds, kB as KiB

_ALIKE = [(f"{prefix}B", f"{prefix}iB".replace("k", "K")) for prefix in "kMGT"]
_ALIKE += [(f"{prefix}B", f"{prefix}bit") for prefix in ("", *"kMGT")]


@dataclass(frozen=True, slots=True)
class Misread:
    """A *given* whose number was taken to be in another *unit*, and so to be *value*."""

    given: Given
    measured: Measured
    unit: Unit
    value: Number


def misread(stated: Stated) -> Iterator[Misread]:
    """Every given with its unit mistaken, in each way."""
    for name, given in stated.problem.givens.items():
        measured = stated.measured.get(name)
        if isinstance(measured, Measured) and measured.value and not measured.bare:
            number = in_units(measured.value, measured.unit.worth)
            for unit in _mistaken(measured.unit, given.unit):
                yield Misread(given, measured, unit, product(number, unit.worth))


def _mistaken(unit: Unit, usual: Unit) -> Iterator[Unit]:
    """The units that *unit* is mistaken for; a quotient in its first one."""
    over, slash, under = unit.name.partition("/")
    for name in [b for a, b in _ALIKE if a == over] + [a for a, b in _ALIKE if b == over]:
        yield UNITS[name].per(UNITS[under]) if slash else UNITS[name]
    if unit.worth != usual.worth:
        yield usual


# What a student has answered before: a later answer may follow from it, right or wrong


@dataclass(frozen=True, slots=True)
class StudentResult:
    """A result that is not exactly right, as it was stated (base units); *wrong*: nor rounded."""

    value: Number
    unit: Unit
    wrong: bool


Some = Mapping[str, StudentResult]


@dataclass(slots=True)
class StudentResults:
    """The results of one student for one exercise that are not exactly right, by letter."""

    exercise: Exercise
    stated: dict[str, StudentResult] = field(default_factory=dict)

    def leads_to(
        self, target: AnsweredQuantity, stated: Written, unit: Unit, allowed: Allowed
    ) -> Pieces:
        """Those results from which what is *stated* follows by the right equations; none if it
        does not."""
        for some in self._some(target):
            for value in (self._in_all(some, target), self._in_last(some, target)):
                if value is not None and right(stated, value, unit, allowed) is not None:
                    return _spelt(some)
        return ()

    def base(self, target: AnsweredQuantity) -> ChainValues | None:
        """The numbers of the question with all these results in it; None without any."""
        some = self._before(target)
        return self._base(some) if some else None

    def before(self, target: AnsweredQuantity) -> Pieces:
        """The results that *target* rests on."""
        return _spelt(self._before(target))

    def would_be(self, target: AnsweredQuantity) -> Pieces:
        """What *target* would be by the wrong ones of these results; nothing if it is the same."""
        wrong = _wrong(self._before(target))
        value = self._in_all(wrong, target) if wrong else None
        if value is None or value == target.value:
            return ()
        return (
            "though by your ",
            *_spelt(wrong),
            " it would be ",
            MeasuredValue(value, target.unit),
        )

    def _before(self, target: AnsweredQuantity) -> Some:
        chain = self.exercise.chain
        if chain is None or not self.stated:
            return {}
        at = chain.index[target.letter]
        needed = {chain.letters[i] for i in chain.rests_on(at) - {at}}
        return {letter: result for letter, result in self.stated.items() if letter in needed}

    def _some(self, target: AnsweredQuantity) -> Iterator[Some]:
        """All of these results that *target* rests on, the wrong ones, and each alone."""
        before = self._before(target)
        if before:
            yield before
        if len(before) > 1:
            if wrong := _wrong(before):
                yield wrong
            yield from ({letter: result} for letter, result in before.items())

    def _in_all(self, some: Some, target: AnsweredQuantity) -> Number | None:
        """The value of *target* where *some* have been used wherever they occur."""
        base = self._base(some)
        return None if base is None else base.known[target.letter]

    def _in_last(self, some: Some, target: AnsweredQuantity) -> Number | None:
        """The value of *target* where *some* have been used in its formula only."""
        assert self.exercise.chain is not None
        formula = self.exercise.chain.formula(target.letter)
        try:
            value = evaluate(formula, self.exercise.known | _values(some))
        except NO_VALUE:
            return None
        return None if value is None else plain(value)

    def _base(self, some: Some) -> ChainValues | None:
        assert self.exercise.chain is not None
        try:
            return self.exercise.chain.base(self.exercise.known, _values(some))
        except NO_VALUE:
            return None


def _wrong(some: Some) -> Some:
    return {letter: result for letter, result in some.items() if result.wrong}


def _values(some: Some) -> dict[str, Number]:
    return {letter: result.value for letter, result in some.items()}


def _spelt(some: Some) -> Pieces:
    words: Pieces = ()
    for letter, result in some.items():
        between = (" and ",) if words else ()
        words = (*words, *between, Sym(letter), " = ", MeasuredValue(result.value, result.unit))
    return words
