"""A batch that grows by equal increments, each after equally many samples."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from ddcalc.numbers.number import Number, plain


@dataclass(frozen=True, slots=True)
class Level:
    """A number of *updates* with one *batch*, the first one after *consumed* samples."""

    consumed: Number
    batch: int
    updates: int


@dataclass(frozen=True)
class Ramp:
    """From the *first* batch to the *last* by equal *increments* over *samples*, of *all*.

    Levels that are *cut* end with the samples left; else the next one begins when its batch is due.
    """

    first: int
    last: int
    increments: int
    samples: int
    all: int
    cut: bool

    @cached_property
    def levels(self) -> list[Level]:
        """The batches before the last one, without those whose turn has passed when it comes."""
        levels: list[Level] = []
        consumed, end = Fraction(0), Fraction(min(self.samples, self.all))
        while consumed < end:
            level = consumed * self.increments // self.samples
            batch = self.first + level * (self.last - self.first) // self.increments
            due = min(Fraction((level + 1) * self.samples, self.increments), end)
            updates = -((consumed - due) // batch)
            levels.append(Level(plain(consumed), batch, updates))
            consumed = due if self.cut else consumed + updates * batch
        return levels

    @property
    def grown(self) -> Number:
        """The samples consumed when the last batch is reached, or the training ends."""
        top = self.levels[-1]
        if self.cut:
            return min(self.samples, self.all)
        return plain(Fraction(top.consumed) + top.batch * top.updates)

    @property
    def updates(self) -> tuple[int, int]:
        """Those while the batch grows, and those with the last one."""
        left = self.all - Fraction(self.grown)
        return sum(level.updates for level in self.levels), max(0, -(-left // self.last))
