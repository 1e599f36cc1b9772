"""One answer to an exercise, judged by itself: right, rounded, in a wrong unit, or wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import ceil, floor

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark import written
from ddcalc.ask.mark.exercise import Exercise
from ddcalc.ask.mark.grading import Mark, Slip, Verdict
from ddcalc.ask.mark.suspects import hits, other_readings, suspects
from ddcalc.ask.mark.written import Allowed, Spelt, Written, is_counted, possible_units, right
from ddcalc.ask.solve import Result, Results, first, singles
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import fitting, in_unit
from ddcalc.numbers.display import at_place, counted, half_up
from ddcalc.numbers.number import in_units, magnitude, plain, product
from ddcalc.numbers.units import COUNT, ONE, PER_SECOND, SECOND, UNITS, Dimension, Unit

# A random answer of n digits hits one of some hundred slips with a chance of about 100/10^n: from
# NAMED digits on a slip is named, from PERHAPS on as a possibility.
NAMED = 4
PERHAPS = 3
SURE = 3  # digits from which a number says in which unit it is right

_WORST: tuple[Verdict, ...] = ("wrong", "unit", "rounded", "right")
_ENDS = {"least": "smallest", "greatest": "largest"}
_SIDES = {"least": "above", "greatest": "below"}

StatedAnswer = tuple[written.Answer, Allowed]  # what is answered, and what is required of it
StatedNumbers = tuple[Written | tuple[Written, ...], Allowed]
StatedAnswers = Mapping[str, StatedAnswer]


def judged(exercise: Exercise, name: str, stated: StatedAnswer, *, search: bool = True) -> Mark:
    """The mark of what is *stated* for the quantity called *name*; without a *search* nothing is
    said of what a wrong one comes from."""
    (answer, allowed), result, solved = stated, exercise.result(name), exercise.solved
    if isinstance(answer, Spelt):  # a formula, a verdict, or "no value"
        mark = Mark(first(result).name, answer.text, result, "right")
        if not answer.agrees(None if isinstance(result, tuple) else result.value):
            readings = other_readings(exercise, first(result))
            slips = tuple(slip for slip, value in readings if answer.agrees(value))
            mark = replace(mark, verdict="wrong", slips=slips, sure=False)
    else:
        mark = _numbers(exercise, result, (answer, allowed), search)
    if not isinstance(solved, Inversion) or name != solved.answer.name:
        return mark
    if isinstance(answer, Spelt):
        return _no_number(solved, mark, answer)
    return mark if isinstance(answer, tuple) else _among_solutions(solved, mark, answer, allowed)


def _numbers(exercise: Exercise, result: Results, stated: StatedNumbers, search: bool) -> Mark:
    """The mark of a number, or that of the worst in a list."""
    (answer, allowed), results, is_list = stated, singles(result), isinstance(result, tuple)
    answers = answer if isinstance(answer, tuple) else (answer,)
    mark = Mark(results[0].name, ", ".join(one.text for one in answers), result, "wrong")
    if is_list != isinstance(answer, tuple):
        wanted = f"a list of {len(results)} is asked" if is_list else "one value is asked"
        return replace(mark, brief=(wanted,))
    if len(answers) != len(results):
        wanted = f"it lists {counted(len(answers), 'value')}; {len(results)} are asked"
        return replace(mark, brief=(wanted,))
    pairs = zip(results, answers, strict=True)
    each = [_number(exercise, *pair, allowed, search) for pair in pairs]
    worst = min(each, key=lambda mark: _WORST.index(mark.verdict))
    at, own = each.index(worst), {letter: x for mark in each for letter, x in mark.own.items()}
    line = exercise.last_line(mark.name, results[at].symbol) if worst.verdict == "wrong" else None
    worst = replace(worst, stated=mark.stated, right=result, at=at + 1 if is_list else None)
    return replace(worst, line=line, own=own)


def _number(
    exercise: Exercise, result: Result, stated: Written, allowed: Allowed, search: bool
) -> Mark:
    """The mark of a number that is *stated* for a *result*, or for a member of one."""
    mark = Mark(result.name, stated.text, result, "wrong")
    if result.value is None or isinstance(result.value, Expr):
        return replace(mark, brief=("it has no value",)) if result.value is None else mark
    value, units = plain(result.value), possible_units(stated, result.unit, allowed)
    senses = ((unit, right(stated, value, unit, allowed)) for unit in units)
    unit, sense = next((both for both in senses if both[1] is not None), (None, None))
    if sense == "":
        return replace(mark, verdict="right", unit=unit)
    if unit is None:
        is_large = magnitude(stated.number) > max(1, 2 * magnitude(value))  # 250: of a share, %
        unit = units[-1 if is_large else 0] if units else result.unit
    own, is_free = product(stated.number, unit.worth), bool(units) and not allowed.is_declared
    if sense is not None:
        sense = f"right {sense}" + ", as the sheet allows" * allowed.is_declared
    elif is_free and exercise.says(result.symbol, own, coarse=stated.is_coarse):
        sense = "right as the answer says it"
    if sense is not None:
        mark = replace(mark, verdict="rounded", brief=(sense,))
    elif (meant := right_unit(stated, result, value, allowed)) is not None:
        its = [f"in {one.name}" if one.name else "" for one in (meant, stated.unit or meant)]
        words = f"right {its[0] or 'without a unit'}, not {its[1] or 'without'}"
        words = words if stated.unit else f"the unit is missing: {meant.name}"
        mark = replace(mark, verdict="unit", brief=(f"right value, wrong unit: {words}",))
    elif stated.unit and not units:
        words = f"it measures {stated.unit.dimension}, not {result.unit.dimension}"
        mark = replace(mark, brief=(words,))
    elif search:
        mark = _wrong(exercise, result, stated, allowed, unit, mark)
    if not units:
        return mark
    known = None if mark.verdict == "unit" else unit
    return replace(mark, unit=known, own={result.symbol: in_unit(own, unit)})


# What a wrong number came from


def _wrong(
    exercise: Exercise, result: Result, stated: Written, allowed: Allowed, unit: Unit, mark: Mark
) -> Mark:
    """The *mark* of what is wrong, by which slips."""
    assert isinstance(result.value, Number)
    few, exact = stated.digits < PERHAPS, in_units(plain(result.value), unit.worth)
    place, slip, brief = next(_forms(stated, exact, unit, allowed), (None, None, ""))
    slips = list[Slip]()
    if slip or few:
        own, readings = product(stated.number, unit.worth), other_readings(exercise, result)
        slips = [slip for slip, value in readings if value == own]
    if not slips and not few and (slip is None or stated.place != place):
        slips = hits(suspects(exercise, result.name, result.symbol), stated, unit)
    if slip and not slips:
        return replace(mark, brief=(brief,), slips=(slip,))
    is_exact = is_counted(exact, unit, allowed) and not isinstance(exercise.solved, Inversion)
    ways = stated.roundings() if is_exact and not slips else ()
    if any(digits > 1 and stated.rounds(exact, place) for digits, place in ways):
        mark = replace(mark, brief=("rounded; what is counted is exact",))
    return replace(mark, slips=tuple(slips), sure=stated.telling >= NAMED)


def _forms(
    stated: Written, exact: Number, unit: Unit, allowed: Allowed
) -> Iterator[tuple[int, Slip, str]]:
    """Each way in which the right number, *exact* in *unit*, is written, but rounded too far,
    wrongly or cut off: the place of its last digit, the slip, and what is said of it."""
    number = stated.number
    if not number or is_counted(exact, unit, allowed):
        return
    for digits, place in stated.roundings():
        if stated.rounds(exact, place):
            wanted = f"at least {allowed.fewest} significant digits are wanted"
            if allowed.within is not None:
                wanted = f"{allowed.says} is wanted"
            worth = product(number, unit.worth)
            slip = Slip("coarse", ("rounding too far",), worth, wrong=(exact, number))
            yield place, slip, f"rounded too far: {wanted}"
            continue
        below, above = (at_place(exact, place, whole) for whole in (floor, ceil))
        if digits >= PERHAPS and number in (below, above):
            value = product(half_up(exact, place), unit.worth)
            deed, how = "rounding up", "rounded up"
            if number == below:
                deed, how = "truncating", "truncated"
            words = f"{how}; rounded to {digits} digits it is {in_unit(value, unit).marked}"
            yield place, Slip("cut", (deed,), value), words


# The right value in a wrong unit: bits for bytes, another prefix, minutes for seconds, none


def right_unit(stated: Written, result: Result, value: Number, allowed: Allowed) -> Unit | None:
    """The unit in which *stated* would be right for a *result* of that *value*, the quantity's
    first; None if there is none.

    Few digits are right in some unit by chance, and say nothing of any but the usual one.
    """
    usual = [result.unit] if allowed.unit is None else [allowed.unit, result.unit]
    sure, is_count = stated.telling >= SURE, result.unit == COUNT  # of which no unit is meant
    others = _units(result.unit.dimension) if stated.digits >= SURE and not is_count else ()
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
    """The units of *dimension*, and quotients of two (5/Hz is none), those by seconds first."""
    every, rate = dict.fromkeys(UNITS.values()), PER_SECOND.dimension
    units = [COUNT, *(one for one in every if one.dimension != rate and not _same(one, COUNT))]
    named = [unit for unit in units if unit.dimension == dimension and unit.name]
    quotients = (
        over.per(under)
        for under in sorted(units, key=lambda unit: unit != SECOND)
        for over in units
        if over.dimension != dimension == over.dimension / under.dimension != ONE
    )
    return (*named, *quotients)


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
        if is_solution or solved.outcome.reached:
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
    for digits, place in () if is_whole else answer.roundings():
        if digits >= allowed.fewest and answer.number == at_place(exact, place, whole):
            return _again(mark, "rounded", f"right to {digits} significant digits, so that it does")
    near = in_unit(end.value, unit).marked
    more = f", but {near} is the {_ENDS[kind]} that does"
    more = more if solved.outcome.reached else f"; the limit is {near}"
    return _again(mark, "wrong", f"{mark.stated} does it too{more}")


def failing(exercise: Exercise, mark: Mark, stated: StatedAnswer) -> Mark:
    """The *mark* of a wrong number, of which nothing is said yet: where one is sought that does
    something, it does not."""
    (answer, _), solved = stated, exercise.solved
    if not isinstance(solved, Inversion) or mark.name != solved.answer.name or mark.brief:
        return mark
    is_whole = any(piece.whole for piece in solved.outcome.solutions)
    fails = "" if solved.question.extreme else "does not do it"
    if isinstance(answer, Written) and is_whole and answer.number.denominator != 1:
        fails = "is no whole number"
    return replace(mark, brief=(f"{mark.stated} {fails}",)) if fails else mark


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
