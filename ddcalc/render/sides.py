"""Equations as sides: what stands on both sides of their signs, and with which numbers put in.

Nothing here has a look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ddcalc.formula.evaluation import evaluate, is_decided
from ddcalc.formula.expression import SIGNS, Expr, Fun, Num, Rel, Sized, Sym, letters, nodes
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import Amount, amount, apart, in_unit
from ddcalc.numbers.irrational import Approximate
from ddcalc.numbers.units import DATA, PERCENT, SHARE, Unit, base_unit
from ddcalc.problem.said.steps import NUMBER, Bound, Compare, Define, PutIn, Value
from ddcalc.problem.stated_formulas import is_side
from ddcalc.render.notation import Notation, unbroken
from ddcalc.render.notation.plain import text

if TYPE_CHECKING:
    from ddcalc.problem.said.speaker import Filled


@dataclass(slots=True)  # these are not frozen: a page makes very many, and that takes half as long
class ShownFormula:
    """An expression with *numbers* put in for some of its letters."""

    expr: Expr
    numbers: Mapping[str, PutIn] = field(default_factory=dict)
    _marked: str = field(default="", init=False, repr=False, compare=False)

    def __str__(self) -> str:
        return unbroken(self.marked)

    @property
    def marked(self) -> str:
        """The text, with marks where a line may break."""
        if not self._marked:
            self._marked = text(self.expr, self.numbers)
        return self._marked


@remembered
def letter(name: str) -> ShownFormula:
    """A quantity's letter alone."""
    return ShownFormula(Sym(name))


NO_VALUE = Amount(Notation.nothing, "", True, 0, 0)


@dataclass(slots=True)
class Side:
    """A side of an equation or chain, and the sign before it (none before the first one). Where not
    all of them fit on a line, the *spare* one of 1 is left out, else that of 2, else that of 3."""

    sign: str
    what: ShownFormula | Amount
    reason: str = ""
    spare: int = 0


Sides = tuple[Side, ...]
Piece = str | Sides  # words, or a formula among words
Pieces = tuple[Piece, ...]


def equation(step: Define) -> Sides:
    """``symbol = formula = numbers = terms = value``, without repeated sides, and without a symbol
    where there is none, or a side of a relation is told; a formula that was just derived, or is
    the title, is not repeated either."""
    sides = [Side("=", letter(name)) for name in (*step.also, step.symbol)]
    sides[0], is_titled = replace(sides[0], sign=""), is_side(step.name)
    if step.open:
        formula = step.applied if is_decided(step.formula) else step.formula
        made = [] if step.parts is None else [in_numbers(step.parts, step.terms)]
        left = [] if made and is_titled else [Side("=", ShownFormula(formula))]
        return _without_repeats([*sides, *left, *made], is_titled)
    if not isinstance(step.applied, Num):
        if not (step.told or is_titled or _is_derived(step)):
            sides.append(Side("=", ShownFormula(step.applied)))
        if step.unit != SHARE or not isinstance(step.applied, Sym):  # a part is put in as a number
            numbers = in_numbers(step.applied, step.numbers)
            sides.append(replace(numbers, spare=2 * (step.parts is not None and not step.told)))
        if step.parts is not None:
            is_bound = any(isinstance(part, Fun) for part in nodes(step.parts))
            spare = 3 * (not step.told) if is_bound else 1
            sides.append(replace(in_numbers(step.parts, step.terms), spare=spare))
    put = step.numbers.values()
    bare = bool(put) and not any(isinstance(one, Amount) and one.unit for one in put)
    bare = bare and step.unit.dimension != DATA and step.unit not in (SHARE, PERCENT)  # bits over 8
    bare = bare and not any(isinstance(part, Sized) for part in nodes(step.applied))
    unit = base_unit(step.unit.dimension) if bare and step.unit.name else step.unit
    sides.append(value_side(step.value, unit, not bare))
    near = {x: put.near if isinstance(put, Amount) else put for x, put in step.numbers.items()}
    is_put = near.keys() >= {*letters(step.applied)}  # numbers that may come to the value itself
    is_rounded = any(one.sign == "≈" for one in sides[:-1])
    if is_rounded and not (is_put and evaluate(step.applied, near) == step.value):
        both = zip(sides, ["", *(one.sign for one in sides)], strict=False)
        sides = [replace(one, sign="≈") if before == "≈" else one for one, before in both]
    return _without_repeats(sides, is_titled or not step.symbol)


def _is_derived(step: Define) -> bool:
    """Whether the last line of the argument is the formula itself."""
    if not step.argument or not step.numbers:
        return False
    last = step.argument[-1].formula
    return last in (step.applied, Rel("==", Sym(step.symbol), step.applied))


