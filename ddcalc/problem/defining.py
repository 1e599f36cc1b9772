"""Steps that define a quantity of what is played."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.formula.expression import Expr, Nothing, Num
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import base_unit
from ddcalc.problem.quantity import Derived
from ddcalc.problem.steps import Define


def defined(
    quantity: Derived,
    value: Number | None,
    formula: Expr | None = None,
    numbers: Mapping[str, Number] | None = None,
    why: str = "",
    symbol: str = "",
) -> Define:
    """*quantity* (or its member *symbol*) is worth *value* by *formula*, without one as counted.

    *numbers* are the values of the formula's letters, in base units. Without *why* the reason is
    the quantity's own.
    """
    unit = quantity.unit
    if formula is None:
        formula = Nothing() if value is None else Num(value)
    return Define(
        name=quantity.name,
        symbol=symbol or quantity.letter,
        title=quantity.title,
        why=why or quantity.why,
        unit=unit,
        formula=formula,
        applied=formula,
        numbers=numbers or {},
        value=value,
        direct=unit if unit.worth == 1 else base_unit(unit.dimension),
    )
