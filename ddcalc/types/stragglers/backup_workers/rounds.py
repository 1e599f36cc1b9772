"""How many gradients a second a round yields that waits for the k fastest, whatever the times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.approximate import error_of, ratio
from ddcalc.numbers.number import Number


@dataclass(frozen=True)
class Rounds:
    """Rounds whose k-th fastest worker takes waits[k−1] on average, and *fixed* besides (s)."""

    waits: Sequence[Number]
    fixed: Number

    def length(self, k: int) -> Number:
        """The expected time of a round that waits for *k* workers (s)."""
        return self.fixed + self.waits[k - 1]

    @cached_property
    def rates(self) -> tuple[Number, ...]:
        """Gradients a second in the long run (k in each round), for k = 1, 2, …"""
        return tuple(ratio(k, self.length(k)) for k in range(1, len(self.waits) + 1))

    @cached_property
    def best(self) -> tuple[int, ...]:
        """Each k with the most gradients a second; of rounded rates, as far as their digits say."""
        most = max(map(Fraction, self.rates))
        off = 2 * max(map(error_of, self.rates))
        return tuple(
            k
            for k, rate in enumerate(self.rates, 1)
            if most - Fraction(rate) <= most * Fraction(off)
        )
