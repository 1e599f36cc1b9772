"""Synchronous SGD: an update waits for a gradient of every worker."""

from __future__ import annotations

from ddcalc.schedule.scheme import Scheme


def sync(workers: int) -> Scheme:
    """Every update is made of one gradient of each worker, and all wait for it."""
    says = "every update waits for a gradient of each worker, and every worker for the update"
    return Scheme("sync", "sync", says, wait_for=workers, rounds=True)
