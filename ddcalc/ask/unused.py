"""What a question states that does not count under its choices."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ddcalc.errors import BadValue
from ddcalc.formula.algebra import Rule
from ddcalc.formula.expression import Rel
from ddcalc.memory import remembered
from ddcalc.problem.plan import KEPT, plan
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.stated import Stated
from ddcalc.problem.stated_formulas import told_in

LEAST = 2  # members of a list that is taken to be stated

Kind = type[Problem]


@dataclass(frozen=True, slots=True)
class Unused:
    """The given or choice *name* is stated, but does not count; *says* so.

    It deserves a note (*noted*), unless it is the usual reading anyway.
    """

    name: str
    says: str
    noted: bool = True


def unused(
    stated: Stated, read: Collection[str] | None = None, idle: Collection[str] = ()
) -> tuple[Unused, ...]:
    """Everything that the question states without effect, in the order of declaration.

    Where equations do not say everything, *read* are the givens that a play asked for, and *idle*
    the choices that it says change nothing.
    """
    problem, shape = stated.problem, stated.shape
    said = stated.said - {name for one in problem.givens.values() for name in one.speaks_of}
    said -= {name for *_, says in problem.own_steps for name in told_in(says)}
    if read is None:
        return _of_shape(problem, _shortened(shape), said)
    counted = {*read} | (_uses(problem, shape) if problem.symbolic else set())
    left = [name for name in stated.measured if name in said and name not in counted]
    left += [name for name in problem.choices if name in said and name in idle]
    return _rows(problem, shape, left)


def idle(stated: Stated, read: Collection[str] | None = None) -> set[str]:
    """The givens with a usual value, not stated, on which nothing rests; *read* as above."""
    usual = {name for name in stated.measured if name not in stated.said}
    if not usual:
        return usual
    used = {*(read or ())}
    if stated.problem.symbolic:
        used |= _uses(stated.problem, _shortened(stated.shape))
    return usual - used


@remembered
def _of_shape(problem: Kind, shape: Shape, said: frozenset[str]) -> tuple[Unused, ...]:
    """The same of equations, which is alike for all numbers."""
    uses, words = _uses(problem, shape), dict(shape.words)
    left = [name for name in problem.givens if name in said and name not in {*uses, *words}]
    content = _content(problem, shape)
    for name in (name for name in problem.choices if name in said):
        others = (shape.with_choice(name, x) for x in problem.choices[name].options)
        if not any(problem.unmet(one) or _content(problem, one) != content for one in others):
            left.append(name)  # no other option makes other equations, or needs more
    return _rows(problem, shape, left)


def _rows(problem: Kind, shape: Shape, left: list[str]) -> tuple[Unused, ...]:
    """What is said of the names that are *left* over in *shape*."""
    usual = {name for name, option in shape.reading if option == problem.choices[name].default}
    return tuple(Unused(name, "not used here", name not in usual) for name in left)


def _shortened(shape: Shape) -> Shape:
    """*shape* with short lists for very long ones, which make the same equations."""
    lengths = ((name, length if length <= KEPT else LEAST) for name, length in shape.lengths)
    return shape._replace(lengths=tuple(lengths))


@remembered
def _uses(problem: Kind, shape: Shape) -> frozenset[str]:
    """The givens on which quantities rest by the equations of *shape*."""
    question = problem(shape)
    rules = (rule for _, rule, _ in question.equations())
    return frozenset(name for rule in rules for name in question.stands_on(rule))


def _content(problem: Kind, shape: Shape) -> tuple[list[tuple[str, Rule]], list[Rel]] | None:
    """What the equations of *shape* say, by letter, and its conditions; None where a formula of the
    question speaks of what does not follow there."""
    try:
        made = plan(problem, shape)
    except BadValue:
        return None
    return [(line.symbol, line.rule) for line in made.lines], [x.relation for x in made.conditions]
