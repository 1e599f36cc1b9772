"""Find: which values of a given make relations between quantities hold, and why no others do."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import InverseQuestion, inverse_question
from ddcalc.ask.find.optimum import extreme_of
from ddcalc.ask.working import equations
from ddcalc.errors import BadValue
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

__all__ = ["InverseQuestion", "Inversion", "find", "found", "inverse_question"]


def find(problem: type[Problem], unknown: str, where: Sequence[str], texts: Texts) -> Inversion:
    """Which values of *unknown*, a given or choice of *problem*, make all that *where* says hold.

    *texts* state the others. Raises DdcalcError (Several, where more than one thing is wrong),
    OverLimit where the answer is not found in a stated number of steps.
    """
    return found(inverse_question(problem, unknown, where, texts))


def found(question: InverseQuestion) -> Inversion:
    """The *question* answered; raises OverLimit as :func:`find`."""
    plan = equations(question.stated) if isinstance(question.unknown, Given) else None
    if extreme_of(question) is not None and plan is None:
        reason = "is only known by equations, of a number; sweep --minimize compares the others"
        raise BadValue(question.unknown.name, reason).about("find")
    if plan is not None:
        from ddcalc.ask.find.branching import NotSolved
        from ddcalc.ask.find.proving import by_equations

        with suppress(NotSolved):
            return by_equations(question, plan)
    from ddcalc.ask.find.trials import by_trials

    return by_trials(question)
