"""What quantities measure: products of powers of time, data, money and operations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ddcalc.numbers.number import Number


@dataclass(frozen=True, slots=True)
class Dimension:
    """What a quantity measures: a product of powers of time, data, money and operations."""

    time: Number = 0
    data: Number = 0
    money: Number = 0
    work: Number = 0

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(
            self.time + other.time,
            self.data + other.data,
            self.money + other.money,
            self.work + other.work,
        )

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, exponent: Number) -> Dimension:
        return Dimension(
            self.time * exponent,
            self.data * exponent,
            self.money * exponent,
            self.work * exponent,
        )

    def __str__(self) -> str:
        """In words, for example "data/time" or "a plain number"."""
        powers = [("operations", self.work), ("data", self.data)]
        powers += [("money", self.money), ("time", self.time)]
        return in_words(powers, "1") if self != ONE else "a plain number"


def in_words(powers: Iterable[tuple[str, Number]], nothing: str) -> str:
    """A product of *powers*, each a name with its exponent; *nothing* stands above a bare slash.

    >>> in_words([("B", 1), ("s", -2)], "1")
    'B/s^2'
    """
    told = [*powers]
    over = [_power(name, exponent) for name, exponent in told if exponent > 0]
    under = [_power(name, -exponent) for name, exponent in told if exponent < 0]
    below = "·".join(under) if len(under) < 2 else f"({'·'.join(under)})"
    return f"{'·'.join(over) or nothing}{'/' if under else ''}{below}"


def _power(name: str, exponent: Number) -> str:
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


ONE = Dimension()
TIME = Dimension(time=1)
DATA = Dimension(data=1)
MONEY = Dimension(money=1)
WORK = Dimension(work=1)
