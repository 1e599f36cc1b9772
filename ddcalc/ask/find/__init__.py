"""Find: which values of a given make relations between quantities hold, and why no others do."""

from __future__ import annotations

from collections.abc import Sequence

from ddcalc.ask.find.asked import asked
from ddcalc.ask.find.found import Found
from ddcalc.problem.problem import Problem
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Texts

__all__ = ["Found", "find"]


def find(problem: type[Problem], unknown: str, where: Sequence[str], texts: Texts) -> Found:
    """Which values of *unknown*, a given or choice of *problem*, make all that *where* says hold.

    *texts* state the others. Raises DdcalcError (Several, where more than one thing is wrong),
    OverLimit where the answer is not found in a stated number of steps.
    """
    question = asked(problem, unknown, where, texts)
    if not isinstance(question.unknown, Given):
        from ddcalc.ask.find import choosing

        return choosing.find(question)
    if question.stated.is_played:
        from ddcalc.ask.find import playing, trying

        return playing.find(question) if question.unknown.whole else trying.find(question)
    from ddcalc.ask.find import equations

    return equations.find(question)
