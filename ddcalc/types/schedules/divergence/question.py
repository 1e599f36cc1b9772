"""Which runs are compared, until when, and with which sizes of steps and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddcalc.errors import BadValue
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, several
from ddcalc.schedule.engine import check_length
from ddcalc.types.schedules.divergence.model import (
    DELTA,
    ETA,
    Runs,
    Sizes,
    same_operations,
    same_time,
    updates_until,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cores with their *starts* (s), the time of an *update* (s), and where both runs stop.

    That is the *horizon* (s), or with *equal_counts* the update number *count* (if None, the last
    one that the sequential run ends by the horizon). *sizes* are those of steps and gradients.
    """

    starts: Sequence[Number]
    update: Number
    horizon: Number
    equal_counts: bool
    count: Number | None = None
    sizes: Sizes = Sizes(ETA, DELTA, None)  # noqa: RUF009 - frozen

    def runs(self) -> Runs:
        """Both runs, played; OverLimit if they are too long."""
        if not self.equal_counts:
            return same_time(self.starts, self.update, self.horizon)
        count = updates_until([0], self.update, self.horizon) if self.count is None else self.count
        check_length(int(count), "horizon" if self.count is None else "operations")
        return same_operations(self.starts, self.update, int(count))


def comparison(given: PlayedGivens, equal_counts: bool) -> Comparison:
    """What *given* states; BadValue for a number of updates where equal times are compared."""
    starts, operations = several(given, "starts"), one(given, "operations")
    update, horizon = one(given, "update"), one(given, "horizon")
    assert update is not None
    assert horizon is not None
    if operations is not None and not equal_counts:
        problem = "goes with the same number of operations; leave it out for the same time"
        raise BadValue(str(operations), problem).about("operations")
    eta, delta = one(given, "eta"), one(given, "delta")
    sizes = Sizes(
        ETA if eta is None else eta, DELTA if delta is None else delta, one(given, "lipschitz")
    )
    return Comparison(starts, update, horizon, equal_counts, operations, sizes)
