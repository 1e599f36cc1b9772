"""Small data and experiments to train on in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from ddcalc.experiment.samples import Data
from ddcalc.experiment.setting import Contender, Experiment, Setting, setting
from ddcalc.experiment.training import Training
from ddcalc.problem.stated import read

FEATURES, CLASSES = 4, 3


def samples(count: int, seed: int = 3) -> tuple[list[list[float]], list[int]]:
    """Points around one corner for each class."""
    draw = Random(seed)
    labels = [draw.randrange(CLASSES) for _ in range(count)]
    points = [
        [draw.uniform(0, 0.6) + (0.4 if feature == label else 0) for feature in range(FEATURES)]
        for label in labels
    ]
    return points, labels


def data(count: int = 40) -> Data:
    """Such samples to train with, and as many to test."""
    (points, labels), (tests, test_labels) = samples(count), samples(count, 4)
    return Data("tiny", np.array(points), np.array(labels), np.array(tests), np.array(test_labels))


def table(path: Path, count: int = 60) -> Path:
    """The file *path* with such samples."""
    lines = [
        ",".join([str(label), *(f"{value:.4f}" for value in point)])
        for point, label in zip(*samples(count), strict=True)
    ]
    path.write_text("\n".join(["label,a,b,c,d", *lines, ""]))
    return path


def experiment(
    schemes: Sequence[str] | None = None, hidden: Sequence[int] = (), **texts: str | list[str]
) -> Setting:
    """An experiment of three workers with fixed times; *texts* say it otherwise."""
    usual: dict[str, str | list[str]] = {
        "batch": "6",
        "epochs": "3",
        "periods": ["1 s", "1.37 s", "1.91 s"],
        "distribution": "constant",
    }
    return setting(read(Experiment, {**usual, **texts}), schemes, hidden)


def trained(made: Setting, kind: str, seed: int = 1, learnt: Data | None = None) -> Training:
    """The first contender of that kind, trained."""
    chosen: Contender = next(one for one in made.contenders if one.kind == kind)
    training = Training(made, learnt or data(), chosen, seed)
    training.train()
    return training
