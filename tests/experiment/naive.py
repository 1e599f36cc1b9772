"""Training under a schedule, written down as naively as possible: lists and loops, no NumPy.

Shares nothing with ddcalc but the order of the samples and the first parameters, which it is given.
Workers take fixed times and nothing else takes any, so that ties only come up where several
workers are released together; these begin in the order of their numbers.
"""

from __future__ import annotations

from math import exp, log

Vector = list[float]


class Net:
    """A fully connected network on lists; its parameters are one flat list, layer by layer."""

    def __init__(self, sizes: list[int], inputs: list[Vector], labels: list[int]) -> None:
        self.sizes, self.inputs, self.labels = sizes, inputs, labels

    def loss(self, w: Vector, samples: list[int]) -> float:
        return sum(self._one(w, i)[0] for i in samples) / len(samples)

    def gradient(self, w: Vector, samples: list[int]) -> Vector:
        total = [0.0] * len(w)
        for i in samples:
            for j, value in enumerate(self._one(w, i)[1]):
                total[j] += value / len(samples)
        return total

    def _one(self, w: Vector, i: int) -> tuple[float, Vector]:
        """The loss of one sample and its gradient."""
        values, at, starts = [self.inputs[i]], 0, []
        for layer in range(len(self.sizes) - 1):
            m, n = self.sizes[layer], self.sizes[layer + 1]
            starts.append(at)
            z = [
                sum(values[-1][a] * w[at + a * n + b] for a in range(m)) + w[at + m * n + b]
                for b in range(n)
            ]
            values.append(z if layer == len(self.sizes) - 2 else [max(one, 0.0) for one in z])
            at += (m + 1) * n
        scores = values[-1]
        whole = sum(exp(one) for one in scores)
        loss = log(whole) - scores[self.labels[i]]
        error = [exp(one) / whole - (b == self.labels[i]) for b, one in enumerate(scores)]
        slope = [0.0] * len(w)
        for layer in reversed(range(len(self.sizes) - 1)):
            m, n, at = self.sizes[layer], self.sizes[layer + 1], starts[layer]
            for b in range(n):
                slope[at + m * n + b] = error[b]
                for a in range(m):
                    slope[at + a * n + b] = values[layer][a] * error[b]
            error = [
                sum(w[at + a * n + b] * error[b] for b in range(n)) * (values[layer][a] > 0)
                for a in range(m)
            ]
        return loss, slope


def add(w: Vector, factor: float, g: Vector) -> Vector:
    return [x + factor * y for x, y in zip(w, g, strict=True)]


class Cluster:
    """Workers with fixed *periods* that train from *w*; *order* is the queue of samples."""

    def __init__(
        self, net: Net, w: Vector, order: list[int], share: int, eta: float, periods: list[float]
    ) -> None:
        self.net, self.w, self.order, self.share, self.eta = net, w, order, share, eta
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
        return self.net.gradient(self.read[i], self.order[at : at + self.share])

    def single_gradients(self, updates: int, bound: float = float("inf")) -> Vector:
        """Every gradient is an update; nobody is further ahead than the *bound*."""
        for i in range(self.n):
            self.begin(i, 0)
        while self.updates < updates:
            now, i = self.next()
            self.w = add(self.w, -self.eta / self.n, self.gradient(i))
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
                self.w = add(self.w, -self.eta / self.n, gradient)
            self.updates += 1
            handed, timely = [], 0
            for j in range(self.n):
                if self.ends[j] is None or late == "cancel":
                    self.begin(j, now)
        return self.w

    def local(self, updates: int, steps: int) -> Vector:
        """Everybody makes *steps* of its own, then the parameters are averaged."""
        while self.updates < updates:
            total = [0.0] * len(self.w)
            for i in range(self.n):
                mine = self.w
                for step in range(steps):
                    at = ((self.updates * self.n + i) * steps + step) * self.share
                    samples = self.order[at : at + self.share]
                    mine = add(mine, -self.eta, self.net.gradient(mine, samples))
                total = add(total, 1 / self.n, mine)
            self.w = total
            self.updates += 1
        return self.w
