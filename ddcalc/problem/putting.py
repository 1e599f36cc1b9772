"""Numbers put into formulas: each with its unit, in digits that lead to the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Final

from ddcalc.formula.algebra import total
from ddcalc.formula.coherence import dimension_of
from ddcalc.formula.evaluation import evaluate
from ddcalc.formula.expression import (
    Expr,
    Known,
    Nothing,
    Num,
    Number,
    Rel,
    Sym,
    letters,
    signed_terms,
)
from ddcalc.memory import remembered
from ddcalc.numbers.amounts import ROUNDED, Amount, amount, common, in_unit, like_stated
from ddcalc.numbers.units import COUNT, PERCENT, SECOND, SHARE, UNITS, Unit, base_unit
from ddcalc.problem.problem import Problem
from ddcalc.problem.steps import PutIn

FINER: Final = (ROUNDED, 6, 9, 12, 15)  # digits of the numbers, until they lead to the result
NEAR: Final = Fraction(1, 2000)  # how far what is calculated with them may be off
BYTE_RATE: Final = UNITS["B"].per(SECOND)
FOLLOWED: Final = 100  # numbers in a formula that somebody may work out again
TERMS: Final = 4  # of a sum whose terms are worked out one by one


@remembered
def units_of(problem: Problem, rate: Unit) -> Mapping[str, Unit]:
    """The unit of each letter of *problem*, where rates are stated in *rate*."""
    return {letter: like_stated(q.unit, (rate,)) for letter, (q, _) in problem.origin.items()}


@remembered
def unit_of(problem: Problem, rate: Unit, formula: Expr) -> Unit:
    """The base unit of what *formula* comes to, likewise."""
    units = units_of(problem, rate)
    return base_unit(dimension_of(formula, {name: unit.dimension for name, unit in units.items()}))


def put_in(
    formula: Expr, known: Known, units: Mapping[str, Unit], stated: Mapping[str, Unit] | None = None
) -> dict[str, PutIn]:
    """The values of the letters in *formula*, in the units that fit or those *stated*.

    A letter whose unit is not known may stand for anything: then all are plain numbers, in base
    units.
    """
    values = ((letter, known.get(letter)) for letter in letters(formula))
    numbers = {letter: value for letter, value in values if value is not None}
    units = {letter: unit for letter in numbers if (unit := _unit_of(letter, units))}
    if not numbers.keys() <= units.keys():
        units, stated = dict.fromkeys(numbers, COUNT), None

    def shown(letter: str, value: Number, digits: int) -> Amount:
        if stated and letter in stated:
            return amount(value, stated[letter], stated=True, digits=digits)
        return amount(value, _plain(units[letter]), digits=digits)

    return {**_led(formula, numbers, shown)}


def _led(
    formula: Expr, numbers: Mapping[str, Number], shown: Callable[[str, Number, int], Amount]
) -> dict[str, Amount]:
    """The *numbers* by letter as they are *shown* in as many digits as lead to the result."""
    amounts: dict[str, Amount] = {}
    for digits in FINER:
        amounts = {letter: shown(letter, value, digits) for letter, value in numbers.items()}
        is_exact = all(one.exact for one in amounts.values())
        if len(numbers) > FOLLOWED or is_exact or _leads(formula, numbers, amounts):
            break
    return amounts


def _unit_of(letter: str, units: Mapping[str, Unit]) -> Unit | None:
    """The unit of a letter, or of a member of what it is of: ``T_1`` is a time if ``T`` is."""
    return units.get(letter) or units.get(letter.rstrip("0123456789").removesuffix("_"))


def _plain(unit: Unit) -> Unit:
    """The unit in which a quantity is put in: a share is a number like others there."""
    return COUNT if unit == SHARE else unit


def summed(formula: Expr, known: Known, unit: Unit) -> tuple[Expr | None, dict[str, PutIn]]:
    """A sum of few terms with each of them worked out, an amount in *unit* each; None where that
    adds nothing."""
    parts = _parts(formula) if unit.name else None
    terms = [term for _, term in signed_terms(formula)]
    is_change = unit in (SHARE, PERCENT) and any(isinstance(one, Num) for one in terms)
    if parts is None or is_change:  # 115 % − 100 %
        return None, {}
    values: dict[str, Number] = {}
    for i, term in enumerate(terms):
        if any(known.get(letter) is None for letter in letters(term)):
            return None, {}
        value = evaluate(term, known)
        if not isinstance(value, int | Fraction) or not value:
            return None, {}
        values[f"term_{i}"] = value
    every = [*values.values(), evaluate(parts, values)]
    one = common(every, unit)
    show = partial(in_unit, unit=one) if one else partial(amount, unit=unit)
    return parts, {**_led(parts, values, lambda _, value, digits: show(value, digits=digits))}


@remembered
def _parts(formula: Expr) -> Expr | None:
    """A sum of few terms, not all of them alone, with a letter for each."""
    terms = signed_terms(formula)
    if not 2 <= len(terms) <= TERMS or all(isinstance(term, Sym | Num) for _, term in terms):
        return None
    signed = ((negative, Sym(f"term_{i}")) for i, (negative, _) in enumerate(terms))
    return total(-letter if negative else letter for negative, letter in signed)


def _leads(formula: Expr, numbers: Mapping[str, Number], amounts: Mapping[str, Amount]) -> bool:
    """Whether the numbers as they are written lead to the result, but for its last digits."""
    if isinstance(formula, Nothing) or not numbers.keys() >= {*letters(formula)}:
        return True
    written = {letter: one.near for letter, one in amounts.items()}
    sides = formula.parts() if isinstance(formula, Rel) else (formula,)
    for side in sides:
        try:
            exact, near = evaluate(side, numbers), evaluate(side, written)
        except (ArithmeticError, TypeError, ValueError):
            return False
        if not isinstance(exact, int | Fraction) or not isinstance(near, int | Fraction):
            return True
        off = Fraction(near) - Fraction(exact)
        if (off if off > 0 else -off) > NEAR * (exact if exact > 0 else -exact):
            return False
    return True
