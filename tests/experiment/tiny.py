"""Small data and experiments to train on in milliseconds."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np

from ddcalc.problem.stated import read
from ddcalc_experiment.learner import Dense
from ddcalc_experiment.samples import Data
from ddcalc_experiment.setting import Experiment, Setting, setting
from ddcalc_experiment.training import Training

FEATURES, CLASSES = 4, 3


def samples(count: int, seed: int = 3) -> tuple[list[list[float]], list[int]]:
    """Points around one corner for each class."""
    draw = Random(seed)
    labels = [draw.randrange(CLASSES) for _ in range(count)]
    points = [[draw.uniform(0, 0.6) + 0.4 * (feature == label) for feature in range(FEATURES)]
              for label in labels]  # fmt: skip
    return points, labels


def data(count: int = 40) -> Data:
    """Such samples to train with, and as many to test."""
    return Data("tiny", *map(np.array, (*samples(count), *samples(count, 4))))


def table(path: Path, count: int = 60) -> Path:
    """The file *path* with such samples."""
    rows = (
        ",".join(map(str, (label, *point))) for point, label in zip(*samples(count), strict=True)
    )
    path.write_text("\n".join(["label,a,b,c,d", *rows, ""]))
    return path


def experiment(schemes: Sequence[str], hidden: Sequence[int] = (), **texts: str) -> Setting:
    """An experiment of three workers with fixed times; *texts* say it otherwise."""
    usual = {"batch": "6", "epochs": "3", "distribution": "constant"}
    periods = {"periods": ["1 s", "1.37 s", "1.91 s"]}
    return setting(read(Experiment, {**usual, **periods, **texts}), schemes, hidden)


def trained(made: Setting, kind: str) -> Training:
    """The first contender of that kind, trained."""
    chosen = next(one for one in made.contenders if one.kind == kind)
    training = Training(made, data(), Dense((FEATURES, *made.hidden, CLASSES)), chosen, 1)
    training.train()
    return training
