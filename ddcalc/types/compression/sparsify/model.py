"""A vector of which only some values are sent, and how far that is from it."""

from __future__ import annotations

from fractions import Fraction

from ddcalc.numbers.number import Number
from ddcalc.types.compression._vectors import Compressed, largest, only
from ddcalc.types.compression.sparsify.question import Sparsifying


class Sparse(Compressed):
    """The vector of *question*, and what arrives of it: the values at the places *chosen*, from 0
    and in order, times *factor*, which makes the mean over all draws right."""

    def __init__(self, question: Sparsifying) -> None:
        super().__init__(question.sample)
        self.question, self.kept = question, question.kept
        self.random = question.method != "top_k"
        self.unbiased = question.method == "unbiased"
        size = len(self.vector)
        self.factor: Number = Fraction(size, self.kept) if self.unbiased else 1
        if self.random:
            order = sorted(range(size), key=lambda i: question.draws[i])
            self.chosen = tuple(sorted(order[: self.kept]))
        else:
            self.chosen = largest(self.vector, self.kept)
        self.sent = only(self.vector, self.chosen, self.factor)
        share = Fraction(self.kept, size)  # every value is as likely to be sent
        mean = (1 / share - 1 if self.unbiased else 1 - share) * self.square
        self.expected_error = mean if self.random else self.error
