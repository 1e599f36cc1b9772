"""One answer to an exercise, judged by itself: right, rounded, in a wrong unit, or wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import Exercise, member
from ddcalc.ask.mark.grading import FORM, Answer, Mark, Spelt
from ddcalc.ask.mark.slip import MeasuredValue, Pieces, Slip, Verdict
from ddcalc.ask.mark.solutions import among_solutions
from ddcalc.ask.mark.suspects import Answerable, hits, reread, suspects
from ddcalc.ask.mark.written import (
    Allowed,
    StudentResult,
    Written,
    is_counted,
    right,
    roundings,
    unit_of,
)
from ddcalc.ask.solve import Result, Results, singles
from ddcalc.formula.expression import Expr, Number
from ddcalc.memory import remembered
from ddcalc.numbers.display import cut, half_up, raised
from ddcalc.numbers.number import in_units, magnitude, product
from ddcalc.numbers.units import COUNT, ONE, PERCENT, SECOND, SHARE, UNITS, Dimension, Unit

# A random answer of n digits hits one of some hundred slips with a chance of about 100/10^n: from
# NAMED digits on a slip is named, from PERHAPS on as a possibility.
NAMED = 4
PERHAPS = 3
SURE = 3  # digits from which a number says in which unit it is right

_WORST: tuple[Verdict, ...] = ("wrong", "unit", "rounded", "right")

StatedAnswer = tuple[Answer, Allowed]  # what is answered, and what is required of it
StatedAnswers = Mapping[str, StatedAnswer]


def judged(exercise: Exercise, name: str, stated: StatedAnswer, *, search: bool = True) -> Mark:
    """The mark of what is *stated* for the quantity called *name*; without a *search* nothing is
    said of what a wrong one comes from."""
    (answer, allowed), result, solved = stated, exercise.results[name], exercise.solved
    if isinstance(answer, Spelt):
        mark = _spelt(exercise, name, result, answer)
    else:
        mark = _numbers(exercise, result, answer, allowed, search)
    if isinstance(solved, Inversion) and name == solved.answer.name:
        return among_solutions(solved, mark, answer, allowed)
    return mark


def _spelt(exercise: Exercise, name: str, result: Results, answer: Spelt) -> Mark:
    """The mark of a formula or of "no value": right, another reading's, or wrong."""
    if answer.agrees(None if isinstance(result, tuple) else result.value):
        return Mark(name, answer.text, result, "right")
    slips = tuple(
        reread(exercise, other)
        for other in exercise.otherwise
        if name in other.values and answer.agrees(member(other.values[name], None))
    )
    return Mark(name, answer.text, result, "wrong", slips=slips, sure=False)


def _numbers(
    exercise: Exercise,
    result: Results,
    answer: Written | tuple[Written, ...],
    allowed: Allowed,
    search: bool,
) -> Mark:
    """The mark of a number, or that of the worst in a list."""
    results, is_list = singles(result), isinstance(result, tuple)
    answers = answer if isinstance(answer, tuple) else (answer,)
    text, name = ", ".join(one.text for one in answers), results[0].name
    wanted = ""
    if is_list != isinstance(answer, tuple):
        wanted = f"a list of {len(results)} is asked" if is_list else "one value is asked"
    elif len(answers) != len(results):
        wanted = f"it lists {len(answers)} values; {len(results)} are asked"
    if wanted:
        return Mark(name, text, result, "wrong", (wanted,))
    judged = [
        _Judging(exercise, search, allowed, one, number, at if is_list else None).mark()
        for at, (one, number) in enumerate(zip(results, answers, strict=True), 1)
    ]
    mark = min(judged, key=lambda mark: _WORST.index(mark.verdict))
    line = exercise.last_line(name, mark.at) if mark.verdict == "wrong" else None
    own = {letter: one for each in judged for letter, one in each.own.items()}
    return replace(mark, stated=text, right=result, line=line, own=own)


