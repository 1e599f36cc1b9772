"""Points without a value: how many, why, and where the first one is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["not read", "refused", "condition", "no answer", "not derived", "nothing"]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why points have no value; *about* is the axis, condition or quantity.

    The names varied make no question; a given does not admit its value; a condition fails; a
    formula has no value; this reading does not derive the quantity; its equation has no solution.
    """

    kind: Kind
    about: str


@dataclass(slots=True)
class Tally:
    """How many points have no value for each reason, and the number of the first one."""

    counts: dict[Reason, int] = field(default_factory=dict)
    first: dict[Reason, int] = field(default_factory=dict)

    def add(self, reason: Reason, count: int, first: int) -> None:
        """*count* more points, the first of them point *first*."""
        if count:
            self.counts[reason] = self.counts.get(reason, 0) + count
            self.first[reason] = min(first, self.first.get(reason, first))
