"""Equations as sides: what stands on each, and the sign before it. Nothing here has a look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ddcalc.formula.expression import Expr, Num, Number, Sym, symbols
from ddcalc.formula.letters import SIGNS
from ddcalc.numbers.approximate import Approximate, ratio
from ddcalc.numbers.display import ABOUT, fraction_text, number_text
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Bound, Compare, Define, Solve, Value
from ddcalc.render.notation import Notation, unbroken
from ddcalc.render.notation.plain import text

NOTHING = Notation.nothing
SHORT_FRACTION = 13  # characters of a fraction that is shown beside its rounded decimal


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression with *numbers* put in for some of its letters."""

    expr: Expr
    numbers: Mapping[str, Number] = field(default_factory=dict)

    def __str__(self) -> str:
        return unbroken(text(self.expr, self.numbers))


@dataclass(frozen=True, slots=True)
class Amount:
    """A *number* as it is displayed, with the name of its *unit* (may be empty)."""

    number: str
    unit: str = ""

    def __str__(self) -> str:
        return f"{self.number} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Side:
    """A side of an equation or chain, and the sign before it (none before the first one)."""

    sign: str
    what: Formula | Amount
    reason: str = ""


Sides = tuple[Side, ...]


def equation(step: Define) -> Sides:
    """``symbol = formula = numbers = value``, without repeated sides."""
    sides = [Side("", Formula(Sym(step.symbol)))]
    if not _is_rounded(step.applied):
        sides.append(Side("=", Formula(step.applied)))
        sides.append(_in_numbers(step.applied, step.numbers))
    return _without_repeats([*sides, *_outcome(step)])


def _is_rounded(formula: Expr) -> bool:
    """Whether *formula* is a number alone that is not written exactly: the value says the same."""
    if not isinstance(formula, Num):
        return False
    return type(formula.value) is Approximate or str(Formula(formula)).startswith(ABOUT)


def solution(step: Solve) -> Sides:
    """``unknown > symbol = formula = numbers = value``; empty where the relation has none."""
    if step.op is None:
        return ()
    sides = [Side("", Formula(Sym(step.unknown)))]
    sign = SIGNS[step.op]
    if step.symbol != step.unknown:
        sides.append(Side(sign, Formula(Sym(step.symbol))))
        sign = "="
    sides += [Side(sign, Formula(step.formula)), _in_numbers(step.formula, step.numbers)]
    return _without_repeats([*sides, *_outcome(step)])


def _outcome(step: Define | Solve) -> list[Side]:
    """The value as the numbers give it, and in the quantity's own unit if that is another one."""
    direct = value_sides(step.value, step.direct)
    return direct if step.direct == step.unit else direct + value_sides(step.value, step.unit)


def _in_numbers(formula: Expr, numbers: Mapping[str, Number]) -> Side:
    """The side with the numbers put in, about equal where one of them is rounded."""
    used = (numbers.get(letter) for letter in symbols(formula))
    about = any(type(number) is Approximate for number in used)
    return Side("≈" if about else "=", Formula(formula, numbers))


def comparison(step: Compare) -> Sides:
    """``left in numbers = left value > right value = right in numbers``."""
    left, right = Formula(step.relation.left, step.numbers), value_sides(step.left, step.unit)[-1:]
    over = value_sides(step.right, step.unit)[-1]
    sides = [Side("", right[0].what)] if _same(left, right[0].what) else [Side("", left), *right]
    sides.append(Side(SIGNS[step.relation.op], over.what))
    other = Formula(step.relation.right, step.numbers)
    if not _same(other, over.what):
        sides.append(Side(over.sign, other))
    return tuple(sides)


def chain(step: Bound) -> Sides:
    """The subject and its links, each with its reason."""
    links = (Side(link.op, Formula(link.expr), link.reason) for link in step.links)
    return (Side("", Formula(step.subject)), *links)


def value_sides(value: Value, unit: Unit) -> list[Side]:
    """What a value is equal to: a decimal, or a short fraction and what it is about."""
    if value is None:
        return [Side("=", Amount(NOTHING))]
    if isinstance(value, Expr):
        return [Side("=", Formula(value))]
    value = ratio(value, unit.worth)
    decimal, exact = number_text(value)
    if exact:
        return [Side("=", Amount(decimal, unit.name))]
    about = Side("≈", Amount(decimal, unit.name))
    fraction = fraction_text(value)
    if fraction.startswith(ABOUT) or len(fraction) > SHORT_FRACTION:
        return [about]
    return [Side("=", Amount(fraction, unit.name)), about]


def _without_repeats(sides: Sequence[Side]) -> Sides:
    """*sides* without those that show what the next one shows, which may have a unit."""
    kept = [sides[0]]
    for side in sides[1:]:
        if len(kept) > 1 and _same(kept[-1].what, side.what):
            before = kept.pop().sign
            side = Side(side.sign if before == "=" else before, side.what, side.reason)
        kept.append(side)
    return tuple(kept)


def _same(one: Formula | Amount, other: Formula | Amount) -> bool:
    """Whether two sides show the same, apart from a unit."""
    return _bare(one) == _bare(other)


def _bare(what: Formula | Amount) -> str:
    return what.number if isinstance(what, Amount) else str(what)
