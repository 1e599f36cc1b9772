"""How many workers are best, as a question states it."""

from __future__ import annotations

from collections.abc import Mapping

from ddcalc.numbers.number import Number
from ddcalc.problem.play import Played, one, whole
from ddcalc.types.batch.batch_workers.model import Plans, Training


def question(given: Played, reading: Mapping[str, str]) -> Plans:
    """The plans that the *given* numbers leave to choose from."""

    def stated(name: str) -> Number:
        return one(given, name) or 0

    training = Training(
        least_steps=stated("least_steps"),
        critical_batch=stated("critical_batch"),
        fixed=stated("overhead"),
        per_sample=stated("per_sample"),
        per_worker=stated("per_worker"),
        price=stated("price"),
        waiting=stated("waiting"),
        largest_batch=whole(given, "largest_batch"),
    )
    most = whole(given, "most_workers") or 1
    return Plans(training, most, reading["goal"] == "cost", one(given, "deadline"))
