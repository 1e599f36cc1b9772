"""A vector of which only some values are sent, and how far that is from it."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number
from ddcalc.types.compression._vectors import Compressed, Vector, largest, only
from ddcalc.types.compression.sparsify.question import Sparsifying


class Sparse(Compressed):
    """The vector of *question*, and what arrives of it: the values at the places *chosen*, from 0
    and in order, times *factor*, which makes the mean over all draws right."""

    def __init__(self, question: Sparsifying) -> None:
        self.question, self.vector, self.kept = question, question.sample.vector, question.kept
        self.factor: Number = Fraction(len(self.vector), self.kept) if self.unbiased else 1

    @property
    def random(self) -> bool:
        return self.question.method != "top_k"

    @property
    def unbiased(self) -> bool:
        return self.question.method == "unbiased"

    @cached_property
    def chosen(self) -> tuple[int, ...]:
        """The places of the values that are sent."""
        if not self.random:
            return largest(self.vector, self.kept)
        order = sorted(range(len(self.vector)), key=lambda i: self.question.draws[i])
        return tuple(sorted(order[: self.kept]))

    @cached_property
    def sent(self) -> Vector:
        return only(self.vector, self.chosen, self.factor)

    @property
    def expected_error(self) -> Number:
        share = Fraction(self.kept, len(self.vector))  # every value is as likely to be sent
        if not self.random:
            return self.error
        return (1 / share - 1 if self.unbiased else 1 - share) * self.square
