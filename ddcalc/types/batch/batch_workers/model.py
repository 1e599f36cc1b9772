"""The time and cost of training with some workers and a batch each, and the best of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from ddcalc.numbers.irrational import Approximate, ceiling_sqrt, power
from ddcalc.numbers.number import Number

_CLOSE = Fraction(1, 10**62)  # how close a root is found, relative to it
_ERROR = 1e-60


class Plan(NamedTuple):
    """A number of *workers* with a *batch* each: the *steps* to the target, the time of a step and
    of all (s), and what workers and waiting *cost* (USD)."""

    workers: int
    batch: int
    steps: Number
    step_time: Number
    time: Number
    cost: Number


@dataclass(frozen=True, slots=True)
class Training:
    """A training that takes least_steps·(1 + critical_batch/(n·B)) steps with n workers and a
    batch of B each; a step takes *overhead* + per_sample·B + per_worker·n (s).

    Money: *price* of a worker's and *waiting* of the whole training's time (USD/s).
    """

    least_steps: Number
    critical_batch: Number
    overhead: Number
    per_sample: Number
    per_worker: Number
    price: Number = 0
    waiting: Number = 0
    largest_batch: int | None = None

    def best_batch(self, workers: int) -> int:
        """The batch with the least time: the first B with B(B + 1) >= (overhead + per_worker·n)
        ·critical_batch/(per_sample·n), or the largest that there may be."""
        step = self.overhead + self.per_worker * workers
        product = Fraction(step * self.critical_batch) / (self.per_sample * workers)
        best = max((ceiling_sqrt(1 + 4 * product)) // 2, 1)  # ⌈(root − 1)/2⌉
        return best if self.largest_batch is None else min(best, self.largest_batch)

    def plan(self, workers: int) -> Plan:
        """This number of *workers* with their best batch."""
        batch = self.best_batch(workers)
        steps = self.least_steps * (1 + Fraction(self.critical_batch) / (workers * batch))
        step_time = self.overhead + (self.per_sample * batch + self.per_worker * workers)
        time = steps * step_time
        cost = (workers * self.price + self.waiting) * time
        return Plan(workers, batch, steps, step_time, time, cost)

    @property
    def balance(self) -> Number | None:
        """z = per_sample·B = per_worker·n where the time is least, in parts of a worker.

        The time is least_steps·(1 + D/(x·y))·(overhead + x + y) with x = per_sample·B, y =
        per_worker·n and D = critical_batch·per_sample·per_worker; it is least where x = y = z with
        z³ = D·(z + overhead). None where nothing grows with the workers.
        """
        product = Fraction(self.critical_batch * self.per_sample * self.per_worker)
        if not product:
            return None
        return _root(product, Fraction(self.overhead))

    @property
    def cheapest(self) -> Number | None:
        """The number of workers with the least cost, in parts of one: (waiting/price)^(2/3)
        ·(per_sample·critical_batch/overhead)^(1/3), where nothing grows with the workers."""
        if self.per_worker or not (self.price and self.overhead and self.waiting):
            return None
        money = Fraction(self.waiting) / self.price
        time = Fraction(self.per_sample * self.critical_batch) / self.overhead
        return power(money**2 * time, Fraction(1, 3))


@dataclass(frozen=True)
class Plans:
    """The plans of a *training* for 1, 2, … up to *most* workers, each with its best batch.

    The best one costs least if *by_cost*, else it takes the least time; none that takes longer than
    the *deadline* (s) counts.
    """

    training: Training
    most: int
    by_cost: bool
    deadline: Number | None

    @cached_property
    def all(self) -> Sequence[Plan]:
        """The plans by their number of workers."""
        return [self.training.plan(n) for n in range(1, self.most + 1)]

    def too_slow(self, plan: Plan) -> bool:
        """Whether *plan* misses the deadline."""
        return self.deadline is not None and plan.time > self.deadline

    @cached_property
    def best(self) -> Plan | None:
        """The first of the best plans; None where every one takes too long."""
        soon = [plan for plan in self.all if not self.too_slow(plan)]
        rank = "cost" if self.by_cost else "time"
        return min(soon, key=attrgetter(rank), default=None)

    @cached_property
    def fastest(self) -> Plan:
        """The plan with the least time."""
        return min(self.all, key=attrgetter("time"))

    @property
    def paid(self) -> bool:
        """Whether anything has a price."""
        return bool(self.training.price or self.training.waiting)

    @property
    def cheapest(self) -> Number | None:
        """The number of workers with the least cost, in parts of one, if that is the goal."""
        return self.training.cheapest if self.by_cost else None


def _root(product: Fraction, fixed: Fraction) -> Number:
    """The z > 0 with z³ = product·(z + fixed), by Newton's method from above."""
    z = max(Fraction(1), product * (1 + fixed))  # z³ >= z·z >= z·product·(1 + fixed)
    while True:
        value, slope = z**3 - product * (z + fixed), 3 * z**2 - product
        step = value / slope
        z = _short(z - step)
        if abs(step) <= z * _CLOSE:
            return Approximate(z, _ERROR)


def _short(value: Fraction) -> Fraction:
    """*value* to 256 significant bits, and not below it."""
    shift = 256 - value.numerator.bit_length() + value.denominator.bit_length()
    scale = Fraction(2) ** shift
    return -Fraction(-(value * scale).numerator // (value * scale).denominator) / scale
