"""Schedules: types whose answer depends on the order of events.

They declare their givens and results like any problem, but play them instead of writing equations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import ClassVar

from ddcalc.expression import Number
from ddcalc.plan import Values
from ddcalc.problem import Problem
from ddcalc.schedule.givens import Played
from ddcalc.stated import Stated
from ddcalc.steps import Step


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a schedule came to: the derived *values* by name, and how to *explain* them.

    A *long* one is not played once more for every other reading of the question. Choices that are
    *named* are told even where the answer does not depend on them. The quantity *asked* for is the
    type's answer if none is named.
    """

    values: Values
    explain: Callable[[], Iterable[Step]]
    long: bool = False
    named: Collection[str] = ()
    asked: str = ""


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
