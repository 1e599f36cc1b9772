"""Answers to the question which given does it: one end of all solutions is asked, or any."""

from __future__ import annotations

from dataclasses import replace

from ddcalc.ask.find.found import Found
from ddcalc.ask.mark.allowed import Allowed, roundings
from ddcalc.ask.mark.credit import Verdict
from ddcalc.ask.mark.mark import Answer, Mark, Spelt
from ddcalc.ask.mark.question import Question
from ddcalc.ask.mark.slip import Amount, Pieces
from ddcalc.ask.mark.written import Written, cut, raised
from ddcalc.formula.expression import Expr, Sym
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import Unit, fitting

_ENDS = {"least": "smallest", "greatest": "largest"}
_SIDES = {"least": "above", "greatest": "below"}


def judged(question: Question, mark: Mark, answer: Answer, allowed: Allowed) -> Mark:
    """The *mark* of an *answer*, where a given was to be found: a number may do it and not be
    what is asked, or be as good as what is told."""
    found = question.solved
    if not isinstance(found, Found) or mark.name != found.answer.name:
        return mark
    if isinstance(answer, Spelt):
        return _spelt(found, mark, answer)
    unit = mark.unit
    if isinstance(answer, tuple) or unit is None:
        return mark
    if not found.outcome.solutions:
        return replace(mark, brief=(found.says(unit),))
    if mark.verdict == "rounded" and _is_whole(found) and not _is_declared(allowed):
        mark = _told(mark, "wrong")  # the whole number next to it may not do it
    is_solution = found.is_solution(product(answer.number, unit.worth))
    if mark.verdict != "wrong":
        return mark if is_solution or found.is_reached else _limit(found, mark)
    if found.is_any and is_solution:
        return _told(mark, "right", "a solution too")
    if not is_solution:
        return mark if found.end.value is not None else replace(mark, brief=(found.says(unit),))
    return _beyond(found, mark, answer, unit, allowed)


def _spelt(found: Found, mark: Mark, answer: Spelt) -> Mark:
    """The mark of "none", or of an option."""
    outcome = found.outcome
    if answer.agrees(None):
        return _none(found, mark) if outcome.solutions or outcome.options else mark
    if len(outcome.options) > 1 and any(answer.agrees(Sym(name)) for name in outcome.options):
        return _told(mark, "right", "a solution too")
    return mark if len(outcome.options) == 1 else replace(mark, brief=(found.says(),))


def _none(found: Found, mark: Mark) -> Mark:
    """The mark of "none" where something does it."""
    end = found.end
    if end.value is None or isinstance(end.value, Expr) or found.is_any:
        return _told(mark, "wrong", found.says())
    return replace(_told(mark, "wrong"), unit=fitting(end.value, end.unit))


def _beyond(found: Found, mark: Mark, answer: Written, unit: Unit, allowed: Allowed) -> Mark:
    """The mark of a solution beyond the end that is asked; rounded to this side it is that end."""
    end, kind = found.end.value, found.outcome.kind
    assert end is not None
    assert not isinstance(end, Expr)
    towards = raised if (kind == "least") == (end > 0) else cut
    told = in_units(plain(end), unit.worth)
    for digits, place in () if _is_whole(found) else roundings(answer, told, unit, allowed):
        if digits >= allowed.fewest and answer.number == towards(told, place):
            return _told(mark, "rounded", f"right to {digits} significant digits, so that it does")
    limit = Amount(end, unit)
    if not found.is_reached:
        return _told(mark, "wrong", f"{mark.stated} does it too; the limit is ", limit)
    last = f" is the {_ENDS[kind]} that does"
    return _told(mark, "wrong", f"{mark.stated} does it too, but ", limit, last)


def _is_whole(found: Found) -> bool:
    return any(piece.whole for piece in found.outcome.solutions)


def _is_declared(allowed: Allowed) -> bool:
    return allowed.digits is not None or allowed.within is not None


def _limit(found: Found, mark: Mark) -> Mark:
    """The mark of the end of the solutions, which is none itself."""
    told = (*mark.brief, "; " if mark.brief else "", "the limit: ", Sym(found.end.symbol))
    return replace(mark, brief=(*told, f" must be {_SIDES[found.outcome.kind]} it"))


def _told(mark: Mark, verdict: Verdict, *brief: str | Amount) -> Mark:
    told: Pieces = brief
    return replace(mark, verdict=verdict, brief=told, slips=(), two=None, sure=True)
