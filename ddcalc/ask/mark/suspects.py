"""All that a wrong answer may come from, one slip at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace as written_as
from fractions import Fraction
from functools import partial

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.chain import ChainValues, EquationChain, Mutant
from ddcalc.ask.mark.exercise import AnsweredQuantity, Exercise, Misread, ReadingOfExercise, member
from ddcalc.ask.mark.slip import (
    SIMPLE,
    Kind,
    MeasuredValue,
    Pieces,
    Put,
    Slip,
    Suspect,
    near,
    sentence,
)
from ddcalc.ask.mark.written import Written
from ddcalc.ask.solve import Derivation, Result, singles
from ddcalc.formula.evaluation import decided
from ddcalc.formula.expression import Expr, Known, Number, Sym, has_root, symbols
from ddcalc.numbers.amounts import STATED, amount, count_text, in_unit
from ddcalc.numbers.display import half_up, rounded
from ddcalc.numbers.number import in_units, magnitude, plain, product
from ddcalc.numbers.units import COUNT, ONE, TIME, Measured, Unit
from ddcalc.problem.plan import Line, Values
from ddcalc.problem.quantity import Derived, Given, Quantity

LOOSE = Fraction(1, 10**9)  # by which floats may be off, relative
LONGEST = 12  # members of a list that are looked at
POWERS = (1, 2, 3)  # of ten by which a point is shifted
DIGITS = (2, 3)  # to which results on the way are rounded


def suspects(exercise: Exercise, target: AnsweredQuantity) -> list[Suspect]:
    """Every single slip that may lead to a wrong value of *target*."""
    key = target.letter
    if key not in exercise.suspects:
        exercise.suspects[key] = [
            *_other_results(exercise, target),
            *other_readings(exercise, target),
            *_scales(exercise, target),
            *(in_equations(exercise, target, exercise.base) if exercise.base else ()),
        ]
    return exercise.suspects[key]


def in_equations(exercise: Exercise, target: AnsweredQuantity, base: ChainValues) -> list[Suspect]:
    """Every single slip in what *target* is derived from, on the numbers of *base*."""
    chain = exercise.chain
    return [] if chain is None else [*_EquationSlips(exercise, chain, target, base)]


def hits(among: Iterable[Suspect], stated: Written, unit: Unit) -> list[Slip]:
    """The slips that lead to what is *stated* in *unit*, the simplest first."""
    value = product(stated.number, unit.worth)
    room: Number = magnitude(value) * LOOSE  # of floats, which only preselect
    if stated.place is not None:
        room += product(Fraction(10) ** stated.place, unit.worth)
    low, high = near(value - room), near(value + room)
    close = [suspect for suspect in among if low <= suspect.near <= high]
    fitting = [s for s in close if s.value is not None and stated.fits(s.value, unit.worth)]
    fitting.sort(key=lambda suspect: SIMPLE[suspect.kind])
    return [suspect.slip for suspect in fitting]


def merged(slips: Iterable[Slip]) -> list[Slip]:
    """*slips* without those that say the same as one before them."""
    different: dict[object, Slip] = {}
    for slip in slips:
        different.setdefault(slip.deed, slip)
    return list(different.values())


class _EquationSlips:
    """What *target* comes to by single slips on the way, on the numbers of *base*."""

    def __init__(
        self, exercise: Exercise, chain: EquationChain, target: AnsweredQuantity, base: ChainValues
    ) -> None:
        self.exercise, self.chain, self.target, self.base = exercise, chain, target, base
        self.at = chain.index[target.letter]
        self.needed = chain.rests_on(self.at)

    def __iter__(self) -> Iterator[Suspect]:
        yield from self._mutants()
        yield from self._misread()
        yield from self._rounded_early()

    def _values(self, rules: Mapping[int, Expr | Number]) -> Known:
        """All values by letter where *rules* replace lines or givens; none where there is no
        number."""
        return self.chain.exact(self.base, rules, self.at) or {}

    def _value(self, index: int, value: Number) -> Number | None:
        return self._values({index: value}).get(self.target.letter)

    # One formula changed in one place, and all that follows from it

    def _mutants(self) -> Iterator[Suspect]:
        for mutant in reversed(self.chain.mutants):
            if self.needed.isdisjoint(mutant.rules) or not self.base.fixed.isdisjoint(mutant.rules):
                continue
            right = self.base.known[mutant.line.symbol]
            if mutant.change.kind == "count" and (right is None or right.denominator != 1):
                continue
            value = self._mutated(mutant, right)
            yield Suspect(mutant.change.kind, value, partial(self._mutant, mutant))

    def _mutated(self, mutant: Mutant, right: Number | None) -> Number | None:
        """What *mutant* leads to; None where a step on the way gives a negative number that
        anybody would notice."""
        known, symbol = self._values(mutant.rules), mutant.line.symbol
        changed, letter = known.get(symbol), self.target.letter
        if symbol != letter and changed is not None and right is not None and changed < 0 <= right:
            return None
        return known.get(letter)

    def _mutant(self, mutant: Mutant, value: Number) -> Slip:
        known, line, change = self._values(mutant.rules), mutant.line, mutant.change
        shown: Pieces = ()  # of a long step that is changed by one nothing is shown
        if change.kind != "count" or not has_root(line.formula):
            shown = self._shown(line, change.expr, known)
        deed: Pieces = change.deed
        if change.gone is not None and deed[-1] == change.gone:
            deed = (*deed[:-1], *self.exercise.named(change.gone))
        step = self.exercise.number(line.quantity.name)
        why = self._instead(line, change.gone) if shown else self._reason(line, change.gone)
        return Slip(change.kind, (*deed, _in_step(step)), value, step, shown, why)

    def _instead(self, line: Line, gone: Expr | None) -> Pieces:
        """What the step should say, and why; its numbers stand beside the right value already where
        that is what it comes to."""
        right = decided(line.formula, self.base.known)
        words = self._shown(line, line.formula, self.base.known)
        if line.quantity.name == self.target.name:
            words = (Sym(line.symbol), " = ", right)
        reason = self._reason(line, gone)
        return ("instead: ", *words, *((". ", *sentence(reason)) if any(reason) else ()))

    def _reason(self, line: Line, gone: Expr | None) -> Pieces:
        """Why *gone* counts, if it is one letter, or else why the line is as it is."""
        counts = self.exercise.counts(gone.name) if isinstance(gone, Sym) else ()
        return counts or (self.exercise.reason(line.quantity.name),)

    def _shown(self, line: Line, expr: Expr, known: Known) -> Pieces:
        """``symbol = formula = numbers = value``, the last unless it is the student's answer."""
        expr, value = decided(expr, known), known[line.symbol]
        words: Pieces = (Sym(line.symbol), " = ", expr)
        if {*symbols(expr)} and not isinstance(expr, Sym):
            words = (*words, " = ", Put(expr, self.chain.numbers(line, expr, known)))
        if line.quantity.name != self.target.name and value is not None:
            words = (*words, " = ", MeasuredValue(value, line.quantity.unit))
        return words

    # In what the question states: bits taken as bytes, milliseconds as seconds, kB as KiB

    def _misread(self) -> Iterator[Suspect]:
        for wrong in self.exercise.misread:
            index = self.chain.index.get(wrong.given.letter)
            if index in self.needed:
                value = self._value(index, wrong.value)
                yield Suspect("unit", value, partial(self._misread_slip, wrong))

    def _misread_slip(self, wrong: Misread, value: Number) -> Slip:
        letter = Sym(wrong.given.letter)
        stated = amount(wrong.measured.value, wrong.measured.unit, stated=True).marked
        taken = in_unit(wrong.value, wrong.unit).marked
        deed = (f"taking {stated} as {taken} for ", letter)
        return Slip("unit", deed, value, why=self.exercise.named(letter)[1:])

    # On the way: a result is rounded before the next step uses it

    def _rounded_early(self) -> Iterator[Suspect]:
        needed = self.needed - {self.at} - self.base.fixed
        for i, line in enumerate(self.chain.lines, self.chain.first):
            right, unit = self.base.known[line.symbol], line.quantity.unit
            for wrong in _rounded(right, unit.worth) if i in needed and right else ():
                value = self._value(i, wrong)
                yield Suspect("early", value, partial(self._rounded_slip, line, wrong))

    def _rounded_slip(self, line: Line, wrong: Number, value: Number) -> Slip:
        step, unit = self.exercise.number(line.quantity.name), line.quantity.unit
        rounded_to = ("rounding ", Sym(line.symbol), " to ", MeasuredValue(wrong, unit))
        right = self.base.known[line.symbol]
        assert right is not None
        why = ("It is ", MeasuredValue(right, unit), "; round at the end only")
        return Slip("early", (*rounded_to, _in_step(step)), value, step, why=why)


