"""What a question states that does not count under its choices, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from ddcalc.errors import DdcalcError
from ddcalc.formula.algebra import Boundary, Eq, Least, Rule
from ddcalc.formula.expression import Expr, symbols
from ddcalc.memory import remembered
from ddcalc.problem.plan import KEPT
from ddcalc.problem.play import played
from ddcalc.problem.problem import Problem, Shape
from ddcalc.problem.stated import Stated

FEW = 3  # options that are named
LEAST = 2  # members of a list that is taken to be stated

Kind = type[Problem]
Counts = Callable[[Shape], bool]  # whether something counts in questions of a shape


@dataclass(frozen=True, slots=True)
class Unused:
    """The given or choice *name* is stated, but does not count; *says* under which conditions.

    It is worth to be *noted*, unless it was at least checked, or is the usual reading anyway.
    """

    name: str
    says: str
    noted: bool = True


@dataclass(frozen=True, slots=True)
class Uses:
    """The givens on which quantities rest, and those that conditions alone compare with others."""

    counted: frozenset[str]
    checked: frozenset[str] = frozenset()


def unused(
    stated: Stated,
    read: Collection[str] = (),
    idle: Collection[str] = (),
    *,
    long: bool = False,
) -> tuple[Unused, ...]:
    """Everything that the question states without effect, in the order of declaration.

    Of a type that is played, *read* are the givens that the play asked for, and *idle* the choices
    that it says change nothing. A *long* play is not played again for the reason.
    """
    if not stated.is_played:
        return _of_shape(stated.problem, _shortened(stated.shape), stated.said)
    counted = {*read}
    if stated.problem.symbolic:
        counted |= _uses(stated.problem, stated.shape).counted
    problem, shape = stated.problem, stated.shape
    names = [name for name in stated.measured if name in stated.said and name not in counted]
    usual = {name for name, option in shape.reading if option == problem.choices[name].default}
    names += [name for name in problem.choices if name in stated.said and name in idle]

    def why(name: str) -> str:
        return "not used here" if long else _why(problem, shape, name, _playing(stated, name))

    return tuple(Unused(name, why(name), noted=name not in usual) for name in names)


def idle(stated: Stated, read: Collection[str] = ()) -> set[str]:
    """The givens with a usual value, not stated, on which nothing rests; *read* as above."""
    usual = {name for name in stated.measured if name not in stated.said}
    if not usual:
        return usual
    used = {*read}
    if stated.problem.symbolic:
        uses = _uses(stated.problem, _shortened(stated.shape))
        used |= uses.counted | uses.checked
    return usual - used


@remembered
def _of_shape(problem: Kind, shape: Shape, said: frozenset[str]) -> tuple[Unused, ...]:
    return tuple(_found(problem, shape, said))


def _found(problem: Kind, shape: Shape, said: frozenset[str]) -> Iterator[Unused]:
    uses, words = _uses(problem, shape), dict(shape.words)
    for name in problem.givens:
        if name in said and name not in uses.counted and name not in words:
            checked = name in uses.checked
            head = "only checked" if checked else "not used"
            why = _why(problem, shape, name, _counting(problem, name), head)
            yield Unused(name, why, noted=not checked)
    for name in problem.choices:
        decides = _deciding(problem, name)
        if name in said and not decides(shape):
            usual = (name, problem.choices[name].default) in shape.reading
            yield Unused(name, _why(problem, shape, name, decides), noted=not usual)


def _shortened(shape: Shape) -> Shape:
    """*shape* with short lists for very long ones, which make the same equations."""
    lengths = ((name, length if length <= KEPT else LEAST) for name, length in shape.lengths)
    return replace(shape, lengths=tuple(lengths))


def _is_large(shape: Shape) -> bool:
    return any(length > KEPT for _, length in shape.lengths)


@remembered
def _uses(problem: Kind, shape: Shape) -> Uses:
    """What the equations of *shape* use, and its conditions besides."""
    asked = problem(shape)
    counted = {letter for _, rule in _rules(asked) for letter in symbols(rule)}
    for ranking in asked.rankings():
        counted.update(letter for time in ranking.times.values() for letter in symbols(time))
    checked = {letter for each in asked.conditions() for letter in symbols(each.relation)}
    return Uses(_givens(asked, counted), _givens(asked, checked - counted))


def _givens(asked: Problem, letters: Collection[str]) -> frozenset[str]:
    return frozenset(asked.origin[letter][0].name for letter in letters if letter in asked.origin)


def _rules(asked: Problem) -> Iterator[tuple[str, Expr]]:
    """What the equations say, whatever kind of rule it is, under the letter that it defines."""
    for symbol, rule, *_ in asked.equations():
        symbols_of = symbol if isinstance(symbol, tuple) else (symbol,)
        rules = [rule] if isinstance(rule, Rule) else rule
        for each, one in zip(symbols_of, rules, strict=True):
            yield from ((each.name, part) for part in _parts(one))


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
    asked = problem(shape)
    ranked = [(each.by, tuple(each.times.items())) for each in asked.rankings()]
    return tuple(_rules(asked)), tuple(each.relation for each in asked.conditions()), tuple(ranked)


def _playing(stated: Stated, name: str) -> Counts:
    """Whether the play of another shape, with the same numbers, asks for the given *name*, or is
    changed by the choice *name*."""

    def asks(shape: Shape) -> bool:
        if not stated.problem.is_played(shape):
            return name in _uses(stated.problem, shape).counted
        if not {*shape.stated} <= {*stated.measured}:  # it needs more numbers than there are
            return False
        left = {*stated.shape.stated} - {*shape.stated}
        numbers = {each: told for each, told in stated.measured.items() if each not in left}
        try:
            outcome = played(replace(stated, shape=shape, measured=numbers))
        except DdcalcError:
            return False
        if name in stated.problem.choices:
            return name not in outcome.idle
        return name in outcome.read

    return asks


def _why(problem: Kind, shape: Shape, name: str, counts: Counts, head: str = "not used") -> str:
    """Which choice, which other given, or the lack of which one keeps *name* from counting."""
    if _is_large(shape):
        return f"{head} here"
    if told := _choosing(problem, shape, name, lambda each: each.stated == shape.stated, counts):
        return f"{head} {told}"
    for other in shape.stated:
        less = _complete(problem, _without(shape, other))
        if other != name and other not in less.stated and counts(less):
            return f"{head}, as {_spelt(other)} is stated"
    for other, given in problem.givens.items():
        if given.optional and other not in shape.stated and counts(_with(problem, shape, other)):
            return f"{head} without {_spelt(other)}"
    return f"{head} {_choosing(problem, shape, name, lambda _: True, counts) or 'here'}"


def _choosing(problem: Kind, shape: Shape, name: str, fits: Counts, counts: Counts) -> str:
    """The choice some of whose other options, in shapes that fit, would make *name* count."""
    for choice, mine in shape.reading:
        if choice == name:
            continue
        shapes = {
            each: _other(problem, shape, choice, each)
            for each in problem.choices[choice].options
            if each != mine
        }
        others = [each for each, other in shapes.items() if fits(other) and counts(other)]
        if others:
            told = f", but with {_joined(others)}" if len(others) <= FEW else ""
            return f"with {_spelt(choice)} {_spelt(mine)}{told}"
    return ""


def _other(problem: Kind, shape: Shape, choice: str, option: str) -> Shape:
    return _complete(problem, shape.with_choice(choice, option))


def _complete(problem: Kind, shape: Shape) -> Shape:
    """*shape* with what it needs besides."""
    while groups := problem.unmet(shape):
        for group in groups:
            shape = _with(problem, shape, group[0])
    return shape


def _with(problem: Kind, shape: Shape, name: str) -> Shape:
    """*shape* with the given *name* stated too."""
    given = problem.givens[name]
    stated = tuple(each for each in problem.givens if each in {*shape.stated, name})
    if given.many != "list":
        return replace(shape, stated=stated)
    alike = [length for each, length in shape.lengths if problem.givens[each].of == given.of]
    length = alike[0] if given.of and alike else LEAST
    return replace(shape, stated=stated, lengths=(*shape.lengths, (name, length)))


def _without(shape: Shape, name: str) -> Shape:
    """*shape* without the given *name*."""
    return replace(
        shape,
        stated=tuple(each for each in shape.stated if each != name),
        lengths=tuple(each for each in shape.lengths if each[0] != name),
        words=tuple(each for each in shape.words if each[0] != name),
    )


def _spelt(name: str) -> str:
    return name.replace("_", "-")


def _joined(options: list[str]) -> str:
    *others, last = map(_spelt, options)
    return f"{', '.join(others)} or {last}" if others else last
