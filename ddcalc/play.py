"""Schedules: types whose answer depends on the order of events.

They declare their givens and results like any problem, but play them instead of writing equations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ddcalc.expression import Number
from ddcalc.plan import Values
from ddcalc.problem import Problem
from ddcalc.stated import Stated
from ddcalc.steps import Step

Played = Mapping[str, Number | tuple[Number, ...]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a schedule came to: the derived *values* by name, and how to *explain* them."""

    values: Values
    explain: Callable[[], Iterable[Step]]


class Schedule(Problem):
    """A kind of question that is played. Subclass it, declare its quantities, write ``play``."""

    symbolic: ClassVar[bool] = False

    def play(self, given: Played) -> Outcome:
        """Play the schedule of the *given* numbers (base units) under this shape's choices.

        *given* has no entry for what is not stated and has no usual value.
        """
        raise NotImplementedError


def played(stated: Stated) -> Outcome:
    """The outcome of a stated schedule."""
    problem = stated.problem(stated.shape)
    assert isinstance(problem, Schedule)
    given: dict[str, Number | tuple[Number, ...]] = {}
    for name, measured in stated.measured.items():
        if isinstance(measured, tuple):
            given[name] = tuple(each.value for each in measured)
        else:
            given[name] = measured.value
    return problem.play(given)