def _in_step(number: int | None) -> str:
    return f" in step {number}" if number else ""


def _rounded(value: Number, worth: Number) -> set[Number]:
    number = in_units(value, worth)
    if number.denominator == 1:
        return set()
    near_it = {half_up(number, 0), *(rounded(Fraction(number), digits) for digits in DIGITS)}
    return {product(one, worth) for one in near_it if one and one != number}


# Of reading: the question answered as another choice, one at a time, would have it


def other_readings(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Suspect]:
    """The value of *target* under every other reading."""
    for other in _others(exercise, target):
        value = member(other.values.get(target.name), target.at)
        if value is not None and not isinstance(value, Expr):
            yield Suspect("reading", value, partial(reread, exercise, other, target))


def _others(exercise: Exercise, target: AnsweredQuantity) -> Iterator[ReadingOfExercise]:
    yield from exercise.otherwise
    solved = exercise.solved
    if isinstance(solved, Inversion) and solved.answer.name == target.name:
        for reading in solved.readings:
            values: Values = {target.name: reading.answer.value}
            yield ReadingOfExercise(solved.stated, reading.choice, reading.option, values)


def reread(
    exercise: Exercise,
    other: ReadingOfExercise,
    target: AnsweredQuantity | None,
    value: Number,
) -> Slip:
    """The slip of another reading, which leads to *value*, the number of a *target* if it is
    one."""
    option = dict(exercise.solved.stated.shape.reading)[other.choice]
    says = exercise.problem.choices[other.choice].options[option]
    stated = other.choice in exercise.solved.stated.said
    why = f"{'The question says' if stated else 'Taken here'}: {says}"
    shown = _last_line(exercise, other, target)
    return Slip("reading", reading_deed(exercise, other), value, shown=shown, why=(why,))


