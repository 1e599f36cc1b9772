"""The same gradient compressed step after step: what arrives, and what error feedback keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number
from ddcalc.types.compression._rounding import Vector, signs, squared, two_means
from ddcalc.types.compression._sparse import Sparse


@dataclass(frozen=True, slots=True)
class Sending:
    """One step: what is to be *sent* and what was kept before make up *wanted*; *kept* is left."""

    wanted: Vector
    sent: Vector
    kept: Vector


@dataclass(frozen=True)
class Feedback:
    """A *gradient* that is to be sent in each of so many *steps*; *compress* says what arrives."""

    gradient: Vector
    steps: int
    compress: Callable[[Vector], Vector]

    @cached_property
    def sendings(self) -> tuple[Sending, ...]:
        """The steps, with error feedback."""
        kept: Vector = (0,) * len(self.gradient)
        found = []
        for _ in range(self.steps):
            wanted = tuple(v + m for v, m in zip(self.gradient, kept, strict=True))
            sent = self.compress(wanted)
            kept = tuple(v - q for v, q in zip(wanted, sent, strict=True))
            found.append(Sending(wanted, sent, kept))
        return tuple(found)

    @cached_property
    def kept(self) -> Vector:
        """What is kept after the last step."""
        return self.sendings[-1].kept

    @cached_property
    def arrived(self) -> Vector:
        """All that has arrived, added up."""
        columns = zip(*(each.sent for each in self.sendings), strict=True)
        return tuple(sum(column, start=Fraction(0)) for column in columns)

    @property
    def due(self) -> Vector:
        """All that was to be sent, added up."""
        return tuple(self.steps * value for value in self.gradient)

    @property
    def largest(self) -> Number:
        """The largest square of what was kept after any step."""
        return max(squared(each.kept) for each in self.sendings)

    @property
    def missing_without(self) -> Number:
        """The square of what would be missing in the end if nothing were kept."""
        sent = self.compress(self.gradient)
        lost = [v - q for v, q in zip(self.gradient, sent, strict=True)]
        return self.steps**2 * squared(lost)


def compressor(method: str, kept: int) -> Callable[[Vector], Vector]:
    """What arrives of a vector: the *kept* largest values (top_k), or signs with their size."""
    if method == "top_k":
        return lambda values: Sparse("top_k", values, kept, ()).sent
    return signs if method == "sign" else two_means
