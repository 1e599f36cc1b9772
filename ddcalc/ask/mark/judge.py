"""The answers of one student to one exercise, judged in the order of the derivation: right,
rounded, in a wrong unit, following from an earlier slip, or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark import suspects
from ddcalc.ask.mark.exercise import (
    AnsweredQuantity,
    Exercise,
    StudentResult,
    StudentResults,
    member,
)
from ddcalc.ask.mark.grading import Answer, Mark, Spelt
from ddcalc.ask.mark.slip import SIMPLE, MeasuredValue, Pieces, Slip, Verdict
from ddcalc.ask.mark.written import (
    Allowed,
    Written,
    is_counted,
    right,
    roundings,
    unit_of,
)
from ddcalc.ask.solve import Result, Results, singles
from ddcalc.formula.expression import Expr, Sym
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import fitting, in_unit
from ddcalc.numbers.display import cut, half_up, raised, rounded
from ddcalc.numbers.number import in_units, magnitude, plain, product
from ddcalc.numbers.units import COUNT, ONE, PERCENT, SECOND, SHARE, UNITS, Dimension, Unit

# A random answer of n digits hits one of some hundred slips with a chance of about 100/10^n: from
# NAMED digits on a slip is named, from PERHAPS on as a possibility.
NAMED = 4
PERHAPS = 3
SURE = 3  # digits from which a number says in which unit it is right

_AS_USUAL = Allowed()
_WORST = ("wrong", "unit", "follows", "rounded", "right")
_ENDS = {"least": "smallest", "greatest": "largest"}
_SIDES = {"least": "above", "greatest": "below"}


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be said of a number."""

    verdict: Verdict
    brief: Pieces = ()
    slips: tuple[Slip, ...] = ()
    sure: bool = True
    unit: Unit | None = None  # in which the number was stated, if that measures the same


def marks(
    exercise: Exercise, answers: Mapping[str, Answer], allowed: Mapping[str, Allowed]
) -> Iterator[Mark]:
    """The marks of *answers* by name of quantity; *allowed* says what the sheet asks of each."""
    student = StudentResults(exercise)
    for name, result in exercise.results.items():
        if name in answers:
            answer, tolerance = answers[name], allowed.get(name, _AS_USUAL)
            mark = _mark(student, name, result, answer, tolerance)
            yield _among_solutions(exercise, mark, answer, tolerance)


def _mark(
    student: StudentResults, name: str, result: Results, answer: Answer, allowed: Allowed
) -> Mark:
    if isinstance(answer, Spelt):
        return _spelt(student.exercise, name, result, answer)
    results = singles(result)
    answers = answer if isinstance(answer, tuple) else (answer,)
    stated = ", ".join(one.text for one in answers)
    if isinstance(result, tuple) != isinstance(answer, tuple):
        listed = f"a list of {len(results)} is asked"
        wanted = listed if isinstance(result, tuple) else "one value is asked"
        return Mark(name, stated, result, "wrong", (wanted,))
    if len(answers) != len(results):
        wanted = f"it lists {len(answers)} values; {len(results)} are asked"
        return Mark(name, stated, result, "wrong", (wanted,))
    places = range(1, len(results) + 1) if isinstance(result, tuple) else (None,)
    judgements = [
        _judged_result(student, name, one, written, allowed, at)
        for at, one, written in zip(places, results, answers, strict=True)
    ]
    worst = min(range(len(judgements)), key=lambda i: _WORST.index(judgements[i].verdict))
    judged, at = judgements[worst], worst + 1 if isinstance(result, tuple) else None
    unit = judged.unit if judged.verdict != "unit" else None
    line = student.exercise.last_line(name, at) if judged.verdict == "wrong" else None
    return Mark(
        name, stated, result, judged.verdict, judged.brief, judged.slips, judged.sure,
        at, unit, line,
    )  # fmt: skip


def _spelt(exercise: Exercise, name: str, result: Results, answer: Spelt) -> Mark:
    """The mark of a formula or of "no value": right, another reading's, or wrong."""
    if answer.agrees(None if isinstance(result, tuple) else result.value):
        return Mark(name, answer.text, result, "right")
    slips = tuple(
        suspects.reread(exercise, other, None, 0)
        for other in exercise.otherwise
        if name in other.values and answer.agrees(member(other.values[name], None))
    )
    return Mark(name, answer.text, result, "wrong", slips=slips, sure=False)


