"""What a question states that does not count under its choices, and under which it would."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ddcalc.ask.working import working
from ddcalc.errors import DdcalcError
from ddcalc.formula.algebra import Boundary, Eq, Least
from ddcalc.formula.expression import Expr, symbols
from ddcalc.memory import remembered
from ddcalc.problem.plan import KEPT
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.sentences import series
from ddcalc.problem.stated import Stated

FEW = 3  # options that are named
LEAST = 2  # members of a list that is taken to be stated

Kind = type[Problem]


@dataclass(frozen=True, slots=True)
class Unused:
    """The given or choice *name* is stated, but does not count; *says* with which option it would.

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
    problem, shape, said = stated.problem, stated.shape, stated.said
    if read is None:
        return _of_shape(problem, _shortened(shape), said)
    counted = {*read} | (_uses(problem, shape).counted if problem.symbolic else set())
    left = [name for name in stated.measured if name in said and name not in counted]
    left += [name for name in problem.choices if name in said and name in idle]
    is_long = long or any(length > KEPT for _, length in shape.lengths)
    return _rows(problem, shape, left, None if is_long else partial(_counts_played, stated))


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
    """The same of equations, which is alike for all numbers."""
    words = dict(shape.words)
    names = (name for name in (*problem.givens, *problem.choices) if name in said - words.keys())
    left = [name for name in names if not _counts(problem, shape, name)]
    checked = _uses(problem, shape).checked
    return _rows(problem, shape, left, partial(_counts, problem), checked)


def _rows(
    problem: Kind,
    shape: Shape,
    left: list[str],
    counts: Callable[[Shape, str], bool] | None,
    checked: Collection[str] = (),
) -> tuple[Unused, ...]:
    """What is said of the names that are *left* over in *shape*, some of which are *checked*."""
    usual = {name for name, option in shape.reading if option == problem.choices[name].default}
    rows = []
    for name in left:
        head = "only checked" if name in checked else "not used"
        why = _why(problem, shape, name, counts) if counts else "here"
        rows.append(Unused(name, f"{head} {why}", name not in {*usual, *checked}))
    return tuple(rows)


def _why(problem: Kind, shape: Shape, name: str, counts: Callable[[Shape, str], bool]) -> str:
    """The choice some of whose other options, or the given without which, *name* does not count."""
    for choice, mine in shape.reading:
        if choice == name:
            continue
        options = [option for option in problem.choices[choice].options if option != mine]
        shapes = {
            option: _complete(problem, shape.with_choice(choice, option)) for option in options
        }
        others = [option for option, other in shapes.items() if counts(other, name)]
        if others:
            spelt = series([option.replace("_", "-") for option in others], "or")
            but = f", but with {spelt}" if len(others) <= FEW else ""
            return f"with {choice} {mine}".replace("_", "-") + but
    for other, given in problem.givens.items():
        is_missing = given.optional and other not in shape.stated
        if is_missing and counts(_complete(problem, _stating(problem, shape, [other])), name):
            return f"without {other.replace('_', '-')}"
    return "here"


def _complete(problem: Kind, shape: Shape) -> Shape:
    """*shape* with what it needs besides."""
    while groups := problem.unmet(shape):
        shape = _stating(problem, shape, [group[0] for group in groups])
    return shape


def _stating(problem: Kind, shape: Shape, more: list[str]) -> Shape:
    """*shape* with some *more* givens stated."""
    stated, lengths = {*shape.stated, *more}, dict(shape.lengths)
    for given in map(problem.givens.__getitem__, more):
        if given.many == "list":
            alike = (n for key, n in lengths.items() if problem.givens[key].of == given.of)
            lengths[given.name] = next(alike, LEAST) if given.of else LEAST
    names = tuple(name for name in problem.givens if name in stated)
    return replace(shape, stated=names, lengths=tuple(lengths.items()))


def _counts(problem: Kind, shape: Shape, name: str) -> bool:
    """Whether quantities rest on the given *name*, or another option of that choice makes other
    equations."""
    if name in problem.givens:
        return name in _uses(problem, shape).counted
    options = problem.choices[name].options
    shapes = [_complete(problem, shape.with_choice(name, option)) for option in options]
    return len({_content(problem, other) for other in shapes}) > 1


def _counts_played(stated: Stated, shape: Shape, name: str) -> bool:
    """Whether the play of *stated* in another *shape* asks for the given *name*, or is changed by
    that choice."""
    if not stated.problem.is_played(shape):
        return name in _uses(stated.problem, shape).counted
    if not {*shape.stated} <= stated.measured.keys():
        return False  # it needs more numbers than there are
    try:
        other = working(replace(stated, shape=shape))
    except DdcalcError:
        return False
    return name not in other.idle if name in stated.problem.choices else name in (other.read or ())


def _shortened(shape: Shape) -> Shape:
    """*shape* with short lists for very long ones, which make the same equations."""
    lengths = ((name, length if length <= KEPT else LEAST) for name, length in shape.lengths)
    return replace(shape, lengths=tuple(lengths))


@remembered
def _uses(problem: Kind, shape: Shape) -> Uses:
    """What the equations of *shape* use, and its conditions besides."""
    question = problem(shape)
    rules, tests, ranked = _content(problem, shape)
    counted = {letter for _, rule in rules for letter in symbols(rule)}
    counted |= {letter for _, time in ranked for letter in symbols(time)}
    checked = {letter for test in tests for letter in symbols(test)} - counted
    origin = question.origin
    counted_names, checked_names = (
        frozenset(origin[letter][0].name for letter in letters if letter in origin)
        for letters in (counted, checked)
    )
    return Uses(counted_names, checked_names)


Content = tuple[tuple[tuple[str, Expr], ...], tuple[Expr, ...], tuple[tuple[str, Expr], ...]]


@remembered
def _content(problem: Kind, shape: Shape) -> Content:
    """What the equations of *shape* say in symbols, its conditions, and what it ranks."""
    question = problem(shape)
    ranked = (one for ranking in question.rankings() for one in ranking.times.items())
    tests = (condition.relation for condition in question.conditions())
    return tuple(_rules(question)), tuple(tests), tuple(ranked)


def _rules(question: Problem) -> Iterator[tuple[str, Expr]]:
    """What the equations say, whatever kind of rule it is, under the letter that it defines."""
    for name, rule, _ in question.equations():
        symbol = question.symbols[name]
        pairs = zip(symbol, rule, strict=True) if isinstance(symbol, tuple) else [(symbol, rule)]
        for letter, single in pairs:
            match single:
                case Eq(left, right) | Boundary(left, right) | Least(left, right):
                    yield from ((letter.name, part) for part in (left, right))
                case _:
                    yield letter.name, single
