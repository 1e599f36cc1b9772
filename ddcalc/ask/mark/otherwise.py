"""The question under its other readings, one choice at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ddcalc.ask.working import working
from ddcalc.errors import BadValue, NoAnswer, OverLimit
from ddcalc.formula.expression import Expr
from ddcalc.numbers.number import plain
from ddcalc.problem.plan import Values
from ddcalc.problem.shape import Shape
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value


@dataclass(frozen=True, slots=True)
class Otherwise:
    """The question with one *choice* read as another *option*, and all its *values*."""

    stated: Stated
    choice: str
    option: str
    values: Values


def otherwise(stated: Stated, behind: str = "") -> Iterator[Otherwise]:
    """The question under every other reading that admits it; none of what takes long to play.

    With a choice to be *behind*, only the choices declared after that one are read differently.
    """
    order = list(stated.problem.choices)
    choices = order[order.index(behind) + 1 :] if behind else order
    played = {(choice, option) for choice, option, _ in working(stated).others()}
    for choice, option, shape in stated.problem.neighbours(stated.shape):
        if choice in choices and (choice, option) in played and (found := _values(stated, shape)):
            yield Otherwise(replace(stated, shape=shape), choice, option, found)


def member(value: Value | tuple[Value, ...], at: int | None) -> Value:
    """The value, or the one numbered *at* of a list, a plain number; None where there is none."""
    if isinstance(value, tuple):
        value = value[at - 1] if at is not None and at <= len(value) else None
    elif at is not None:
        return None
    return value if value is None or isinstance(value, Expr) else plain(value)


def _values(stated: Stated, shape: Shape) -> Values | None:
    try:
        return working(replace(stated, shape=shape)).values
    except (BadValue, NoAnswer, OverLimit):
        return None