def _judged_result(
    student: StudentResults,
    name: str,
    result: Result,
    answer: Written,
    allowed: Allowed,
    at: int | None,
) -> Judged:
    """The verdict on a number, which is noted among the student's results."""
    if result.value is None or isinstance(result.value, Expr):
        return Judged("wrong", ("it has no value",) if result.value is None else ())
    quantity = student.exercise.problem.quantities[name]
    target = AnsweredQuantity(quantity, result.symbol, plain(result.value), at)
    answer = _in_percent(answer, target, allowed)
    unit = unit_of(answer, target.unit, allowed)
    judged = replace(_judged(student, target, answer, allowed), unit=unit)
    if unit is not None and judged.verdict != "right":
        value, wrong = product(answer.number, unit.worth), judged.verdict != "rounded"
        student.stated[target.letter] = StudentResult(value, unit, wrong)
    return judged


def _judged(
    student: StudentResults, target: AnsweredQuantity, stated: Written, allowed: Allowed
) -> Judged:
    unit = unit_of(stated, target.unit, allowed)
    if unit is not None:
        sense = right(stated, target.value, unit, allowed)
        if sense is not None:
            remark = student.would_be(target)
            remark = remark or _unrounded(student.exercise, target, stated, unit, sense)
            return _right(sense, allowed, remark)
        if not _is_declared(allowed) and _is_said(student.exercise, target, stated, unit):
            return Judged("rounded", ("right as the answer says it",))
    if (meant := right_unit(stated, target, allowed)) is not None:
        return Judged("unit", (f"right value, wrong unit: {_complaint(stated, meant)}",))
    if unit is not None and (earlier := student.leads_to(target, stated, unit, allowed)):
        return Judged("follows", ("right method: follows from your ", *earlier))
    return _wrong(student, target, stated, unit or target.unit, allowed)


def _is_said(exercise: Exercise, target: AnsweredQuantity, stated: Written, unit: Unit) -> bool:
    """Whether the answer in words has the number that is *stated*, in few digits or as the next
    whole number: 9.9 %, 5 h 20 min, from 241 tokens on."""
    number = product(stated.number, unit.worth)
    if stated.is_coarse and number in exercise.said(target.letter):
        return True
    return target.letter == exercise.solved.answer.symbol and number in exercise.said_whole


def _in_percent(stated: Written, target: AnsweredQuantity, allowed: Allowed) -> Written:
    """*stated* with the sign that was left out where the share is shown in per cent, and the number
    is right so or larger than any that could be plain: 41.67 is 41.67 %, as 0.4167 is."""
    shown = PERCENT in (target.unit, allowed.unit) or target.unit == SHARE
    if not shown or stated.unit != COUNT or allowed.unit not in (None, PERCENT):
        return stated
    number, value = stated.number, target.value
    is_larger = magnitude(number) > max(1, 2 * magnitude(value))
    if not is_larger and right(stated, value, COUNT, allowed) is not None:
        return stated
    meant = replace(stated, unit=PERCENT)
    is_meant = is_larger or right(meant, value, PERCENT, allowed) is not None
    return meant if is_meant else stated


def _off(stated: Written, target: AnsweredQuantity, unit: Unit) -> Pieces:
    """By how many percentage points *stated* is off, where it is a share in per cent."""
    if unit != PERCENT:
        return ()
    off = product(stated.number, unit.worth) - target.value
    points = in_unit(rounded(Fraction(magnitude(off)), PERHAPS - 1), PERCENT).number
    noun = "percentage point" if points == "1" else "percentage points"
    return (f"{points} {noun} too {'high' if off > 0 else 'low'}",)


def _unrounded(
    exercise: Exercise, target: AnsweredQuantity, stated: Written, unit: Unit, sense: str
) -> Pieces:
    """Which slip leads exactly to a number that is right if the zeros at its end are none."""
    if not sense or not stated.zeros() or stated.fits(target.value, unit.worth):
        return ()
    value = product(stated.number, unit.worth)
    exact = [slip for slip in _slips(exercise, target, stated, unit) if slip.value == value]
    if not exact or SIMPLE[exact[0].kind] > SIMPLE["reading"]:
        return ()
    return ("if rounded; unrounded, you get it by ", *exact[0].deed)


