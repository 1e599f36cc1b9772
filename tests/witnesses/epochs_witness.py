"""Steps and epochs of data-parallel training, worker by worker."""

from __future__ import annotations

from typing import Any

from asking import Question, witness


@witness("sync-step")
def sync_step(question: Question) -> dict[str, Any]:
    """The server waits until nobody is missing, adds up, and updates."""
    missing = set(range(len(question["finish"])))
    clock, last = 0, 0
    for ready, worker in sorted((time, -i) for i, time in enumerate(question["finish"])):
        missing.remove(-worker)
        clock, last = ready, -worker
    assert not missing
    return {
        "slowest": clock,
        "straggler": last + 1,
        "idle": tuple(clock - ready for ready in question["finish"]),
        "total": clock + question["aggregate"] + question["update"],
    }
