"""One answer to an exercise, judged by itself: right, rounded, in a wrong unit, or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, floor

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.exercise import Exercise, member
from ddcalc.ask.mark.grading import FORM, Mark, Slip, StudentResult, Verdict
from ddcalc.ask.mark.suspects import hits, other_readings, reread, suspects
from ddcalc.ask.mark.written import (
    Allowed,
    Answer,
    Spelt,
    Written,
    is_counted,
    right,
    roundings,
    unit_of,
)
from ddcalc.ask.solve import Result, Results, first, singles
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import fitting, in_unit
from ddcalc.numbers.display import at_place, half_up
from ddcalc.numbers.number import in_units, magnitude, plain, product
from ddcalc.numbers.units import COUNT, ONE, PERCENT, SECOND, SHARE, UNITS, Dimension, Unit

# A random answer of n digits hits one of some hundred slips with a chance of about 100/10^n: from
# NAMED digits on a slip is named, from PERHAPS on as a possibility.
NAMED = 4
PERHAPS = 3
SURE = 3  # digits from which a number says in which unit it is right

_WORST: tuple[Verdict, ...] = ("wrong", "unit", "rounded", "right")
_ENDS = {"least": "smallest", "greatest": "largest"}
_SIDES = {"least": "above", "greatest": "below"}

StatedAnswer = tuple[Answer, Allowed]  # what is answered, and what is required of it
StatedAnswers = Mapping[str, StatedAnswer]


def judged(exercise: Exercise, name: str, stated: StatedAnswer, *, search: bool = True) -> Mark:
    """The mark of what is *stated* for the quantity called *name*; without a *search* nothing is
    said of what a wrong one comes from."""
    (answer, allowed), result, solved = stated, exercise.results[name], exercise.solved
    if isinstance(answer, Spelt):
        mark = _spelt(exercise, result, answer)
    else:
        mark = _numbers(exercise, result, answer, allowed, search)
    if not isinstance(solved, Inversion) or name != solved.answer.name:
        return mark
    if isinstance(answer, Spelt):
        return _no_number(solved, mark, answer)
    return mark if isinstance(answer, tuple) else _among_solutions(solved, mark, answer, allowed)


def _spelt(exercise: Exercise, result: Results, answer: Spelt) -> Mark:
    """The mark of a formula or of "no value": right, another reading's, or wrong."""
    mark = Mark(first(result).name, answer.text, result, "right")
    if answer.agrees(None if isinstance(result, tuple) else result.value):
        return mark
    slips = list[Slip]()
    for other in exercise.otherwise:
        its = member(other.solved.quantities.get(mark.name, ()), None)
        if its is not None and answer.agrees(its.value):
            slips.append(reread(exercise, other))
    return replace(mark, verdict="wrong", slips=tuple(slips), sure=False)


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
    mark = Mark(results[0].name, ", ".join(one.text for one in answers), result, "wrong")
    if is_list != isinstance(answer, tuple):
        wanted = f"a list of {len(results)} is asked" if is_list else "one value is asked"
        return replace(mark, brief=(wanted,))
    if len(answers) != len(results):
        wanted = f"it lists {len(answers)} values; {len(results)} are asked"
        return replace(mark, brief=(wanted,))
    pairs = enumerate(zip(results, answers, strict=True), 1)
    each = [
        _number(exercise, one, number, allowed, at if is_list else None, search)
        for at, (one, number) in pairs
    ]
    worst = min(each, key=lambda mark: _WORST.index(mark.verdict))
    line = exercise.last_line(mark.name, worst.at) if worst.verdict == "wrong" else None
    own = {letter: one for mark in each for letter, one in mark.own.items()}
    return replace(worst, stated=mark.stated, right=result, line=line, own=own)


def _number(
    exercise: Exercise,
    result: Result,
    written: Written,
    allowed: Allowed,
    at: int | None,
    search: bool,
) -> Mark:
    """The mark of a number *written* for a *result*, or for the member *at* of one."""
    mark = Mark(result.name, written.text, result, "wrong", at=at)
    if result.value is None or isinstance(result.value, Expr):
        return replace(mark, brief=("it has no value",)) if result.value is None else mark
    value = plain(result.value)
    stated = _in_per_cent(written, value, result.unit, allowed)
    unit = unit_of(stated, result.unit, allowed)
    judging = _Judging(exercise, result, value, stated, allowed, unit or result.unit, mark)
    if unit is None:
        return judging.in_another_unit() or (judging.wrong() if search else mark)
    mark = judging.right() or judging.in_another_unit() or (judging.wrong() if search else mark)
    own = StudentResult(judging.own, unit, mark.verdict != "rounded")
    unit = None if mark.verdict == "unit" else unit
    return replace(mark, unit=unit, own={} if mark.verdict == "right" else {result.symbol: own})


