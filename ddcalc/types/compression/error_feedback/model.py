"""The same gradient compressed step after step: what arrives, and what error feedback keeps."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number
from ddcalc.types.compression._vectors import Vector, less, squared
from ddcalc.types.compression.error_feedback.question import Repeated


@dataclass(frozen=True, slots=True)
class Sending:
    """One step: what is to be *sent* and what was kept before make up *wanted*; *kept* is left."""

    wanted: Vector
    sent: Vector
    kept: Vector


@dataclass(frozen=True)
class Feedback:
    """The gradient of *question*, compressed in each of its rounds."""

    question: Repeated

    @cached_property
    def sendings(self) -> tuple[Sending, ...]:
        """The steps, with error feedback."""
        gradient, sendings = self.question.gradient, []
        kept: Vector = (0,) * len(gradient)
        for _ in range(self.question.rounds):
            wanted = tuple(v + m for v, m in zip(gradient, kept, strict=True))
            sent = self.question.compress(wanted)
            kept = less(wanted, sent)
            sendings.append(Sending(wanted, sent, kept))
        return tuple(sendings)

    @property
    def kept(self) -> Vector:
        """What is kept after the last step."""
        return self.sendings[-1].kept

    @cached_property
    def missing(self) -> Number:
        """The square of that."""
        return squared(self.kept)

    @cached_property
    def arrived(self) -> Vector:
        """All that has arrived, added up."""
        columns = zip(*(sending.sent for sending in self.sendings), strict=True)
        return tuple(sum(column, start=Fraction(0)) for column in columns)

    @cached_property
    def largest(self) -> Number:
        """The largest square of what was kept after any step."""
        return max(squared(sending.kept) for sending in self.sendings)

    @cached_property
    def square(self) -> Number:
        """The square of the gradient's length."""
        return squared(self.question.gradient)

    @cached_property
    def lost(self) -> Number:
        """The square of what one step loses if nothing is kept."""
        gradient = self.question.gradient
        return squared(less(gradient, self.question.compress(gradient)))

    @property
    def missing_without(self) -> Number:
        """The square of what would be missing in the end if nothing were kept."""
        return self.question.rounds**2 * self.lost

    @property
    def share(self) -> Fraction:
        """What compression keeps at least, of any vector's square."""
        return Fraction(self.question.kept or 1, len(self.question.gradient))

    @property
    def bound(self) -> Number:
        """The largest square of what may be kept."""
        return 4 * (1 - self.share) / (self.share * self.share) * self.square