def _last_line(
    exercise: Exercise, other: ReadingOfExercise, target: AnsweredQuantity | None
) -> Pieces:
    """``symbol = formula = numbers``, as the other reading ends; nothing where it has no formula or
    the question is one of a given."""
    if target is None or isinstance(exercise.solved, Inversion):
        return ()
    line = Exercise(Derivation(other.stated)).last_line(target.name, target.at)
    return () if line is None else (Sym(target.letter), " = ", line.expr, " = ", line)


def reading_deed(exercise: Exercise, other: ReadingOfExercise) -> Pieces:
    """What was read."""
    return (f"reading otherwise: {exercise.problem.choices[other.choice].options[other.option]}",)


# At the end: another result of the same question is answered instead


def _other_results(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Suspect]:
    """The values of all other derived quantities, members of lists last."""
    declared, quantities = exercise.problem.quantities, exercise.solved.quantities
    for name in sorted(quantities, key=lambda name: isinstance(quantities[name], tuple)):
        quantity, results = declared[name], quantities[name]
        if not isinstance(quantity, Derived):
            continue
        for result in singles(results)[:LONGEST]:
            if result.symbol == target.letter or result.value is None:
                continue
            if not isinstance(result.value, Expr):
                value = _as_number_of(target, quantity, result.value)
                slip = partial(_other_result, exercise, target, quantity, result)
                yield Suspect("result", value, slip)


def _other_result(
    exercise: Exercise, target: AnsweredQuantity, quantity: Quantity, result: Result, value: Number
) -> Slip:
    number, last = exercise.number(quantity.name), exercise.number(target.name)
    of = f" of step {number}" if number else ""
    deed: Pieces = (f"giving {quantity.called} (", Sym(result.symbol), f"){of}")
    why = (f"Asked is {target.quantity.called}", f" (step {last})" if last else "")
    return Slip("result", deed, value, why=why)


