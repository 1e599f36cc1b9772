"""Slips at the end: another result of the same question is answered instead."""

from __future__ import annotations

from collections.abc import Iterator

from ddcalc.ask.mark.floats import near
from ddcalc.ask.mark.question import Question, Target
from ddcalc.ask.mark.slip import Pieces, Slip, Suspect
from ddcalc.ask.solve import Result
from ddcalc.formula.expression import Expr, Number, Sym
from ddcalc.numbers.number import in_units, plain, product
from ddcalc.problem.quantity import Derived, Quantity

LONGEST = 12  # members of a list that are looked at


def suspects(question: Question, target: Target) -> Iterator[Suspect]:
    """The values of all other derived quantities, members of lists last."""
    declared, quantities = question.problem.quantities, question.solved.quantities
    for name in sorted(quantities, key=lambda name: isinstance(quantities[name], tuple)):
        told = quantities[name]
        if isinstance(declared[name], Derived):
            for result in told[:LONGEST] if isinstance(told, tuple) else (told,):
                if result.symbol != target.letter and result.value is not None:
                    yield from _suspect(question, target, declared[name], result)


def _suspect(
    question: Question, target: Target, quantity: Quantity, result: Result
) -> Iterator[Suspect]:
    if result.value is None or isinstance(result.value, Expr):
        return
    value = _as_number_of(target, quantity, result.value)

    def slip() -> Slip:
        number = question.number(quantity.name)
        of = f" of step {number}" if number else ""
        deed: Pieces = (f"giving {quantity.called} (", Sym(result.symbol), f"){of}")
        asked: Pieces = (f"Asked is {target.quantity.called}",)
        last = question.number(target.name)
        return Slip("result", deed, value, why=(*asked, f" (step {last})" if last else ""))

    yield Suspect("result", near(value), slip)


def _as_number_of(target: Target, quantity: Quantity, value: Number) -> Number:
    """*value* as it is, or what its number would be in the unit of *target*."""
    if quantity.unit.dimension == target.unit.dimension:
        return plain(value)
    return product(in_units(value, quantity.unit.worth), target.unit.worth)
