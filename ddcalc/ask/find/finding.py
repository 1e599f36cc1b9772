"""A search from its texts to its answer: by equations, or by trying."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ddcalc.ask.find.answer import Inversion
from ddcalc.ask.find.inverse import InverseQuestion, inverse_question
from ddcalc.ask.find.number_line import Unsettled
from ddcalc.ask.find.outcome import SearchOutcome
from ddcalc.ask.find.proving import Proved
from ddcalc.ask.find.trials import Tried
from ddcalc.ask.working import equations
from ddcalc.problem.plan import quantity_named
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts


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
    """The *question* answered: by its equations, or by trying; raises OverLimit as :func:`find`."""
    outcome: SearchOutcome | None = None
    is_number, plan = isinstance(question.unknown, Given), equations(question.stated)
    follows = question.stated.problem.following([question.unknown.name])
    if plan is not None and is_number and not follows:
        with suppress(Unsettled):
            outcome = Proved(question, plan)
    outcome = outcome or Tried(question)
    return Inversion(question, outcome, outcome.at)
