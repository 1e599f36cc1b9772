"""A way to synchronise workers, as data: what an update waits for, and who may go on when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Late = Literal["drop", "reuse", "cancel"]
"""What happens to gradients that an update did not wait for: they are dropped on arrival, or used
in the next update, or their computation is interrupted when the update is made."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """What :mod:`ddcalc.schedule.engine` needs to know of a way to synchronise.

    An update is made of *wait_for* gradients. In *rounds* these must be taken at the parameters
    as they are (others are *late*), and their workers wait for the update; else every gradient
    counts. A worker sends a gradient after *local_steps* computations. With a *bound* s a worker
    starts its computation c only if every worker has finished c - 1 - s of its own.

    *short* and *label* name it in a picture and in a table, *says* tells who waits for what.
    """

    short: str
    label: str
    says: str
    wait_for: int = 1
    rounds: bool = False
    late: Late = "drop"
    local_steps: int = 1
    bound: int | None = None

    @property
    def is_free(self) -> bool:
        """Whether nobody ever waits for another worker."""
        return not self.rounds and self.bound is None
