"""What a question states that does not count under its choices, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebra import Boundary, Eq, Least, Rule
from ddcalc.formula.expression import Expr, symbols
from ddcalc.memory import remembered
from ddcalc.problem.plan import KEPT
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.sentences import series
from ddcalc.problem.stated import Stated

FEW = 3  # options that are named
LEAST = 2  # members of a list that is taken to be stated

Kind = type[Problem]
Counts = Callable[[Shape], bool]  # whether something counts in questions of a shape


@dataclass(frozen=True, slots=True)
class Unused:
    """The given or choice *name* is stated, but does not count; *says* under which conditions.

    It deserves a note (*noted*), unless it was at least checked, or is the usual reading anyway.
    """

    name: str
    says: str
    noted: bool = True


class Uses(NamedTuple):
    """The givens on which quantities rest, and those that conditions alone compare with others."""

    counted: frozenset[str]
    checked: frozenset[str]


def unused(
    stated: Stated,
    read: Collection[str] | None = None,
    idle: Collection[str] = (),
    *,
    long: bool = False,
) -> tuple[Unused, ...]:
    """Everything that the question states without effect, in the order of declaration.

    Where equations do not say everything, *read* are the givens that a play asked for, and *idle*
    the choices that it says change nothing. A *long* play is not played again for the reason.
    """
    if read is None:
        return _of_shape(stated.problem, _shortened(stated.shape), stated.said)
    problem, shape = stated.problem, stated.shape
    counted = {*read}
    if problem.symbolic:
        counted |= _uses(problem, shape).counted
    names = [name for name in stated.measured if name in stated.said and name not in counted]
    names += [name for name in problem.choices if name in stated.said and name in idle]
    usual = {name for name, option in shape.reading if option == problem.choices[name].default}

    def why(name: str) -> str:
        return "not used here" if long else _why(problem, shape, name, _playing(stated, name))

    return tuple(Unused(name, why(name), noted=name not in usual) for name in names)


def idle(stated: Stated, read: Collection[str] | None = None) -> set[str]:
    """The givens with a usual value, not stated, on which nothing rests; *read* as above."""
    usual = {name for name in stated.measured if name not in stated.said}
    if not usual:
        return usual
    used = {*(read or ())}
    if stated.problem.symbolic:
        used.update(*_uses(stated.problem, _shortened(stated.shape)))
    return usual - used


@remembered
def _of_shape(problem: Kind, shape: Shape, said: frozenset[str]) -> tuple[Unused, ...]:
    uses, words = _uses(problem, shape), dict(shape.words)
    rows: list[Unused] = []
    for name in problem.givens:
        if name in said and name not in uses.counted and name not in words:
            checked = name in uses.checked
            head = "only checked" if checked else "not used"
            why = _why(problem, shape, name, _counting(problem, name), head)
            rows.append(Unused(name, why, noted=not checked))
    for name, choice in problem.choices.items():
        decides = _deciding(problem, name)
        if name in said and not decides(shape):
            usual = (name, choice.default) in shape.reading
            rows.append(Unused(name, _why(problem, shape, name, decides), noted=not usual))
    return tuple(rows)


def _shortened(shape: Shape) -> Shape:
    """*shape* with short lists for very long ones, which make the same equations."""
    lengths = ((name, length if length <= KEPT else LEAST) for name, length in shape.lengths)
    return replace(shape, lengths=tuple(lengths))


@remembered
def _uses(problem: Kind, shape: Shape) -> Uses:
    """What the equations of *shape* use, and its conditions besides."""
    question = problem(shape)
    origin = question.origin
    counted = {letter for _, rule in _rules(question) for letter in symbols(rule)}
    for ranking in question.rankings():
        counted.update(letter for time in ranking.times.values() for letter in symbols(time))
    tests = [condition.relation for condition in question.conditions()]
    checked = {letter for test in tests for letter in symbols(test)}
    parts = (counted, checked - counted)
    return Uses(*(frozenset(origin[ln][0].name for ln in part if ln in origin) for part in parts))


def _rules(question: Problem) -> Iterator[tuple[str, Expr]]:
    """What the equations say, whatever kind of rule it is, under the letter that it defines."""
    for name, rule, _ in question.equations():
        symbol = question.symbols[name]
        pairs = zip(symbol, rule, strict=True) if isinstance(symbol, tuple) else [(symbol, rule)]
        for letter, single in pairs:
            yield from ((letter.name, part) for part in _parts(single))


def _parts(rule: Rule) -> tuple[Expr, ...]:
    match rule:
        case Eq(left, right):
            return left, right
        case Boundary(unknown, relation):
            return unknown, relation
        case Least(relation, boundary):
            return relation, boundary
    return (rule,)


def _counting(problem: Kind, name: str) -> Counts:
    """Whether quantities rest on the given *name*."""
    return lambda shape: name in _uses(problem, shape).counted


def _deciding(problem: Kind, name: str) -> Counts:
    """Whether another option of the choice *name* makes other equations."""

    def decides(shape: Shape) -> bool:
        mine = _content(problem, shape)
        options = problem.choices[name].options
        others = (_complete(problem, shape.with_choice(name, option)) for option in options)
        return any(_content(problem, other) != mine for other in others)

    return decides


@remembered
def _content(problem: Kind, shape: Shape) -> tuple[object, ...]:
    """All that the equations and conditions of *shape* say in symbols."""
    question = problem(shape)
    ranked = [(ranking.by, tuple(ranking.times.items())) for ranking in question.rankings()]
    tests = [condition.relation for condition in question.conditions()]
    return tuple(_rules(question)), tuple(tests), tuple(ranked)


def _playing(stated: Stated, name: str) -> Counts:
    """Whether the play of another shape, with the same numbers, asks for the given *name*, or is
    changed by the choice *name*."""

    def asks(shape: Shape) -> bool:
        if not stated.problem.is_played(shape):
            return name in _uses(stated.problem, shape).counted
        if not {*shape.stated} <= {*stated.measured}:  # it needs more numbers than there are
            return False
        left = {*stated.shape.stated} - {*shape.stated}
        measured = {key: value for key, value in stated.measured.items() if key not in left}
        try:
            other = working(replace(stated, shape=shape, measured=measured))
        except DdcalcError:
            return False
        if name in stated.problem.choices:
            return name not in other.idle
        return name in (other.read or ())

    return asks


def _why(problem: Kind, shape: Shape, name: str, counts: Counts, head: str = "not used") -> str:
    """Which choice, which other given, or the lack of which one keeps *name* from counting."""
    if any(length > KEPT for _, length in shape.lengths):
        return f"{head} here"
    if why := _choosing(problem, shape, name, lambda s: s.stated == shape.stated, counts):
        return f"{head} {why}"
    for other in shape.stated:
        less = _complete(problem, _without(shape, other))
        if other != name and other not in less.stated and counts(less):
            return f"{head}, as {_spelt(other)} is stated"
    missing = [n for n, given in problem.givens.items() if given.optional and n not in shape.stated]
    completed = [(n, _complete(problem, _with(problem, shape, n))) for n in missing]
    for other, more in sorted(completed, key=lambda pair: len(pair[1].stated)):  # the fewest first
        if counts(more):
            return f"{head} without {_spelt(other)}"
    return f"{head} {_choosing(problem, shape, name, lambda _: True, counts) or 'here'}"


def _choosing(problem: Kind, shape: Shape, name: str, fits: Counts, counts: Counts) -> str:
    """The choice some of whose other options, in shapes that fit, would make *name* count."""
    for choice, mine in shape.reading:
        if choice == name:
            continue
        others = []
        for option in problem.choices[choice].options:
            other = _complete(problem, shape.with_choice(choice, option))
            if option != mine and fits(other) and counts(other):
                others.append(_spelt(option))
        if others:
            but = f", but with {series(others, 'or')}" if len(others) <= FEW else ""
            return f"with {_spelt(choice)} {_spelt(mine)}{but}"
    return ""


def _complete(problem: Kind, shape: Shape) -> Shape:
    """*shape* with what it needs besides."""
    while groups := problem.unmet(shape):
        for group in groups:
            shape = _with(problem, shape, group[0])
    return shape


def _with(problem: Kind, shape: Shape, name: str) -> Shape:
    """*shape* with the given *name* stated too."""
    given = problem.givens[name]
    stated = tuple(key for key in problem.givens if key in {*shape.stated, name})
    if given.many != "list":
        return replace(shape, stated=stated)
    alike = [length for key, length in shape.lengths if problem.givens[key].of == given.of]
    length = alike[0] if given.of and alike else LEAST
    return replace(shape, stated=stated, lengths=(*shape.lengths, (name, length)))


def _without(shape: Shape, name: str) -> Shape:
    """*shape* without the given *name*."""
    return replace(
        shape,
        stated=tuple(key for key in shape.stated if key != name),
        lengths=tuple(pair for pair in shape.lengths if pair[0] != name),
        words=tuple(pair for pair in shape.words if pair[0] != name),
    )


def _spelt(name: str) -> str:
    return name.replace("_", "-")
