"""A model trained as a schedule says: each gradient at the parameters that its worker has seen.

Those of one update at the same parameters are evaluated together: the mean of equal parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import isfinite
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from ddcalc.schedule.gradient import DROPPED, Gradient
from ddcalc_experiment.learner import Learner
from ddcalc_experiment.samples import Data, Floats, Queue, Whole, scaled
from ddcalc_experiment.setting import Contender, Setting

LOSS = 2000  # training samples at most from which the loss is measured
_seen, _seen_and_data = attrgetter("seen"), attrgetter("seen", "data")


class Measurement(NamedTuple):
    """How far a run is at a *time* (s): *updates* made, *used* gradients in them, the mean *loss*
    of training samples (the first ones), how many test samples are *right*."""

    time: float
    updates: int
    used: int
    loss: float
    right: int


@dataclass(slots=True)
class Run:
    """What became of one run: its *points*, and counts of gradients; with local steps each step is
    one. *staleness* is their sum. A run that *diverged* ends with a loss that is not finite."""

    points: list[Measurement] = field(default_factory=list)
    used: int = 0
    dropped: int = 0
    interrupted: int = 0
    staleness: int = 0
    stalest: int = 0
    diverged: bool = False


class Training:
    """The *model* trained on *data* by one *contender*, from one *seed*."""

    def __init__(
        self, setting: Setting, data: Data, model: Learner, contender: Contender, seed: int
    ) -> None:
        self.data, self.model, self.contender = data, model, contender
        self.run, self.version = Run(), 0
        self.parameters = model.start(seed)
        self.versions: dict[int, Floats] = {0: self.parameters}  # that are still to be seen
        workers, size = contender.workers, setting.number("step_size")
        self.share = int(setting.number("batch")) // workers
        self.steps = contender.scheme.local_steps
        self._eta = size.numerator / size.denominator
        self._budget = int(setting.number("epochs")) * len(data.labels)  # samples of all gradients
        self._between = setting.interval(data) * workers  # gradients between two looks
        self._engine, self._unit = setting.engine(contender, seed)
        self._queue = Queue(len(data.labels), seed)

    def train(self, tell: Callable[[float], None] = lambda share: None) -> Run:
        """Train until the gradients have used up the passes over the data, or diverged; *tell* is
        called with the share that is done."""
        groups = list(self._groups())
        last = {one.seen: i for i, group in enumerate(groups) for one in group}
        self._look(0)
        with np.errstate(all="ignore"):
            for i, group in enumerate(groups):
                if group[0].update > 0:
                    self._update(group, group[0].update in last)
                elif group[0].update == DROPPED:
                    self.run.dropped += len(group) * self.steps
                else:
                    self.run.interrupted += len(group) * self.steps
                for seen in {one.seen for one in group}:
                    if last[seen] == i:
                        del self.versions[seen]
                tell(i / len(groups))
                if self.run.diverged:
                    return self.run
        if self.run.points[-1].updates != self.version:
            self._look(groups[-1][0].written)
        return self.run

    def _groups(self) -> Iterator[list[Gradient]]:
        """The gradients of each update, and those that are lost, until all samples are used up."""
        left = self._budget
        groups = groupby(self._engine.gradients(), key=attrgetter("update"))
        while left > 0:
            gradients = list(next(groups)[1])
            left -= len(gradients) * self.steps * self.share
            yield gradients

    def _update(self, gradients: Sequence[Gradient], is_seen: bool) -> None:
        run, before = self.run, self.run.used
        run.used += len(gradients) * self.steps
        run.staleness += sum(one.staleness for one in gradients) * self.steps
        run.stalest = max(run.stalest, *(one.staleness for one in gradients))
        change = self._mean_change(gradients) if self.steps > 1 else self._change(gradients)
        self.version, self.parameters = gradients[0].update, self.parameters + change
        if is_seen:
            self.versions[self.version] = self.parameters
        if run.used // self._between != before // self._between:
            self._look(gradients[0].written)

    def _change(self, gradients: Sequence[Gradient]) -> Floats:
        total = np.zeros(self.model.parameters)
        # in the order of the data, and each share before η: to the bit what one machine computes
        for _, alike in groupby(sorted(gradients, key=_seen_and_data), key=_seen):
            several = list(alike)
            samples = [self._samples(one, 0) for one in several]
            at = self.versions[several[0].seen]
            total += len(several) / self.contender.workers * self._gradient(at, samples)
        return -self._eta * total

    def _mean_change(self, gradients: Sequence[Gradient]) -> Floats:
        total = np.zeros(self.model.parameters)
        for gradient in gradients:
            start = self.versions[gradient.seen]
            reached = start.copy()
            for i in range(self.steps):
                reached -= self._eta * self._gradient(reached, [self._samples(gradient, i)])
            total += reached - start
        return total / len(gradients)

    def _gradient(self, at: Floats, places: Sequence[Whole]) -> Floats:
        samples = np.concatenate(places)
        inputs = scaled(self.data.inputs[samples])
        return self.model.gradient(at, inputs, self.data.labels[samples])

    def _samples(self, gradient: Gradient, step: int) -> Whole:
        """The mini-batch of a *gradient*, or of one of its local steps."""
        place = (gradient.data - 1) * self.steps + step
        return self._queue.take(place * self.share, self.share)

    def _look(self, now: float) -> None:
        """Measure the loss and the accuracy."""
        data, labels = self.data, self.data.labels[:LOSS]
        scores = self.model.scores(self.parameters, scaled(data.inputs[:LOSS]))
        scores -= scores.max(axis=1, keepdims=True)
        wanted = scores[np.arange(len(labels)), labels]
        loss: float = (np.log(np.exp(scores).sum(axis=1)) - wanted).mean().item()
        if not isfinite(loss):
            self.run.diverged = True
            return
        scores = self.model.scores(self.parameters, scaled(data.test_inputs))
        right = int((scores.argmax(axis=1) == data.test_labels).sum())
        seconds = now / self._unit
        self.run.points.append(Measurement(seconds, self.version, self.run.used, loss, right))