def again(step: Define, numbers: bool = True, spare: int = 1) -> Sides:
    """An equation whose formula stood: ``symbol = numbers = value``, or without *numbers*, or the
    side that is so *spare*; of an open one what it is as a sum."""
    if is_side(step.name):
        return equation(replace(step, name="", symbol="", told=False))
    sides = tuple(x for x in equation(step) if step.open or x.spare != (spare or None))
    place = len(step.also) + 1
    if not numbers:
        is_exact = getattr(sides[-1].what, "exact", True)
        return (*sides[:place], replace(sides[-1], sign="=" if is_exact else "≈"))
    is_formula = str(sides[place].what) == str(ShownFormula(step.applied))
    return sides[:place] + sides[place + (is_formula and len(sides) > place + 1) :]


def unworked(step: Define) -> Sides:
    """``symbol = formula``."""
    fixed = {name: put for name, put in step.numbers.items() if name.startswith(NUMBER)}
    return Side("", letter(step.symbol)), Side("=", ShownFormula(step.applied, fixed))


def in_numbers(formula: Expr, numbers: Mapping[str, PutIn]) -> Side:
    """The side with the numbers put in, about equal where one of them is rounded."""
    used = [numbers[name] for name in letters(formula) if name in numbers]
    about = (not x.exact if isinstance(x, Amount) else type(x) is Approximate for x in used)
    return Side("≈" if any(about) else "=", ShownFormula(formula, numbers))


def comparison(step: Compare) -> Sides:
    """``left in numbers = left value < right value = right in numbers``, as it is true."""
    amounts = apart(step.left, step.right, step.unit)
    values = [Side("=" if one.exact else "≈", one) for one in amounts]
    left, right = (in_numbers(side, step.numbers) for side in step.relation.parts())
    sides = [replace(left, sign="")]
    if isinstance(step.relation.left, Num) or str(left.what) == str(values[0].what):
        sides = [replace(values[0], sign="")]
    else:
        sides.append(values[0])
    sides.append(Side(_true_sign(step), values[1].what))
    if not (isinstance(step.relation.right, Sym | Num) or str(right.what) == str(values[1].what)):
        sides.append(right if values[1].sign == "=" else replace(right, sign="≈"))
    return tuple(sides)


def _true_sign(step: Compare) -> str:
    """How the two sides of a comparison really are to each other."""
    if step.holds:
        return SIGNS[step.relation.op]
    if step.left == step.right:
        return "="
    return "<" if step.left < step.right else ">"


def chain(step: Bound) -> Sides:
    """The subject and its links, each with its reason."""
    links = (Side(link.op, ShownFormula(link.expr), link.reason) for link in step.links)
    return (Side("", ShownFormula(step.subject)), *links)


def value_side(value: Value, unit: Unit, fitting: bool = True) -> Side:
    """What a value is equal to, in the unit that is *fitting*, else in *unit* itself."""
    if isinstance(value, Expr):
        return Side("=", ShownFormula(value))
    if value is None:
        return Side("=", NO_VALUE)
    shown = amount(value, unit) if fitting else in_unit(value, unit)
    return Side("=" if shown.exact else "≈", shown)


def _without_repeats(sides: Sequence[Side], is_headless: bool) -> Sides:
    """*sides* without those that show what the next one shows, which may have a unit, and without
    the first one if they are *headless*."""
    kept, shown = [sides[0]], ""
    for side in sides[1:]:
        before, shown = shown, str(side.what)
        if len(kept) > 1 and before == shown:
            sign = kept.pop().sign
            side = replace(side, sign=side.sign if sign == "=" else sign, spare=0)
        kept.append(side)
    return (replace(kept[1], sign=""), *kept[2:]) if is_headless else tuple(kept)


# Formulas among words


def cell(content: str | Expr) -> Pieces:
    """A cell of a table: words, or a formula."""
    return (content,) if isinstance(content, str) else (alone(content),)


def sentence(filled: Filled) -> Pieces:
    """A sentence, with formulas where its numbers are open."""
    return tuple(piece if isinstance(piece, str) else alone(piece) for piece in filled)


def joined(every: Iterable[Pieces], between: str = ", ") -> Pieces:
    """*every* one of some things, with *between* between two of them."""
    return tuple(piece for one in every for piece in (between, *one))[1:]


def alone(expr: Expr) -> Sides:
    """*expr* as a formula among words."""
    return (Side("", ShownFormula(expr)),)


def symbol(name: str) -> Pieces:
    """A quantity's letter as a formula among words."""
    return ((Side("", letter(name)),),)
