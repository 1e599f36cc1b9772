"""Answers to the question which given does it: one end of all solutions is asked, or any."""

from __future__ import annotations

from dataclasses import replace

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.mark.grading import Answer, Mark, Spelt
from ddcalc.ask.mark.slip import MeasuredValue, Verdict
from ddcalc.ask.mark.written import Allowed, Written, roundings
from ddcalc.formula.expression import Expr, Sym
from ddcalc.numbers.amounts import fitting
from ddcalc.numbers.display import cut, raised
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.numbers.units import Unit

_ENDS = {"least": "smallest", "greatest": "largest"}
_SIDES = {"least": "above", "greatest": "below"}


def among_solutions(solved: Inversion, mark: Mark, answer: Answer, allowed: Allowed) -> Mark:
    """The *mark* of an *answer* to what is sought: a number may do it and not be what is asked, or
    be as good as the answer that is shown."""
    end, unit = solved.end, mark.unit
    if isinstance(answer, Spelt):
        return _no_number(solved, mark, answer)
    if isinstance(answer, tuple) or unit is None:
        return mark
    if not solved.outcome.solutions:
        return replace(mark, brief=(solved.says(unit),))
    if mark.verdict == "rounded" and _is_whole(solved) and not allowed.is_declared:
        mark = _again(mark, "wrong")  # the whole number next to it may not do it
    is_solution = solved.is_solution(product(answer.number, unit.worth))
    if mark.verdict != "wrong":
        if is_solution or solved.is_reached:
            return mark
        limit = (*mark.brief, "; " if mark.brief else "", "the limit: ", Sym(end.symbol))
        return replace(mark, brief=(*limit, f" must be {_SIDES[solved.outcome.kind]} it"))
    if solved.is_any and is_solution:
        return _again(mark, "right", "a solution too")
    if is_solution:
        return _beyond(solved, mark, answer, unit, allowed)
    return mark if end.value is not None else replace(mark, brief=(solved.says(unit),))


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
    limit, does = MeasuredValue(end, unit), f"{mark.stated} does it too"
    if not solved.is_reached:
        return _again(mark, "wrong", f"{does}; the limit is ", limit)
    return _again(mark, "wrong", f"{does}, but ", limit, f" is the {_ENDS[kind]} that does")


def _is_whole(solved: Inversion) -> bool:
    return any(piece.whole for piece in solved.outcome.solutions)


def _again(mark: Mark, verdict: Verdict, *brief: str | MeasuredValue) -> Mark:
    return replace(mark, verdict=verdict, brief=brief, slips=(), sure=True)