Judged = tuple[Verdict, Pieces, Sequence[Slip]]


@dataclass(frozen=True)
class _Judging:
    """A number *written* by a student for a *result*, or a member *at* of one."""

    exercise: Exercise
    search: bool
    allowed: Allowed
    result: Result
    written: Written
    at: int | None

    def mark(self) -> Mark:
        """The mark of the number."""
        result, text = self.result, self.written.text
        if result.value is None or isinstance(result.value, Expr):
            brief: Pieces = ("it has no value",) if result.value is None else ()
            return Mark(result.name, text, result, "wrong", brief, at=self.at)
        verdict, brief, slips = self.judged()
        is_form = bool(slips) and slips[0].kind in FORM
        sure = verdict != "wrong" or is_form or self.stated.digits >= NAMED
        unit, own = self.unit if verdict != "unit" else None, {}
        if self.unit is not None and verdict != "right":
            own = {result.symbol: StudentResult(self.value, self.unit, verdict != "rounded")}
        at, slips = self.at, tuple(slips)
        return Mark(result.name, text, result, verdict, brief, slips, sure, at, unit, own=own)

    @cached_property
    def target(self) -> Answerable:
        """What was to be answered."""
        return Answerable(self.exercise, self.result.name, self.at)

    @cached_property
    def stated(self) -> Written:
        """What was written, with the sign that was left out where the share is shown in per cent,
        and the number is right so or larger than any that could be plain: 41.67 is 41.67 %."""
        stated, target, allowed = self.written, self.target, self.allowed
        shown = PERCENT in (target.unit, allowed.unit) or target.unit == SHARE
        if not shown or stated.unit != COUNT or allowed.unit not in (None, PERCENT):
            return stated
        value, meant = target.value, replace(stated, unit=PERCENT)
        if magnitude(stated.number) > max(1, 2 * magnitude(value)):
            return meant
        is_right = right(stated, value, COUNT, allowed) is not None
        return stated if is_right or right(meant, value, PERCENT, allowed) is None else meant

    @cached_property
    def unit(self) -> Unit | None:
        """The unit in which it was stated, if that measures the same."""
        return unit_of(self.stated, self.target.unit, self.allowed)

    @cached_property
    def value(self) -> Number:
        """What was stated, in base units."""
        return product(self.stated.number, (self.unit or self.target.unit).worth)

    def judged(self) -> Judged:
        """The verdict, what is to be said of it, and the slips that lead to the number."""
        stated, allowed = self.stated, self.allowed
        if self.unit is not None:
            sense = right(stated, self.target.value, self.unit, allowed)
            if sense is not None:
                brief = f"right {sense}" + (", as the sheet allows" if allowed.is_declared else "")
                return ("rounded", (brief,), []) if sense else ("right", (), [])
            if not allowed.is_declared and self._is_said():
                return "rounded", ("right as the answer says it",), []
        if (meant := right_unit(stated, self.target, allowed)) is not None:
            return "unit", (f"right value, wrong unit: {_complaint(stated, meant)}",), []
        return self._wrong() if self.search else ("wrong", (), [])

    def _is_said(self) -> bool:
        """Whether the answer in words has the number, in few digits or as the next whole number:
        9.9 %, 5 h 20 min, from 241 tokens on."""
        exercise, letter = self.exercise, self.target.letter
        if self.stated.is_coarse and self.value in exercise.said(letter):
            return True
        return letter == exercise.solved.answer.symbol and self.value in exercise.said_whole

    # What a wrong number came from

    def _wrong(self) -> Judged:
        exercise, target, stated = self.exercise, self.target, self.stated
        unit = self.unit or target.unit
        forms = self._forms(unit)
        if (forms or stated.digits < PERHAPS) and (read := self._as_read()):
            return "wrong", (), read
        is_form = bool(forms) and stated.place == forms[0][0]
        is_searched = stated.digits >= PERHAPS and not is_form
        slips = hits(suspects(exercise, target.name, self.at), stated, unit) if is_searched else []
        if forms and not slips:
            return forms[0][1]
        brief: Pieces = ()
        exact = in_units(target.value, unit.worth)
        if not slips and is_counted(exact, unit, self.allowed):
            ways = roundings(stated)
            if any(digits > 1 and stated.rounds(exact, place) for digits, place in ways):
                brief = ("rounded; what is counted is exact",)
        return "wrong", brief, slips

    def _as_read(self) -> list[Slip]:
        """The other readings of which what is stated is exactly the answer."""
        return [other for other in self.target.other_readings() if other.value == self.value]

    def _forms(self, unit: Unit) -> list[tuple[int, Judged]]:
        """Each way in which the right number is written, but rounded too far, wrongly or cut off;
        first the place that its last digit then has."""
        exact, number = in_units(self.target.value, unit.worth), self.stated.number
        forms: list[tuple[int, Judged]] = []
        if not number or is_counted(exact, unit, self.allowed):
            return forms
        for digits, place in roundings(self.stated):
            if self.stated.rounds(exact, place):
                fewest = f"at least {self.allowed.fewest} significant digits are wanted"
                slip = Slip("coarse", self.value, ("rounding too far",))
                forms.append((place, ("wrong", (f"rounded too far: {fewest}",), [slip])))
            elif digits >= PERHAPS and number in (cut(exact, place), raised(exact, place)):
                is_cut = number == cut(exact, place)
                amount = MeasuredValue(product(half_up(exact, place), unit.worth), unit)
                slip = Slip("cut", amount.value, ("truncating" if is_cut else "rounding up",))
                how = "truncated" if is_cut else "rounded up"
                brief = (f"{how}; rounded to {digits} digits it is ", amount)
                forms.append((place, ("wrong", brief, [slip])))
        return forms


