"""Units in which numbers are put into a formula as they stand, so that nothing needs converting.

Amounts of data come in one unit for the whole formula, such as GB, and rates in GB/s with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from ddcalc.numbers.approximate import ratio
from ddcalc.numbers.dimension import DATA, ONE, TIME, Dimension
from ddcalc.numbers.number import Number
from ddcalc.numbers.units import BYTE, SECOND, UNITS, Unit, base_unit

PREFIXED: Final = tuple(UNITS[name] for name in ("PB", "TB", "GB", "MB", "kB", "B"))
LEAST: Final = Fraction(1, 1000)  # of such a unit, that is still put in as a decimal of it


def data_unit(amounts: Mapping[str, tuple[Number, Dimension]]) -> Unit:
    """The unit for all data in *amounts* (base units): the largest that leaves none tiny."""
    sizes = [max(value, -value) for value, what in amounts.values() if what.data and value]
    if not sizes or any(what.data.denominator > 1 for _, what in amounts.values()):
        return BYTE
    most, least = max(sizes), min(sizes)
    fitting = [unit for unit in PREFIXED if most >= unit.worth and least >= LEAST * unit.worth]
    return fitting[0] if fitting else BYTE


def worth(what: Dimension, data: Unit) -> Number:
    """What one unit of *what* is worth in base units where data come in *data*."""
    return Fraction(data.worth) ** int(what.data)


def unit_of(what: Dimension, data: Unit) -> Unit:
    """The unit in which *what* comes out where data come in *data* and times in seconds."""
    if what == DATA:
        return data
    if what == DATA / TIME:
        return data.per(SECOND)
    return base_unit(what)


def is_plain(what: Dimension, data: Unit) -> bool:
    """Whether :func:`unit_of` has a unit with a name, and a worth that fits."""
    return what in (ONE, TIME, DATA, DATA / TIME) or worth(what, data) == 1


def put_in(
    amounts: Mapping[str, tuple[Number, Dimension]], what: Dimension
) -> tuple[dict[str, Number], Unit]:
    """*amounts* (base units) as numbers of fitting units, and the unit of what comes out."""
    data = data_unit(amounts)
    if not is_plain(what, data):
        data = BYTE
    numbers = {
        name: ratio(value, worth(dimension, data)) for name, (value, dimension) in amounts.items()
    }
    return numbers, unit_of(what, data)


def fitting(value: Number, own: Unit) -> Unit:
    """The unit in which *value* is told of a quantity in its *own*: GB for very many bytes."""
    if own.dimension not in (DATA, DATA / TIME):
        return own
    return put_in({"": (value, own.dimension)}, own.dimension)[1]
