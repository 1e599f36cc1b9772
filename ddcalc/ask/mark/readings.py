"""Slips of reading: the question answered as another choice, one at a time, would have it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddcalc.ask.find.answer import Found
from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.otherwise import Otherwise, member
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Pieces, Slip, Suspect
from ddcalc.formula.expression import Expr, Number
from ddcalc.problem.plan import Values


def suspects(question: Question, target: Target) -> Iterator[Suspect]:
    """The value of *target* under every other reading."""
    for other in _others(question, target):
        value = member(other.values.get(target.name), target.at)
        if value is not None and not isinstance(value, Expr):
            yield Suspect("reading", near(value), _Told(question, other, value))


def _others(question: Question, target: Target) -> Iterator[Otherwise]:
    yield from question.otherwise
    found = question.solved
    if isinstance(found, Found) and found.answer.name == target.name:
        for each in found.readings:
            values: Values = {target.name: each.answer.value}
            yield Otherwise(found.stated, each.choice, each.option, values)


def deed(question: Question, other: Otherwise) -> Pieces:
    """What was read."""
    return (f"reading otherwise: {question.problem.choices[other.choice].options[other.option]}",)


def meant(question: Question, choice: str) -> Pieces:
    """How the question is to be read."""
    option = dict(question.solved.stated.shape.reading)[choice]
    says = question.problem.choices[choice].options[option]
    said = choice in question.solved.stated.said
    return (f"{'The question says' if said else 'Usual is'}: {says}",)


@dataclass(frozen=True, slots=True)
class _Told:
    """The slip of another reading."""

    question: Question
    other: Otherwise
    value: Number

    def __call__(self) -> Slip:
        why = meant(self.question, self.other.choice)
        return Slip("reading", deed(self.question, self.other), self.value, why=why)
