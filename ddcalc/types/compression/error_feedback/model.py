"""The same gradient compressed step after step: what arrives, and what error feedback keeps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ddcalc.types.compression._vectors import Vector, less, squared
from ddcalc.types.compression.error_feedback.question import Repeated


@dataclass(frozen=True, slots=True)
class Sending:
    """One step: what is to be *sent* and what was kept before make up *wanted*; *kept* is left."""

    wanted: Vector
    sent: Vector
    kept: Vector


class Feedback:
    """The gradient of *question*, compressed in each of its rounds: the *sendings*, with error
    feedback.

    All that has *arrived* is less than all gradients by what is *kept* after the last one, the
    square of which is *missing*; *largest* is the most that this was after any. One round without
    error feedback has *lost* so much, the square of its *lost_part*. Compression keeps a *share* of
    any vector's square at least, so that what is kept has a *bound*.
    """

    def __init__(self, question: Repeated) -> None:
        self.question, gradient = question, question.gradient
        self.sendings = tuple(_sent(question))
        self.kept = self.sendings[-1].kept
        self.missing = squared(self.kept)
        self.largest = max(squared(sending.kept) for sending in self.sendings)
        columns = zip(*(sending.sent for sending in self.sendings), strict=True)
        self.arrived = tuple(sum(column, start=Fraction(0)) for column in columns)
        self.square = squared(gradient)
        self.lost_part = less(gradient, question.compress(gradient))
        self.lost = squared(self.lost_part)
        self.missing_without = question.rounds**2 * self.lost
        self.share = Fraction(question.kept or 1, len(gradient))
        self.bound = 4 * (1 - self.share) / (self.share * self.share) * self.square

    @property
    def repeats(self) -> tuple[int, ...]:
        """The first two steps after which the same is kept (0: before the first), if any."""
        seen: dict[Vector, int] = {(Fraction(0),) * len(self.kept): 0}
        for step, sending in enumerate(self.sendings, 1):
            if sending.kept in seen:
                return seen[sending.kept], step
            seen[sending.kept] = step
        return ()


def _sent(question: Repeated) -> Iterator[Sending]:
    kept: Vector = (0,) * len(question.gradient)
    for _ in range(question.rounds):
        wanted = tuple(v + m for v, m in zip(question.gradient, kept, strict=True))
        sent = question.compress(wanted)
        kept = less(wanted, sent)
        yield Sending(wanted, sent, kept)
