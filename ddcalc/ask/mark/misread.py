"""Givens whose unit is mistaken: bits taken as bytes, milliseconds as seconds, kB as KiB."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ddcalc.formula.expression import Number
from ddcalc.numbers.number import in_units, product
from ddcalc.numbers.units import UNITS, Measured, Unit
from ddcalc.problem.quantity import Given
from ddcalc.problem.stated import Stated

# What a unit is mistaken for: the other size of a byte's prefix, and bits for bytes.
_PREFIXES = {"kB": "KiB", "MB": "MiB", "GB": "GiB", "TB": "TiB"}
_BITS = {"B": "bit", "kB": "kbit", "MB": "Mbit", "GB": "Gbit", "TB": "Tbit"}
_MISTAKEN: dict[str, list[str]] = {}
for _table in (_PREFIXES, _BITS):
    for _one, _other in _table.items():
        _MISTAKEN.setdefault(_one, []).append(_other)
        _MISTAKEN.setdefault(_other, []).append(_one)


@dataclass(frozen=True, slots=True)
class Misread:
    """The given *name*, whose number was taken to be in another *unit*, and so to be *value*."""

    given: Given
    measured: Measured
    unit: Unit
    value: Number


def misread(stated: Stated) -> Iterator[Misread]:
    """Every given with its unit mistaken, in each way."""
    for name, given in stated.problem.givens.items():
        measured = stated.measured.get(name)
        if isinstance(measured, Measured) and measured.value and not measured.bare:
            number = in_units(measured.value, measured.unit.worth)
            for unit in _mistaken(measured.unit, given.unit):
                yield Misread(given, measured, unit, product(number, unit.worth))


def _mistaken(unit: Unit, usual: Unit) -> Iterator[Unit]:
    """The units that *unit* is mistaken for; a quotient in its first one."""
    over_, slash, under = unit.name.partition("/")
    for name in _MISTAKEN.get(over_, ()):
        yield UNITS[name].per(UNITS[under]) if slash else UNITS[name]
    if unit.worth != usual.worth:
        yield usual