def _right(sense: str, allowed: Allowed, remark: Pieces) -> Judged:
    if not sense:
        return Judged("right", remark)
    brief = f"right {sense}, as the sheet allows" if _is_declared(allowed) else f"right {sense}"
    return Judged("rounded", (f"{brief}, ", *remark) if remark else (brief,))


def _is_declared(allowed: Allowed) -> bool:
    return allowed.digits is not None or allowed.within is not None


def _wrong(
    student: StudentResults, target: AnsweredQuantity, stated: Written, unit: Unit, allowed: Allowed
) -> Judged:
    """The verdict where nothing makes *stated* right: with the slip that leads to it."""
    exercise = student.exercise
    forms = _forms(target, stated, unit, allowed)
    if forms and (read := _as_read(exercise, target, stated, unit)):
        return Judged("wrong", (), read, stated.digits >= NAMED)
    if forms and stated.place == forms[0][0]:
        return forms[0][1]
    slips = _slips(exercise, target, stated, unit)
    if forms and not slips:
        return forms[0][1]
    brief: Pieces = ()
    if not slips and stated.digits >= NAMED and (base := student.base(target)):
        slips = suspects.hits(suspects.in_equations(exercise, target, base), stated, unit)
        brief = ("from your ", *student.before(target)) if slips else brief
    if not slips and stated.digits < PERHAPS:
        slips = list(_as_read(exercise, target, stated, unit))
    if not (brief or slips):
        brief = _rounded_count(target, stated, unit, allowed) or _off(stated, target, unit)
    return Judged("wrong", brief, tuple(slips), stated.digits >= NAMED)


def _slips(exercise: Exercise, target: AnsweredQuantity, stated: Written, unit: Unit) -> list[Slip]:
    """The single slips that lead to *stated*, if it has digits enough; the simplest first."""
    if stated.digits < PERHAPS:
        return []
    slips = suspects.hits(suspects.suspects(exercise, target), stated, unit)
    slips += suspects.slips_of_the_pen(stated, target.value, unit)
    return suspects.merged(sorted(slips, key=lambda slip: SIMPLE[slip.kind]))


def _as_read(
    exercise: Exercise, target: AnsweredQuantity, stated: Written, unit: Unit
) -> tuple[Slip, ...]:
    """The other readings of which what is *stated* is exactly the answer."""
    value = product(stated.number, unit.worth)
    others = suspects.other_readings(exercise, target)
    return tuple(other.slip for other in others if other.value == value)


def _forms(
    target: AnsweredQuantity, stated: Written, unit: Unit, allowed: Allowed
) -> list[tuple[int, Judged]]:
    """Each way in which the right number is written, but rounded too far, wrongly or cut off; first
    the place that its last digit then has."""
    exact, number = in_units(target.value, unit.worth), stated.number
    forms: list[tuple[int, Judged]] = []
    if not number or is_counted(exact, unit, allowed):
        return forms
    for digits, place in roundings(stated):
        rounded, low = half_up(exact, place), cut(exact, place)
        if stated.rounds(exact, place):
            fewest = f"at least {allowed.fewest} significant digits are wanted"
            slip = Slip("coarse", ("rounding too far",), product(number, unit.worth))
            forms.append((place, Judged("wrong", (f"rounded too far: {fewest}",), (slip,))))
        elif digits >= PERHAPS and number in (low, raised(exact, place)):
            how, deed = "rounded up", "rounding up"
            if low == number:
                how, deed = "truncated", "truncating"
            amount = MeasuredValue(product(rounded, unit.worth), unit)
            slip = Slip("cut", (deed,), amount.value)
            brief = (f"{how}; rounded to {digits} digits it is ", amount)
            forms.append((place, Judged("wrong", brief, (slip,))))
    return forms


def _rounded_count(
    target: AnsweredQuantity, stated: Written, unit: Unit, allowed: Allowed
) -> Pieces:
    """That a number of things was rounded, if that is what is wrong with *stated*."""
    exact = in_units(target.value, unit.worth)
    ways = roundings(stated) if is_counted(exact, unit, allowed) else ()
    is_rounded = any(digits > 1 and stated.rounds(exact, place) for digits, place in ways)
    return ("rounded; what is counted is exact",) if is_rounded else ()


