"""What a type command asks: its question worked out, or, with ``--find``, one of its givens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ddcalc.ask.solve import Derivation, solve
from ddcalc.cli.output import Wanted
from ddcalc.problem.problem import Problem
from ddcalc.problem.stated import Texts, read


@dataclass(frozen=True, slots=True)
class Asking:
    """How texts are answered for *problem*, and how they are checked where they will not be."""

    problem: type[Problem]
    answer: Callable[[Texts], Derivation]
    check: Callable[[Texts], object]


def asking(problem: type[Problem], wanted: Wanted) -> Asking:
    """What is asked of *problem*."""
    unknown, where = wanted.find, wanted.where or []
    if unknown is None:
        return Asking(
            problem, lambda texts: solve(problem, texts), lambda texts: read(problem, texts)
        )
    from ddcalc.ask.find import find, inverse_question

    return Asking(
        problem,
        lambda texts: find(problem, unknown, where, texts),
        lambda texts: inverse_question(problem, unknown, where, texts),
    )
