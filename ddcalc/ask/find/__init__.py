"""Find: which values of a given make relations between quantities hold, and why no others do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import InverseQuestion, inverse_question
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.ask.working import equations
from ddcalc.errors import BadValue
from ddcalc.problem.plan import quantity_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

__all__ = ["InverseQuestion", "Inversion", "find", "found", "inverse_question"]


def find(
    problem: type[Problem],
    unknown: str,
    where: Sequence[str],
    texts: Texts,
    wanted: Sequence[str] = (),
) -> Inversion:
    """Which values of *unknown*, a given or choice of *problem*, make all that *where* says hold.

    *texts* state the others; the quantities *wanted* are told at the answer. Raises DdcalcError
    (Several, where more than one thing is wrong), OverLimit where the answer is not found in a
    stated number of steps.
    """
    question = inverse_question(problem, unknown, where, texts)
    names = tuple(quantity_named(problem.quantities, problem, name) for name in wanted)
    stated = replace(question.stated, shape=replace(question.stated.shape, wanted=names))
    return found(replace(question, stated=stated) if names else question)


def found(question: InverseQuestion) -> Inversion:
    """The *question* answered; raises OverLimit as :func:`find`."""
    is_number = isinstance(question.unknown, Given)
    is_plain = is_number and not question.stated.problem.following([question.unknown.name])
    plan = equations(question.stated) if is_plain else None
    extremes = [one.written for one in question.relations if one.extreme]
    if extremes and is_number and plan is None and not question.given.whole:
        reason = f"is found by a sweep here: --vary {question.unknown.name}=… --minimize …"
        raise BadValue(extremes[0], reason).about("where")
    outcome: SearchOutcome | None = None
    if plan is not None:
        from ddcalc.ask.find.branching import NotSolved
        from ddcalc.ask.find.proving import Proved

        with suppress(NotSolved):
            outcome = Proved(question, plan)
    if outcome is None:
        from ddcalc.ask.find.trials import Tried

        outcome = Tried(question)
    return Inversion(question, outcome, outcome.at)