def _in_per_cent(stated: Written, value: Number, unit: Unit, allowed: Allowed) -> Written:
    """What is *stated*, with the sign that was left out where a share is shown in per cent, and the
    number is right so or larger than any that could be plain: 41.67 is 41.67 %."""
    shown = PERCENT in (unit, allowed.unit) or unit == SHARE
    if not shown or stated.unit != COUNT or allowed.unit not in (None, PERCENT):
        return stated
    meant = replace(stated, unit=PERCENT)
    if magnitude(stated.number) > max(1, 2 * magnitude(value)):
        return meant
    is_right = right(stated, value, COUNT, allowed) is not None
    return stated if is_right or right(meant, value, PERCENT, allowed) is None else meant


@dataclass(frozen=True)
class _Judging:
    """A number that is *stated* in *unit* for a *result* with a *value*, and its *mark* as long as
    nothing is said of it."""

    exercise: Exercise
    result: Result
    value: Number
    stated: Written
    allowed: Allowed
    unit: Unit
    mark: Mark

    @cached_property
    def own(self) -> Number:
        """What is stated, in base units."""
        return product(self.stated.number, self.unit.worth)

    def right(self) -> Mark | None:
        """Right, exactly or as it is rounded."""
        sense = right(self.stated, self.value, self.unit, self.allowed)
        if sense == "":
            return replace(self.mark, verdict="right")
        if sense is not None:
            sense += ", as the sheet allows" if self.allowed.is_declared else ""
        elif not self.allowed.is_declared and self._is_said():
            sense = "as the answer says it"
        else:
            return None
        return replace(self.mark, verdict="rounded", brief=(f"right {sense}",))

    def _is_said(self) -> bool:
        """Whether the answer in words has the number, in few digits or as the next whole number:
        9.9 %, 5 h 20 min, from 241 tokens on."""
        exercise, letter = self.exercise, self.result.symbol
        if self.stated.is_coarse and self.own in exercise.said(letter):
            return True
        return letter == exercise.solved.answer.symbol and self.own in exercise.said_whole

    def in_another_unit(self) -> Mark | None:
        """Right in another unit than that in which it is stated."""
        stated, meant = self.stated, right_unit(self.stated, self.result, self.value, self.allowed)
        if meant is None:
            return None
        if stated.unit is None:
            wrong = f"the unit is missing: {meant.name}"
        else:
            right_so = f"in {meant.name}" if meant.name else "without a unit"
            not_so = f"in {stated.unit.name}" if stated.unit.name else "without"
            wrong = f"right {right_so}, not {not_so}"
        return replace(self.mark, verdict="unit", brief=(f"right value, wrong unit: {wrong}",))

    # What a wrong number came from

    def wrong(self) -> Mark:
        """Wrong, and by which slips."""
        stated, at, few = self.stated, self.mark.at, self.stated.digits < PERHAPS
        form = next(self._forms(), None)
        if form or few:
            readings = other_readings(self.exercise, self.result, at)
            if read := tuple(slip for slip in readings if slip.value == self.own):
                return self._by(read)
        if few or (form and stated.place == form[0]):
            slips: list[Slip] = []
        else:
            slips = hits(suspects(self.exercise, self.result.name, at), stated, self.unit)
        if form and not slips:
            return form[1]
        exact, brief = in_units(self.value, self.unit.worth), ""
        if not slips and is_counted(exact, self.unit, self.allowed):
            ways = roundings(stated)
            if any(digits > 1 and stated.rounds(exact, place) for digits, place in ways):
                brief = "rounded; what is counted is exact"
        return self._by(tuple(slips), *filter(None, [brief]))

    def _by(self, slips: tuple[Slip, ...], *brief: str) -> Mark:
        sure = bool(slips and slips[0].kind in FORM) or self.stated.digits >= NAMED
        return replace(self.mark, brief=brief, slips=slips, sure=sure)

    def _forms(self) -> Iterator[tuple[int, Mark]]:
        """Each way in which the right number is written, but rounded too far, wrongly or cut off;
        before it the place that its last digit then has."""
        unit, number = self.unit, self.stated.number
        exact = in_units(self.value, unit.worth)
        if not number or is_counted(exact, unit, self.allowed):
            return
        for digits, place in roundings(self.stated):
            if self.stated.rounds(exact, place):
                wanted = f"at least {self.allowed.fewest} significant digits are wanted"
                if self.allowed.within is not None:
                    wanted = f"{self.allowed.says} is wanted"
                slip = Slip("coarse", self.own, ("rounding too far",))
                yield place, self._by((slip,), f"rounded too far: {wanted}")
                continue
            below, above = (at_place(exact, place, whole) for whole in (floor, ceil))
            if digits >= PERHAPS and number in (below, above):
                is_cut, value = number == below, product(half_up(exact, place), unit.worth)
                slip = Slip("cut", value, ("truncating" if is_cut else "rounding up",))
                how, near = "truncated" if is_cut else "rounded up", in_unit(value, unit).marked
                yield place, self._by((slip,), f"{how}; rounded to {digits} digits it is {near}")