# The right value in a wrong unit: bits for bytes, another prefix, minutes for seconds, none


def right_unit(stated: Written, target: AnsweredQuantity, allowed: Allowed) -> Unit | None:
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


def _complaint(stated: Written, unit: Unit) -> str:
    """What is wrong with the unit of *stated*, which is right in *unit*."""
    if stated.unit is None:
        return f"the unit is missing: {unit.name}"
    right_so = f"in {unit.name}" if unit.name else "without a unit"
    return f"right {right_so}, not {f'in {stated.unit.name}' if stated.unit.name else 'without'}"


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


def _among_solutions(exercise: Exercise, mark: Mark, answer: Answer, allowed: Allowed) -> Mark:
    """The *mark* of an *answer*, where a given was unknown: a number may do it and not be what is
    asked, or be as good as the answer that is shown."""
    solved, unit = exercise.solved, mark.unit
    if not isinstance(solved, Inversion) or mark.name != solved.answer.name:
        return mark
    if isinstance(answer, Spelt):
        return _no_number(solved, mark, answer)
    if isinstance(answer, tuple) or unit is None:
        return mark
    if not solved.outcome.solutions:
        return replace(mark, brief=(solved.says(unit),))
    if mark.verdict == "rounded" and _is_whole(solved) and not _is_declared(allowed):
        mark = _again(mark, "wrong")  # the whole number next to it may not do it
    is_solution = solved.is_solution(product(answer.number, unit.worth))
    if mark.verdict != "wrong":
        return mark if is_solution or solved.is_reached else _limit(solved, mark)
    if solved.is_any and is_solution:
        return _again(mark, "right", "a solution too")
    if not is_solution:
        return mark if solved.end.value is not None else replace(mark, brief=(solved.says(unit),))
    return _beyond(solved, mark, answer, unit, allowed)


def _no_number(solved: Inversion, mark: Mark, answer: Spelt) -> Mark:
    """The mark of "none", or of an option."""
    outcome = solved.outcome
    if not answer.agrees(None):
        if len(outcome.options) > 1 and any(answer.agrees(Sym(name)) for name in outcome.options):
            return _again(mark, "right", "a solution too")
        return mark if len(outcome.options) == 1 else replace(mark, brief=(solved.says(),))
    if not (outcome.solutions or outcome.options):
        return mark
    end = solved.end
    if end.value is None or isinstance(end.value, Expr) or solved.is_any:
        return _again(mark, "wrong", solved.says())
    return replace(_again(mark, "wrong"), unit=fitting(end.value, end.unit))


def _beyond(solved: Inversion, mark: Mark, answer: Written, unit: Unit, allowed: Allowed) -> Mark:
    """The mark of a solution beyond the end that is asked; rounded to this side it is that end."""
    end, kind = solved.end.value, solved.outcome.kind
    assert end is not None
    assert not isinstance(end, Expr)
    towards = raised if (kind == "least") == (end > 0) else cut
    exact = in_units(plain(end), unit.worth)
    for digits, place in () if _is_whole(solved) else roundings(answer):
        if digits >= allowed.fewest and answer.number == towards(exact, place):
            return _again(mark, "rounded", f"right to {digits} significant digits, so that it does")
    limit = MeasuredValue(end, unit)
    if not solved.is_reached:
        return _again(mark, "wrong", f"{mark.stated} does it too; the limit is ", limit)
    last = f" is the {_ENDS[kind]} that does"
    return _again(mark, "wrong", f"{mark.stated} does it too, but ", limit, last)


def _is_whole(solved: Inversion) -> bool:
    return any(piece.whole for piece in solved.outcome.solutions)


def _limit(solved: Inversion, mark: Mark) -> Mark:
    """The mark of the end of the solutions, which is not a solution itself."""
    brief = (*mark.brief, "; " if mark.brief else "", "the limit: ", Sym(solved.end.symbol))
    return replace(mark, brief=(*brief, f" must be {_SIDES[solved.outcome.kind]} it"))


def _again(mark: Mark, verdict: Verdict, *brief: str | MeasuredValue) -> Mark:
    return replace(mark, verdict=verdict, brief=brief, slips=(), sure=True)
