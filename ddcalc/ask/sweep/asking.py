"""A sweep from texts: axes, quantities and goals by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddcalc.ask.sweep.axes import Axis
from ddcalc.ask.sweep.columns import MOST, Columns
from ddcalc.ask.sweep.question import Question, asked
from ddcalc.ask.sweep.ranges import axis
from ddcalc.ask.sweep.sweep import Sweep, goals
from ddcalc.errors import DdcalcError, Several
from ddcalc.problem import Problem
from ddcalc.stated import Texts

Values = str | range | Sequence[str]


def question(
    problem: type[Problem],
    texts: Texts,
    vary: Sequence[tuple[str, Values]],
    quantities: Sequence[str],
    sought: Sequence[str],
) -> Question:
    """The sweep along what is to *vary*, which tells *quantities* and what is *sought*.

    Where something is sought and no quantity is named, the answer is told, too. Raises a
    DdcalcError, Several where more than one thing is wrong.
    """
    axes: list[Axis] = []
    errors: list[DdcalcError] = []
    for name, values in vary:
        try:
            axes.append(axis(problem, name, values))
        except DdcalcError as error:
            errors += error.each()
    if errors:
        raise Several(errors) if len(errors) > 1 else errors[0]
    usual = [problem.answer] if sought and not quantities else []
    return asked(problem, texts, axes, [*quantities, *usual, *sought])


def columns(
    problem: type[Problem],
    texts: Texts,
    vary: Mapping[str, Values],
    quantities: Sequence[str],
    minimize: Sequence[str],
    maximize: Sequence[str],
) -> Columns:
    """All points in memory; OverLimit for more than are possible there."""
    made = question(problem, texts, [*vary.items()], quantities, [*minimize, *maximize])
    return Columns(Sweep(made, goals(made, minimize, maximize), most=MOST, turns=True))
