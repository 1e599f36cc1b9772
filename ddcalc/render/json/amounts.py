"""Amounts for scripts: one number in one unit, as a float, exactly, and as people read it.

Here alone it is decided what ``value``, ``exact``, ``unit`` and ``text`` are, for every format and
verb; so the four always agree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ddcalc.formula.expression import Expr, Number
from ddcalc.numbers.approximate import Approximate
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import quotient, spelt
from ddcalc.numbers.units import Unit
from ddcalc.problem.steps import Value
from ddcalc.render.formula import code
from ddcalc.render.story import value_text


def amount(value: Value, unit: Unit) -> dict[str, Any]:
    """*value*, in base units, told in *unit*.

    ``value`` is a float (null where it is symbolic, too large for one, or missing), ``exact`` a
    fraction or a formula (null where it is rounded or missing).
    """
    number: float | None = None
    exact: str | None = None
    if value is None or isinstance(value, Expr):
        told = value if value is None or unit.worth == 1 else value / unit.worth
        text = value_text(told, unit)
        exact = None if told is None else code(told)
    else:
        number, exact, text = _number(value.numerator, value.denominator, unit.worth, unit.name)
        if type(value) is Approximate:
            exact, text = None, quantity_text(value, unit)
    return {"value": number, "exact": exact, "unit": unit.name, "text": text}


@lru_cache(maxsize=1 << 14)  # the same numbers come again and again in a batch
def _number(top: int, bottom: int, worth: Number, name: str) -> tuple[float | None, str, str]:
    """The number of units of that *worth*, called *name*: as a float, exactly, and for people."""
    told = quotient(top * worth.denominator, bottom * worth.numerator)
    try:
        value = float(told)
    except OverflowError:
        value = None
    text = quantity_text(told, None)
    return value, spelt(told), f"{text} {name}" if name else text