# The right value in a wrong unit: bits for bytes, another prefix, minutes for seconds, none


def right_unit(stated: Written, target: Answerable, allowed: Allowed) -> Unit | None:
    """The unit in which *stated* would be right, the quantity's first; None if there is none.

    Few digits are right in some unit by chance, and say nothing of any but the usual one.
    """
    usual = [target.unit] if allowed.unit is None else [allowed.unit, target.unit]
    sure = stated.digits - stated.zeros() >= SURE
    others = _units(target.unit.dimension) if stated.digits >= SURE else ()
    for unit in (*usual, *others):
        if _same(unit, stated.unit) or right(stated, target.value, unit, allowed) is None:
            continue
        if sure or unit in usual or stated.fits(target.value, unit.worth):
            return unit
    return None


def _same(one: Unit, other: Unit | None) -> bool:
    """Whether both measure the same and are worth the same: 5 and 5 tokens."""
    return other is not None and (one.worth, one.dimension) == (other.worth, other.dimension)


@remembered
def _units(dimension: Dimension) -> tuple[Unit, ...]:
    """The units of *dimension*, and quotients of two of them, those by seconds first."""
    named = dict.fromkeys(UNITS.values())  # 5 tokens are 5
    units = [COUNT, *(unit for unit in named if not _same(unit, COUNT))]
    alike = [unit for unit in units if unit.dimension == dimension and unit.name]
    for under in sorted(units, key=lambda unit: unit != SECOND):
        for over in units:
            if over.dimension != dimension == over.dimension / under.dimension != ONE:
                alike.append(over.per(under))
    return tuple(alike)


def _complaint(stated: Written, unit: Unit) -> str:
    """What is wrong with the unit of *stated*, which is right in *unit*."""
    if stated.unit is None:
        return f"the unit is missing: {unit.name}"
    right_so = f"in {unit.name}" if unit.name else "without a unit"
    return f"right {right_so}, not {f'in {stated.unit.name}' if stated.unit.name else 'without'}"
