"""Training under a schedule, written down as naively as possible.

Shares nothing with ddcalc but the order of the samples, the first parameters and the gradient of a
mini-batch, which it is given. Workers take fixed times and nothing else takes any, so that ties
only come up where several workers are released together; these begin in order of their numbers.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Vector = np.ndarray


class Cluster:
    """Workers with fixed *periods* that train from *w*; *order* is the queue of samples."""

    def __init__(
        self, slope: Callable[[Vector, list[int]], Vector], w: Vector, order: list[int],
        share: int, eta: float, periods: list[float],
    ) -> None:  # fmt: skip
        self.slope, self.w, self.order, self.share, self.eta = slope, w, order, share, eta
        self.periods, self.n = periods, len(periods)
        self.begun = 0
        self.ends: list[float | None] = [None] * self.n  # None: waits
        self.read = [w] * self.n
        self.seen = [0] * self.n
        self.data = [0] * self.n
        self.clocks = [0] * self.n
        self.updates = 0

    def begin(self, i: int, now: float, steps: int = 1) -> None:
        self.read[i], self.seen[i], self.data[i] = self.w, self.updates, self.begun
        self.begun += 1
        self.ends[i] = now + steps * self.periods[i]

    def next(self) -> tuple[float, int]:
        return min((end, i) for i, end in enumerate(self.ends) if end is not None)

    def gradient(self, i: int) -> Vector:
        at = self.data[i] * self.share
        return self.slope(self.read[i], self.order[at : at + self.share])

    def single_gradients(self, updates: int, bound: float = float("inf")) -> Vector:
        """Every gradient is an update; nobody is further ahead than the *bound*."""
        for i in range(self.n):
            self.begin(i, 0)
        while self.updates < updates:
            now, i = self.next()
            self.w = self.w - self.eta / self.n * self.gradient(i)
            self.updates += 1
            self.clocks[i] += 1
            self.ends[i] = None
            for j in range(self.n):
                if self.ends[j] is None and self.clocks[j] - min(self.clocks) <= bound:
                    self.begin(j, now)
        return self.w

    def rounds(self, updates: int, k: int, late: str) -> Vector:
        """An update waits for *k* gradients taken at the newest parameters."""
        for i in range(self.n):
            self.begin(i, 0)
        handed: list[Vector] = []
        timely = 0
        while self.updates < updates:
            now, i = self.next()
            self.ends[i] = None
            if self.seen[i] < self.updates:
                if late == "reuse":
                    handed.append(self.gradient(i))
                self.begin(i, now)
                continue
            handed.append(self.gradient(i))
            timely += 1
            if timely < k:
                continue
            for gradient in handed:
                self.w = self.w - self.eta / self.n * gradient
            self.updates += 1
            handed, timely = [], 0
            for j in range(self.n):
                if self.ends[j] is None or late == "cancel":
                    self.begin(j, now)
        return self.w

    def local(self, updates: int, steps: int) -> Vector:
        """Everybody makes *steps* of its own, then the parameters are averaged."""
        while self.updates < updates:
            total = np.zeros(len(self.w))
            for i in range(self.n):
                mine = self.w
                for step in range(steps):
                    at = ((self.updates * self.n + i) * steps + step) * self.share
                    samples = self.order[at : at + self.share]
                    mine = mine - self.eta * self.slope(mine, samples)
                total = total + mine / self.n
            self.w = total
            self.updates += 1
        return self.w
