"""The same question with other numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ddcalc.ask.working import Working, working
from ddcalc.errors import BadValue
from ddcalc.numbers.display import quantity_text
from ddcalc.numbers.number import Number, in_units
from ddcalc.numbers.units import Measured
from ddcalc.problem.stated import Stated
from ddcalc.problem.steps import Value


def restated(stated: Stated, values: Mapping[str, Number]) -> Stated:
    """*stated* with other *values* (base units) of givens, or of members of lists (``finish[2]``).

    The shape stays; a given that the question leaves out cannot be stated here.
    Raises BadValue where a given does not admit its value, as reading its text would.
    """
    measured = dict(stated.measured)
    names = set()
    for key, value in values.items():
        name, _, index = key.partition("[")
        before = measured.get(name)
        if index and isinstance(before, tuple):
            at = int(index[:-1]) - 1
            made = _measured(stated, name, before[at], value)
            measured[name] = (*before[:at], made, *before[at + 1 :])
        elif before is None or isinstance(before, tuple):
            raise BadValue(name, "is not stated as one value").about(name)
        else:
            measured[name] = _measured(stated, name, before, value)
        names.add(name)
    return replace(stated, measured=measured, said=stated.said | names)


def reworked(stated: Stated, values: Mapping[str, Number]) -> Working:
    """The working of *stated* with other *values*, whatever the kind of its type."""
    return working(restated(stated, values))


def answer(stated: Stated, values: Mapping[str, Number], name: str = "") -> Value:
    """What quantity *name* (else the one asked for) of *stated* is worth with other *values*."""
    worked = reworked(stated, values)
    value = worked.values[name or worked.answer]
    assert not isinstance(value, tuple)
    return value


def _measured(stated: Stated, name: str, before: Measured, value: Number) -> Measured:
    text = quantity_text(quotient_in(value, before), None)
    stated.problem.givens[name].check(text, value)
    return Measured(value, before.unit, before.bare, f"{text} {before.unit.name}".strip())


def quotient_in(value: Number, measured: Measured) -> Number:
    """*value* (base units) as a number of the unit in which *measured* was written."""
    return in_units(value, measured.unit.worth)
