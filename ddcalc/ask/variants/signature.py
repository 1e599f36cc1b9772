"""What makes a question as difficult as another one: the cases that its numbers lead into.

For equations these are the branches and ties of every distinction, the members that make a maximum,
and which quotients come out whole. What is played shows what is zero, equal or without a value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from ddcalc.ask.variants.clean import is_near
from ddcalc.ask.working import Working
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import Cases, Expr, Fun, Number, Rel
from ddcalc.numbers.approximate import DOUBLING, is_power2
from ddcalc.problem.plan import plan
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value

Known = Mapping[str, Number | None]
PLAYED = 4  # times that a result of what is played may be larger or smaller
COUNTED = 2  # times that it may be if it counts what happens: that makes a schedule long


def signature(stated: Stated, worked: Working) -> tuple[Hashable, ...]:
    """The cases that *stated*, which came to *worked*, leads into."""
    if stated.is_played:
        return tuple(_of_play(stated, worked))
    return tuple(_of_equations(stated, worked))


def as_large(base: Working, other: Working, strict: bool) -> bool:
    """Whether the results of two plays are about as large; counts are closer if it is *strict*."""
    counted = COUNTED if strict else PLAYED
    pairs = ((value, other.values.get(name)) for name, value in base.values.items())
    return all(is_near(v, its, counted if isinstance(v, int) else PLAYED) for v, its in pairs)


def _of_equations(stated: Stated, worked: Working) -> Iterator[Hashable]:
    equations = plan(stated.problem, stated.shape)
    known = equations.letters(stated, worked.values)
    for line in equations.lines:
        yield from _decisions(line.formula, known)
        yield _sign(known[line.symbol])


def _decisions(expr: Expr, known: Known) -> Iterator[Hashable]:
    match expr:
        case Cases(cases, otherwise):
            for case in cases:
                yield _tie(case.test, known)
                if evaluate(case.test, known):
                    yield from _decisions(case.value, known)
                    return
            yield from _decisions(otherwise, known)
            return
        case Fun("floor" | "ceiling", (arg,)):
            yield evaluate(arg, known) == evaluate(expr, known)
        case Fun(name, (arg,)) if name in DOUBLING:
            yield is_power2(evaluate(arg, known))
        case Fun("max" | "min", args) if len(args) > 1:
            values = [evaluate(arg, known) for arg in args]
            yield tuple(value == evaluate(expr, known) for value in values)
        case Fun("argmax"):
            yield evaluate(expr, known)
    for part in expr.parts():
        yield from _decisions(part, known)


def _tie(test: Rel, known: Known) -> int:
    """Which side of *test* is the larger one: 1 the left, -1 the right, 0 neither."""
    left, right = evaluate(test.left, known), evaluate(test.right, known)
    return int(left > right) - int(left < right)


def _of_play(stated: Stated, worked: Working) -> Iterator[Hashable]:
    values = worked.values
    for value in values.values():
        yield tuple(map(_sign, value)) if isinstance(value, tuple) else _sign(value)
    numbers = [
        (name, value)
        for name, value in values.items()
        if value is not None and not isinstance(value, tuple | Expr)
    ]
    declared = stated.problem.quantities
    for i, (name, value) in enumerate(numbers):
        for other, its in numbers[:i]:
            if declared[name].unit.dimension == declared[other].unit.dimension:
                yield value == its


def _sign(value: Value) -> Hashable:
    """The sign of a number, the kind of a formula, or that there is none."""
    if value is None or isinstance(value, Expr):
        return type(value).__name__
    return int(value > 0) - int(value < 0)