def _as_number_of(target: AnsweredQuantity, quantity: Quantity, value: Number) -> Number:
    """*value* as it is, or what its number would be in the unit of *target*."""
    if quantity.unit.dimension == target.unit.dimension:
        return plain(value)
    return product(in_units(value, quantity.unit.worth), target.unit.worth)


# Of scale: a wrong power of ten, one device instead of all, minutes written as decimals


def _scales(exercise: Exercise, target: AnsweredQuantity) -> Iterator[Suspect]:
    """The right value many times, or a fraction of it."""
    for power in POWERS:
        times = count_text(10**power)
        large: Pieces = (f"shifting the point: it is {times} times too large",)
        small: Pieces = (f"shifting the point: it is {times} times too small",)
        yield _scaled("power of ten", target.value * 10**power, large)
        yield _scaled("power of ten", Fraction(target.value, 10**power), small)
    for given, count in _counts(exercise):
        once: Pieces = (Sym(given.letter), f" = {count_text(count)} ({given.title})")
        yield _scaled("share", target.value * count, ("multiplying by ", *once))
        yield _scaled("share", Fraction(target.value, count), ("dividing by ", *once))
    if target.unit.dimension == ONE and 0 < target.value < 1:
        yield _scaled("result", 1 - target.value, ("giving what is left to 100 %",))
    if target.unit.dimension == TIME:
        yield from _clock(target.value)


def _counts(exercise: Exercise) -> Iterator[tuple[Given, int]]:
    """What the question counts: whole numbers that it states."""
    for name, given in exercise.problem.givens.items():
        measured = exercise.solved.stated.measured.get(name)
        if given.whole and isinstance(measured, Measured) and measured.value > 1:
            yield given, int(measured.value)


def _clock(value: Number) -> Iterator[Suspect]:
    """A clock time written as a decimal: 9 min 55 s as 9.55 min, 8 h 53 min 34 s as 8.53 h."""
    clocks = (("min", 60, 1, "s"), ("h", 3600, 60, "min"))
    for large, worth, small_worth, small in clocks:
        if worth < value < 100 * worth and value % worth:
            whole, rest = divmod(value // small_worth if small_worth > 1 else value, 60)
            wrong = whole + Fraction(rest) / 100
            spelt = f"{whole} {large} {in_unit(rest, COUNT, exact=STATED).number} {small}"
            deed = (f"writing {spelt} as {in_unit(wrong, COUNT, exact=STATED).number} {large}",)
            yield _scaled("clock", wrong * worth, deed)


def _scaled(kind: Kind, value: Number, deed: Pieces) -> Suspect:
    return Suspect(kind, value, lambda value: Slip(kind, deed, value))


# Of the pen: two digits swapped, or one typed twice


def slips_of_the_pen(stated: Written, value: Number, unit: Unit) -> Iterator[Slip]:
    """What turns *stated*, in *unit*, into the right *value*."""
    if stated.place is None or not stated.number:
        return
    one = Fraction(10) ** stated.place
    size = stated.number / one
    text, sign = str(magnitude(size)), 1 if size > 0 else -1
    taken = product(stated.number, unit.worth)
    for deed, digits in _meant(text):
        number = plain(sign * int(digits) * one)
        if written_as(stated, number=number).fits(value, unit.worth):
            meant = in_unit(product(number, unit.worth), unit, exact=STATED).marked
            shown = f"{in_unit(taken, unit, exact=STATED).marked} for {meant}"
            yield Slip("digits", (deed,), taken, shown=(shown,))
            return


def _meant(text: str) -> Iterator[tuple[str, str]]:
    """The digits that may have been meant by *text*, and what happened to them."""
    for i in range(len(text) - 1):
        before, one, other, behind = text[:i], text[i], text[i + 1], text[i + 2 :]
        if one != other:
            yield "swapping two digits", f"{before}{other}{one}{behind}"
        else:
            yield "typing a digit twice", f"{before}{one}{behind}"
