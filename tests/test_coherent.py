"""Units in which numbers are put into formulas: what comes out needs no converting."""

from __future__ import annotations

from fractions import Fraction

import pytest

from ddcalc.numbers.number import Number
from ddcalc.numbers.units import DATA, ONE, TIME, Dimension, put_in

RATE = DATA / TIME
Amounts = dict[str, tuple[Number, Dimension]]

# amounts in base units, what comes out; the numbers put in, the unit that comes out
CASES: list[tuple[Amounts, Dimension, dict[str, Number], str]] = [
    (
        {"S": (1_200_000_000, DATA), "b": (12_500_000_000, RATE)},
        TIME,
        {"S": Fraction(6, 5), "b": Fraction(25, 2)},
        "s",
    ),
    (
        {"S": (300_000, DATA), "b": (50_000_000_000, RATE), "a": (Fraction(1, 500), TIME)},
        TIME,
        {"S": Fraction(3, 10), "b": 50_000, "a": Fraction(1, 500)},
        "s",
    ),
    ({"S": (2**30, DATA)}, DATA, {"S": Fraction(2**30, 10**9)}, "GB"),
    ({"S": (64, DATA), "n": (3, ONE)}, DATA, {"S": 64, "n": 3}, "B"),
    ({"S": (0, DATA), "b": (4_000, RATE)}, TIME, {"S": 0, "b": 4}, "s"),
    ({"S": (5_000, DATA), "t": (2, TIME)}, RATE, {"S": 5, "t": 2}, "kB/s"),
    ({"S": (5_000, DATA), "b": (8_000, RATE)}, DATA**2, {"S": 5_000, "b": 8_000}, ""),
    ({"n": (76_800, ONE), "t": (4, TIME)}, TIME, {"n": 76_800, "t": 4}, "s"),
    ({}, ONE, {}, ""),
]


@pytest.mark.parametrize(("amounts", "what", "numbers", "unit"), CASES)
def test_numbers_fit_together(
    amounts: Amounts, what: Dimension, numbers: dict[str, Number], unit: str
) -> None:
    found, told = put_in(amounts, what)
    assert found == numbers
    assert told.dimension == what
    assert told.name == unit or not unit


def test_rates_and_amounts_come_out_right() -> None:
    """A quotient of the numbers, in the unit told, is the quotient of the amounts."""
    size, rate = Fraction(7_340_032), Fraction(25_000_000_000)
    numbers, unit = put_in({"S": (size, DATA), "b": (rate, RATE)}, TIME)
    assert numbers["S"] / numbers["b"] * unit.worth == size / rate
    numbers, unit = put_in({"t": (3, TIME), "b": (rate, RATE)}, DATA)
    assert numbers["t"] * numbers["b"] * unit.worth == 3 * rate
