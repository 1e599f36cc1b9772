"""A model trained as the engine says: each gradient at the parameters that its worker has seen.

The engine says which gradients an update is made of, on which data, and at which parameters they
were taken. Here they are evaluated: gradients of one update at the same parameters together, as
one batch, since the mean over equal parts is the mean over all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite
from operator import attrgetter

import numpy as np

from ddcalc.experiment.learner import learner
from ddcalc.experiment.samples import LOSS, Data, Floats, Queue, Whole
from ddcalc.experiment.setting import Contender, Setting
from ddcalc.schedule.gradient import DROPPED, INTERRUPTED, Gradient

_SEEN = Gradient._fields.index("seen")


@dataclass(frozen=True, slots=True)
class Measurement:
    """How far a run is at a *time* (s): *updates* made, *used* gradients in them, the mean *loss*
    of training samples (the first ones, 2 000 at most), how many test samples are *right*."""

    time: float
    updates: int
    used: int
    loss: float
    right: int


@dataclass(slots=True)
class Run:
    """What became of one run: its *points*, and counts of gradients. With local steps each step
    is one. A run that *diverged* ends with the first loss that is not finite."""

    points: list[Measurement] = field(default_factory=list)
    used: int = 0
    dropped: int = 0
    interrupted: int = 0
    staleness: int = 0  # summed over the gradients that were used
    stalest: int = 0
    diverged: bool = False


class Training:
    """The *model* trained on *data* by one *contender*, from one *seed*."""

    def __init__(self, setting: Setting, data: Data, contender: Contender, seed: int) -> None:
        self.data, self.contender = data, contender
        self.model = learner(setting, data)
        self.versions: dict[int, Floats] = {0: self.model.start(seed)}
        self.version = 0
        self.run = Run()
        self.share = setting.whole("batch") // contender.workers
        size = setting.step(contender)
        self._eta = size.numerator / size.denominator
        self.by_update = setting.reading["step_for"] == "update"
        self.steps = contender.scheme.local_steps
        self.budget = setting.whole("epochs") * len(data.labels)  # samples of all gradients
        # gradients between two looks
        self.between = setting.interval(data) * contender.workers
        self._engine, self._unit = setting.workload(contender, seed).engine(contender.scheme)
        self._queue = Queue(len(data.labels), seed)
        self._kept: dict[int, Floats] = {}  # what each worker has not sent yet
        self._handed = 0
        self._room = 4  # versions that may be there before those that are not needed are dropped
        # looks take half as long in single precision, which is fine enough for them
        self._known = data.taken(slice(LOSS)).astype(np.float32), data.labels[:LOSS]
        self._tests = data.tests.astype(np.float32), data.test_labels

    @property
    def parameters(self) -> Floats:
        """The parameters after the last update."""
        return self.versions[self.version]

    def train(self, tell: Callable[[float], None] = lambda share: None) -> Run:
        """Train until the gradients have used up the passes over the data, or diverged.

        Now and then *tell* is called with the share that is done.
        """
        self._look(0)
        with np.errstate(all="ignore"):
            for update, group in groupby(self._engine.gradients(), key=attrgetter("update")):
                gradients = list(group)
                if update > 0:
                    self._update(gradients)
                else:
                    self._lose(gradients)
                self._forget()
                tell(min(self._handed / self.budget, 1.0))
                if self.run.diverged or self._handed >= self.budget:
                    break
        if not self.run.diverged and self.run.points[-1].updates != self.version:
            self._look(gradients[-1].written)
        return self.run

    def _update(self, gradients: Sequence[Gradient]) -> None:
        run, before = self.run, self.run.used
        for gradient in gradients:
            run.staleness += gradient.staleness * self.steps
            run.stalest = max(run.stalest, gradient.staleness)
        run.used += len(gradients) * self.steps
        self._handed += len(gradients) * self.steps * self.share
        change = self._mean_change(gradients) if self.steps > 1 else self._change(gradients)
        self.version = gradients[0].update
        self.versions[self.version] = self.versions[self.version - 1] + change
        if run.used // self.between != before // self.between:
            self._look(gradients[0].written)

    def _change(self, gradients: Sequence[Gradient]) -> Floats:
        """What the gradients change the parameters by."""
        parts = len(gradients) if self.by_update else self.contender.workers
        if self.contender.compression is not None:
            sent = (
                self._message(gradient.worker, self._evaluated([gradient]))
                for gradient in gradients
            )
            return -self._eta / parts * sum(sent, np.zeros(self.model.parameters))
        total = np.zeros(self.model.parameters)
        # in the order of the data, and each share before η: to the bit what one machine computes
        for _, alike in groupby(sorted(gradients, key=_seen_and_data), key=_seen):
            several = list(alike)
            total += len(several) / parts * self._evaluated(several)
        total *= -self._eta
        return total

    def _mean_change(self, gradients: Sequence[Gradient]) -> Floats:
        """What the mean of the workers' own steps changes the parameters by."""
        total = np.zeros(self.model.parameters)
        for gradient in gradients:
            start = self.versions[gradient.seen]
            reached = start.copy()
            for i in range(self.steps):
                reached -= self._eta * self._gradient(reached, self._samples(gradient, i))
            change = reached - start
            packed = self.contender.compression is not None
            total += self._message(gradient.worker, change) if packed else change
        return total / len(gradients)

    def _evaluated(self, gradients: Sequence[Gradient]) -> Floats:
        """The mean of *gradients*, all taken at the same parameters."""
        samples = [self._samples(gradient, 0) for gradient in gradients]
        together = samples[0] if len(samples) == 1 else np.concatenate(samples)
        return self._gradient(self.versions[gradients[0].seen], together)

    def _gradient(self, at: Floats, samples: Whole) -> Floats:
        return self.model.gradient(at, self.data.taken(samples), self.data.labels[samples])

    def _samples(self, gradient: Gradient, step: int) -> Whole:
        """The mini-batch of a *gradient*, or of one of its local steps."""
        place = (gradient.data - 1) * self.steps + step
        return self._queue.take(place * self.share, self.share)

    def _message(self, worker: int, wanted: Floats) -> Floats:
        """What *worker* sends of a gradient (or a change) that is *wanted* and of what it kept."""
        compression = self.contender.compression
        assert compression is not None
        whole = wanted + self._kept.get(worker, 0)
        sent = compression.sent(whole)
        self._kept[worker] = whole - sent
        return sent

    def _lose(self, gradients: Sequence[Gradient]) -> None:
        """Count gradients that no update uses; what was sent in vain is not kept either."""
        for gradient in gradients:
            self._handed += self.steps * self.share
            if gradient.update == INTERRUPTED:
                self.run.interrupted += self.steps
                continue
            assert gradient.update == DROPPED
            self.run.dropped += self.steps
            if self.contender.compression is not None:
                self._message(gradient.worker, self._evaluated([gradient]))

    def _forget(self) -> None:
        """Drop the parameters that no gradient under way was taken at."""
        if len(self.versions) <= self._room:
            return
        engine = self._engine
        arrived = [*engine.handed, *(engine.closing or ())]  # and wait for their update
        needed = {self.version, *(worker.seen for worker in engine.workers)}
        needed |= {sent[_SEEN] for sent in arrived}
        self.versions = {number: self.versions[number] for number in sorted(needed)}
        self._room = 2 * len(needed)  # so that it is seldom looked for

    def _look(self, now: float) -> None:
        """Measure the loss and the accuracy."""
        loss = self.model.loss(self.parameters, *self._known)
        if not isfinite(loss):
            self.run.diverged = True
            return
        right = self.model.right(self.parameters, *self._tests)
        seconds = now / self._unit
        self.run.points.append(Measurement(seconds, self.version, self.run.used, loss, right))


_seen, _seen_and_data = attrgetter("seen"), attrgetter("seen", "data")
