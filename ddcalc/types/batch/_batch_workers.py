"""The time and cost of training with some workers and a batch each, and the best of all.

n workers with B samples each make one step on n·B samples in a + b·B + g·n; the target takes
S_min·(1 + B_crit/(n·B)) steps (McCandlish et al., arXiv:1812.06162).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import attrgetter
from typing import Final, NamedTuple

from ddcalc.numbers.irrational import Approximate, ceiling_sqrt
from ddcalc.numbers.number import Number
from ddcalc.problem.play import PlayedGivens, one, whole

_CLOSE: Final = Fraction(1, 10**62)  # how close a root is found, relative to it
_ERROR: Final = 1e-60


class Plan(NamedTuple):
    """A number of *workers* with a *batch* each: the *steps* to the target, the *time* of all (s),
    and what workers and waiting *cost* (USD)."""

    workers: int
    batch: int
    steps: Number
    time: Number
    cost: Number


def table(
    given: PlayedGivens, reading: Mapping[str, str]
) -> dict[str, Number | tuple[Number, ...]]:
    """The plans for 1, 2, … workers, each with its best batch, and the best, the fastest and the
    cheapest of them; no best one where none meets the deadline."""
    most, deadline = whole(given, "most_workers") or 1, one(given, "deadline")
    plans = [plan(n, given) for n in range(1, most + 1)]
    soon = [p for p in plans if deadline is None or p.time <= deadline]
    best = min(soon, key=attrgetter("cost" if reading["goal"] == "cost" else "time"), default=None)
    fastest, cheapest = min(plans, key=attrgetter("time")), min(plans, key=attrgetter("cost"))
    further = plan(most + 1, given)
    results: dict[str, Number | tuple[Number, ...]] = {
        "batches": tuple(p.batch for p in plans),
        "step_counts": tuple(p.steps for p in plans),
        "times": tuple(p.time for p in plans),
        "costs": tuple(p.cost for p in plans),
        "too_slow": tuple(int(p not in soon) for p in plans) if len(soon) < most else (0,) * most,
        "single_time": plans[0].time,
        "fastest_workers": fastest.workers,
        "fastest_batch": fastest.batch,
        "fastest_time": fastest.time,
        "fastest_cost": fastest.cost,
        "cheapest_workers": cheapest.workers,
        "times_of_few": cheapest.time,
        "further_time": further.time,
    }
    if (z := balance(given)) is not None:
        results["balance"] = z
    if best is not None:
        results |= {"best_workers": best.workers, "batch": best.batch}
        fewer = plans[max(best.workers - 2, 0)]
        results |= {"fewer_batch": fewer.batch, "fewer_time": fewer.time}
        half = plans[max(best.workers // 2 - 1, 0)]
        results |= {"half_time": half.time, "half_cost": half.cost}
    return results


def plan(workers: int, given: PlayedGivens) -> Plan:
    """This number of *workers* with the batch of the least time: the first B with B(B + 1) >=
    (a + g·n)·B_crit/(b·n), or the largest that fits."""
    fixed = _number(given, "overhead") + _number(given, "per_worker") * workers
    critical, sample = _number(given, "critical_batch"), _number(given, "per_sample")
    product = Fraction(fixed * critical) / (sample * workers)
    batch = max(ceiling_sqrt(1 + 4 * product) // 2, 1)  # ⌈(root − 1)/2⌉
    if (largest := whole(given, "largest_batch")) is not None:
        batch = min(batch, largest)
    steps = _number(given, "least_steps") * (1 + Fraction(critical) / (workers * batch))
    time = steps * (fixed + sample * batch)
    paid = workers * _number(given, "price") + _number(given, "waiting")
    return Plan(workers, batch, steps, time, paid * time)


def balance(given: PlayedGivens) -> Number | None:
    """z = b·B = g·n where the time is least, in parts of a worker; None where g is 0.

    The time is S_min·(1 + D/(x·y))·(a + x + y) with x = b·B, y = g·n and D = B_crit·b·g; it is
    least where x = y = z with z³ = D·(z + a), found by Newton's method from above.
    """
    product = Fraction(_number(given, "critical_batch") * _number(given, "per_sample")) * _number(
        given, "per_worker"
    )
    fixed = Fraction(_number(given, "overhead"))
    if not product:
        return None
    z = max(Fraction(1), product * (1 + fixed))  # z³ >= z·z >= z·product·(1 + fixed)
    while True:
        step = (z**3 - product * (z + fixed)) / (3 * z**2 - product)
        z = _short(z - step)
        if abs(step) <= z * _CLOSE:
            return Approximate(z, _ERROR)


def _number(given: PlayedGivens, name: str) -> Number:
    return one(given, name) or 0


def _short(value: Fraction) -> Fraction:
    """*value* to 256 significant bits, and not below it."""
    shift = 256 - value.numerator.bit_length() + value.denominator.bit_length()
    scale = Fraction(2) ** shift
    return -Fraction(-(value * scale).numerator // (value * scale).denominator) / scale