# The right value in a wrong unit: bits for bytes, another prefix, minutes for seconds, none


def right_unit(stated: Written, result: Result, value: Number, allowed: Allowed) -> Unit | None:
    """The unit in which *stated* would be right for a *result* of that *value*, the quantity's
    first; None if there is none.

    Few digits are right in some unit by chance, and say nothing of any but the usual one.
    """
    usual = [result.unit] if allowed.unit is None else [allowed.unit, result.unit]
    sure = stated.digits - stated.zeros() >= SURE
    others = _units(result.unit.dimension) if stated.digits >= SURE else ()
    for unit in (*usual, *others):
        if _same(unit, stated.unit) or right(stated, value, unit, allowed) is None:
            continue
        if sure or unit in usual or stated.fits(value, unit.worth):
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


# Answers to the question which given does it: one end of all solutions is asked, or any


def _among_solutions(solved: Inversion, mark: Mark, answer: Written, allowed: Allowed) -> Mark:
    """The *mark* of an *answer* to what is sought: a number may do it and not be what is asked, or
    be as good as the answer that is shown."""
    end, unit, kind = solved.end, mark.unit, solved.outcome.kind
    if unit is None:
        return mark
    if not solved.outcome.solutions:
        return replace(mark, brief=(solved.says(unit),))
    is_whole = any(piece.whole for piece in solved.outcome.solutions)
    if mark.verdict == "rounded" and is_whole and not allowed.is_declared:
        mark = _again(mark, "wrong")  # the whole number next to it may not do it
    is_solution = solved.is_solution(product(answer.number, unit.worth))
    if mark.verdict != "wrong":
        if is_solution or solved.is_reached:
            return mark
        limit = (*mark.brief, "; " if mark.brief else "", "the limit: ", Sym(end.symbol))
        return replace(mark, brief=(*limit, f" must be {_SIDES[kind]} it"))
    if not is_solution:
        return mark if end.value is not None else replace(mark, brief=(solved.says(unit),))
    if solved.is_any:
        return _again(mark, "right", "a solution too")
    assert isinstance(end.value, Number)
    whole = ceil if (kind == "least") == (end.value > 0) else floor  # to this side it is the end
    exact = in_units(plain(end.value), unit.worth)
    for digits, place in () if is_whole else roundings(answer):
        if digits >= allowed.fewest and answer.number == at_place(exact, place, whole):
            return _again(mark, "rounded", f"right to {digits} significant digits, so that it does")
    limit_text, does = in_unit(end.value, unit).marked, f"{mark.stated} does it too"
    if not solved.is_reached:
        return _again(mark, "wrong", f"{does}; the limit is {limit_text}")
    return _again(mark, "wrong", f"{does}, but {limit_text} is the {_ENDS[kind]} that does")


def _no_number(solved: Inversion, mark: Mark, answer: Spelt) -> Mark:
    """The mark of "none", or of an option."""
    outcome, end = solved.outcome, solved.end
    if not answer.agrees(None):
        if len(outcome.options) > 1 and any(answer.agrees(Sym(name)) for name in outcome.options):
            return _again(mark, "right", "a solution too")
        return mark if len(outcome.options) == 1 else replace(mark, brief=(solved.says(),))
    if not (outcome.solutions or outcome.options):
        return mark
    if end.value is None or isinstance(end.value, Expr) or solved.is_any:
        return _again(mark, "wrong", solved.says())
    return replace(_again(mark, "wrong"), unit=fitting(end.value, end.unit))


def _again(mark: Mark, verdict: Verdict, *brief: str) -> Mark:
    return replace(mark, verdict=verdict, brief=brief, slips=(), sure=True)
