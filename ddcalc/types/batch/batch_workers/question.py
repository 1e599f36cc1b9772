"""How many workers are best, as a question states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddcalc.problem.play import Played, one, whole
from ddcalc.types.batch.batch_workers.model import Plans, Training


def question(given: Played, reading: Mapping[str, str]) -> Plans:
    """The plans that the *given* numbers leave to choose from."""
    names = ("least_steps", "critical_batch", "overhead", "per_sample", "per_worker", "price")
    numbers: dict[str, Any] = {name: one(given, name) or 0 for name in (*names, "waiting")}
    training = Training(**numbers, largest_batch=whole(given, "largest_batch"))
    most = whole(given, "most_workers") or 1
    return Plans(training, most, reading["goal"] == "cost", one(given, "deadline"))
